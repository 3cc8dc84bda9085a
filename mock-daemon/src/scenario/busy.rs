//! The scenario `busy`: a node in daily use.
//!
//! Responsible for: agents of every verification, tasks in every state on both sides, a quote, receipts, held tasks, a
//! ledger and an evidence chain, all of it made by the world's own moves.

use std::sync::OnceLock;
use std::time::Duration;

use crate::clock::{BEGINNING, Clock};
use crate::decode::first_value;
use crate::json::Json;
use crate::project::shape::TaskState;
use crate::world::agents::{Agent, Skill, Verification};
use crate::world::inbound::{Inbound, Policy};
use crate::world::peer::{Behaviour, Move, Occasion, Reply};
use crate::world::{Said, Sending, State};

/// A verified agent that charges for some skills.
pub(super) const LAB: &str = "bafyreia2ezplwg4qshxhmrbsetl7il6rve44mhmthpfhpsau2d634ggqdq";
/// An agent whose card does not check.
const FORGED: &str = "bafyreia7twzxwjfc33jadhyzy2xjm7f2d2s2az3vpoaz67ynyofl2hthra";
/// An agent without a card.
const BOB: &str = "bafyreibxdhqnf7heb56elr2q5rckftggnu2mtmij6x6zrlzruw7sregl3u";
/// A peer that sends tasks to this node.
const ANNA: &str = "bafyreiakzafdcdb5qsnunzvfxepwm3gpr7gysum6u4qb5bjflv5nwty7yi";

/// The state of the scenario `busy`.
pub fn busy() -> State {
    // A test may start hundreds of daemons, and hashing all this takes its time.
    static MADE: OnceLock<State> = OnceLock::new();
    MADE.get_or_init(make).clone()
}

fn make() -> State {
    let mut state = State::empty(1);
    // Half a day of history, and then the usual beginning.
    let from = BEGINNING - 12 * 3_600_000;
    state.clock = Clock::Fixed { now: from, step: 0 };
    state.policy = Policy::Approve;
    people(&mut state);
    money(&mut state);
    sent(&mut state);
    received(&mut state);
    state.advance(Duration::from_millis(u64::try_from(BEGINNING - state.clock.now()).unwrap_or(0)));
    // What must look fresh at the beginning is made there.
    waiting(&mut state);
    state
}

/// The directory.
pub(super) fn people(state: &mut State) {
    let mut lab = Agent::new(LAB, "Lab-P", "Digests and reports.");
    lab.skills = vec![
        Skill::new("lab.report.priced", "Text report", "A short report on a text.", &["text", "report"]).priced(5),
        Skill::new("text.digest", "Text digest", "SHA-256 of a text.", &["text", "digest"]),
    ];
    lab.official = true;
    lab.review_count = 3;
    lab.avg_rating = Some("4.7".to_owned());

    let mut translator = Agent::new(&crate::ids::aid("translator"), "译者", "中英互译 <zh ⇄ en> & more.");
    translator.skills =
        vec![Skill::new("translate.zh-en", "Translate", "Chinese to English.", &["text", "translation"])];
    translator.lists_us = true;

    let mut notary = Agent::new(&crate::ids::aid("notary"), "Notary", "Seals what you send, for a price.");
    notary.skills = vec![
        Skill::new("notary.seal", "Seal", "A dated seal over a digest.", &["seal", "paid"]).priced(12),
        Skill::new("notary.check", "Check", "Checks a seal.", &["seal", "paid"]).priced(1),
    ];
    notary.reachable = false;
    notary.key_fresh = false;
    notary.review_count = 41;
    notary.avg_rating = Some("3.9".to_owned());

    let mut notes = Agent::new(&crate::ids::aid("notes"), "Lab-Notes", "Appends to the lab's notebook.");
    notes.skills =
        vec![Skill::new("lab.notes.append", "Append a note", "Adds a line to the notebook.", &["lab", "notes"])];
    notes.behaviour = Behaviour::Unproven;

    let mut archive = Agent::new(&crate::ids::aid("archive"), "Archive", "Old records, slowly.");
    archive.skills = vec![Skill::new("archive.find", "Find", "Looks a record up.", &["archive"])];
    archive.quiet = true;
    "2026-08-01T00:00:00Z".clone_into(&mut archive.last_seen);
    archive.behaviour = Behaviour::Uncollected;

    let mut curious = Agent::new(&crate::ids::aid("curious"), "Curious", "Asks before it answers.");
    curious.behaviour = Behaviour::Asks;

    let mut forged = Agent::new(FORGED, "never shown", "never shown");
    forged.verification = Verification::Unverified("INVALID_SIGNATURE".to_owned());
    let mut rolled = Agent::new(&crate::ids::aid("rolled back"), "never shown", "never shown");
    rolled.verification = Verification::Unverified("SEQ_ROLLBACK".to_owned());
    rolled.official = true;

    let bare = |aid: &str, name: &str, summary: &str| {
        let mut agent = Agent::new(aid, name, summary);
        agent.verification = Verification::None;
        agent.home_hub = String::new();
        agent.last_seen = String::new();
        agent
    };
    let mut bob = bare(BOB, "bob-node", "hub-side text");
    bob.skills = vec![Skill::new("translate.zh-en", "", "", &[])];
    let mut newcomer = bare(&crate::ids::aid("newcomer"), "newcomer", "");
    "https://hub.example.org".clone_into(&mut newcomer.home_hub);
    "2026-10-12T08:00:00Z".clone_into(&mut newcomer.last_seen);
    let mut anna = Agent::new(ANNA, "Anna", "A colleague's node.");
    anna.listed = false;
    state.agents.extend([lab, translator, notary, notes, archive, curious, forged, rolled, bob, newcomer, anna]);
    state.peers.insert(ANNA.to_owned());
}

/// Limits as an operator might set them, and a ledger.
fn money(state: &mut State) {
    let now = state.clock.now();
    state.purse.agent_max = 5;
    state.purse.agent_daily_max = 20;
    state.purse.payees = Some(vec![LAB.to_owned()]);
    state.purse.book(100, "registration grant", now - 86_400_000);
    state.purse.book(42, "redeemed", now - 3_600_000);
}

/// Records a task and brings it to its peer.
pub(super) fn start(state: &mut State, to: &str, said: &Said) -> String {
    let (Sending::Started(index) | Sending::Repeated(index)) = state.start(to, said);
    state.deliver(index, Occasion::Sent);
    state.tasks[index].id.clone()
}

fn args(text: &str) -> Json {
    first_value(text.as_bytes()).unwrap_or(Json::Object(Vec::new()))
}

/// Tasks that this node sent.
fn sent(state: &mut State) {
    let minute = Duration::from_secs(60);
    start(state, LAB, &Said::call("text.digest", args(r#"{"text":"line one"}"#)));
    state.advance(minute);
    start(state, &crate::ids::aid("translator"), &Said::text("Translate: 三点:成本、进度、人员。"));
    state.advance(minute);
    start(state, &Behaviour::aid("files"), &Said::text("Summarise the attached notes in three lines."));
    state.advance(minute);
    start(
        state,
        &crate::ids::aid("notes"),
        &Said::call("lab.notes.append", args(r#"{"text":"sample B, 37 C, 12 h"}"#)),
    );
    state.advance(minute);
    start(state, &Behaviour::aid("breaks-timeout"), &Said::call("lab.notes.append", args("{}")));
    state.advance(minute);
    start(state, &Behaviour::aid("refuses-not_accepting"), &Said::text("hello"));
    state.advance(minute);
    start(state, &Behaviour::aid("refuses-quota_caller_per_min"), &Said::call("text.digest", args("{}")));
    state.advance(minute);
    start(state, &Behaviour::aid("receipt-mismatch"), &Said::text("Sign what I said."));
    state.advance(minute);
    // Paid by an agent, settled, done.
    let paid = start(state, LAB, &Said::call("lab.report.priced", args(r#"{"text":"a first report"}"#)));
    let _ = state.submit(&paid, crate::world::spend::Purpose::Agent, None, false);
    state.advance(minute);
    let withdrawn = start(state, &Behaviour::aid("works"), &Said::text("Never mind."));
    if let Some(index) = state.task_index(&withdrawn) {
        state.cancel(index);
    }
    state.advance(minute);
}

/// Tasks that others sent to this node.
fn received(state: &mut State) {
    let minute = Duration::from_secs(60);
    let take = |state: &mut State, text: &str| {
        let inbound = Inbound { context: state.ids.context(), ..Inbound::text(ANNA, text) };
        match state.arrive(inbound) {
            crate::world::inbound::Arrival::Taken(id) => state.task_index(&id),
            _ => None,
        }
    };
    let ends = [
        ("What did the last run cost?", TaskState::Completed, "Twelve credits."),
        ("Delete everything.", TaskState::Rejected, "That is not for me to do."),
        ("Which sensor is broken?", TaskState::Failed, "The logs are gone."),
        ("Which week do you mean?", TaskState::InputRequired, "This one or the next?"),
        ("Compare both tables.", TaskState::Working, "Half of it is done."),
    ];
    for (text, to, answer) in ends {
        if let Some(index) = take(state, text) {
            state.reply(index, to, &Said::text(answer));
        }
        state.advance(minute);
    }
    let stranger = crate::ids::aid("stranger");
    let held = Inbound {
        skill: Some("text.digest".to_owned()),
        args: Some(args(r#"{"text":"from a stranger"}"#)),
        files: vec![crate::world::peer::file("notes.txt", "text/plain", 1620)],
        ..Inbound::text(&stranger, "")
    };
    state.arrive(held);
    state.advance(minute);
    state.arrive(Inbound::text(&crate::ids::aid("another stranger"), "May I ask you something?"));
}

/// Tasks that wait for somebody.
fn waiting(state: &mut State) {
    start(state, &Behaviour::aid("holds"), &Said::text("Whenever your operator has time."));
    start(state, &crate::ids::aid("archive"), &Said::text("Is there a record of 1998?"));
    start(state, &crate::ids::aid("curious"), &Said::text("Compare the two reports."));
    start(state, LAB, &Said::call("lab.report.priced", args(r#"{"text":"line one"}"#)));
    let working = start(state, &Behaviour::aid("answers-after-5000"), &Said::text("A long calculation, please."));
    if let Some(index) = state.task_index(&working) {
        state.play(index, Move::Progress("Reading the tables.".to_owned()));
    }
    let asked = start(state, &Behaviour::aid("silent"), &Said::text("Draw a map of the site."));
    if let Some(index) = state.task_index(&asked) {
        let reply = Reply {
            text: Some("A map.".to_owned()),
            verdict: crate::world::task::Verdict::Unverified,
            ..Reply::default()
        };
        state.play(index, Move::Answers(reply));
    }
    let inbound = Inbound { context: state.ids.context(), ..Inbound::text(ANNA, "Can you book a meeting room?") };
    state.arrive(inbound);
}

#[cfg(test)]
mod tests {
    use super::busy;
    use crate::project::shape::TaskState;
    use crate::world::task::Side;

    #[test]
    fn every_state_is_there_and_the_chain_holds() {
        let state = busy();
        assert!(state.evidence.holds());
        assert_eq!(state.clock.now(), crate::clock::BEGINNING);
        for wanted in TaskState::ALL {
            assert!(state.tasks().iter().any(|task| task.state == wanted), "{wanted}");
        }
        for side in [Side::Requester, Side::Provider] {
            assert!(state.tasks().iter().filter(|task| task.side == side).count() >= 5);
        }
        assert_eq!(state.pending().len(), 2);
        assert!(state.tasks().iter().any(|task| task.open_quote().is_some()));
    }

    #[test]
    fn it_is_the_same_every_time() {
        assert_eq!(format!("{:?}", busy().tasks()), format!("{:?}", busy().tasks()));
    }
}
