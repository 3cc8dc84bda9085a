//! The fourteen tools: each a schema, one request and its annotations.
//!
//! Responsible for the table of tools and for turning a call into a plan, without sending anything: planning is a
//! pure function of the arguments. Carrying a plan out is `server`'s part. Serves the whole page and R6, R14.

mod agents;
mod node;
mod payments;
mod tasks;

use std::sync::LazyLock;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::value::RawValue;

use crate::arguments::{ArgumentError, Arguments};
use crate::control::Route;
use crate::schema::{self, Param};

/// One tool.
#[derive(Debug)]
pub(crate) struct Spec {
    /// Its name on the wire.
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    hints: Hints,
    params: &'static [Param],
    /// Rules that span several parameters.
    rules: Option<Rules>,
    plan: fn(&Arguments<'_>) -> Plan,
}

/// Judges arguments that are right one by one.
type Rules = fn(&Arguments<'_>) -> Result<(), ArgumentError>;

/// The four annotations, each stated for each tool.
#[derive(Debug, Clone, Copy)]
enum Hints {
    /// Reads; may reach other machines.
    ReadsAbroad,
    /// Reads this node only.
    ReadsHere,
    /// Acts on others, and adds rather than destroys.
    Sends,
    /// Ends something for good; doing it twice changes nothing more.
    Cancels,
    /// Spends.
    Pays,
    /// Declines; doing it twice changes nothing more.
    Declines,
}

/// What a call leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// One request, whose answer is the result.
    Forward {
        /// Where it goes.
        route: Route,
        /// What it says.
        body: String,
        /// What the answer is, and so what may be done to it.
        answer: Answer,
    },
    /// The balance and the limits, put together.
    Balance,
    /// An argument error, to be completed by the tasks that could have been meant.
    WhichTask(ArgumentError),
}

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Passed on as it is.
    Whatever,
    /// An A2A task, held to about 24 KB.
    Task,
    /// A page of A2A tasks, each held to about 8 KB.
    TaskPage,
    /// Pending items, of which only the metadata is passed on.
    Pending,
}

/// Bound on a single task that the daemon is asked for, in bytes.
pub(crate) const TASK_BYTES: usize = 24 * 1024;
/// Bound on each listed task that the daemon is asked for, in bytes.
pub(crate) const LISTED_TASK_BYTES: usize = 8 * 1024;

/// All tools in the order of the page.
pub(crate) fn all() -> impl Iterator<Item = &'static Spec> {
    [agents::TOOLS, tasks::TOOLS, payments::TOOLS, node::TOOLS].into_iter().flatten()
}

/// The tool of this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Spec> {
    all().find(|spec| spec.name == name)
}

/// The tools as `tools/list` shows them. Made once: two lists are equal to the byte.
pub(crate) fn listed() -> &'static [Tool] {
    static LISTED: LazyLock<Vec<Tool>> = LazyLock::new(|| all().map(Spec::as_tool).collect());
    &LISTED
}

impl Spec {
    fn as_tool(&self) -> Tool {
        Tool::new(self.name, self.description, schema::input_schema(self.params))
            .with_title(self.title)
            .with_annotations(self.hints.annotations(self.title))
    }
}

impl Hints {
    fn annotations(self, title: &str) -> ToolAnnotations {
        let (read_only, destructive, idempotent, open_world) = match self {
            // What only reads destroys nothing and may be repeated; stated although a client may ignore it then.
            Self::ReadsAbroad => (true, false, true, true),
            Self::ReadsHere => (true, false, true, false),
            Self::Sends => (false, false, false, true),
            Self::Cancels => (false, true, true, true),
            Self::Pays => (false, true, false, true),
            Self::Declines => (false, false, true, true),
        };
        // The title is repeated here for clients that know only annotations.
        let title = Some(title.to_owned());
        ToolAnnotations::from_raw(title, Some(read_only), Some(destructive), Some(idempotent), Some(open_world))
    }
}

/// What this call of a tool leads to.
pub(crate) fn plan(spec: &Spec, raw: Option<&RawValue>) -> Result<Plan, ArgumentError> {
    match Arguments::read(spec.name, raw, spec.params) {
        Ok(arguments) => {
            if let Some(rules) = spec.rules {
                rules(&arguments)?;
            }
            Ok((spec.plan)(&arguments))
        }
        // A model that answers a task without saying which is helped by the ids of those that wait for an answer.
        Err(error) if spec.name == "reply_task" && error.misses("task_id") => Ok(Plan::WhichTask(error)),
        Err(error) => Err(error),
    }
}

/// A request with one answer that is passed on as it is.
fn forward(route: Route, body: String) -> Plan {
    Plan::Forward { route, body, answer: Answer::Whatever }
}

#[cfg(test)]
mod tests;
