//! The report for a terminal of 80 columns.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::diff::{self, Mark};
use super::model::{CaseReport, CheckReport, FindingKind, Report, Server};
use super::text::{shorten, visible, wrap};
use super::words;
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
        // Under --strict they are failures, and were shown.
        if !report.strict {
            warnings(&mut out, report, verbose);
        }
        observations(&mut out, report, verbose);
        excused(&mut out, report, verbose);
    }
    baseline(&mut out, report);
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
    let groups = super::cause::groups(report);
    let count = groups.len();
    for (index, cases) in groups.iter().enumerate() {
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

fn failure(out: &mut String, case: &CaseReport, number: usize, count: usize) {
    let tag = match case.tag {
        Some(Tag::Crash) => " (crash)",
        Some(Tag::Hang) => " (hang)",
        None => "",
    };
    let _ = writeln!(
        out,
        "{RED}{BOLD}{}{tag}{BOLD:#}{RED:#} {BOLD}{}{BOLD:#} {DIM}({number} of {count}){DIM:#}",
        label(case),
        case.id
    );
    let _ = writeln!(out, "{}", wrap(&case.title, WIDTH, "  "));
    untried(out, case);
    let violations = case.violations();
    if violations.is_empty() {
        if case.verdict != Verdict::NotExercised {
            let _ = writeln!(out, "{}", wrap(&case.message, WIDTH, "  "));
        }
        transcript(out, case);
        out.push('\n');
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

/// The musts that could not be tried, and why: that, and no violated should, is what such a case is about.
fn untried(out: &mut String, case: &CaseReport) {
    if case.verdict != Verdict::NotExercised {
        return;
    }
    let of_must = |check: &&CheckReport| check.finding == FindingKind::NotExercised && check.level == Level::Must;
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for check in case.checks.iter().filter(of_must) {
        reasons.entry(&check.message).or_default().push(&check.requirement);
    }
    for (why, mut ids) in reasons {
        ids.dedup();
        let _ = writeln!(out, "{YELLOW}{}{YELLOW:#}", wrap(&shorten(&format!("{why}."), LINE), WIDTH, "  > "));
        let _ = writeln!(out, "{}", wrap(&format!("so these musts were not tried: {}", ids.join(", ")), WIDTH, "    "));
    }
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
            let (style, sign) = match mark {
                Mark::Missing => (GREEN, '-'),
                Mark::Extra => (RED, '+'),
                Mark::Same => (Style::new(), ' '),
            };
            for (index, piece) in pieces(&line, WIDTH - 6, WIDTH - 8).enumerate() {
                let sign = if index == 0 { format!("{sign} ") } else { "    ".to_owned() };
                let _ = writeln!(out, "    {style}{sign}{piece}{style:#}");
            }
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
    /// Where a moment's text begins, after time and arrow; what does not fit goes on below.
    const FIRST: usize = 29;
    const NEXT: usize = 12;
    let text = visible(&shorten(&moment.text, LINE)).replace('\n', "\\n");
    let mut pieces = pieces(&text, WIDTH - FIRST, WIDTH - NEXT);
    let first = pieces.next().unwrap_or_default();
    let arrow = moment.who.arrow();
    let _ = writeln!(out, "    {DIM}{:>7.1}{DIM:#} {CYAN}{arrow:<16}{CYAN:#} {first}", millis(moment.at_us));
    for piece in pieces {
        let _ = writeln!(out, "{:NEXT$}{piece}", "");
    }
}

/// A text in pieces of so many characters, the first and the others, broken anywhere: JSON has few blanks.
fn pieces(text: &str, first: usize, others: usize) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let head = characters.len().min(first);
    let mut all = vec![characters[..head].iter().collect()];
    all.extend(characters[head..].chunks(others).map(|chunk| chunk.iter().collect()));
    all.into_iter()
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

/// The violations that the baseline excuses, by reason.
fn excused(out: &mut String, report: &Report, verbose: bool) {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in &report.results {
        if let Some(reason) = &case.excused {
            reasons.entry(reason).or_default().push(&case.id);
        }
    }
    if reasons.is_empty() {
        return;
    }
    let _ = writeln!(out, "{BOLD}excused{BOLD:#} {DIM}(the baseline names these violations){DIM:#}");
    for (reason, ids) in reasons {
        let some = if verbose { ids.len() } else { 3 };
        let mut named = ids.iter().take(some).copied().collect::<Vec<_>>().join(", ");
        if ids.len() > some {
            let _ = write!(named, " and {} more", ids.len() - some);
        }
        let _ = writeln!(out, "{}", wrap(&format!("{reason} ({}): {named}", ids.len()), WIDTH, "  "));
    }
    out.push('\n');
}

/// What is wrong with the baseline itself.
fn baseline(out: &mut String, report: &Report) {
    if report.baseline.is_empty() {
        return;
    }
    let count = report.baseline.len();
    let _ = writeln!(out, "{YELLOW}{BOLD}the baseline is out of date{BOLD:#}{YELLOW:#} {DIM}({count} entries){DIM:#}");
    for problem in &report.baseline {
        let words = format!("{} {}: {}", problem.kind, problem.place, problem.message);
        let _ = writeln!(out, "{}", wrap(&words, WIDTH, "  "));
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
    changing(out, report);
    let missing = report.results.iter().filter(|case| case.is_not_offered()).count();
    if missing > 0 {
        let words =
            format!("{missing} cases do not apply, since the candidate's file says that it does not offer them");
        let _ = writeln!(out, "{}", wrap(&words, WIDTH, "  "));
    }
    let style = match report.exit {
        ExitCode::Conformant => GREEN,
        ExitCode::Incomplete | ExitCode::Baseline => YELLOW,
        ExitCode::Violation | ExitCode::Harness | ExitCode::Usage | ExitCode::NoStart => RED,
    };
    let words = words::outcome(report);
    let _ = writeln!(out, "{style}{BOLD}{words}{BOLD:#}{style:#} {DIM}(exit {}){DIM:#}", report.exit as u8);
    if let Some(case) = report.results.iter().find(|case| report.fails(case)) {
        let command = words::again(&report.candidate.command, &case.id);
        let _ = writeln!(out, "{DIM}again, that case alone:{DIM:#}\n    {}", visible(&command));
    }
}

/// Cases that did not come out alike each time.
fn changing(out: &mut String, report: &Report) {
    let wavers = |case: &&CaseReport| case.repeated.is_some_and(|times| times.with_this_verdict < times.runs);
    let ids: Vec<_> = report.results.iter().filter(wavers).collect();
    for case in ids.iter().take(10) {
        if let Some(times) = case.repeated {
            let verdict = case.verdict.name();
            let words =
                format!("not always alike: {} ({verdict} in {} of {})", case.id, times.with_this_verdict, times.runs);
            let _ = writeln!(out, "{YELLOW}{}{YELLOW:#}", wrap(&words, WIDTH, "  "));
        }
    }
    if ids.len() > 10 {
        let _ = writeln!(out, "{YELLOW}  and {} others{YELLOW:#}", ids.len() - 10);
    }
}

fn label(case: &CaseReport) -> &'static str {
    match case.verdict {
        Verdict::NotExercised => "NOT TRIED",
        Verdict::HarnessError => "KIT ERROR",
        Verdict::Stale => "STALE",
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
