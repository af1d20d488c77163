//! Runs the tests that attack the whole program or torture its stores.

use std::process::{Command, ExitCode};

use crate::Error;

pub(crate) fn attack() -> Result<ExitCode, Error> {
    run(&["--test", "attack", "--test", "doors"], &[])?;
    // These tests have plugins that loop, allocate or recurse without end.
    run(&["--test", "it", "hostile"], &[])
}

/// Runs the torture. `args` may set the number of seconds and the seed.
pub(crate) fn torture(args: Vec<String>) -> Result<ExitCode, Error> {
    let mut settings = vec![("WINDLASS_TORTURE_SECONDS", "60".to_owned())];
    let mut args = args.into_iter();
    while let Some(flag) = args.next() {
        let name = match flag.as_str() {
            "--seconds" => "WINDLASS_TORTURE_SECONDS",
            "--seed" => "WINDLASS_TORTURE_SEED",
            _ => return Err(format!("unknown flag `{flag}`").into()),
        };
        let value = args
            .next()
            .ok_or_else(|| format!("`{flag}` needs a number"))?;
        let number: u64 = value
            .parse()
            .map_err(|_| format!("`{value}` is not a number"))?;
        settings.push((name, number.to_string()));
    }
    run(
        &["--test", "torture", "--", "--nocapture", "--ignored"],
        &settings,
    )
}

/// Runs tests of the whole workspace. If we only tested one package, its dependencies would have
/// other features and be built again.
fn run(tests: &[&str], settings: &[(&str, String)]) -> Result<ExitCode, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--quiet", "--workspace", "--locked"])
        .args(tests)
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .status()?;
    match status.success() {
        true => Ok(ExitCode::SUCCESS),
        false => Err(format!("cargo test {} ended with {status}", tests.join(" ")).into()),
    }
}
