//! The list as a whole: its names, its pages, that it stays the same, and that every revision gives it.

use std::collections::BTreeSet;

use super::{LIST, listed, listing_case, names, none_of, pages};
use crate::case::{Case, Group, Request, Step};
use crate::expect::Expect;
use crate::json::Json;
use crate::observation::Observation;
use crate::page::{BANNED_WORDS, Tool};
use crate::revision::Revision;
use crate::verdict::Finding;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        listing_case("names", "the list holds the 14 tools, each once, and no other")
            .check("surface.fourteen-tools", of_list("exactly the 14 tools are listed", fourteen)),
        listing_case("banned-words", "no tool's name holds a banned word")
            .check("surface.banned-words", of_list("no name holds a banned word", banned)),
        stable(),
        listing_case("pages", "the pages of the list come to an end").check("surface.pages-end", pages_end()),
        Case::new(Group::Surface, "unknown-cursor", "a cursor that the server never gave is refused")
            .step(Step::Request(Request::new("page", "tools/list", Some(r#"{"cursor":"no-such-cursor"}"#.to_owned()))))
            .step(Step::Await("page".to_owned()))
            .check("protocol.answered-once", Expect::AnsweredOnce { call: "page".to_owned() })
            .check("surface.unknown-cursor", Expect::FailsAsRpc { call: "page".to_owned(), codes: vec![-32602] }),
    ];
    cases.extend(Revision::ALL.into_iter().filter(|revision| *revision != Revision::V2025_11_25).map(in_revision));
    cases
}

/// The list in another revision than the usual one.
fn in_revision(revision: Revision) -> Case {
    let hinted = of_list("every tool carries annotations", |tools| {
        let without = |tool: &&&Json| !tool.member("annotations").is_some_and(Json::is_object);
        let bare: Vec<_> = tools.iter().filter(without).map(|tool| names(&[tool]).join("")).collect();
        none_of(&bare, "tools without annotations", &Json::Null)
    });
    let case = listing_case(&format!("revision/{revision}"), format!("MCP {revision} lists the 14 tools"))
        .revision(revision)
        .check("surface.fourteen-tools", if_spoken(of_list("exactly the 14 tools are listed", fourteen)));
    if revision.has_annotations() { case.check("surface.annotations-stated", if_spoken(hinted)) } else { case }
}

/// The expectation holds only where the server speaks the case's revision.
fn if_spoken(expect: Expect) -> Expect {
    Expect::holds(format!("if the revision is spoken: {}", expect.describe()), move |seen| match unspoken(seen) {
        Some(why) => Finding::NotApplicable(why),
        None => expect.evaluate(seen),
    })
}

/// Why the revision of the case is not in force, if it is not.
fn unspoken(seen: &Observation) -> Option<String> {
    let why = || Some(format!("the server does not speak MCP {}", seen.revision));
    if seen.revision.is_modern() {
        let marked = |pages: Vec<&Json>| pages.iter().all(|page| page.member("resultType").is_some());
        return if pages(seen, LIST).is_ok_and(marked) { None } else { why() };
    }
    if seen.negotiated.as_deref() == Some(seen.revision.name()) { None } else { why() }
}

fn of_list(what: &str, judge: impl Fn(&[&Json]) -> Finding + Send + Sync + 'static) -> Expect {
    Expect::holds(what, move |seen| match listed(seen, LIST) {
        Ok(tools) => judge(&tools),
        Err(instead) => Finding::differs("there is no list of tools", "a result with tools", instead),
    })
}

fn fourteen(tools: &[&Json]) -> Finding {
    let (mut found, mut wanted) = (names(tools), Tool::ALL.map(Tool::name).to_vec());
    found.sort_unstable();
    wanted.sort_unstable();
    if found == wanted {
        return Finding::Met;
    }
    let missing = wanted.iter().filter(|name| !found.contains(name)).map(|name| format!("{name} is missing"));
    let beyond = found.iter().filter(|name| !wanted.contains(name)).map(|name| format!("{name} is too many"));
    let twice = found.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| format!("{} stands twice", pair[0]));
    let complaints: Vec<_> = missing.chain(beyond).chain(twice).collect();
    Finding::differs(
        format!("the list is not that of the 14 tools: {}", complaints.join(", ")),
        wanted.join("\n"),
        found.join("\n"),
    )
}

fn banned(tools: &[&Json]) -> Finding {
    let banned = |name: &&&str| BANNED_WORDS.iter().any(|word| name.to_lowercase().contains(word));
    let found = names(tools);
    let found: Vec<_> = found.iter().filter(banned).map(|name| (*name).to_owned()).collect();
    none_of(&found, "names with a banned word", &Json::Null)
}

fn stable() -> Case {
    listing_case("stable", "two lists of one session are the same, byte for byte")
        .call(Tool::NodeStatus, "{}")
        .step(Step::ListTools("again".to_owned()))
        .check(
            "surface.stable",
            Expect::holds("both lists are the same", |seen| {
                let shown = |label| {
                    pages(seen, label).map(|pages| pages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
                };
                match (shown(LIST), shown("again")) {
                    (Ok(first), Ok(second)) if first == second => Finding::Met,
                    (Ok(first), Ok(second)) => {
                        Finding::differs("the second list differs from the first", first, second)
                    }
                    (Err(instead), _) | (_, Err(instead)) => {
                        Finding::NotExercised(format!("there is no list: {instead}"))
                    }
                }
            }),
        )
}

fn pages_end() -> Expect {
    Expect::holds("the list ends, and no cursor comes twice", |seen| match pages(seen, LIST) {
        Err(instead) => Finding::differs("a page of the list is no result", "a result with tools", instead),
        Ok(pages) => {
            let mut cursors = BTreeSet::new();
            let given: Vec<_> = pages.iter().filter_map(|page| page.member("nextCursor")?.as_str()).collect();
            match given.iter().find(|cursor| !cursors.insert(**cursor)) {
                Some(cursor) => Finding::broken(format!("the cursor {cursor:?} comes again, so the list has no end")),
                None if pages.last().is_some_and(|page| page.member("nextCursor").and_then(Json::as_str).is_some()) => {
                    Finding::broken(format!("after {} pages the list still goes on", pages.len()))
                }
                None => Finding::Met,
            }
        }
    })
}
