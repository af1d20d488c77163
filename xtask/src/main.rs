//! Jobs around the code that need no shell: `cargo xtask bench`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for those who work on the code: it reads and writes folders of its own, measures time and prints"
)]

mod bench;

use std::process::ExitCode;

/// Why a job could not be done.
type Error = Box<dyn std::error::Error>;

const USAGE: &str = "\
cargo xtask bench [NAME…] [--repeat N] [--json FILE] [--check]

  Builds the release binary and runs the benchmarks, all or those named.
  --repeat N   how often each is measured
  --json FILE  also write the figures to FILE
  --check      exit with 1 when a goal is not met
  --list       name the benchmarks";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let ended = match args.next().as_deref() {
        Some("bench") => bench::main(args.collect()),
        Some("-h" | "--help") => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => Err(USAGE.into()),
    };
    ended.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}
