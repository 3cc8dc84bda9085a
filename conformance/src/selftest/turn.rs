//! Expectations turned around: negated, or with another value. A candidate that passes must fail each of them.

use std::time::Duration;

use anet_mock_daemon::Route;

use crate::expect::{Expect, TextRule, ValueRule};
use crate::json::Json;

/// The expectation turned around in every way that its kind allows, each with how it was done, in words that follow
/// "stays green". Empty for one that is nothing but a function.
pub(super) fn turned(expect: &Expect) -> Vec<(&'static str, Expect)> {
    const NEGATED: &str = "when it is negated";
    const OTHER: &str = "with another value";
    let one = |how, expect| vec![(how, expect)];
    match expect.clone() {
        Expect::AnsweredOnce { call } => one(NEGATED, Expect::Unanswered { call }),
        Expect::Unanswered { call } => one(NEGATED, Expect::AnsweredOnce { call }),
        Expect::Succeeds { call } => one(NEGATED, Expect::Fails { call }),
        Expect::FailsAsTool { call } | Expect::Fails { call } => one(NEGATED, Expect::Succeeds { call }),
        Expect::FailsAsRpc { call, .. } => vec![
            (NEGATED, Expect::Succeeds { call: call.clone() }),
            (OTHER, Expect::FailsAsRpc { call, codes: vec![i64::MIN] }),
        ],
        Expect::TextJson { call, json, grade } => one(OTHER, Expect::TextJson { call, json: changed(&json), grade }),
        Expect::TextOrder { call, json } => {
            reversed(&json).map(|json| (OTHER, Expect::TextOrder { call, json })).into_iter().collect()
        }
        Expect::TextIs { call, text } => one(OTHER, Expect::TextIs { call, text: text + "x" }),
        Expect::Text { call, rules } => rules
            .iter()
            .map(|rule| (NEGATED, Expect::Text { call: call.clone(), rules: vec![negated_text(rule)] }))
            .filter(|(_, turned)| !matches!(turned, Expect::Text { rules, .. } if rules.iter().any(is_idle)))
            .collect(),
        Expect::StructuredJson { call, json, grade } => {
            one(OTHER, Expect::StructuredJson { call, json: changed(&json), grade })
        }
        Expect::NoStructured { call } => one(NEGATED, Expect::StructuredAgrees { call }),
        Expect::StructuredAgrees { call } => one(NEGATED, Expect::NoStructured { call }),
        Expect::InText { call, pointer, rule } => {
            negated_value(rule).map(|rule| (NEGATED, Expect::InText { call, pointer, rule })).into_iter().collect()
        }
        Expect::InResult { call, pointer, rule } => {
            negated_value(rule).map(|rule| (NEGATED, Expect::InResult { call, pointer, rule })).into_iter().collect()
        }
        Expect::InError { call, pointer, rule } => {
            negated_value(rule).map(|rule| (NEGATED, Expect::InError { call, pointer, rule })).into_iter().collect()
        }
        Expect::InBody { route, pointer, rule } => {
            negated_value(rule).map(|rule| (NEGATED, Expect::InBody { route, pointer, rule })).into_iter().collect()
        }
        Expect::AnsweredInOrder { mut calls } if calls.len() > 1 => {
            calls.reverse();
            one(OTHER, Expect::AnsweredInOrder { calls })
        }
        Expect::Asks { route, body } => {
            let mut turned = one("for another route", Expect::Asks { route: other(route), body: body.clone() });
            turned.extend(body_changed(&body).map(|body| (OTHER, Expect::Asks { route, body })));
            turned
        }
        Expect::AsksExactly { route, body } => {
            let mut turned = one("for another route", Expect::AsksExactly { route: other(route), body: body.clone() });
            turned.extend(body_changed(&body).map(|body| (OTHER, Expect::AsksExactly { route, body })));
            turned
        }
        Expect::AsksOnly { mut routes } => {
            // /status may be asked at any time: a server may look whether its daemon is there.
            let without =
                routes.split_last().filter(|(last, _)| **last != Route::Status).map(|(_, rest)| rest.to_vec());
            routes.push(routes.first().copied().map_or(Route::Status, other));
            let mut turned = one("with one route more", Expect::AsksOnly { routes });
            turned.extend(without.map(|routes| ("with one route less", Expect::AsksOnly { routes })));
            turned
        }
        Expect::AsksNothing => one(NEGATED, Expect::AsksOnly { routes: vec![Route::Status] }),
        Expect::Exits { code } => one(OTHER, Expect::Exits { code: code.wrapping_add(1) }),
        Expect::ExitsNonZero => one(NEGATED, Expect::Exits { code: 0 }),
        Expect::ExitsWithin { .. } => one(OTHER, Expect::ExitsWithin { bound: Duration::ZERO }),
        // The others have neither a value nor an opposite that could be written down; disturbing what was seen tries them.
        _ => Vec::new(),
    }
}

fn other(route: Route) -> Route {
    if route == Route::Status { Route::Evidence } else { Route::Status }
}

/// The document with another value in its first place.
fn changed(json: &str) -> String {
    fn change(json: &mut Json) {
        match json {
            Json::Object(members) if !members.is_empty() => change(&mut members[0].1),
            Json::Array(items) if !items.is_empty() => change(&mut items[0]),
            Json::Object(members) => members.push(("turned".to_owned(), Json::Bool(true))),
            leaf => *leaf = Json::string("turned"),
        }
    }
    match Json::parse(json) {
        Ok(mut document) => {
            change(&mut document);
            document.to_string()
        }
        Err(_) => r#""turned""#.to_owned(),
    }
}

/// The body with another value in its last member, where what the daemon must not take as it comes seldom stands; none if
/// it has no member.
fn body_changed(body: &str) -> Option<String> {
    match Json::parse(body) {
        Ok(Json::Object(mut members)) => {
            members.last_mut()?.1 = Json::string("turned");
            Some(Json::Object(members).to_string())
        }
        _ => None,
    }
}

/// The document with its members in the opposite order; none if there are no two of them.
fn reversed(json: &str) -> Option<String> {
    match Json::parse(json) {
        Ok(Json::Object(mut members)) if members.len() > 1 => {
            members.reverse();
            Some(Json::Object(members).to_string())
        }
        _ => None,
    }
}

fn negated_value(rule: ValueRule) -> Option<ValueRule> {
    Some(match rule {
        ValueRule::Is(json) => ValueRule::Is(changed(&json)),
        ValueRule::IsLiterally(json) => ValueRule::IsLiterally(changed(&json)),
        ValueRule::OneOf(_) => ValueRule::OneOf(vec![r#""turned""#.to_owned()]),
        ValueRule::Present => ValueRule::Absent,
        ValueRule::Absent => ValueRule::Present,
        ValueRule::Type("string") => ValueRule::Type("object"),
        ValueRule::Type(_) => ValueRule::Type("string"),
        ValueRule::AtLeast(_) => ValueRule::AtLeast(usize::MAX),
        ValueRule::AtMost(_) => ValueRule::AtMost(i64::MIN),
        ValueRule::Text(rule) => {
            let turned = negated_text(&rule);
            if is_idle(&turned) {
                return None;
            }
            ValueRule::Text(turned)
        }
    })
}

/// What no text of a server contains.
const NOWHERE: &str = "\u{2400}turned\u{2400}";

/// A rule that a text which follows `rule` does not follow; [`is_idle`] if none can be written down.
fn negated_text(rule: &TextRule) -> TextRule {
    match rule {
        TextRule::NotBlank | TextRule::MinBytes(_) | TextRule::MaxBytes(_) => TextRule::MinBytes(usize::MAX),
        TextRule::ContainsAny(words) | TextRule::ContainsAll(words) => TextRule::ContainsNone(words.clone()),
        TextRule::ContainsNone(words) => TextRule::ContainsAll(words.clone()),
        TextRule::ContainsLiterally(word) => TextRule::LacksLiterally(word.clone()),
        TextRule::LacksLiterally(word) => TextRule::ContainsLiterally(word.clone()),
        TextRule::Facts(groups) => TextRule::ContainsNone(groups.iter().flatten().cloned().collect()),
        TextRule::English | TextRule::NoReasonCode | TextRule::NoParserWording | TextRule::OneParagraph => {
            TextRule::LacksLiterally(NOWHERE.to_owned())
        }
    }
}

fn is_idle(rule: &TextRule) -> bool {
    matches!(rule, TextRule::LacksLiterally(word) if word == NOWHERE)
}
