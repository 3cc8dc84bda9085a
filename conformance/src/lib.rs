//! The conformance kit for `anet mcp`: judges any MCP server for anet, started as a command over stdio, against the page,
//! MCP and the wire contract.
//!
//! The way of the data: [`cases`] -> for each a mock daemon and a candidate process, driven step by step ([`run`]) -> an
//! [`observation::Observation`] -> [`judge::judge`], a pure function -> verdicts -> one report model -> all renderers and
//! the exit code.
//!
//! The library never uses the reference server: a fault that both shared would be invisible.

pub mod baseline;
pub mod candidate;
pub mod case;
pub mod cases;
pub mod cli;
pub mod contract;
pub mod doctor;
pub mod expect;
pub mod explain;
pub mod harness;
pub mod json;
pub mod judge;
pub mod ledger;
pub mod observation;
pub mod page;
pub mod report;
pub mod requirement;
pub mod revision;
pub mod ruling;
pub mod run;
pub mod select;
pub mod selftest;
pub mod verdict;
