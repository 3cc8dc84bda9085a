//! Files that an argument names: the server sends their names, and never opens them. Pipes stand where the names point, so
//! that whoever opens one gives himself away.

use anet_mock_daemon::Route;

use crate::case::{Case, Group, Place, Plant, PlantKind, Request, Setting, Step};
use crate::cases::document::Task;
use crate::expect::Expect;
use crate::json::Json;
use crate::observation::Observation;
use crate::page::{SAMPLE_AID, SAMPLE_TASK, Tool};
use crate::verdict::Finding;

/// Names of files that are there, as seen from the working directory or through the process itself.
const NAMES: &[&str] = &[
    "trap.txt",
    "./trap.txt",
    "sub/../trap.txt",
    "/proc/self/cwd/trap.txt",
    "file:///proc/self/cwd/trap.txt",
    "~/trap.txt",
    "$HOME/trap.txt",
    "@trap.txt",
];

/// Spellings of a file without content: members of one file.
const WITHOUT_CONTENT: &[&str] = &[
    r#""name":"trap.txt""#,
    r#""name":"/proc/self/cwd/trap.txt""#,
    r#""name":"trap.txt","path":"trap.txt""#,
    r#""path":"/proc/self/cwd/trap.txt""#,
    r#""name":"trap.txt","url":"file:///proc/self/cwd/trap.txt""#,
    r#""name":"trap.txt","content_base64":"@trap.txt""#,
    r#""name":"trap.txt","content_base64":null"#,
];

pub(super) fn cases() -> Vec<Case> {
    vec![named(Tool::SendMessage), named(Tool::ReplyTask), without_content(), elsewhere()]
}

fn trapped(topic: &str, title: String, tool: Tool) -> Case {
    let trap = |place| Plant { place, path: "trap.txt".to_owned(), kind: PlantKind::Fifo };
    let plants = vec![trap(Place::Work), trap(Place::Home)];
    Case::new(Group::Reach, &format!("files/{topic}"), title)
        .tool(tool)
        .setting(Setting { plants, ..Setting::default() })
        .check("reach.local-files", unopened())
}

/// The arguments of the tool with these files.
fn arguments(tool: Tool, files: &str) -> String {
    match tool {
        Tool::ReplyTask => format!(r#"{{"task_id":"{SAMPLE_TASK}","text":"x","files":[{files}]}}"#),
        _ => format!(r#"{{"to":"{SAMPLE_AID}","text":"x","files":[{files}]}}"#),
    }
}

fn route(tool: Tool) -> Route {
    if tool == Tool::ReplyTask { Route::TasksReply } else { Route::TasksSend }
}

/// Each name with a content of its own: the content that is sent is the one that was given.
fn named(tool: Tool) -> Case {
    let mut case =
        trapped(&format!("named/{tool}"), format!("{tool}: files whose names are those of local files"), tool)
            .daemon_answers(route(tool), Task::new("WORKING").json());
    for (index, name) in NAMES.iter().enumerate() {
        let label = format!("call.{index}");
        let file = format!(r#"{{"name":{},"content_base64":"Z2l2ZW4="}}"#, Json::string(*name));
        case = case
            .step(Step::Request(Request::call(&label, tool.name(), Some(arguments(tool, &file)))))
            .step(Step::Await(label.clone()))
            .check("reach.local-files", Expect::AnsweredOnce { call: label });
    }
    case.check("reach.local-files", only_given(route(tool)))
}

/// Files without content: an argument error, not an invitation to fetch it.
fn without_content() -> Case {
    let tool = Tool::SendMessage;
    let mut case = trapped("without-content", "send_message: files without content".to_owned(), tool)
        .daemon_answers(route(tool), Task::new("WORKING").json());
    for (index, members) in WITHOUT_CONTENT.iter().enumerate() {
        let label = format!("call.{index}");
        case = case
            .step(Step::Request(Request::call(&label, tool.name(), Some(arguments(tool, &format!("{{{members}}}"))))))
            .step(Step::Await(label.clone()))
            .check("reach.local-files", Expect::AnsweredOnce { call: label.clone() })
            .check("arguments.refused", Expect::Fails { call: label });
    }
    case
}

/// Paths in other arguments.
fn elsewhere() -> Case {
    let paths = r#""/proc/self/cwd/trap.txt","trap.txt","file:///proc/self/cwd/trap.txt""#;
    let calls = [
        (Tool::SendMessage, format!(r#"{{"to":"{SAMPLE_AID}","text":"@trap.txt"}}"#)),
        (
            Tool::SendMessage,
            format!(r#"{{"to":"{SAMPLE_AID}","skill":"text.digest","args":{{"path":"trap.txt","files":[{paths}]}}}}"#),
        ),
        (Tool::GetTask, r#"{"task_id":"/proc/self/cwd/trap.txt"}"#.to_owned()),
        (Tool::AgentCard, r#"{"aid":"trap.txt"}"#.to_owned()),
        (
            Tool::SubmitPayment,
            format!(r#"{{"task_id":"{SAMPLE_TASK}","accept":{{"resource":"file:///proc/self/cwd/trap.txt"}}}}"#),
        ),
    ];
    let mut case = trapped("elsewhere", "paths of local files in other arguments".to_owned(), Tool::SendMessage);
    for (index, (tool, arguments)) in calls.into_iter().enumerate() {
        let label = format!("call.{index}");
        case = case
            .step(Step::Request(Request::call(&label, tool.name(), Some(arguments))))
            .step(Step::Await(label.clone()))
            .check("reach.local-files", Expect::AnsweredOnce { call: label });
    }
    case
}

/// Nobody opened a trap.
fn unopened() -> Expect {
    Expect::holds("no file that an argument names is opened", |seen: &Observation| {
        match seen.touched.iter().find(|touched| touched.contains("trap.txt")) {
            None => Finding::Met,
            Some(touched) => {
                Finding::differs("a file that an argument names was opened", "left alone", touched.as_str())
            }
        }
    })
}

/// Every file part that was sent holds the content that was given, or none was sent.
fn only_given(route: Route) -> Expect {
    Expect::holds("files are sent with the content that was given", move |seen: &Observation| {
        for asked in seen.asked_of(route) {
            let body = Json::parse_bytes(&asked.body).unwrap_or(Json::Null);
            let parts = body.at(&["message", "parts"]).and_then(Json::as_array).unwrap_or_default();
            let raw: Vec<_> = parts.iter().filter_map(|part| part.member("raw").and_then(Json::as_str)).collect();
            if raw != ["Z2l2ZW4="] {
                return Finding::differs(
                    "a file was not sent as it was given",
                    r#"one part with "raw":"Z2l2ZW4=""#,
                    body.to_string(),
                );
            }
        }
        Finding::Met
    })
}
