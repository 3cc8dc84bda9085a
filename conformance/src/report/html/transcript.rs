//! Both sides of a case in words, side by side: what the client and the process said, and what the daemon heard.

use std::time::Duration;

use maud::{Markup, html};

use super::{count, text};
use crate::report::model::{CaseReport, Moment, Who};

/// Of one text, so many characters are shown.
const TEXT: usize = 1000;
/// Of one case, so many moments are shown: the first and the last.
pub(super) const MOMENTS: usize = 40;
/// What the markup around a moment takes, in both the transcript and the diagram.
const AROUND: usize = 620;

/// About how many bytes the transcript and the diagram of a case take.
pub(super) fn size(case: &CaseReport) -> usize {
    // A quotation mark becomes six bytes, and JSON has many.
    case.transcript.iter().take(MOMENTS).map(|moment| moment.text.len().min(TEXT * 2) * 3 / 2 + AROUND).sum()
}

/// The moments that are shown, each with its number, and how many are left out after which.
pub(super) fn chosen(moments: &[Moment]) -> (&[Moment], usize, &[Moment]) {
    if moments.len() <= MOMENTS {
        return (moments, 0, &[]);
    }
    let (head, tail) = (MOMENTS / 2, moments.len() - MOMENTS / 2);
    (&moments[..head], tail - head, &moments[tail..])
}

/// A time from the start of the case.
pub(super) fn at(moment: &Moment) -> String {
    format!("{:.1} ms", Duration::from_micros(moment.at_us).as_secs_f64() * 1000.0)
}

/// The two transcripts.
pub(super) fn both(moments: &[Moment]) -> Markup {
    html! {
        div.sides {
            (side("Client and process", moments, |who| matches!(who, Who::Client | Who::Server | Who::Process)))
            (side("Daemon", moments, |who| matches!(who, Who::ToDaemon | Who::FromDaemon)))
        }
    }
}

fn side(heading: &str, moments: &[Moment], belongs: impl Fn(Who) -> bool) -> Markup {
    let (head, left_out, tail) = chosen(moments);
    let none = !moments.iter().any(|moment| belongs(moment.who));
    html! {
        section {
            h4 { (heading) }
            @if none { p.about { "Nothing was said here." } }
            ol.moments {
                @for moment in head.iter().filter(|moment| belongs(moment.who)) { (line(moment)) }
                @if left_out > 0 && !none {
                    li.about { (count(left_out, "moment", "moments")) " of both sides left out; the JSON report has all." }
                }
                @for moment in tail.iter().filter(|moment| belongs(moment.who)) { (line(moment)) }
            }
        }
    }
}

fn line(moment: &Moment) -> Markup {
    html! {
        li {
            span.when { (at(moment)) } " " span.arrow { (moment.who.arrow()) }
            pre { (text(&moment.text, TEXT)) }
        }
    }
}
