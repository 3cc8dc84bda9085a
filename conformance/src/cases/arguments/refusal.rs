//! What every refusal of arguments looks like (ruling R3).
//!
//! Responsible for: the checks that belong to a refusal. The rules for its text hold for sentences of the server's own;
//! a sentence that came from the daemon is the daemon's.

use super::list;
use crate::case::Case;
use crate::expect::{Expect, TextRule};
use crate::observation::{Answer, Observation};
use crate::verdict::Finding;

impl Case {
    /// The call is refused, which `requirement` asks for; the refusal names one of these words.
    pub(super) fn expect_wrong(self, requirement: &'static str, names: &[&str]) -> Self {
        self.check(requirement, Expect::Fails { call: "call".to_owned() })
            .check("arguments.daemon-uncalled", Expect::AsksNothing)
            .expect_decent_refusal(names)
            .check("arguments.form", Expect::RecordsRefusal { call: "call".to_owned() })
            .check("wire.call-answered", Expect::AnsweredOnce { call: "call".to_owned() })
    }

    /// If the server itself refuses the call, it does so in an English sentence without a reason code, which names one of
    /// these words (none: no matter which).
    pub(super) fn expect_decent_refusal(self, names: &[&str]) -> Self {
        let said = |rules: Vec<TextRule>| if_refused_here(Expect::Text { call: "call".to_owned(), rules });
        let case = self
            .check("arguments.english", said(vec![TextRule::NotBlank, TextRule::English]))
            .check("arguments.no-reason-code", said(vec![TextRule::NoReasonCode]))
            .check("arguments.no-parser-wording", said(vec![TextRule::NoParserWording]))
            .check("arguments.tool-error", if_refused_here(Expect::FailsAsTool { call: "call".to_owned() }));
        if names.is_empty() {
            return case;
        }
        case.check("arguments.names-parameter", said(vec![TextRule::ContainsAny(list(names))]))
    }
}

/// The expectation, if the call ended in an error and the daemon was not asked for what the tool does.
pub(super) fn if_refused_here(expect: Expect) -> Expect {
    Expect::holds(format!("{}, if the server refuses the call itself", expect.describe()), move |seen| {
        if refused_here(seen) {
            expect.evaluate(seen)
        } else {
            Finding::NotApplicable("the server does not refuse the call itself".to_owned())
        }
    })
}

/// Whether the call ended in an error of the server's own making.
fn refused_here(seen: &Observation) -> bool {
    let failed = matches!(seen.answer("call"), Some(Answer::ToolError(_) | Answer::RpcError { .. }));
    failed && Expect::AsksNothing.evaluate(seen) == Finding::Met
}
