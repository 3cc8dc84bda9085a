//! What becomes of money on a task: a quote arrives, the node may pay it of itself, the hub settles or does not.
//!
//! Responsible for: the payment moves of the other side and of the hub. Not for: a caller's decision (`pay`). Serves
//! control-plane section 7 and 5.4.

use crate::ids;
use crate::json::{Json, Members};
use crate::project::shape::{Part, Role, TaskState};

use super::State;
use super::pay::sentence_of_options;
use super::quote::{Price, Quote, x402_error};
use super::spend::Purpose;
use super::task::{Effect, PayState};

impl State {
    pub(super) fn receive_quote(&mut self, index: usize, price: &Price) {
        let task = &self.tasks[index];
        if task.paid() || task.state == TaskState::InputRequired {
            return;
        }
        let now = self.clock.now();
        let what = task.skill.clone().unwrap_or_else(|| "text".to_owned());
        let quote = Quote::new(price, &task.peer, &self.hub_aid, &what, now);
        let words = vec![
            Part::text(if task.skill.is_some() { "This call has a price." } else { "This task has a price." }),
            Part::text(sentence_of_options(&quote, &task.id)),
        ];
        let required = quote.required();
        let task = &mut self.tasks[index];
        task.payment.quote = Some(quote);
        task.payment.state = PayState::Required;
        task.payment.error = None;
        task.held = false;
        if task.skill.is_some() {
            task.effect = Some(Effect::PaymentRequired);
        }
        self.record_on(index, "anet.payment.quoted", Members::new().put("amount", &price.amount));
        let mut note = self.message(index, Role::Agent, words);
        note.metadata.insert("x402.payment.required".to_owned(), required);
        self.tasks[index].note = Some(note);
        self.tasks[index].reason = Some("needs_operator_approval".to_owned());
        self.set_state(index, TaskState::InputRequired);
        self.pay_of_itself(index);
    }

    pub(super) fn settle(&mut self, index: usize) {
        let task = &self.tasks[index];
        let (PayState::Submitted, Some(authorization)) = (task.payment.state, task.payment.authorization.clone())
        else {
            return;
        };
        let amount = i64::try_from(authorization.amount).unwrap_or(i64::MAX);
        if amount > self.purse.balance {
            return self.settlement_fails(index, "insufficient_funds");
        }
        let transaction = self.ids.transaction();
        let now = self.clock.now();
        self.purse.book(-amount, &transaction, now);
        let extensions = Members::new()
            .put("anet.auth_id", &authorization.id)
            .put("anet.settlement.receipt", ids::signature(&transaction))
            .put("anet.settlement_verified", "verified")
            .done();
        let receipt = Members::new()
            .put("amount", authorization.amount.to_string())
            .put("extensions", extensions)
            .put("network", format!("hub:{}", self.hub_aid))
            .put("payer", &self.aid)
            .put("success", true)
            .put("transaction", &transaction)
            .done();
        let task = &mut self.tasks[index];
        task.payment.receipts.push(receipt);
        task.payment.state = PayState::Completed;
        task.payment.error = None;
        task.reason = None;
        self.record_on(index, "anet.payment.settled", Members::new().put("transaction", transaction));
        self.set_state(index, TaskState::Working);
    }

    pub(super) fn settlement_fails(&mut self, index: usize, reason: &str) {
        if self.tasks[index].payment.state != PayState::Submitted {
            return;
        }
        let failure = Members::new()
            .put("errorReason", reason)
            .put("network", format!("hub:{}", self.hub_aid))
            .put("payer", &self.aid)
            .put("success", false)
            .put("transaction", "")
            .done();
        let task = &mut self.tasks[index];
        task.payment.receipts.push(failure);
        task.payment.state = PayState::Failed;
        task.payment.error = Some(x402_error(reason));
        task.reason = Some(reason.to_owned());
        if task.skill.is_some() {
            task.effect = Some(Effect::PaymentRequired);
        }
        self.set_state(index, TaskState::InputRequired);
    }

    /// Tries to pay a fresh quote within the automatic limit: once, for a call, at most at the signed price.
    fn pay_of_itself(&mut self, index: usize) {
        let now = self.clock.now();
        let task = &self.tasks[index];
        let Some(option) = task.payment.quote.as_ref().and_then(|quote| quote.payable(&self.hub_aid)).cloned() else {
            return;
        };
        let amount = super::quote::amount(&option).unwrap_or(0);
        let payee = option.member("payTo").and_then(Json::as_str).unwrap_or_default().to_owned();
        let signed = task.skill.as_deref().and_then(|skill| self.agent(&task.peer)?.signed_price(skill));
        let refused = if task.payment.automatic {
            Some(("", "The node already paid once for this task of itself.".to_owned()))
        } else if task.skill.is_none() {
            Some(("", "A text task has no signed price, so it is never paid automatically.".to_owned()))
        } else if signed.is_none_or(|signed| amount > signed) {
            Some((
                "",
                "The quote is above the price that the agent signed, so it is never paid automatically.".to_owned(),
            ))
        } else if payee != task.peer {
            Some(("", "The payee is not the agent that works on the task.".to_owned()))
        } else if !self.purse.module {
            Some(("module_absent", "This node has no payment module.".to_owned()))
        } else {
            self.purse
                .check(Purpose::Automatic, amount, &payee, now)
                .err()
                .map(|refusal| (refusal.code, format!("Not paid automatically: {}.", refusal.why)))
        };
        self.tasks[index].payment.automatic = true;
        if let Some((code, sentence)) = refused {
            let task = &mut self.tasks[index];
            task.payment_note = Some(sentence);
            task.spend_check = (!code.is_empty()).then(|| code.to_owned());
            return;
        }
        self.sign(index, option, amount, Purpose::Automatic);
    }
}
