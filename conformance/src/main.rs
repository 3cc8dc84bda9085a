//! `anet-conformance`: the kit as a program. The one place that links the reference server, to carry it along.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "reference")]
    let serve: Option<anet_conformance::cli::Serve> = Some(anet_mcp::run);
    #[cfg(not(feature = "reference"))]
    let serve = None;
    anet_conformance::cli::main(std::env::args_os(), serve)
}
