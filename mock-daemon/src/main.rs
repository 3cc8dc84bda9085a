//! The program: everything is in the library, because another program carries it as a subcommand.

use std::process::ExitCode;

fn main() -> ExitCode {
    anet_mock_daemon::run(std::env::args_os())
}
