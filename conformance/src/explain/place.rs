//! Places: where a requirement says that it is stated, and what of that is in this repository.
//!
//! Responsible for: the sections of `docs/contract.md`, and finding the sections that a place cites as `control-plane`. Not
//! for: the rulings that it cites (`ruling`).

use std::sync::OnceLock;

const CONTRACT: &str = include_str!("../../../docs/contract.md");

/// A section of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// `2` or `2.4`.
    pub number: String,
    /// The heading without number and marks.
    pub title: String,
    /// `docs/contract.md#...`, as GitHub and others make links of headings.
    pub link: String,
    /// The section as it is written, heading and subsections included.
    pub text: &'static str,
}

/// A section that a place cites, and an item of its numbered list if the place names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Citation<'p> {
    /// The section's number.
    pub section: &'p str,
    /// The item's number.
    pub item: Option<&'p str>,
}

/// All sections of the contract, in their order.
pub(super) fn sections() -> &'static [Section] {
    static ALL: OnceLock<Vec<Section>> = OnceLock::new();
    ALL.get_or_init(|| {
        let headings: Vec<(usize, usize, &str)> = CONTRACT
            .match_indices("\n#")
            .filter_map(|(at, _)| {
                let line = CONTRACT[at + 1..].lines().next()?;
                let depth = line.bytes().take_while(|byte| *byte == b'#').count();
                Some((at + 1, depth, line[depth..].trim()))
            })
            .collect();
        let section = |(index, (start, depth, heading)): (usize, &(usize, usize, &str))| {
            let (number, title) = heading.split_once(' ')?;
            let number = number.trim_end_matches('.');
            if !number.starts_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            let end = headings[index + 1..].iter().find(|(_, other, _)| other <= depth);
            Some(Section {
                number: number.to_owned(),
                title: title.replace('`', ""),
                link: format!("docs/contract.md#{}", anchor(heading)),
                text: CONTRACT[*start..end.map_or(CONTRACT.len(), |(at, ..)| *at)].trim_end(),
            })
        };
        headings.iter().enumerate().filter_map(section).collect()
    })
}

/// The section of that number, or none.
pub(super) fn section(number: &str) -> Option<&'static Section> {
    sections().iter().find(|section| section.number == number)
}

/// The sections of the contract that a place cites.
pub(super) fn citations(place: &str) -> Vec<Citation<'_>> {
    let mut found: Vec<Citation<'_>> = Vec::new();
    for piece in place.split(';') {
        let Some(numbers) = piece.trim().strip_prefix("control-plane") else { continue };
        // What stands in parentheses is a comment and may have numbers of its own.
        let numbers = numbers.split('(').next().unwrap_or_default();
        let mut item = false;
        for word in numbers.split([' ', ',']).filter(|word| !word.is_empty()) {
            match (item, found.last_mut()) {
                (true, Some(last)) => last.item = Some(word),
                _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                    found.push(Citation { section: word, item: None });
                }
                _ => {}
            }
            item = word == "item";
        }
    }
    found
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Citation, citations, section};
    use crate::requirement;

    #[test]
    fn sections_are_found_with_their_link_and_text() {
        let send = section("2.4").expect("there is a section on send_message");
        assert_eq!(send.title, "send_message: POST /tasks/send");
        assert_eq!(send.link, "docs/contract.md#24-send_message-post-taskssend");
        assert!(send.text.contains("timeout_ms") && !send.text.contains("### 2.5"), "{}", send.text);
        assert!(section("2").is_some_and(|whole| whole.text.contains("### 2.15") && !whole.text.contains("## 3.")));
        assert_eq!(section("99"), None);
    }

    #[test]
    fn citations_are_read_from_a_place() {
        let sections = |place| citations(place).into_iter().map(|cited| cited.section).collect::<Vec<_>>();
        assert_eq!(sections("rulings R5; control-plane 2.0 (`anet.state_seq` may exceed 2^53)"), ["2.0"]);
        assert_eq!(sections("control-plane section 2; rulings R6"), ["2"]);
        assert_eq!(sections("page, submit_payment; control-plane 2.0, 2.2 to 2.14"), ["2.0", "2.2", "2.14"]);
        assert_eq!(
            citations("control-plane 1.4 and 10.1 item 10; MCP, basic"),
            [Citation { section: "1.4", item: None }, Citation { section: "10.1", item: Some("10") }]
        );
    }

    #[test]
    fn every_section_that_is_cited_stands_in_the_contract() {
        for requirement in requirement::all().values() {
            for cited in citations(&requirement.place) {
                let found = section(cited.section);
                let found = found.unwrap_or_else(|| panic!("{} cites section {}", requirement.id, cited.section));
                if let Some(item) = cited.item {
                    assert!(
                        found.text.contains(&format!("{item}. ")),
                        "{} cites item {item} of section {}",
                        requirement.id,
                        cited.section
                    );
                }
            }
        }
    }

    #[test]
    fn every_place_names_a_source_that_a_stranger_can_find() {
        const SOURCES: [&str; 6] = ["page, ", "control-plane ", "rulings R", "MCP", "JSON-RPC 2.0", "RFC "];
        for requirement in requirement::all().values() {
            for piece in requirement.place.split("; ") {
                let known = SOURCES.iter().any(|source| piece.starts_with(source));
                // A second document of the same MCP revision is named without it.
                let further = ["server/", "schema, ", "basic/"].iter().any(|start| piece.starts_with(start));
                assert!(
                    known || (further && requirement.place.starts_with("MCP")),
                    "{}: `{piece}` names no source",
                    requirement.id
                );
            }
        }
    }
}
