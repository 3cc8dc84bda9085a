//! Reports: one model of a run, several renderers. Renderers never decide.

mod build;
mod cause;
mod diff;
mod format;
mod html;
mod json;
mod model;
mod term;
mod text;
mod words;

pub use build::{About, report};
pub use format::{Format, Target};
pub use json::{Unreadable, read};
pub use model::{
    BaselineProblem, Candidate, CaseReport, CheckReport, FORMAT, FindingKind, Kit, Moment, Repeated, Report, Server,
    Totals, Who,
};
pub use term::{refused, render};
pub(crate) use text::{visible, wrap};
