//! The report as JSON, from which every other format can be made.

use std::io::{self, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::model::{CaseReport, Report};

/// Writes the report, in one step: a reader sees the old file or the whole new one. Fails if the file cannot be written.
pub fn write_json(report: &Report, path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // In one piece: written straight to a file, every token would be a system call.
    let mut text = serde_json::to_vec_pretty(&value(report))?;
    text.push(b'\n');
    if path.exists() && !path.is_file() {
        // /dev/stdout, a pipe: nothing that could be replaced.
        return std::fs::OpenOptions::new().write(true).open(path)?.write_all(&text);
    }
    let mut file = tempfile::Builder::new().prefix(".anet-conformance-").tempfile_in(directory)?;
    file.write_all(&text)?;
    file.flush()?;
    // A report is read by others: what a plain file would have, not what a temporary one has.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn value(report: &Report) -> Value {
    let by_level: serde_json::Map<_, _> =
        report.by_level().into_iter().map(|(level, counts)| (level.to_string(), json!(counts))).collect();
    json!({
        "kit": {
            "name": env!("CARGO_PKG_NAME"),
            "version": env!("CARGO_PKG_VERSION"),
            "page": "0.3",
            "cases": report.corpus,
        },
        "candidate": {
            "command": report.command,
            "server": report.server.as_ref().map(|(name, version)| json!({"name": name, "version": version})),
            "revision": report.revision,
        },
        "strict": report.strict,
        "stopped": report.stopped,
        "exit": report.exit as u8,
        "totals": {"cases": report.results.len(), "by_verdict": report.by_verdict(), "by_level": by_level},
        "results": report.results.iter().map(result).collect::<Vec<_>>(),
    })
}

fn result(case: &CaseReport) -> Value {
    json!({
        "id": case.id,
        "title": case.title,
        "group": case.group,
        "tool": case.tool,
        "verdict": case.verdict.name(),
        "level": case.level,
        "tag": case.tag,
        "requirements": case.requirements(),
        "message": case.message,
        "run_again_alone": case.again,
        "duration_ms": u64::try_from(case.took.as_millis()).unwrap_or(u64::MAX),
        "checks": case.checks.iter().map(|check| json!({
            "requirement": check.requirement,
            "level": check.level,
            "basis": check.basis,
            "finding": check.finding,
            "message": check.message,
            "expected": check.expected,
            "seen": check.seen,
        })).collect::<Vec<_>>(),
        "transcript": case.transcript.iter().map(|moment| json!({
            "at_us": u64::try_from(moment.at.as_micros()).unwrap_or(u64::MAX),
            "who": moment.who.arrow(),
            "text": moment.text,
        })).collect::<Vec<_>>(),
    })
}
