//! The reference MCP server for anet: the page's 14 tools over stdio, each forwarded to the local daemon.
//!
//! The program is [`run`], arguments included, so that another program can carry it along. [`serve`] is the server
//! alone on any pair of streams. Tools are data and pure plans (`tools`, `schema`, `arguments`); `server` carries
//! plans out; `control` is the only part that calls the daemon and `home` the only part that reads its files;
//! `bound` holds answers to their size; `transport` keeps every byte that passes through.

#![deny(clippy::print_stdout)]

mod answers;
mod arguments;
mod bound;
mod cli;
mod control;
mod doctor;
mod home;
mod json;
mod listener;
mod schema;
mod serve;
mod server;
mod texts;
mod tools;
mod transport;

#[cfg(test)]
#[path = "../tests/fake/mod.rs"]
mod fake;

pub use cli::run;
pub use home::{ControlAddress, Endpoint, Environment, Home, HomeError, Reason, Token};
pub use serve::{ServeError, Settings, serve};

/// The version of the specification page that this server follows.
pub const PAGE_VERSION: &str = "0.3";
