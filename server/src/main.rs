//! The program: everything is in the library, so that another program can carry it along.

fn main() -> std::process::ExitCode {
    anet_mcp::run(std::env::args_os())
}
