//! Deciding on a quote.
//!
//! Responsible for: submitting and rejecting, in the check order of control-plane 2.10, for an agent, for the operator and
//! for the node itself. Not for: what becomes of a payment afterwards (`life`). Serves control-plane 2.10, 5.4 and 5.5.

use crate::json::{Json, Members};
use crate::project::shape::TaskState;

use super::State;
use super::peer::Occasion;
use super::quote::{self, Authorization, Quote};
use super::spend::Purpose;
use super::task::{PayState, Side};

/// A decision, as `/tasks/pay` answers it.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    task_id: String,
    state: &'static str,
    pay_state: &'static str,
    status: &'static str,
    error: Option<&'static str>,
    reason: Option<String>,
    authorization_id: Option<String>,
    reused: bool,
    spend_refusal: Option<&'static str>,
    message: Option<String>,
}

impl Decision {
    /// The decision as JSON.
    pub fn json(&self) -> Json {
        Members::new()
            .put("task_id", &self.task_id)
            .put("state", self.state)
            .put("pay_state", self.pay_state)
            .put("x402.payment.status", self.status)
            .maybe("x402.payment.error", self.error)
            .maybe("anet.reason", self.reason.as_ref())
            .maybe("authorization_id", self.authorization_id.as_ref())
            .only_true("reused", self.reused)
            .maybe("spend_refusal", self.spend_refusal)
            .maybe("message", self.message.as_ref())
            .done()
    }

    /// Whether a payment was signed or sent again.
    pub fn submitted(&self) -> bool {
        self.authorization_id.is_some()
    }
}

/// Why no decision was made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PayError {
    /// There is no such task.
    #[error("there is no task {0}.")]
    Unknown(String),
    /// The task is in no state for it (409). The reason is for the task routes; `/tasks/pay` shows the sentence alone.
    #[error("{0}")]
    Conflict(String, Option<&'static str>),
    /// Refused before anything was signed (422): reason and sentence, and the decision that says so.
    #[error("{1} ({0})")]
    Local(&'static str, String, Box<Decision>),
    /// The policy refused what no operator can lift (403).
    #[error("{1} ({0})")]
    Policy(&'static str, String),
    /// Anything else (400).
    #[error("{0}")]
    Other(String),
}

/// The text that names up to three options.
pub(crate) fn sentence_of_options(quote: &Quote, task_id: &str) -> String {
    let named: Vec<String> = quote
        .options
        .iter()
        .take(3)
        .map(|option| {
            let word = |name: &str| option.member(name).and_then(Json::as_str).unwrap_or_default();
            format!("{} {} to {} over {}", word("amount"), word("asset"), word("payTo"), word("network"))
        })
        .collect();
    let id = if crate::ids::plain_task_id(task_id) { task_id } else { "<task id>" };
    format!("Options: {}. Pay with submit_payment or `anet pay {id}`.", named.join("; "))
}

impl State {
    fn decision(&self, index: usize, status: &'static str) -> Decision {
        let task = &self.tasks[index];
        Decision {
            task_id: task.id.clone(),
            state: task.state.stored(),
            pay_state: task.payment.state.word(),
            status,
            ..Decision::default()
        }
    }

    /// The task that a decision is about, if one can be made.
    fn payable_task(&self, id: &str) -> Result<usize, PayError> {
        let index = self.task_index(id).ok_or_else(|| PayError::Unknown(id.to_owned()))?;
        let task = &self.tasks[index];
        let conflict = |why: String, reason| Err(PayError::Conflict(why, reason));
        if task.side == Side::Provider {
            return conflict(format!("The task {id} was sent to this node; only its requester pays."), None);
        }
        if task.state.terminal() {
            return conflict(format!("The task {id} has ended ({}); there is nothing to pay.", task.state), None);
        }
        if task.payment.state == PayState::Submitted {
            return conflict(format!("A payment for the task {id} is on its way; wait for the task."), None);
        }
        if task.open_quote().is_none() {
            return conflict(format!("No quote of the task {id} waits for a decision."), Some("no_pending_quote"));
        }
        Ok(index)
    }

    /// Pays a quote.
    pub(crate) fn submit(
        &mut self,
        id: &str,
        purpose: Purpose,
        accept: Option<&Json>,
        payload: bool,
    ) -> Result<Decision, PayError> {
        let index = self.payable_task(id)?;
        let now = self.clock.now();
        let Some(quote) = self.tasks[index].open_quote().cloned() else {
            return Err(PayError::Other("No quote waits.".to_owned()));
        };
        if now >= quote.expires_at {
            let why = format!("The quote of the task {id} has expired; ask the agent for a new one.");
            return Err(PayError::Conflict(why, Some("quote_expired")));
        }
        let local = |state: &Self, reason: &'static str, sentence: &str| {
            let mut decision = state.decision(index, "payment-failed");
            decision.pay_state = "required";
            decision.error = Some(quote::x402_error(reason));
            decision.reason = Some(reason.to_owned());
            Err(PayError::Local(reason, sentence.to_owned(), Box::new(decision)))
        };
        if payload {
            return local(
                self,
                "client_payload_unsupported",
                "a payment signed elsewhere is not taken; this node signs its own",
            );
        }
        let option = match accept {
            Some(chosen) => {
                let chosen = chosen.clone().sorted();
                match quote.options.iter().find(|option| (*option).clone().sorted() == chosen) {
                    Some(option) => option.clone(),
                    None => {
                        return local(
                            self,
                            "option_not_offered",
                            "the chosen option is not among those the quote offers",
                        );
                    }
                }
            }
            None => match quote.payable(&self.hub_aid).or(quote.options.first()) {
                Some(option) => option.clone(),
                None => {
                    return local(self, "rail_not_payable", "the quote offers no option that this node can pay");
                }
            },
        };
        if !quote::payable(&option, &self.hub_aid) {
            return local(self, "rail_not_payable", "the quote offers no option that this node can pay");
        }
        let payee = option.member("payTo").and_then(Json::as_str).unwrap_or_default().to_owned();
        if payee != self.tasks[index].peer {
            return Err(PayError::Other(format!("The payee {payee} is not the agent that works on the task {id}.")));
        }
        if !self.purse.module {
            return Err(PayError::Other("This node has no payment module.".to_owned()));
        }
        let amount = quote::amount(&option).unwrap_or(0);
        let earlier = self.tasks[index].payment.authorization.as_ref().filter(|earlier| earlier.option == option);
        if let Some(earlier) = earlier {
            let authorization = earlier.id.clone();
            self.send_payment(index);
            let mut decision = self.decision(index, "payment-submitted");
            (decision.state, decision.pay_state) = ("working", "submitted");
            decision.authorization_id = Some(authorization);
            decision.reused = true;
            return Ok(decision);
        }
        if let Err(refusal) = self.purse.check(purpose, amount, &payee, now) {
            if matches!(refusal.code, "zero_amount" | "unknown_purpose") {
                return Err(PayError::Policy(refusal.code, format!("Nothing was signed: {}.", refusal.why)));
            }
            let shown = if crate::ids::plain_task_id(id) { id } else { "<task id>" };
            let steps: Vec<String> = refusal
                .steps
                .iter()
                .map(|step| if step.starts_with("anet ") { format!("`{step}`") } else { step.clone() })
                .chain([format!("`anet pay {shown}`")])
                .collect();
            let mut decision = self.decision(index, "payment-required");
            decision.pay_state = "required";
            decision.reason = Some("needs_operator_approval".to_owned());
            decision.spend_refusal = Some(refusal.code);
            decision.message = Some(format!(
                "Nothing was signed: {}. Price {amount} credit, payee {payee}; the offer stays valid. \
                 A person can settle it from a terminal with {}.",
                refusal.why,
                steps.join(" followed by ")
            ));
            return Ok(decision);
        }
        let authorization = self.sign(index, option, amount, purpose);
        let mut decision = self.decision(index, "payment-submitted");
        (decision.state, decision.pay_state) = ("working", "submitted");
        decision.authorization_id = Some(authorization);
        Ok(decision)
    }

    /// Signs a payment and sends it. What the hub and the peer do at once has happened when this returns.
    pub(crate) fn sign(&mut self, index: usize, option: Json, amount: u64, purpose: Purpose) -> String {
        let now = self.clock.now();
        let id = self.ids.cid("authorization");
        self.purse.sign(amount, purpose, now);
        let payload = Members::new().put("amount", amount).put("authorization_id", &id);
        self.record_on(index, "anet.payment.authorized", payload);
        self.tasks[index].payment.authorization = Some(Authorization { id: id.clone(), option, amount });
        self.send_payment(index);
        id
    }

    fn send_payment(&mut self, index: usize) {
        let task = &mut self.tasks[index];
        task.payment.state = PayState::Submitted;
        task.payment.error = None;
        task.reason = None;
        task.note = None;
        task.spend_check = None;
        task.payment_note = None;
        task.effect = None;
        self.set_state(index, TaskState::Working);
        self.reach(index, Occasion::Paid);
    }

    /// Refuses a quote: both sides end in canceled.
    pub(crate) fn reject_quote(&mut self, id: &str) -> Result<Decision, PayError> {
        let index = self.payable_task(id)?;
        let task = &mut self.tasks[index];
        task.payment.state = PayState::Rejected;
        task.payment.error = None;
        task.reason = None;
        task.note = None;
        self.set_state(index, TaskState::Canceled);
        Ok(self.decision(index, "payment-rejected"))
    }

    /// Notes on the task that a payment decision inside a message was refused before anything was signed.
    pub(crate) fn note_refused_payment(&mut self, id: &str, reason: &'static str) {
        let Some(index) = self.task_index(id) else {
            return;
        };
        let task = &mut self.tasks[index];
        task.payment.state = PayState::Failed;
        task.payment.error = Some(quote::x402_error(reason));
        task.reason = Some(reason.to_owned());
        self.set_state(index, TaskState::InputRequired);
    }
}
