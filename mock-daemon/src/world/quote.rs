//! Quotes: what a provider asks, in the words of x402.
//!
//! Responsible for: options, the quote's object, reading an amount strictly, and the code tables of control-plane 5.4. Not
//! for: deciding (`spend`, `pay`). Serves control-plane section 7.

use crate::json::{Json, Members};

/// A quote stands for 24 hours.
pub const VALIDITY_MS: i64 = 24 * 3_600_000;

/// What a provider asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// Units of credit, as a decimal string; any other text cannot be paid.
    pub amount: String,
    /// Which options are offered.
    pub offer: Offer,
    /// Whom to pay, when not the provider itself.
    pub pay_to: Option<String>,
}

impl Price {
    /// One option of this amount, payable over this node's hub.
    pub fn of(amount: u64) -> Self {
        Self { amount: amount.to_string(), offer: Offer::One, pay_to: None }
    }
}

/// Which options a quote offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// One, over this node's hub.
    One,
    /// Two: over this node's hub and over a stranger's.
    Several,
    /// One that this node cannot pay: a foreign hub.
    Unpayable,
}

/// A quote that was received.
#[derive(Clone, Debug)]
pub struct Quote {
    /// The options, those that this node can pay first.
    pub options: Vec<Json>,
    /// What is paid for.
    pub resource: Json,
    /// When it ends, in Unix milliseconds.
    pub expires_at: i64,
}

impl Quote {
    /// The quote that this price makes.
    pub fn new(price: &Price, provider: &str, own_hub: &str, what: &str, now: i64) -> Self {
        let payee = price.pay_to.as_deref().unwrap_or(provider);
        let stranger = crate::ids::aid("a hub elsewhere");
        let option = |hub: &str| option(&price.amount, payee, hub);
        let options = match price.offer {
            Offer::One => vec![option(own_hub)],
            Offer::Several => vec![option(own_hub), option(&stranger)],
            Offer::Unpayable => vec![option(&stranger)],
        };
        let resource = Json::object([("description", what.into()), ("url", format!("anet:capability/{what}").into())]);
        Self { options, resource, expires_at: now + VALIDITY_MS }
    }

    /// The `x402.payment.required` object.
    pub fn required(&self) -> Json {
        Members::new()
            .put("accepts", self.options.clone())
            .put("resource", self.resource.clone())
            .put("x402Version", 2_i64)
            .done()
    }

    /// The first option that this node can pay.
    pub fn payable(&self, own_hub: &str) -> Option<&Json> {
        self.options.iter().find(|option| payable(option, own_hub))
    }
}

/// One option over a hub.
fn option(amount: &str, payee: &str, hub: &str) -> Json {
    Members::new()
        .put("amount", amount)
        .put("asset", "credit")
        .put("maxTimeoutSeconds", 300_i64)
        .put("network", format!("hub:{hub}"))
        .put("payTo", payee)
        .put("scheme", "anet-credit")
        .done()
}

/// Whether this node can pay an option: its scheme, its asset, its hub, and an amount that is one.
pub fn payable(option: &Json, own_hub: &str) -> bool {
    let is = |name: &str, value: &str| option.member(name).and_then(Json::as_str) == Some(value);
    is("scheme", "anet-credit")
        && is("asset", "credit")
        && is("network", &format!("hub:{own_hub}"))
        && amount(option).is_some()
}

/// An option's amount: a canonical unsigned decimal string under exactly this name.
pub fn amount(option: &Json) -> Option<u64> {
    let text = option.member("amount").and_then(Json::as_str)?;
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// A payment that this node signed.
#[derive(Clone, Debug)]
pub struct Authorization {
    /// Its CID.
    pub id: String,
    /// The option it pays.
    pub option: Json,
    /// Units of credit.
    pub amount: u64,
}

/// Every reason of control-plane 5.4 that a hub or a provider gives for a payment that failed, with its x402 word.
pub const FAILURES: [(&str, &str); 16] = [
    ("binding_mismatch", "SETTLEMENT_FAILED"),
    ("payer_mismatch", "SETTLEMENT_FAILED"),
    ("payee_mismatch", "SETTLEMENT_FAILED"),
    ("insufficient_funds", "INSUFFICIENT_FUNDS"),
    ("invalid_signature", "INVALID_SIGNATURE"),
    ("expired_payment", "EXPIRED_PAYMENT"),
    ("network_mismatch", "NETWORK_MISMATCH"),
    ("unsupported_scheme", "NETWORK_MISMATCH"),
    ("invalid_amount", "INVALID_AMOUNT"),
    ("duplicate_nonce", "DUPLICATE_NONCE"),
    ("duplicate_binding", "DUPLICATE_NONCE"),
    ("unknown_payer", "SETTLEMENT_FAILED"),
    ("settlement_failed", "SETTLEMENT_FAILED"),
    ("malformed_payment", "SETTLEMENT_FAILED"),
    ("invalid_payment_requirements", "SETTLEMENT_FAILED"),
    ("quote_expired", "EXPIRED_PAYMENT"),
];

/// The x402 word for a reason.
pub fn x402_error(reason: &str) -> &'static str {
    FAILURES.iter().find_map(|(code, word)| (*code == reason).then_some(*word)).unwrap_or("SETTLEMENT_FAILED")
}

#[cfg(test)]
mod tests {
    use super::{Offer, Price, Quote, amount, payable, x402_error};
    use crate::json::Json;

    #[test]
    fn what_can_be_paid_comes_first() {
        let price = Price { offer: Offer::Several, ..Price::of(5) };
        let quote = Quote::new(&price, "provider", "hub", "skill", 0);
        assert!(payable(&quote.options[0], "hub") && !payable(&quote.options[1], "hub"));
        assert_eq!(quote.payable("hub"), Some(&quote.options[0]));
        assert_eq!(quote.payable("another hub"), None);
    }

    #[test]
    fn amounts_are_read_strictly() {
        let with = |name: &str, text: &str| Json::object([(name, Json::from(text))]);
        assert_eq!(amount(&with("amount", "5")), Some(5));
        for wrong in ["05", "+5", "-5", "5.0", "", "x", "99999999999999999999999"] {
            assert_eq!(amount(&with("amount", wrong)), None, "{wrong}");
        }
        assert_eq!(amount(&with("AMOUNT", "5")), None);
    }

    #[test]
    fn unknown_reasons_are_settlement_failures() {
        assert_eq!(x402_error("insufficient_funds"), "INSUFFICIENT_FUNDS");
        assert_eq!(x402_error("anything"), "SETTLEMENT_FAILED");
    }
}
