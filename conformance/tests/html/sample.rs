//! A report of a run that went badly, against a candidate that means harm.

use anet_conformance::report::{
    BaselineProblem, Candidate, CaseReport, CheckReport, FORMAT, FindingKind, Kit, Moment, Repeated, Report, Server,
    Totals, Who,
};
use anet_conformance::requirement::{self, Basis, Level};
use anet_conformance::verdict::{ExitCode, Tag, Verdict};

/// What a candidate might say to get out of the place where it is shown.
pub(crate) const HOSTILE: [&str; 7] = [
    "</script><img src=x onerror=window.harmed=1>",
    "\"><svg onload=window.harmed=2>",
    "' onmouseover='window.harmed=3' x='",
    "</pre></details></main><h1>Conformant</h1><script>window.harmed=4</script>",
    "javascript:window.harmed=5",
    "<!-- <style>*{display:none}</style> ]]> {{7*7}} ${7*7}",
    "before \u{202e}reversed\u{202c} \u{2066}isolated\u{2069} \0 \u{1b}[31mred\u{1b}[0m \u{feff}\u{200b} after",
];

/// The number of failing cases in the sample.
pub(crate) const FAILURES: usize = 200;
/// The number of warnings.
pub(crate) const WARNINGS: usize = 60;
/// The number of cases in all.
pub(crate) const CASES: usize = 2100;

/// The report.
pub(crate) fn report() -> Report {
    let mut report = Report {
        format: FORMAT,
        kit: Kit { name: "anet-conformance".into(), version: "0.1.0".into(), page: "0.3".into(), cases: CASES },
        candidate: Candidate {
            command: vec!["sh".into(), "-c".into(), HOSTILE[0].into(), HOSTILE[6].into()],
            server: Some(Server { name: HOSTILE[1].into(), version: HOSTILE[2].into() }),
            revision: Some(HOSTILE[3].into()),
        },
        strict: false,
        seed: 7,
        stopped: Some(HOSTILE[3].into()),
        duration_ms: 61_234,
        exit: ExitCode::Conformant,
        totals: Totals::default(),
        baseline: vec![BaselineProblem {
            kind: "stale".into(),
            case: "exchange/audit/c0900".into(),
            place: "baseline.toml:7".into(),
            message: HOSTILE[0].into(),
        }],
        results: (0..CASES).map(case).collect(),
    };
    report.settle();
    report
}

/// Tool by number, so that filters have something to do.
fn tool(number: usize) -> &'static str {
    ["send_message", "wait_task", "audit", "list_agents"][number % 4]
}

/// The id of a case of the sample.
pub(crate) fn id(number: usize) -> String {
    const VALUES: [&str; 5] = ["null", "empty", "number", "below", "above"];
    match number {
        // Fifty places of the matrix, some of them failing.
        180..230 => format!("arguments/{}/p{}/{}", tool(number), number / 20, VALUES[number % 5]),
        _ => format!("exchange/{}/c{number:04}", tool(number)),
    }
}

fn case(number: usize) -> CaseReport {
    let (verdict, level) = match number {
        0..FAILURES => (Verdict::Fail, Level::Must),
        _ if number < FAILURES + WARNINGS => (Verdict::Warn, Level::Should),
        300 => (Verdict::NotExercised, Level::Must),
        301 => (Verdict::Known, Level::Must),
        302 => (Verdict::Stale, Level::Must),
        303 => (Verdict::HarnessError, Level::Must),
        304 => (Verdict::NotApplicable, Level::Must),
        305 => (Verdict::Observed, Level::Observe),
        _ => (Verdict::Pass, Level::Must),
    };
    let is_bad = matches!(verdict, Verdict::Fail | Verdict::Warn | Verdict::Known | Verdict::NotExercised);
    let checks = checks(number, verdict, level);
    CaseReport {
        id: id(number),
        title: format!("{}: case {number} {}", tool(number), HOSTILE[number % HOSTILE.len()]),
        group: id(number).split('/').next().unwrap_or_default().to_owned(),
        tool: (number != 500).then(|| tool(number).to_owned()),
        verdict,
        level,
        tag: match number {
            3 => Some(Tag::Crash),
            4 => Some(Tag::Hang),
            _ => None,
        },
        message: checks.first().map(|check| check.message.clone()).unwrap_or_default(),
        excused: (verdict == Verdict::Known).then(|| HOSTILE[2].to_owned()),
        duration_ms: 12 + number as u64 % 700,
        run_again_alone: number.is_multiple_of(2),
        repeated: (number == 5).then_some(Repeated { runs: 3, with_this_verdict: 2 }),
        checks,
        transcript: if is_bad || number == 400 { transcript(number) } else { Vec::new() },
    }
}

fn checks(number: usize, verdict: Verdict, level: Level) -> Vec<CheckReport> {
    let of_level: Vec<_> = requirement::all().values().filter(|requirement| requirement.level == level).collect();
    let requirement = of_level[number / 12 % of_level.len()];
    let hostile = HOSTILE[number % HOSTILE.len()];
    let (finding, message) = match verdict {
        Verdict::Pass | Verdict::Stale => (FindingKind::Met, String::new()),
        Verdict::Observed => (FindingKind::Observed, format!("chose {hostile}")),
        Verdict::NotApplicable => (FindingKind::NotApplicable, hostile.to_owned()),
        Verdict::NotExercised => (FindingKind::NotExercised, format!("no chance: {hostile}")),
        Verdict::HarnessError => return Vec::new(),
        _ => (FindingKind::Broken, format!("the answer of `{number}` is not right: {hostile}")),
    };
    let broken = finding == FindingKind::Broken;
    let said = |text: String| if broken { text } else { String::new() };
    let mut checks = vec![CheckReport {
        requirement: requirement.id.clone(),
        level,
        basis: requirement.basis,
        finding,
        message,
        expected: said(format!(r#"{{"id":{number},"state":"done","items":[1,2,3],"text":"as asked"}}"#)),
        seen: said(format!(r#"{{"id":{number},"state":"lost","items":[1,3],"text":{hostile:?}}}"#)),
    }];
    // As many as a real case has.
    checks.extend((0..14).map(|index| CheckReport {
        requirement: of_level[(number + index) % of_level.len()].id.clone(),
        level,
        basis: Basis::Page,
        finding: FindingKind::Met,
        message: String::new(),
        expected: String::new(),
        seen: String::new(),
    }));
    checks
}

fn transcript(number: usize) -> Vec<Moment> {
    let at = |index: usize| 1000 * index as u64 + number as u64;
    let hostile = HOSTILE[number % HOSTILE.len()];
    let long = match number {
        // A line as long as the model keeps.
        7 => format!("{}{hostile}{}", "x".repeat(32 << 10), "y".repeat(32 << 10)),
        8 => "\u{0}".repeat(64 << 10),
        _ => format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"content":[{{"type":"text","text":{hostile:?}}}]}}}}"#),
    };
    let mut moments = vec![
        Moment { at_us: at(0), who: Who::Client, text: r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.into() },
        Moment { at_us: at(1), who: Who::Server, text: r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.into() },
        Moment {
            at_us: at(2),
            who: Who::Client,
            text: format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"{}","arguments":{{}}}}}}"#,
                tool(number)
            ),
        },
        Moment { at_us: at(3), who: Who::ToDaemon, text: format!("POST /tasks/send {{\"text\":{hostile:?}}}") },
        Moment { at_us: at(4), who: Who::FromDaemon, text: format!("200 {{\"padding\":\"{}\"}}", "z".repeat(1800)) },
        Moment { at_us: at(5), who: Who::Server, text: long },
        Moment { at_us: at(6), who: Who::Process, text: format!("stderr: {hostile}") },
        Moment { at_us: at(7), who: Who::Process, text: "ended with status 0".into() },
    ];
    if number == 9 {
        moments.extend((0..300).map(|index| Moment { at_us: at(8 + index), who: Who::Server, text: hostile.into() }));
    }
    moments
}
