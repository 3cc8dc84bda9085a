//! The report for a terminal of 80 columns.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::diff::{self, Mark};
use super::model::{CaseReport, CheckReport, FindingKind, Report, Server};
use super::text::{shorten, visible, wrap};
use crate::requirement::{self, Level};
use crate::run::Refused;
use crate::verdict::{ExitCode, Tag, Verdict};

const WIDTH: usize = 80;
/// A line of a transcript or a diff is shortened to so many characters; the JSON report has it whole.
const LINE: usize = 320;
/// Of a transcript, so many moments are shown.
const MOMENTS: usize = 14;

const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const CYAN: Style = AnsiColor::Cyan.on_default();
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The whole report. `verbose` shows warnings and observations in full, `quiet` leaves them out.
pub fn render(report: &Report, verbose: bool, quiet: bool) -> String {
    let mut out = String::new();
    failures(&mut out, report);
    if !quiet {
        warnings(&mut out, report, verbose);
        observations(&mut out, report, verbose);
    }
    totals(&mut out, report);
    out
}

/// The report on a candidate that would not start.
pub fn refused(command: &[String], refused: &Refused) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{RED}The candidate could not be judged:{RED:#} {}.\n", visible(&refused.why));
    let _ = writeln!(out, "{BOLD}command{BOLD:#}\n    {}\n", visible(&command.join(" ")));
    if let Some(seen) = &refused.observation {
        let _ = writeln!(out, "{BOLD}what happened{BOLD:#}");
        for moment in super::build::transcript(seen).iter().take(24) {
            moment_line(&mut out, moment);
        }
        out.push('\n');
    }
    let _ = writeln!(out, "{BOLD}what to do{BOLD:#}\n{}", wrap(&refused.advice, WIDTH, "    "));
    let contract = "A candidate is a command that speaks MCP on stdin and stdout, one JSON-RPC message a line, and finds the \
                    control plane through ANET_DATA_DIR (config.json, control_token.txt). `anet-conformance --help` has more.";
    let _ = writeln!(out, "{}", wrap(contract, WIDTH, "    "));
    out
}

fn failures(out: &mut String, report: &Report) {
    let failing = |verdict| matches!(verdict, Verdict::Fail | Verdict::NotExercised | Verdict::HarnessError);
    // The same requirement broken in the same way is shown once, with all its cases.
    let mut groups: Vec<(String, Vec<&CaseReport>)> = Vec::new();
    for case in report.results.iter().filter(|case| failing(case.verdict)) {
        let key = cause(case);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, cases)) => cases.push(case),
            None => groups.push((key, vec![case])),
        }
    }
    let count = groups.len();
    for (index, (_, cases)) in groups.iter().enumerate() {
        let Some(first) = cases.first() else { continue };
        failure(out, first, index + 1, count);
        if cases.len() > 1 {
            let _ = writeln!(out, "  {BOLD}the same in {} more{BOLD:#}", cases.len() - 1);
            let ids: Vec<_> = cases.iter().skip(1).take(6).map(|case| case.id.as_str()).collect();
            for id in ids {
                let _ = writeln!(out, "    {id}");
            }
            if cases.len() > 7 {
                let _ = writeln!(out, "    ... and {} others", cases.len() - 7);
            }
            out.push('\n');
        }
    }
}

/// What makes two failures the same: the broken requirements of the highest level, and what is wrong in words without
/// what differs from case to case.
fn cause(case: &CaseReport) -> String {
    let violations = case.violations();
    match violations.first() {
        None => format!("{:?} {}", case.verdict, case.message),
        Some(first) => {
            let plain: String = first.message.split('`').step_by(2).collect::<Vec<_>>().join("_");
            let plain: String = plain.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
            format!("{} {} {plain}", first.level, first.requirement)
        }
    }
}

fn failure(out: &mut String, case: &CaseReport, number: usize, count: usize) {
    let tag = match case.tag {
        Some(Tag::Crash) => " (crash)",
        Some(Tag::Hang) => " (hang)",
        None => "",
    };
    let _ = writeln!(
        out,
        "{RED}{BOLD}{}{tag}{BOLD:#}{RED:#} {BOLD}{}{BOLD:#} {DIM}({number} of {count}){DIM:#}",
        label(case.verdict),
        case.id
    );
    let _ = writeln!(out, "{}", wrap(&case.title, WIDTH, "  "));
    let violations = case.violations();
    if violations.is_empty() {
        let _ = writeln!(out, "{}\n", wrap(&case.message, WIDTH, "  "));
        return;
    }
    let worst = violations.first().map_or(Level::Must, |check| check.level);
    let mut shown = Vec::new();
    for check in violations.iter().filter(|check| check.level == worst).take(3) {
        violation(out, check, &mut shown);
    }
    let rest: Vec<_> =
        violations.iter().skip(3.min(violations.iter().filter(|check| check.level == worst).count())).collect();
    if !rest.is_empty() {
        let mut names: Vec<_> = rest.iter().map(|check| format!("{} ({})", check.requirement, check.level)).collect();
        names.dedup();
        let _ = writeln!(out, "{}", wrap(&format!("also broken: {}", names.join(", ")), WIDTH, "  "));
    }
    transcript(out, case);
    let _ = writeln!(
        out,
        "  {DIM}see: anet-conformance explain {}{DIM:#}\n",
        violations.first().map_or(case.id.as_str(), |check| check.requirement.as_str())
    );
}

fn violation<'c>(out: &mut String, check: &'c CheckReport, shown: &mut Vec<(&'c str, &'c str)>) {
    let requirement = requirement::find(&check.requirement);
    let _ = writeln!(out, "\n  {BOLD}{}{BOLD:#} {DIM}[{}, {}]{DIM:#}", check.requirement, check.level, check.basis);
    if let Some(requirement) = requirement {
        let _ = writeln!(out, "{}", wrap(&requirement.text, WIDTH, "    "));
        let _ = writeln!(out, "{DIM}{}{DIM:#}", wrap(&requirement.place, WIDTH, "    "));
    }
    let _ = writeln!(out, "{RED}{}{RED:#}", wrap(&shorten(&format!("{}.", check.message), LINE), WIDTH, "  > "));
    let says_all = check.expected.is_empty() && check.seen.is_empty();
    if !says_all && !shown.contains(&(&check.expected, &check.seen)) {
        shown.push((&check.expected, &check.seen));
        let _ = writeln!(out, "    {GREEN}- expected{GREEN:#}  {RED}+ seen{RED:#}");
        for (mark, line) in diff::lines(&check.expected, &check.seen, LINE) {
            let _ = match mark {
                Mark::Missing => writeln!(out, "    {GREEN}- {line}{GREEN:#}"),
                Mark::Extra => writeln!(out, "    {RED}+ {line}{RED:#}"),
                Mark::Same => writeln!(out, "      {line}"),
            };
        }
    }
    if let Some(requirement) = requirement {
        let _ = writeln!(out, "{CYAN}{}{CYAN:#}", wrap(&format!("what to do: {}", requirement.advice), WIDTH, "  "));
    }
}

fn transcript(out: &mut String, case: &CaseReport) {
    if case.transcript.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  {BOLD}both sides{BOLD:#} {DIM}(ms from the start of the case){DIM:#}");
    let count = case.transcript.len();
    let (head, tail) = if count > MOMENTS { (MOMENTS / 2, count - MOMENTS / 2) } else { (count, count) };
    for (index, moment) in case.transcript.iter().enumerate() {
        if index < head || index >= tail {
            moment_line(out, moment);
        } else if index == head {
            let _ = writeln!(out, "    {DIM}... {} more ...{DIM:#}", tail - head);
        }
    }
}

fn moment_line(out: &mut String, moment: &super::model::Moment) {
    let text = visible(&shorten(&moment.text, LINE)).replace('\n', "\\n");
    let _ =
        writeln!(out, "    {DIM}{:>7.1}{DIM:#} {CYAN}{:<16}{CYAN:#} {text}", millis(moment.at_us), moment.who.arrow());
}

/// Microseconds as milliseconds.
fn millis(at_us: u64) -> f64 {
    Duration::from_micros(at_us).as_secs_f64() * 1000.0
}

fn warnings(out: &mut String, report: &Report, verbose: bool) {
    let mut by_requirement: BTreeMap<&str, Vec<(&CaseReport, &CheckReport)>> = BTreeMap::new();
    for case in &report.results {
        for check in case.violations().into_iter().filter(|check| check.level == Level::Should) {
            by_requirement.entry(&check.requirement).or_default().push((case, check));
        }
    }
    if by_requirement.is_empty() {
        return;
    }
    let _ = writeln!(out, "{YELLOW}{BOLD}warnings{BOLD:#}{YELLOW:#} {DIM}(should: they fail under --strict){DIM:#}");
    for (id, all) in by_requirement {
        let cases = if all.len() == 1 { "1 case".to_owned() } else { format!("{} cases", all.len()) };
        let _ = writeln!(out, "  {YELLOW}{id}{YELLOW:#} {DIM}{cases}{DIM:#}");
        for (case, check) in all.iter().take(if verbose { usize::MAX } else { 1 }) {
            let _ = writeln!(out, "{}", wrap(&format!("{}: {}", case.id, shorten(&check.message, 300)), WIDTH, "    "));
            if verbose && !(check.expected.is_empty() && check.seen.is_empty()) {
                for (mark, line) in diff::lines(&check.expected, &check.seen, 200) {
                    let sign = match mark {
                        Mark::Missing => '-',
                        Mark::Extra => '+',
                        Mark::Same => ' ',
                    };
                    let _ = writeln!(out, "      {DIM}{sign} {line}{DIM:#}");
                }
            }
        }
    }
    out.push('\n');
}

fn observations(out: &mut String, report: &Report, verbose: bool) {
    let mut choices: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for case in &report.results {
        for check in case.checks.iter().filter(|check| check.finding == FindingKind::Observed) {
            choices.entry(&check.requirement).or_default().entry(&check.message).or_default().push(&case.id);
        }
    }
    if choices.is_empty() {
        return;
    }
    let _ = writeln!(out, "{CYAN}{BOLD}observed{BOLD:#}{CYAN:#} {DIM}(the specification leaves the choice){DIM:#}");
    for (id, by_choice) in choices {
        let mut by_choice: Vec<_> = by_choice.into_iter().collect();
        by_choice.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
        let shown = if verbose { by_choice.len() } else { 3 };
        let mut said: Vec<_> = by_choice
            .iter()
            .take(shown)
            .map(|(choice, cases)| format!("{} ({})", shorten(choice, 90), cases.len()))
            .collect();
        if by_choice.len() > shown {
            said.push(format!("{} other choices", by_choice.len() - shown));
        }
        let _ = writeln!(out, "{}", wrap(&format!("{id}: {}", said.join("; ")), WIDTH, "  "));
    }
    out.push('\n');
}

fn totals(out: &mut String, report: &Report) {
    if let Some(stopped) = &report.stopped {
        let _ = writeln!(out, "{RED}{}{RED:#}\n", wrap(&format!("Stopped early: {stopped}."), WIDTH, ""));
    }
    let server = match &report.candidate.server {
        Some(Server { name, version }) => format!("{} {}", visible(name), visible(version)),
        None => "a server that gives no name".to_owned(),
    };
    let revision = report
        .candidate
        .revision
        .as_deref()
        .map_or_else(String::new, |revision| format!(", MCP {}", visible(revision)));
    let _ = writeln!(
        out,
        "{BOLD}{}{BOLD:#}{revision}: {} of {} cases in {:.1} s",
        shorten(&server, 60),
        report.results.len(),
        report.kit.cases,
        Duration::from_millis(report.duration_ms).as_secs_f64()
    );
    for (level, counts) in report.by_level() {
        let parts: Vec<_> = counts
            .iter()
            .map(|(verdict, count)| {
                let style = style_of(verdict);
                format!("{style}{count} {verdict}{style:#}")
            })
            .collect();
        let _ = writeln!(out, "  {:<8} {}", level.to_string(), parts.join(", "));
    }
    let (style, words) = match report.exit {
        ExitCode::Conformant if report.results.iter().any(|case| case.verdict == Verdict::Warn) => {
            (GREEN, "conformant, with warnings")
        }
        ExitCode::Conformant => (GREEN, "conformant"),
        ExitCode::Violation => (RED, "not conformant"),
        ExitCode::Incomplete => (YELLOW, "incomplete: a must could not be tried"),
        ExitCode::Baseline => (YELLOW, "the baseline is out of date"),
        ExitCode::Harness => (RED, "the kit itself went wrong"),
        ExitCode::Usage | ExitCode::NoStart => (RED, "not judged"),
    };
    let _ = writeln!(out, "{style}{BOLD}{words}{BOLD:#}{style:#} {DIM}(exit {}){DIM:#}", report.exit as u8);
    if let Some(case) = report.results.iter().find(|case| case.verdict == Verdict::Fail) {
        let _ = writeln!(out, "{DIM}again, that case alone: anet-conformance --only {} -- ...{DIM:#}", case.id);
    }
}

fn label(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotExercised => "NOT TRIED",
        Verdict::HarnessError => "KIT ERROR",
        _ => "FAIL",
    }
}

fn style_of(verdict: &str) -> Style {
    match verdict {
        "pass" => GREEN,
        "fail" | "harness-error" => RED,
        "warn" | "not-exercised" | "stale" => YELLOW,
        _ => DIM,
    }
}
