//! Every case as a test of its own, on the reference or on the candidate that `ANET_CONFORMANCE_COMMAND` names.

fn main() {
    anet_conformance::harness::run([env!("CARGO_BIN_EXE_anet-conformance"), "serve"]);
}
