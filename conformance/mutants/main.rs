//! Broken candidates: the reference server with one realistic mistake each.
//!
//! `mutant NAME` serves MCP on stdio like any candidate. It runs the reference inside itself and stands on both of its
//! sides: between the client and the server it changes lines, between the server and the daemon it changes HTTP
//! requests and answers. The server's own code knows nothing of it. `mutant --list` prints all names, each with the
//! requirement that it breaks and the cases that must fail it; the test `mutants.rs` holds it to that.

mod proxy;
mod shim;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        eprintln!("usage: mutant NAME | mutant --list");
        return ExitCode::from(2);
    };
    if name == "--list" {
        for mutant in table::all() {
            println!("{}\t{}\t{}\t{}", mutant.name, mutant.breaks, mutant.killed_by, mutant.mistake);
        }
        return ExitCode::SUCCESS;
    }
    let Some(mutant) = table::all().into_iter().find(|mutant| mutant.name == name) else {
        eprintln!("no mutant is called `{name}`; `mutant --list` names them");
        return ExitCode::from(2);
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(shim::serve(mutant));
    // Nothing may wait for a thread that still reads stdin.
    runtime.shutdown_background();
    code
}
