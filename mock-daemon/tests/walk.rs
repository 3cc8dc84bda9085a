//! Random walks: whatever callers, peers, the operator and the clock do in whatever order, no rule of control-plane 3.7 breaks.
//!
//! Every answered task is checked inside the program in debug builds; here every task of the world is checked after each
//! step, and what must never shrink or vanish is compared with the step before.

use std::time::Duration;

use anet_mock_daemon::project::{self, View};
use anet_mock_daemon::scenario;
use anet_mock_daemon::world::inbound::Inbound;
use anet_mock_daemon::world::peer::{BREAKS, Behaviour, Move, REFUSALS, Reply, file};
use anet_mock_daemon::world::quote::{FAILURES, Offer, Price};
use anet_mock_daemon::world::{Page, check};
use anet_mock_daemon::{Outcome, Route, World};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// One thing that somebody does.
#[derive(Clone, Debug)]
enum Step {
    Send { to: String, call: bool, at_once: bool },
    Continue { task: Index, payment: Option<&'static str> },
    Get { task: Index, bound: u16 },
    Wait { task: Index },
    Cancel { task: Index },
    Reply { task: Index, state: &'static str, text: bool },
    Pay { task: Index, decision: &'static str },
    List,
    Play { task: Index, step: Box<Move> },
    Deliver { skill: bool, known: bool },
    Decide { held: Index, approve: bool },
    Advance { seconds: u64 },
    Limits { auto: u64, agent: u64 },
    OperatorPays { task: Index },
    Read { route: usize },
}

fn moves() -> impl Strategy<Value = Move> {
    let price = (0_u64..12, select(vec![Offer::One, Offer::Several, Offer::Unpayable]));
    prop_oneof![
        Just(Move::Collects),
        Just(Move::Progress("on it".into())),
        Just(Move::Asks("which?".into())),
        Just(Move::Holds),
        any::<bool>().prop_map(|unproven| Move::Answers(Reply { unproven, ..Reply::text("done") })),
        Just(Move::Answers(Reply::default())),
        Just(Move::Answers(Reply { files: vec![file("a.txt", "text/plain", 1)], ..Reply::default() })),
        Just(Move::EffectFails("no".into())),
        select(REFUSALS.to_vec()).prop_map(|reason| Move::Rejects(reason.into(), None)),
        select(BREAKS.to_vec()).prop_map(|reason| Move::Fails(reason.into())),
        Just(Move::Errs("TaskNotFoundError".into())),
        Just(Move::Cancels),
        price.prop_map(|(amount, offer)| Move::Quotes(Price { offer, ..Price::of(amount) })),
        Just(Move::Settles),
        select(FAILURES.to_vec()).prop_map(|(reason, _)| Move::SettlementFails(reason.into())),
        Just(Move::SettlementPending),
        Just(Move::Busy),
        Just(Move::Claims),
        Just(Move::Says("and?".into())),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let peers: Vec<String> = Behaviour::standing()
        .into_iter()
        .filter(|name| !name.starts_with("huge"))
        .map(|name| Behaviour::aid(&name))
        .chain([String::new(), "nobody-knows".into()])
        .collect();
    let task = any::<Index>;
    prop_oneof![
        6 => (select(peers), any::<bool>(), any::<bool>()).prop_map(|(to, call, at_once)| Step::Send { to, call, at_once }),
        2 => (task(), select(vec![None, Some("payment-submitted"), Some("payment-rejected")]))
            .prop_map(|(task, payment)| Step::Continue { task, payment }),
        1 => (task(), any::<u16>()).prop_map(|(task, bound)| Step::Get { task, bound }),
        1 => task().prop_map(|task| Step::Wait { task }),
        2 => task().prop_map(|task| Step::Cancel { task }),
        3 => (task(), select(vec!["", "working", "completed", "failed", "rejected", "canceled"]), any::<bool>())
            .prop_map(|(task, state, text)| Step::Reply { task, state, text }),
        3 => (task(), select(vec!["submit", "reject"])).prop_map(|(task, decision)| Step::Pay { task, decision }),
        1 => Just(Step::List),
        8 => (task(), moves()).prop_map(|(task, step)| Step::Play { task, step: Box::new(step) }),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(skill, known)| Step::Deliver { skill, known }),
        1 => (task(), any::<bool>()).prop_map(|(held, approve)| Step::Decide { held, approve }),
        2 => select(vec![1, 6, 901, 90_000, 1_300_000]).prop_map(|seconds| Step::Advance { seconds }),
        1 => (0_u64..8, 0_u64..20).prop_map(|(auto, agent)| Step::Limits { auto, agent }),
        1 => task().prop_map(|task| Step::OperatorPays { task }),
        1 => (0_usize..14).prop_map(|route| Step::Read { route }),
    ]
}

fn ask(world: &World, route: Route, body: &Value) -> (u16, Value) {
    let answer = match world.answer(route, body.to_string().as_bytes()) {
        Outcome::Now(answer) => answer,
        Outcome::Later(waiting) => (waiting.resume)(true).expect("a wait that timed out answers"),
    };
    assert_eq!(answer.body.last(), Some(&b'\n'));
    let body = serde_json::from_slice(&answer.body).expect("every answer is JSON");
    (answer.status, body)
}

fn take(world: &World, step: Step) {
    let some = |task: Index| {
        world.with(
            |state| {
                if state.tasks().is_empty() { "ix_none".to_owned() } else { task.get(state.tasks()).id.clone() }
            },
        )
    };
    let (status, _) = match step {
        Step::Send { to, call, at_once } => {
            let mut body = json!({"to": to, "return_immediately": at_once});
            if call {
                body["skill"] = json!("text.digest");
                body["args"] = json!({"n": 1.5});
            } else {
                body["text"] = json!("do <it> & more");
            }
            ask(world, Route::TasksSend, &body)
        }
        Step::Continue { task, payment: None } => {
            ask(world, Route::TasksSend, &json!({"task_id": some(task), "text": "more"}))
        }
        Step::Continue { task, payment: Some(decision) } => ask(
            world,
            Route::TasksSend,
            &json!({"task_id": some(task), "text": "pay", "metadata": {"x402.payment.status": decision}}),
        ),
        Step::Get { task, bound } => {
            let bound = usize::from(bound);
            let (status, body) = ask(world, Route::TasksGet, &json!({"task_id": some(task), "max_task_bytes": bound}));
            if bound >= 4096 {
                assert!(body.to_string().len() <= bound.max(24_576), "{bound}");
            }
            (status, body)
        }
        Step::Wait { task } => ask(world, Route::TasksWait, &json!({"task_id": some(task), "timeout_ms": 1})),
        Step::Cancel { task } => ask(world, Route::TasksCancel, &json!({"task_id": some(task)})),
        Step::Reply { task, state, text } => ask(
            world,
            Route::TasksReply,
            &json!({"task_id": some(task), "state": state, "text": if text { "so" } else { "" }}),
        ),
        Step::Pay { task, decision } => {
            ask(world, Route::TasksPay, &json!({"task_id": some(task), "decision": decision}))
        }
        Step::List => ask(world, Route::TasksList, &json!({"max_task_bytes": 8192, "page_size": 100})),
        Step::Read { route } => ask(world, Route::ALL[route], &json!({})),
        Step::Play { task, step } => {
            world.play(&some(task), *step);
            return;
        }
        Step::Deliver { skill, known } => {
            let from = if known { Behaviour::aid("answers") } else { Behaviour::aid("asks") };
            let skill = skill.then(|| "text.digest".to_owned());
            world.deliver(Inbound { skill, ..Inbound::text(&from, "for you") });
            return;
        }
        Step::Decide { held, approve } => {
            let held_ids: Vec<String> =
                world.with(|state| state.pending().iter().map(|item| item.inbound.id.clone()).collect());
            if !held_ids.is_empty() {
                let id = held.get(&held_ids);
                assert!(if approve { world.approve(id) } else { world.reject(id) });
            }
            return;
        }
        Step::Advance { seconds } => {
            world.advance(Duration::from_secs(seconds));
            return;
        }
        Step::Limits { auto, agent } => {
            world.with(|state| {
                state.purse.auto_max = auto;
                state.purse.agent_max = agent;
            });
            return;
        }
        Step::OperatorPays { task } => {
            let _ = world.pay(&some(task));
            return;
        }
    };
    assert!(status < 500 || status == 503, "{status}");
}

fn world(page: Page) -> World {
    let mut state = scenario::named("quiet").expect("a shipped scenario");
    state.page = page;
    state.policy = anet_mock_daemon::world::inbound::Policy::Approve;
    state.peers.insert(Behaviour::aid("answers"));
    state.purse.agent_daily_max = 60;
    state.purse.daily_max = 100;
    state.purse.payees_file.clear();
    state.purse.balance = 40;
    World::new(state)
}

/// What must never shrink or vanish, as it was after the last step.
#[derive(Default)]
struct Seen {
    tasks: Vec<(String, i64, bool)>,
    records: usize,
}

impl Seen {
    /// Looks at the tasks that may have changed: all of them, or those that were written since.
    fn look(&mut self, world: &World, told: &str, all: bool) {
        world.with(|state| {
            assert!(state.tasks().len() >= self.tasks.len(), "after {told}: a task is gone");
            for (index, task) in state.tasks().iter().enumerate() {
                if index == self.tasks.len() {
                    self.tasks.push((task.id.clone(), -1, false));
                }
                let (id, seq, ended) = &mut self.tasks[index];
                if !all && task.seq == *seq {
                    continue;
                }
                assert_eq!(task.id, *id, "after {told}");
                let shown = project::task(state, task, View::default());
                let broken = check::broken(state, task, &shown);
                assert!(broken.is_empty(), "after {told}: {broken:?}\n{task:#?}");
                assert!(task.seq >= *seq, "after {told}: the sequence went back");
                assert!(!*ended || task.state.terminal(), "after {told}: an ended task lives again");
                (*seq, *ended) = (task.seq, task.state.terminal());
            }
            assert!(state.evidence.records().len() >= self.records);
            self.records = state.evidence.records().len();
            assert!(state.purse.balance >= 0, "after {told}");
            assert!(state.purse.spent(state.clock.now()) <= 100, "after {told}: over the daily limit");
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_walk_breaks_a_rule(
        page in select(vec![Page::V02, Page::V03]),
        walk in prop::collection::vec(steps(), 1..60),
    ) {
        let world = world(page);
        let mut seen = Seen::default();
        for step in walk {
            let told = format!("{step:?}");
            take(&world, step);
            seen.look(&world, &told, true);
        }
        assert!(world.with(|state| state.evidence.holds()));
    }
}

/// One life of 10 000 steps: what short walks cannot show, such as thousands of tasks and a chain of as many records.
#[test]
fn no_long_life_breaks_a_rule() {
    let mut runner = TestRunner::deterministic();
    let strategy = steps();
    let world = world(Page::V03);
    let mut seen = Seen::default();
    for number in 1..=10_000 {
        let step = strategy.new_tree(&mut runner).expect("every step can be made").current();
        let told = format!("step {number}, {step:?}");
        take(&world, step);
        seen.look(&world, &told, number % 1_000 == 0);
    }
    assert!(world.with(|state| state.evidence.holds()));
    assert!(seen.tasks.len() > 1_000 && seen.records > 1_000, "{} {}", seen.tasks.len(), seen.records);
}
