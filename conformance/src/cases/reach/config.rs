//! The data directory: what is read there, what is tolerated, and what happens when it is not as it should be.

use anet_mock_daemon::Route;

use super::address::{how_it_fails, told_if_ended};
use crate::case::{Case, DaemonSetting, Group, Place, Plant, PlantKind, Setting};
use crate::cases::document::Task;
use crate::cases::seen;
use crate::expect::{Expect, TextRule};
use crate::page::Tool;

/// Contents of `config.json` that a daemon may leave there.
const READABLE: &[(&str, &str)] = &[
    (
        "full",
        r#"{"hub_url":"https://hub.example.org","name":"lin","caps":["a.b"],"summary":"x","inbound":{"policy":"closed"},"payments":{"agent_max":0,"control_addr":"10.0.0.1:1"},"auto_reply":null,"modules":{"p2p":false},"control_addr":"127.0.0.1:{port}","no_response_after":"15m","zeta":9007199254740993}"#,
    ),
    (
        "spelled-oddly",
        "\n\t{\r\n  \"name\" :\t\"余额 \\u2028\",\r\n  \"\\u0063ontrol_addr\"\n:\n\"127.0.0.1\\u003a{port}\"\n}\n\n",
    ),
];

/// Contents of `config.json` that tell no address.
const UNREADABLE: &[(&str, &str)] = &[
    ("empty-file", ""),
    ("cut", r#"{"control_addr":"127.0.0.1:{port}""#),
    ("list", r#"["127.0.0.1:{port}"]"#),
    ("no-address", r#"{"name":"lin"}"#),
    ("address-a-number", r#"{"control_addr":{port}}"#),
    ("port-zero", r#"{"control_addr":"127.0.0.1:0"}"#),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<_> = READABLE.iter().map(|(point, config)| readable(point, config)).collect();
    for (point, config) in UNREADABLE {
        cases.push(unreachable(
            &format!("config/{point}"),
            DaemonSetting::Config((*config).to_owned()),
            "config.json tells no address",
        ));
    }
    cases.push(unreachable("config/empty-directory", DaemonSetting::Empty, "the data directory is empty"));
    cases.push(unreachable("config/no-token", DaemonSetting::NoToken, "the token file is missing"));
    cases.push(down());
    cases.push(other_identities());
    cases
}

fn works(topic: &str, title: &str, setting: Setting, requirement: &'static str) -> Case {
    let task = Task::new("COMPLETED").json();
    Case::new(Group::Reach, topic, title)
        .tool(Tool::GetTask)
        .setting(setting)
        .daemon_answers(Route::TasksGet, task.clone())
        .call(Tool::GetTask, Tool::GetTask.minimal_arguments())
        .check(requirement, Expect::Succeeds { call: "call".to_owned() })
        .check(requirement, Expect::AsksOnly { routes: vec![Route::TasksGet] })
        .check("reach.data-unchanged", Expect::DataUntouched)
        .expect_answer("call", task)
}

fn readable(point: &str, config: &str) -> Case {
    let setting = Setting { daemon: DaemonSetting::Config(config.to_owned()), ..Setting::default() };
    works(&format!("config/{point}"), "config.json holds more than the address", setting, "reach.config")
}

/// No control plane can be found or reached: each call fails, or the server ended.
fn unreachable(topic: &str, daemon: DaemonSetting, title: &str) -> Case {
    Case::new(Group::Reach, topic, title)
        .tool(Tool::GetTask)
        .setting(Setting { daemon, ..Setting::default() })
        .call(Tool::GetTask, Tool::GetTask.minimal_arguments())
        .check("reach.unreachable-answered", seen::fails_or_ended(["call"]))
        .check("reach.unreachable-sentence", seen::says("call", vec![TextRule::NotBlank, TextRule::English]))
        .check("reach.start-failure", Expect::holds("how it fails is recorded", how_it_fails))
        .check("reach.start-failure-told", told_if_ended())
        .check("reach.data-unchanged", Expect::DataUntouched)
}

/// The usual case: the daemon does not run.
fn down() -> Case {
    unreachable("down/at-start", DaemonSetting::Down, "the daemon does not run")
        .check("reach.unreachable-hint", seen::says("call", vec![TextRule::any(["anet up", "anet daemon"])]))
        .check("reach.unreachable-hint", seen::says("call", vec![TextRule::any(["127.0.0.1:"])]))
}

/// Other identities have left their files where they would be looked for, were no directory named.
fn other_identities() -> Case {
    let file = |place, path: &str, content: &str| Plant {
        place,
        path: path.to_owned(),
        kind: PlantKind::File(content.as_bytes().to_vec()),
    };
    let (address, token) = (r#"{"control_addr":"127.0.0.1:9"}"#, "0123456789abcdef0123456789abcdef0123456789abcdef\n");
    let plants = vec![
        file(Place::Home, ".anet/config.json", address),
        file(Place::Home, ".anet/control_token.txt", token),
        file(Place::Home, ".anet/current", "other\n"),
        file(Place::Home, ".anet/ids/other/config.json", address),
        file(Place::Home, ".anet/ids/other/control_token.txt", token),
        file(Place::Work, ".anet/config.json", address),
        file(Place::Work, ".anet/control_token.txt", token),
        file(Place::Work, "config.json", address),
    ];
    let secrets = vec![("another identity's token".to_owned(), token.trim().to_owned())];
    let setting = Setting { plants, secrets, ..Setting::default() };
    works("config/other-identities", "other identities have files in HOME", setting, "reach.one-identity")
}
