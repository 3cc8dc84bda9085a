//! The report as JSON: the model itself.

use super::model::{FORMAT, Report};

/// Why a report cannot be read back.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is no JSON, or not of this shape.
    #[error("it is no report of this kit: {0}")]
    Shape(#[from] serde_json::Error),
    /// It was written by a newer kit.
    #[error("its format is {0}, and this kit reads {FORMAT}; use the kit that wrote it, or run again")]
    Format(u64),
}

/// The report as JSON text, ended by a line feed.
pub(super) fn render(report: &Report) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(report).expect("the model has nothing that JSON cannot say");
    text.push(b'\n');
    text
}

/// Reads a report back.
pub fn read(text: &[u8]) -> Result<Report, Unreadable> {
    let value: serde_json::Value = serde_json::from_slice(text)?;
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format != u64::from(FORMAT) => Err(Unreadable::Format(format)),
        _ => Ok(serde_json::from_value(value)?),
    }
}
