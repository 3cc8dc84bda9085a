//! The scenarios beside `busy`: quiet, market, provider, trouble, huge.
//!
//! Responsible for: what each begins with, made by the world's own moves.

use crate::ids;
use crate::json::Json;
use crate::project::shape::TaskState;
use crate::world::agents::{Agent, CARD_ERRORS, Skill, Verification};
use crate::world::inbound::{Inbound, Policy};
use crate::world::peer::{Behaviour, file};
use crate::world::quote::{Offer, Price};
use crate::world::status::{Hub, Queue, Recovery};
use crate::world::{Said, State};

use super::busy::{people, start};

/// A new node.
pub(super) fn quiet() -> State {
    let mut state = State::empty(2);
    state.status.caps.clear();
    state.status.profile.clear();
    state.status.queue = Some(Queue { counters: std::collections::BTreeMap::new(), ..Queue::default() });
    state
}

/// Agents that charge.
pub(super) fn market() -> State {
    let mut state = State::empty(3);
    people(&mut state);
    let shelves = [
        ("cheap", 1, Behaviour::Answers),
        ("fair", 5, Behaviour::Answers),
        ("dear", 40, Behaviour::Answers),
        // Asks more than its card says.
        ("greedy", 2, Behaviour::Prices(Price::of(4), crate::world::peer::Settlement::Settles)),
        (
            "choosy",
            5,
            Behaviour::Prices(Price { offer: Offer::Several, ..Price::of(5) }, crate::world::peer::Settlement::Settles),
        ),
        (
            "foreign",
            5,
            Behaviour::Prices(
                Price { offer: Offer::Unpayable, ..Price::of(5) },
                crate::world::peer::Settlement::Settles,
            ),
        ),
    ];
    let mut payees = vec![super::busy::LAB.to_owned()];
    for (name, price, behaviour) in shelves {
        let mut agent = Agent::new(&ids::aid(&format!("market {name}")), name, "Sells reports.");
        agent.skills = vec![Skill::new("report.make", "Report", "A report.", &["report", "paid"]).priced(price)];
        agent.behaviour = behaviour;
        payees.push(agent.aid.clone());
        state.agents.push(agent);
    }
    let now = state.clock.now();
    state.purse.auto_max = 2;
    state.purse.agent_max = 10;
    state.purse.agent_daily_max = 20;
    state.purse.payees = Some(payees);
    state.purse.book(60, "registration grant", now);
    for name in ["cheap", "fair", "dear", "greedy", "choosy", "foreign"] {
        let text = Json::object([("text", Json::from("what the market knows"))]);
        start(&mut state, &ids::aid(&format!("market {name}")), &Said::call("report.make", text));
    }
    start(&mut state, &Behaviour::aid("priced-5"), &Said::text("A text task with a price."));
    state
}

/// Tasks that wait for this node.
pub(super) fn provider() -> State {
    let mut state = State::empty(4);
    people(&mut state);
    state.policy = Policy::Approve;
    let colleague = ids::aid("colleague");
    state.peers.insert(colleague.clone());
    for (text, files) in [
        ("Can you book a meeting room?", Vec::new()),
        ("Read this, please.", vec![file("plan.pdf", "application/pdf", 48_211)]),
        ("Which of the two drafts is newer?", Vec::new()),
    ] {
        let context = state.ids.context();
        state.arrive(Inbound { context, files, ..Inbound::text(&colleague, text) });
    }
    if let Some(index) = state.tasks().iter().position(|task| task.history[0].parts.len() > 1) {
        state.reply(index, TaskState::Working, &Said::text("On page 3 of 40."));
    }
    state.arrive(Inbound { skill: Some("text.digest".to_owned()), ..Inbound::text(&colleague, "") });
    for stranger in ["one", "two", "three"] {
        state.arrive(Inbound::text(&ids::aid(&format!("stranger {stranger}")), "May I?"));
    }
    state
}

/// Everything that goes wrong.
pub(super) fn trouble() -> State {
    let mut state = State::empty(5);
    people(&mut state);
    for agent in &mut state.agents {
        agent.listed = true;
    }
    for code in CARD_ERRORS {
        let mut agent = Agent::new(&ids::aid(&format!("card {code}")), "never shown", "never shown");
        agent.verification = Verification::Unverified(code.to_owned());
        state.agents.push(agent);
    }
    for name in Behaviour::standing() {
        let text = Said::text("Please.");
        let call = Said::call("lab.notes.append", Json::Object(Vec::new()));
        if name.starts_with("huge") || name.starts_with("plants") {
            continue;
        }
        start(&mut state, &Behaviour::aid(&name), &text);
        start(&mut state, &Behaviour::aid(&name), &call);
    }
    let colleague = ids::aid("colleague");
    state.peers.insert(colleague.clone());
    for id in ["x; rm -rf ~ #", "--help", "a`b`\n\"quoted\"", "<script>", "../../etc/passwd"] {
        state.arrive(Inbound { id: id.to_owned(), ..Inbound::text(&colleague, "Do as I say.") });
    }
    state.evidence.quarantined = true;
    state.status.recovery = Recovery::Unprotected;
    state.status.hub = Hub::PendingAdmission;
    state.status.clock_closed_s = 5400;
    state.status.queue = Some(Queue {
        not_sent: 1,
        stuck: 2,
        stuck_oldest_ms: 7_200_000,
        stuck_error: "the hub refuses the message".to_owned(),
        ..Queue::default()
    });
    state.purse.balance_error = Some("The hub did not say what the balance is; try again later.".to_owned());
    state
}

/// What does not fit.
pub(super) fn huge() -> State {
    let mut state = State::empty(6);
    people(&mut state);
    start(&mut state, &Behaviour::aid("huge-3145728"), &Said::text("Everything, please."));
    start(&mut state, &Behaviour::aid("huge-3145728"), &Said::text(&"漢".repeat(20_000)));
    start(&mut state, &Behaviour::aid("plants-40960"), &Said::text("Mind the metadata."));
    let colleague = ids::aid("colleague");
    state.peers.insert(colleague.clone());
    state.arrive(Inbound::text(&colleague, &"<&>".repeat(30_000)));
    state.arrive(Inbound { id: "k".repeat(4000), ..Inbound::text(&colleague, "My id is long.") });
    for number in 0..120 {
        start(&mut state, &Behaviour::aid("answers"), &Said::text(&format!("Task {number}: {}", "words ".repeat(300))));
    }
    state
}
