//! What a person does with the kit on a server of their own: select, excuse, look at it, begin, interrupt.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anet_conformance::report::{self, Report};
use anet_conformance::verdict::{ExitCode, Verdict};

const SUITE: &str = env!("CARGO_BIN_EXE_anet-conformance");

/// A directory of its own with a broken server in it: seconds where the daemon counts milliseconds. Everything that a run
/// keeps goes below it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a directory"));
        let plain = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/python-plain/server.py");
        let text = std::fs::read_to_string(plain).expect("the example");
        let broken = text.replace("* 1000", "* 1");
        assert_ne!(text, broken, "the example does not multiply by 1000 any more");
        std::fs::write(place.path("good.py"), text).expect("written");
        std::fs::write(place.path("broken.py"), broken).expect("written");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(SUITE);
        command.args(arguments).current_dir(self.0.path()).env("XDG_STATE_HOME", self.path("state"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the suite runs")
    }

    /// Runs with a JSON report and reads that, too.
    fn judged(&self, options: &[&str], command: &[&str]) -> (Output, Report) {
        let mut all = options.to_vec();
        all.extend(["--report", "json=report.json", "--"]);
        all.extend(command);
        let output = self.run(&all);
        let text = std::fs::read(self.path("report.json")).unwrap_or_else(|_| panic!("no report: {}", said(&output)));
        (output, report::read(&text).expect("a report"))
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// Whether the machine has what the example server needs; if not, that is said loudly.
fn python_is_there() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok();
    if !there {
        eprintln!("SKIPPED: python3 is not on PATH");
    }
    there
}

const WAITS: &[&str] = &["--tool", "wait_task", "--group", "exchange"];
const BROKEN: &[&str] = &["python3", "broken.py"];
const GOOD: &[&str] = &["python3", "good.py"];

#[test]
fn a_baseline_excuses_what_it_names_and_nothing_else() {
    if !python_is_there() {
        return;
    }
    let place = Place::new();
    let (output, report) = place.judged(WAITS, BROKEN);
    assert_eq!(code(&output), Some(1), "{}", said(&output));
    let failing = report.results.iter().filter(|case| case.verdict == Verdict::Fail).count();
    assert!(failing >= 2, "{failing}");

    // Written by the command; without a reason it cannot be used.
    let update = |extra: &[&str], command: &[&str]| {
        let mut all = vec!["baseline", "update", "baseline.toml"];
        all.extend(extra.iter().chain(WAITS).chain(&["--"]).chain(command));
        place.run(&all)
    };
    let output = update(&[], BROKEN);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    assert!(said(&output).contains(&format!("{failing} entries have no reason")), "{}", said(&output));
    let with = [WAITS, &["--baseline", "baseline.toml"]].concat();
    let output = place.run(&[&with[..], &["--"], BROKEN].concat());
    assert_eq!(code(&output), Some(2), "{}", said(&output));
    assert!(said(&output).contains("baseline.toml:6: the entry for"), "{}", said(&output));

    // With one it excuses, and a comment of a person survives.
    std::fs::remove_file(place.path("baseline.toml")).expect("removed");
    update(&["--reason", "the library counts in seconds"], BROKEN);
    let text = std::fs::read_to_string(place.path("baseline.toml")).expect("a baseline");
    std::fs::write(place.path("baseline.toml"), format!("# mine\n{text}")).expect("written");
    let (output, report) = place.judged(&with, BROKEN);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    assert_eq!(report.exit, ExitCode::Conformant);
    assert_eq!(report.results.iter().filter(|case| case.verdict == Verdict::Known).count(), failing);
    assert!(said(&output).contains("the library counts in seconds"), "{}", said(&output));

    // What is not in it fails as ever.
    let (output, _) = place.judged(&["--baseline", "baseline.toml", "--tool", "wait_task"], BROKEN);
    assert_eq!(code(&output), Some(1), "{}", said(&output));

    // A server that was mended makes it stale, and updating takes the entries out.
    let (output, report) = place.judged(&with, GOOD);
    assert_eq!(code(&output), Some(4), "{}", said(&output));
    assert_eq!(report.baseline.len(), failing);
    assert!(report.baseline.iter().all(|problem| problem.kind == "stale"), "{:?}", report.baseline);
    assert!(said(&output).contains("stale"), "{}", said(&output));
    let output = update(&[], GOOD);
    assert!(said(&output).contains(&format!("{failing} removed")), "{}", said(&output));
    let text = std::fs::read_to_string(place.path("baseline.toml")).expect("a baseline");
    assert!(text.starts_with("# mine\n") && !text.contains("[[entry]]"), "{text}");
}

#[test]
fn entries_that_match_nothing_are_expired_or_excuse_something_else_fail() {
    if !python_is_there() {
        return;
    }
    let place = Place::new();
    let options = ["--only", "exchange/wait_task/minimal", "--baseline", "b.toml"];
    let entry = |case: &str, more: &str| {
        let text = format!("[[entry]]\ncase = \"{case}\"\nkind = \"known\"\nreason = \"r\"\n{more}\n");
        std::fs::write(place.path("b.toml"), text).expect("written");
        place.judged(&options, BROKEN)
    };
    let signature = "signature = [\"wire.request-meaning\"]";
    let table = [
        ("exchange/wait_task/minimal", signature.to_owned(), 0, None),
        ("exchange/wait_task/minimal", format!("until = 2999-01-31\n{signature}"), 0, None),
        ("exchange/wait_task/minimal", format!("until = 2020-01-31\n{signature}"), 4, Some("expired")),
        ("exchange/wait_task/minimal", "signature = [\"errors.is-error\"]".to_owned(), 4, Some("changed")),
        ("exchange/wait_task/no-such", signature.to_owned(), 1, Some("unmatched")),
        // Not selected in this run: left alone.
        ("exchange/get_task/minimal", signature.to_owned(), 1, None),
    ];
    for (case, more, exit, kind) in table {
        let (output, report) = entry(case, &more);
        assert_eq!(code(&output), Some(exit), "{case} {more}: {}", said(&output));
        let kinds: Vec<_> = report.baseline.iter().map(|problem| problem.kind.as_str()).collect();
        assert_eq!(kinds, kind.into_iter().collect::<Vec<_>>(), "{case} {more}");
    }
    for (text, place_of_it) in [
        ("[[entry]]\ncase = \"a\"\n", "b.toml:1"),
        ("[[entry]]\ncase = \"a\"\nkind = \"flaky\"\nreason = \"r\"\nsignature = []\n", "b.toml:3"),
        ("[[entry]]\ncase = \"a\"\nkind = \"known\"\nreason = \"r\"\nsignature = []\ntill = 1\n", "b.toml:6"),
        ("x = [", "b.toml:1"),
    ] {
        std::fs::write(place.path("b.toml"), text).expect("written");
        let output = place.run(&["--baseline", "b.toml", "--", "python3", "good.py"]);
        assert_eq!(code(&output), Some(2), "{text}: {}", said(&output));
        assert!(said(&output).contains(place_of_it), "{text}: {}", said(&output));
    }
    let output = place.run(&["--baseline", "none.toml", "--", "python3", "good.py"]);
    assert_eq!(code(&output), Some(2), "{}", said(&output));
}

#[test]
fn parts_make_a_whole_and_the_last_failures_are_exact() {
    if !python_is_there() {
        return;
    }
    let place = Place::new();
    let (_, whole) = place.judged(WAITS, BROKEN);
    let mut ids: Vec<String> = Vec::new();
    for part in ["hash:1/2", "hash:2/2"] {
        let (_, half) = place.judged(&[WAITS, &["--partition", part]].concat(), BROKEN);
        ids.extend(half.results.into_iter().map(|case| case.id));
    }
    ids.sort();
    let mut all: Vec<_> = whole.results.iter().map(|case| case.id.clone()).collect();
    all.sort();
    assert_eq!(ids, all);

    let failing: Vec<_> = whole.results.iter().filter(|case| case.verdict == Verdict::Fail).map(|c| &c.id).collect();
    let (output, again) = place.judged(&["--last-failed"], BROKEN);
    assert_eq!(code(&output), Some(1));
    assert_eq!(again.results.iter().map(|case| &case.id).collect::<Vec<_>>(), failing);
    let output = place.run(&["--last-failed", "--", "python3", "good.py"]);
    assert_eq!(code(&output), Some(2), "{}", said(&output));
    assert!(said(&output).contains("no earlier run"), "{}", said(&output));
}

#[test]
fn shuffled_repeated_and_cut_short() {
    if !python_is_there() {
        return;
    }
    let place = Place::new();
    let (_, plain) = place.judged(WAITS, BROKEN);
    let (_, mixed) = place.judged(&[WAITS, &["--shuffle", "--seed", "7", "--repeat", "2"]].concat(), BROKEN);
    let verdicts = |report: &Report| report.results.iter().map(|c| (c.id.clone(), c.verdict)).collect::<Vec<_>>();
    assert_eq!(verdicts(&plain), verdicts(&mixed));
    assert!(mixed.results.iter().all(|case| case.repeated.is_some_and(|r| r.runs == 2 && r.with_this_verdict == 2)));
    assert_eq!(mixed.seed, 7);

    let (output, cut) = place.judged(&[WAITS, &["--fail-fast", "--jobs", "1"]].concat(), BROKEN);
    assert_eq!(code(&output), Some(1));
    assert!(cut.stopped.is_some_and(|why| why.contains("--fail-fast")));
    assert_eq!(cut.results.iter().filter(|case| case.verdict == Verdict::Fail).count(), 1);
}

#[test]
fn a_case_can_be_told_in_every_revision() {
    let place = Place::new();
    let output = place.run(&["--only", "exchange/get_task/minimal*", "--revision", "all", "--report", "json=-"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    let report = report::read(&output.stdout).expect("a report");
    let ids: Vec<_> = report.results.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids.len(), 5, "{ids:?}");
    assert!(ids.contains(&"exchange/get_task/minimal@2026-07-28"), "{ids:?}");
    assert!(ids.contains(&"exchange/get_task/minimal"), "{ids:?}");
}

#[test]
fn the_doctor_says_what_works() {
    if !python_is_there() {
        return;
    }
    let place = Place::new();
    let output = place.run(&["doctor", "--", "python3", "good.py"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    assert!(said(&output).contains("14 tools"), "{}", said(&output));
    let good = std::fs::read_to_string(place.path("good.py")).expect("read");
    let main = "\nif __name__ == ";
    assert!(good.contains(main), "the example ends otherwise");
    let loud = good.replacen(main, &format!("\nprint('Listening on stdio', flush=True)\n{main}"), 1);
    std::fs::write(place.path("loud.py"), loud).expect("written");
    let output = place.run(&["doctor", "--", "python3", "loud.py"]);
    assert_eq!(code(&output), Some(1), "{}", said(&output));
    assert!(said(&output).contains("Listening on stdio") && said(&output).contains("stderr"), "{}", said(&output));
    for (command, exit) in [(&["true"][..], 6), (&["/no/such/program"], 6), (&["python3", "none.py"], 6)] {
        let output = place.run(&[&["doctor", "--"], command].concat());
        assert_eq!(code(&output), Some(exit), "{command:?}: {}", said(&output));
        assert!(said(&output).lines().all(|line| line.chars().count() <= 200), "{}", said(&output));
    }
}

#[test]
fn init_writes_what_a_project_needs_and_never_over_a_file() {
    if !python_is_there() {
        return;
    }
    let place = Place::new();
    std::fs::write(place.path("baseline.toml"), "# mine\n").expect("written");
    let output = place.run(&["init", "--", "python3", "good.py"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    assert!(said(&output).contains("kept   ./baseline.toml"), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(place.path("baseline.toml")).expect("read"), "# mine\n");
    assert!(place.path(".github/workflows/anet-conformance.yml").is_file());
    // The file is found, and the command in it is the one that is judged.
    let output = place.run(&["--only", "exchange/node_status", "--baseline", "baseline.toml", "--report", "json=-"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    let report = report::read(&output.stdout).expect("a report");
    assert!(report.candidate.command[1].ends_with("good.py"), "{:?}", report.candidate.command);
}

#[test]
fn what_a_candidate_does_not_offer_does_not_apply() {
    if !python_is_there() {
        return;
    }
    let place = Place::new();
    let text =
        "command = [\"python3\", \"broken.py\"]\n[[not-offered]]\ntool = \"wait_task\"\nreason = \"no waiting here\"\n";
    std::fs::write(place.path("c.toml"), text).expect("written");
    let output = place.run(&["--candidate", "c.toml", "--only", "exchange/*task/minimal", "--report", "json=-"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    let report = report::read(&output.stdout).expect("a report");
    let waits: Vec<_> = report.results.iter().filter(|case| case.tool.as_deref() == Some("wait_task")).collect();
    assert!(!waits.is_empty() && waits.iter().all(|case| case.verdict == Verdict::NotApplicable));
    assert!(waits[0].message.contains("no waiting here"), "{}", waits[0].message);
    assert!(said(&output).contains("not offer"), "the terminal does not say so: {}", said(&output));
}

#[test]
fn an_interrupted_run_says_what_it_knows_and_leaves_nothing_behind() {
    if !python_is_there() {
        return;
    }
    let place = Place::new();
    // Slow enough to be in the middle of the run when it is interrupted.
    let broken = std::fs::read_to_string(place.path("broken.py")).expect("read");
    std::fs::write(place.path("slow.py"), format!("import time\ntime.sleep(0.2)\n{broken}")).expect("written");
    for (signal, exit) in [("INT", 130), ("TERM", 143)] {
        let temporary = place.path(signal);
        std::fs::create_dir(&temporary).expect("a directory");
        let child = place
            .command(&["--jobs", "2", "--report", "json=report.json", "--", "python3", "slow.py"])
            .env("TMPDIR", &temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the suite runs");
        std::thread::sleep(Duration::from_secs(3));
        let began = Instant::now();
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &pid]).status().expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert!(began.elapsed() < Duration::from_secs(3), "it took {:?} to end", began.elapsed());
        assert_eq!(code(&output), Some(exit), "{}", said(&output));
        let report = report::read(&std::fs::read(place.path("report.json")).expect("a report")).expect("a report");
        assert!(report.stopped.is_some_and(|why| why.contains("interrupted")));
        assert!(!report.results.is_empty() && report.results.len() < 2000, "{}", report.results.len());
        assert!(said(&output).contains("interrupted"), "{}", said(&output));
        let left: Vec<_> = std::fs::read_dir(&temporary).expect("listed").flatten().map(|e| e.path()).collect();
        assert!(left.is_empty(), "{left:?}");
        let path = place.path("slow.py").to_string_lossy().into_owned();
        let running = Command::new("pgrep").args(["-f", &path]).output();
        // Where there is no pgrep, this is not looked at.
        assert!(running.map_or(true, |found| found.stdout.is_empty()), "candidates outlived the run");
    }
}
