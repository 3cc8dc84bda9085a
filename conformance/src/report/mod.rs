//! Reports: one model of a run, several renderers. Renderers never decide.

mod diff;
mod json;
mod model;
mod term;
mod text;

pub use json::write_json;
pub use model::{CaseReport, CheckReport, Moment, Report, Who};
pub use term::{refused, render};
