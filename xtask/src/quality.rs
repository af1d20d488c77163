//! Runs the benchmarks that measure quality. Each is a benchmark of the crate that it measures, so
//! that only this crate has to be built.

use std::process::{Command, ExitCode};

use crate::Error;

/// Runs the benchmark `bench` of `package`, and returns its exit code.
pub(crate) fn run(package: &str, bench: &str, args: &[String]) -> Result<ExitCode, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["bench", "--quiet", "--package", package])
        .args(["--bench", bench, "--"])
        .args(args)
        .status()?;
    // The exit code of a failed build is above those that a benchmark uses.
    let code = status.code().map_or(2, |code| code.clamp(0, 2));
    Ok(ExitCode::from(code as u8))
}
