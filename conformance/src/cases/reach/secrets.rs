//! Canaries: secrets in the environment, in the configuration, in files nearby. None of them leaves the server, whatever
//! goes wrong.

use anet_mock_daemon::{On, Reply, Response, Route, Rule, Times};

use crate::case::{Case, DaemonSetting, Group, Place, Plant, PlantKind, Request, Setting, Step};
use crate::cases::build::answers;
use crate::cases::document::Task;
use crate::expect::Expect;
use crate::page::Tool;

/// Variables that hold secrets on the machines of people who run agents.
const VARIABLES: &[&str] = &[
    "ANET_API_KEY",
    "ANET_PASSPHRASE",
    "ANTHROPIC_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GITHUB_TOKEN",
    "OPENAI_API_KEY",
];

/// Variables that make programs talkative. None of them makes a language's runtime print headers by itself.
const TALKATIVE: &[(&str, &str)] = &[
    ("RUST_LOG", "trace"),
    ("LOG_LEVEL", "trace"),
    ("LOGLEVEL", "DEBUG"),
    ("VERBOSE", "1"),
    ("ANET_DEBUG", "1"),
    ("ANET_LOG", "trace"),
];

/// Files that hold secrets: where, path.
const FILES: &[(Place, &str)] = &[
    (Place::Home, ".ssh/id_ed25519"),
    (Place::Home, ".aws/credentials"),
    (Place::Home, ".netrc"),
    (Place::Home, ".anet/control_token.txt"),
    (Place::Work, ".env"),
    (Place::Data, "identity.key"),
];

pub(super) fn cases() -> Vec<Case> {
    vec![environment(), talkative(), configuration(), files()]
}

/// A secret that stands for the others: long enough not to appear by accident.
fn canary(name: &str) -> String {
    format!("canary.{}.4f9c2b7e61d8a035", name.to_lowercase())
}

/// Calls that succeed, that are refused, that break, and that are wrong.
fn every_kind_of_call(case: Case) -> Case {
    let requests = [
        ("well", Tool::GetTask.name(), Tool::GetTask.minimal_arguments()),
        ("refused", Tool::SendMessage.name(), Tool::SendMessage.minimal_arguments()),
        ("unauthorized", Tool::CancelTask.name(), Tool::CancelTask.minimal_arguments()),
        ("broken", Tool::WaitTask.name(), Tool::WaitTask.minimal_arguments()),
        ("wrong", Tool::GetTask.name(), "{}".to_owned()),
        ("unknown", "no_such_tool", "{}".to_owned()),
        ("status", Tool::NodeStatus.name(), "{}".to_owned()),
    ];
    let unauthorized = Reply::Respond(Response::text(401, "unauthorized\n"));
    let mut case = case
        .daemon(answers(Route::TasksGet, 200, Task::new("COMPLETED").json()))
        .daemon(answers(
            Route::TasksSend,
            503,
            r#"{"error":"UnavailableError: this node has no hub","code":"UnavailableError"}"#,
        ))
        .daemon(Rule { on: On::Route(Route::TasksCancel), times: Times::Always, reply: unauthorized })
        .daemon(answers(Route::TasksWait, 200, "<html>"));
    for (label, tool, arguments) in requests {
        case = case
            .step(Step::Request(Request::call(label, tool, Some(arguments))))
            .step(Step::Await(label.to_owned()))
            .check("reach.unreachable-answered", Expect::AnsweredOnce { call: label.to_owned() });
    }
    case.check("reach.token-kept", Expect::SecretsKept)
}

fn environment() -> Case {
    let variables = VARIABLES.iter().map(|name| ((*name).to_owned(), canary(name)));
    let setting = Setting { env: variables.clone().collect(), secrets: variables.collect(), ..Setting::default() };
    every_kind_of_call(
        Case::new(Group::Reach, "secrets/environment", "secrets in the environment stay there").setting(setting),
    )
}

fn talkative() -> Case {
    let env = TALKATIVE.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    every_kind_of_call(
        Case::new(Group::Reach, "secrets/talkative", "the token is in no log, however talkative the server is made")
            .setting(Setting { env, ..Setting::default() }),
    )
}

/// Other members of `config.json` are none of the server's business.
fn configuration() -> Case {
    let (key, pass) = (canary("api-key"), canary("passphrase"));
    let config = format!(
        r#"{{"name":"lin-laptop","auto_reply":{{"backend":"openai","api_key":"{key}"}},"control_addr":"127.0.0.1:{{port}}","passphrase":"{pass}"}}"#
    );
    let setting = Setting {
        daemon: DaemonSetting::Config(config),
        secrets: vec![
            ("the API key in config.json".to_owned(), key),
            ("the passphrase in config.json".to_owned(), pass),
        ],
        ..Setting::default()
    };
    every_kind_of_call(
        Case::new(Group::Reach, "secrets/configuration", "secrets in config.json stay there").setting(setting),
    )
    .check("reach.config", Expect::Succeeds { call: "well".to_owned() })
}

/// Files beside the two that the server reads.
fn files() -> Case {
    let plants = FILES.iter().map(|(place, path)| Plant {
        place: *place,
        path: (*path).to_owned(),
        kind: PlantKind::File(canary(path).into_bytes()),
    });
    let secrets = FILES.iter().map(|(_, path)| (format!("the content of {path}"), canary(path)));
    let setting = Setting { plants: plants.collect(), secrets: secrets.collect(), ..Setting::default() };
    every_kind_of_call(Case::new(Group::Reach, "secrets/files", "secrets in files nearby stay there").setting(setting))
        .check("reach.data-unchanged", Expect::DataUntouched)
        .check("reach.nothing-written", Expect::NothingWritten)
        .check("reach.one-identity", Expect::Authorized)
}
