//! The boundary matrix of optional parameters, generated from the page's table.
//!
//! Responsible for: for each parameter, `null`, the empty string, wrong types, and for integers every way to be out of
//! bounds. Not for: values within bounds (`exchange`), files (`files`), what the parameters of `send_message` mean to each
//! other (`send`).

use super::{call, call_accepted, object, with};
use crate::case::Case;
use crate::cases::request;
use crate::expect::{Expect, ValueRule};
use crate::json::Json;
use crate::observation::{Asked, Observation};
use crate::page::{Kind, Parameter, Tool};
use crate::verdict::Finding;

/// The longest wait that the daemon may be asked for.
const LONGEST_MS: f64 = 300_000.0;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for tool in Tool::ALL {
        for (index, parameter) in tool.parameters().iter().enumerate().filter(|(_, parameter)| !parameter.required) {
            let cell = Cell { tool, parameter };
            cases.push(cell.absent("null", "null", "arguments.null-absent"));
            cases.extend(match parameter.kind {
                Kind::Text => cell.text(index),
                Kind::Choice(_) => cell.choice(),
                Kind::Integer { min, max } => cell.integer(min, max),
                Kind::Boolean => cell.types(&[("string", r#""true""#), ("number", "1"), ("array", "[true]")]),
                Kind::Object => cell.object(),
                Kind::Files => cell.types(&[("object", "{}"), ("string", r#""notes.txt""#), ("number", "1")]),
            });
        }
    }
    cases
}

/// A valid call of the tool that says nothing of the parameter.
pub(super) fn company(tool: Tool, parameter: &str) -> &'static str {
    match (tool, parameter) {
        (Tool::SendMessage, "to") => r#"{"task_id":"$TASK","text":"x"}"#,
        (Tool::SendMessage, "text" | "args") => r#"{"to":"$AID","skill":"text.digest"}"#,
        (Tool::SendMessage, _) => r#"{"to":"$AID","text":"x"}"#,
        (Tool::ReplyTask, "text") => r#"{"task_id":"$TASK","state":"completed"}"#,
        (Tool::ReplyTask, _) => r#"{"task_id":"$TASK","text":"x"}"#,
        (Tool::AgentCard, _) => r#"{"aid":"$AID"}"#,
        (Tool::GetTask | Tool::WaitTask | Tool::CancelTask | Tool::SubmitPayment | Tool::RejectPayment, _) => {
            r#"{"task_id":"$TASK"}"#
        }
        _ => "{}",
    }
}

/// A parameter of a tool.
#[derive(Clone, Copy)]
struct Cell {
    tool: Tool,
    parameter: &'static Parameter,
}

impl Cell {
    fn name(self) -> &'static str {
        self.parameter.name
    }

    fn point(self, point: &str) -> String {
        format!("{}/{point}", self.name())
    }

    fn arguments(self, value: &str) -> String {
        with(company(self.tool, self.name()), self.name(), value).to_string()
    }

    /// A value that counts as none.
    fn absent(self, point: &str, value: &str, requirement: &'static str) -> Case {
        let title = format!("`{}` {value} counts as absent", self.name());
        call_accepted(self.tool, &self.point(point), &title, self.arguments(value)).expect_same_as(
            requirement,
            self.tool,
            &object(company(self.tool, self.name())),
        )
    }

    /// An empty string counts as none, and is not sent.
    fn empty(self) -> Case {
        let body = request::body(self.tool, &object(company(self.tool, self.name()))).to_string();
        self.absent("empty", r#""""#, "arguments.empty-absent")
            .check("arguments.empty-not-sent", Expect::AsksExactly { route: request::route(self.tool), body })
    }

    /// A value that is refused, as `requirement` asks; the daemon would say yes.
    fn refused(self, point: &str, value: &str, requirement: &'static str) -> Case {
        let title = format!("`{}` takes no {value}", self.name());
        call_accepted(self.tool, &self.point(point), &title, self.arguments(value))
            .expect_wrong(requirement, &[self.name()])
    }

    /// A value that is refused by the server or by the daemon.
    fn refused_by_either(self, point: &str, value: &str, requirement: &'static str) -> Case {
        let title = format!("`{}` takes no {value}", self.name());
        call(self.tool, &self.point(point), &title, self.arguments(value)).expect_wrong(requirement, &[self.name()])
    }

    fn types(self, values: &[(&str, &str)]) -> Vec<Case> {
        values.iter().map(|(point, value)| self.refused(point, value, "arguments.type-refused")).collect()
    }

    /// Strings: a number, and in turn one of the other types.
    fn text(self, index: usize) -> Vec<Case> {
        const OTHERS: [(&str, &str); 3] = [("boolean", "true"), ("array", r#"["x"]"#), ("object", r#"{"x":"y"}"#)];
        let mut cases = self.types(&[("number", "5"), OTHERS[index % OTHERS.len()]]);
        cases.push(self.empty());
        cases
    }

    fn choice(self) -> Vec<Case> {
        let mut cases = self.types(&[("number", "1"), ("array", r#"["working"]"#)]);
        cases.push(self.empty());
        let strange: &[(&str, &str)] = match (self.tool, self.name()) {
            (Tool::ListTasks, "role") => &[("unknown", r#""boss""#), ("unknown-plural", r#""requesters""#)],
            (Tool::ListTasks, _) => &[
                ("unknown", r#""done""#),
                ("unknown-underscore", r#""input_required""#),
                ("unknown-list", r#""submitted,working""#),
            ],
            _ => &[("unknown", r#""done""#), ("submitted", r#""submitted""#), ("unknown-british", r#""cancelled""#)],
        };
        let by_either =
            |(point, value): &(&str, &str)| self.refused_by_either(point, value, "arguments.choice-unknown");
        cases.extend(strange.iter().map(by_either));
        cases
    }

    fn object(self) -> Vec<Case> {
        let mut cases = self.types(&[
            ("json-in-string", r#""{\"amount\":\"5\"}""#),
            ("array", r#"[{"amount":"5"}]"#),
            ("number", "5"),
            ("boolean", "true"),
        ]);
        if self.tool == Tool::SubmitPayment {
            // A library that reads strings as JSON makes this the absence of a choice, and pays.
            cases.extend(self.types(&[("null-in-string", r#""null""#)]));
            cases = cases.into_iter().map(|case| case.check("arguments.choice-kept", accept_not_dropped())).collect();
        }
        cases
    }

    fn integer(self, min: Option<i64>, max: Option<i64>) -> Vec<Case> {
        let mut cases = self.types(&[("digits-in-string", r#""5""#), ("boolean", "true"), ("fraction", "5.5")]);
        cases.push(self.integral());
        if let Some(min) = min {
            cases.push(self.refused("below", &(min - 1).to_string(), "arguments.below-range"));
            if min > 0 {
                cases.push(self.refused("negative", "-5", "arguments.below-range"));
            }
        }
        let huge = [("beyond-64-bits", "18446744073709551616"), ("exponent", "1e30")];
        match max {
            Some(300) => {
                let long = [("above", "301"), ("overflowing", "9223372036854775807")];
                cases.extend(long.into_iter().chain(huge).map(|(point, value)| self.too_long(point, value)));
            }
            Some(max) => {
                let above = (max + 1).to_string();
                let all = [("above", above.as_str()), ("far-above", "1000000")];
                cases.extend(
                    all.into_iter()
                        .chain(huge)
                        .map(|(point, value)| self.refused_by_either(point, value, "arguments.above-range")),
                );
            }
            None => {
                cases.extend(huge.map(|(point, value)| self.refused(point, value, "arguments.unreadable-number")));
            }
        }
        cases
    }

    /// 5.0 is 5, as JSON Schema has it; the daemon reads only plain integers.
    fn integral(self) -> Case {
        let name = self.name();
        let title = format!("`{name}` 5.0 is 5");
        call_accepted(self.tool, &self.point("integral-fraction"), &title, self.arguments("5.0")).expect_same_as(
            "arguments.integral",
            self.tool,
            &with(company(self.tool, name), name, "5"),
        )
    }

    /// A wait beyond the page's bound: refused or shortened, and never asked for.
    fn too_long(self, point: &str, value: &str) -> Case {
        let route = request::route(self.tool);
        let title = format!("`{}` {value} never reaches the daemon", self.name());
        call_accepted(self.tool, &self.point(point), &title, self.arguments(value))
            .check(
                "arguments.timeout-bound",
                Expect::holds("the daemon is asked to wait for 300 s at most", move |seen| {
                    match seen.asked_of(route).filter_map(timeout).find(exceeds) {
                        None => Finding::Met,
                        Some(timeout) => Finding::differs(
                            "the daemon is asked to wait too long",
                            "at most 300000",
                            timeout.to_string(),
                        ),
                    }
                }),
            )
            .check(
                "arguments.timeout-form",
                Expect::holds("what becomes of it is recorded", move |seen| fate(seen, route)),
            )
            .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
            .expect_decent_refusal(&[self.name()])
    }
}

/// An option that cannot be read must not turn into a payment of whatever the daemon picks.
fn accept_not_dropped() -> Expect {
    let route = request::route(Tool::SubmitPayment);
    let kept = Expect::InBody { route, pointer: "/accept".to_owned(), rule: ValueRule::Present };
    Expect::holds("no payment is asked for without `accept`", move |seen| {
        if seen.asked_of(route).next().is_none() { Finding::Met } else { kept.evaluate(seen) }
    })
}

fn timeout(asked: &Asked) -> Option<Json> {
    Json::parse_bytes(&asked.body).ok()?.member("timeout_ms").cloned()
}

fn exceeds(timeout: &Json) -> bool {
    match timeout {
        Json::Number(literal) => literal.parse::<f64>().is_ok_and(|number| number > LONGEST_MS),
        _ => true,
    }
}

fn fate(seen: &Observation, route: anet_mock_daemon::Route) -> Finding {
    let asked = seen.asked_of(route).next().map(timeout);
    Finding::Observed(match asked {
        None => "refused".to_owned(),
        Some(None) => "sent without a timeout".to_owned(),
        Some(Some(timeout)) => format!("sent with timeout_ms {timeout}"),
    })
}
