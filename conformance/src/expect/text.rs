//! Rules for texts that no one spells out in advance: descriptions, argument errors, notices.

/// A rule for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextRule {
    /// It says something: more than white space.
    NotBlank,
    /// It contains one of these, upper or lower case alike.
    ContainsAny(Vec<String>),
    /// It contains all of these, upper or lower case alike.
    ContainsAll(Vec<String>),
    /// It contains none of these, upper or lower case alike.
    ContainsNone(Vec<String>),
    /// It contains this, to the letter.
    ContainsLiterally(String),
    /// It does not contain this, to the letter.
    LacksLiterally(String),
    /// For each group, it contains one of the group's alternatives, upper or lower case alike.
    Facts(Vec<Vec<String>>),
    /// It is English as far as a program can tell: Latin letters, no CJK.
    English,
    /// It carries no reason code: none of the contract's, and no tag like `[reason: x]`. The `code` that schema libraries
    /// put into their messages is none.
    NoReasonCode,
    /// It shows no wording of a deserialiser ("missing field", "invalid type: map", "expected struct", ...).
    NoParserWording,
    /// It is at most so many bytes long.
    MaxBytes(usize),
    /// It is at least so many bytes long.
    MinBytes(usize),
    /// It is one sentence or two in one paragraph: no line break.
    OneParagraph,
}

/// Reason codes that tell an argument error from a refusal by the daemon; those with an underscore cannot stand in an
/// English sentence by accident. From sections 5.2 to 5.6 of the contract.
const REASON_CODES: &[&str] = &[
    "not_accepting",
    "capability_not_public",
    "capability_not_served",
    "args_too_large",
    "quota_caller_per_min",
    "quota_caller_per_day",
    "quota_global_per_min",
    "max_inflight",
    "pending_full",
    "pending_expired",
    "operator_rejected",
    "sandbox_unavailable",
    "task_nonce_required",
    "connection_lost",
    "no_response",
    "provider_busy",
    "needs_operator_approval",
    "payment_extension_not_activated",
    "client_payload_unsupported",
    "option_not_offered",
    "rail_not_payable",
    "no_pending_quote",
    "quote_expired",
    "binding_mismatch",
    "payer_mismatch",
    "payee_mismatch",
    "insufficient_funds",
    "invalid_signature",
    "expired_payment",
    "network_mismatch",
    "unsupported_scheme",
    "invalid_amount",
    "duplicate_nonce",
    "duplicate_binding",
    "unknown_payer",
    "settlement_failed",
    "malformed_payment",
    "invalid_payment_requirements",
    "settlement_pending",
    "over_single_limit",
    "over_agent_daily_limit",
    "over_daily_limit",
    "payee_not_allowed",
    "payees_unreadable",
    "zero_amount",
    "unknown_purpose",
    "pending_admission",
    "module_absent",
    "extended_card_unavailable",
];

/// What the common deserialisers say, which tells a caller nothing about a parameter.
const PARSER_WORDING: &[&str] = &[
    "missing field",
    "unknown field",
    "unknown variant",
    "invalid type: ",
    "invalid value: ",
    "failed to deserialize",
    "expected struct",
    "expected a map",
    "line 1 column",
    "cannot unmarshal",
    "json: ",
    "validation error for",
    "input_value=",
    "zoderror",
    "traceback (most recent call last)",
];

impl TextRule {
    /// Contains one of these.
    pub fn any<const N: usize>(words: [&str; N]) -> Self {
        Self::ContainsAny(words.map(str::to_owned).to_vec())
    }

    /// Contains none of these.
    pub fn none<const N: usize>(words: [&str; N]) -> Self {
        Self::ContainsNone(words.map(str::to_owned).to_vec())
    }

    /// What is wrong with the text, or none if it follows the rule.
    pub fn complaint(&self, text: &str) -> Option<String> {
        let lower = || text.to_lowercase();
        let has = |lower: &str, word: &String| lower.contains(&word.to_lowercase());
        match self {
            Self::NotBlank => text.trim().is_empty().then(|| "it is blank".to_owned()),
            Self::ContainsAny(words) => {
                let lower = lower();
                (!words.iter().any(|word| has(&lower, word))).then(|| format!("it contains none of {}", quoted(words)))
            }
            Self::ContainsAll(words) => {
                let lower = lower();
                let missing: Vec<_> = words.iter().filter(|word| !has(&lower, word)).cloned().collect();
                (!missing.is_empty()).then(|| format!("it lacks {}", quoted(&missing)))
            }
            Self::ContainsNone(words) => {
                let lower = lower();
                words.iter().find(|word| has(&lower, word)).map(|word| format!("it contains {word:?}"))
            }
            Self::ContainsLiterally(part) => (!text.contains(part)).then(|| format!("it lacks {part:?}")),
            Self::LacksLiterally(part) => text.contains(part).then(|| format!("it contains {part:?}")),
            Self::Facts(groups) => {
                let lower = lower();
                let missing = groups.iter().find(|group| !group.iter().any(|word| has(&lower, word)))?;
                Some(format!("it contains none of {}", quoted(missing)))
            }
            Self::English => {
                if let Some(odd) = text.chars().find(|c| is_cjk(*c)) {
                    return Some(format!("it contains {odd:?}, which is not English"));
                }
                (!text.chars().any(|c| c.is_ascii_alphabetic())).then(|| "it has no Latin letter".to_owned())
            }
            Self::NoReasonCode => {
                let lower = lower();
                if let Some(code) = REASON_CODES.iter().find(|code| contains_word(&lower, code)) {
                    return Some(format!("it carries the reason code `{code}`"));
                }
                reason_tag(&lower).map(|tag| format!("it carries a reason code, {tag:?}"))
            }
            Self::NoParserWording => {
                let lower = lower();
                PARSER_WORDING
                    .iter()
                    .find(|wording| lower.contains(**wording))
                    .map(|wording| format!("it shows a parser's wording, {wording:?}"))
            }
            Self::MaxBytes(max) => {
                (text.len() > *max).then(|| format!("it is {} bytes long, more than {max}", text.len()))
            }
            Self::MinBytes(min) => {
                (text.len() < *min).then(|| format!("it is {} bytes long, less than {min}", text.len()))
            }
            Self::OneParagraph => text.trim_end().contains('\n').then(|| "it has more than one line".to_owned()),
        }
    }

    /// What it demands, in words that follow "the text".
    pub fn describe(&self) -> String {
        match self {
            Self::NotBlank => "is not blank".to_owned(),
            Self::ContainsAny(words) => format!("contains one of {}", quoted(words)),
            Self::ContainsAll(words) => format!("contains {}", quoted(words)),
            Self::ContainsNone(words) => format!("contains none of {}", quoted(words)),
            Self::ContainsLiterally(part) => format!("contains {part:?}"),
            Self::LacksLiterally(part) => format!("does not contain {part:?}"),
            Self::Facts(groups) => {
                let groups: Vec<_> = groups.iter().map(|group| format!("one of {}", quoted(group))).collect();
                format!("contains {}", groups.join(", and "))
            }
            Self::English => "is English".to_owned(),
            Self::NoReasonCode => "carries no reason code".to_owned(),
            Self::NoParserWording => "does not speak like a parser".to_owned(),
            Self::MaxBytes(max) => format!("is at most {max} bytes long"),
            Self::MinBytes(min) => format!("is at least {min} bytes long"),
            Self::OneParagraph => "is one paragraph".to_owned(),
        }
    }
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF)
}

/// Whether `word` stands in `text` on its own: no letter, digit or underscore on either side.
fn contains_word(text: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part_of_word)
            && !text[at + word.len()..].chars().next().is_some_and(part_of_word)
    })
}

/// A tag such as `[reason: x]` or `"reason":"x"`: the word, and a single name up to a bracket, a quote or the end. A
/// sentence that begins with "Reason:" is none.
fn reason_tag(lower: &str) -> Option<&str> {
    lower.match_indices("reason").find_map(|(at, word)| {
        let rest = lower[at + word.len()..].trim_start_matches('"').trim_start();
        let rest = rest.strip_prefix([':', '='])?.trim_start().trim_start_matches('"');
        let name = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        let closed = rest[name..].is_empty() || rest[name..].starts_with([']', ')', '}', '"', ',', ';']);
        (name > 0 && closed).then(|| &lower[at..lower.len() - rest.len() + name])
    })
}

#[cfg(test)]
mod tests {
    use super::TextRule;

    #[test]
    fn each_rule_bites_and_lets_pass() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let table = [
            (TextRule::NotBlank, "x", " \n"),
            (TextRule::ContainsAny(words(&["limit"])), "The Limit is 3", "no"),
            (TextRule::ContainsAll(words(&["a", "b"])), "AB", "a"),
            (TextRule::ContainsNone(words(&["serde"])), "fine", "Serde says no"),
            (TextRule::ContainsLiterally("ix_1".to_owned()), "task ix_1", "task IX_1"),
            (TextRule::LacksLiterally("ix_1".to_owned()), "task IX_1", "task ix_1"),
            (TextRule::Facts(vec![words(&["x", "y"]), words(&["z"])]), "Y and z", "x and y"),
            (TextRule::English, "`limit` takes 1 to 100.", "缺少 task_id"),
            (TextRule::NoReasonCode, "`task_id` is missing.", "task_id is missing (no_pending_quote)"),
            (TextRule::NoReasonCode, "say the reason of it", "bad [reason: x]"),
            (TextRule::NoReasonCode, "Reason: `task_id` is missing.", r#"{"reason": "bad_argument"}"#),
            (TextRule::NoReasonCode, r#"[{"code": "invalid_type", "path": ["limit"]}]"#, "bad (reason=bad_argument)"),
            (TextRule::NoParserWording, "`limit` is missing", "missing field `limit`"),
            (TextRule::MaxBytes(3), "abc", "abcd"),
            (TextRule::MinBytes(3), "abc", "ab"),
            (TextRule::OneParagraph, "one\n", "one\ntwo"),
        ];
        for (rule, good, bad) in table {
            assert_eq!(rule.complaint(good), None, "{rule:?} on {good:?}");
            assert!(rule.complaint(bad).is_some(), "{rule:?} on {bad:?}");
        }
    }

    #[test]
    fn a_code_inside_a_longer_word_is_no_code() {
        assert_eq!(TextRule::NoReasonCode.complaint("the zero_amounts column"), None);
    }
}
