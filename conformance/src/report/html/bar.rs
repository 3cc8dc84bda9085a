//! Verdicts as a bar. Widths are attributes of an image, since the policy of the page allows no style outside its sheet.

use maud::{Markup, html};

use super::{VERDICTS, tone};
use crate::verdict::Verdict;

/// How often each verdict was given, as a bar, the worst first.
pub(super) fn bar(number: impl Fn(Verdict) -> usize) -> Markup {
    let parts: Vec<_> =
        VERDICTS.into_iter().map(|verdict| (verdict, number(verdict))).filter(|(_, number)| *number > 0).collect();
    let total: usize = parts.iter().map(|(_, number)| number).sum();
    let label =
        parts.iter().map(|(verdict, number)| format!("{number} {}", verdict.name())).collect::<Vec<_>>().join(", ");
    let mut from = 0;
    html! {
        svg.bar role="img" aria-label=(label) preserveAspectRatio="none" viewBox="0 0 1000 10" {
            @for (verdict, number) in parts {
                @let start = from;
                @let end = { from += number; from };
                rect.(tone(verdict)) x=(place(start, total)) y="0" width=(width(start, end, total)) height="10" {
                    title { (number) " " (verdict.name()) }
                }
            }
        }
    }
}

/// Where a share begins, in thousandths.
fn place(number: usize, total: usize) -> usize {
    (number * 1000).checked_div(total).unwrap_or_default()
}

/// How wide a share is: one failure among thousands is to be seen, too.
fn width(start: usize, end: usize, total: usize) -> usize {
    (place(end, total) - place(start, total)).max(6)
}

#[cfg(test)]
mod tests {
    use super::bar;
    use crate::verdict::Verdict;

    #[test]
    fn few_failures_are_seen_and_nothing_is_drawn_of_nothing() {
        let drawn = bar(|verdict| match verdict {
            Verdict::Fail => 1,
            Verdict::Pass => 5000,
            _ => 0,
        })
        .into_string();
        assert!(drawn.contains(r#"aria-label="1 fail, 5000 pass""#), "{drawn}");
        assert!(drawn.contains(r#"x="0" y="0" width="6""#), "{drawn}");
        assert!(!bar(|_| 0).into_string().contains("<rect"));
    }
}
