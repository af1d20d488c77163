//! Coverage-guided fuzzing of `fuzz/fuzz_targets` with libFuzzer, on the stable compiler.
//!
//! Sanitizers need a nightly compiler, but we can do without them because our code is safe Rust.
//! The coverage feedback comes from an LLVM pass that the stable compiler supports as well. Debug
//! assertions and overflow checks are on, so that arithmetic errors count as findings.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;
use std::{env, fs};

use crate::Error;

/// Compiler flags for coverage feedback, which are the same as those of `cargo fuzz`. If libFuzzer
/// reports that it finds no coverage after a compiler update, compare them again.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Coverflow-checks";

/// Longest input, in bytes. Longer ones would mostly make each execution slower.
const MAX_BYTES: u32 = 16 << 10;

/// Time limit for one input, in seconds. If an input takes longer, it counts as a finding.
const MAX_SECONDS: u32 = 10;

/// Memory limit, in MiB.
const MAX_MEMORY: u32 = 2048;

struct Options {
    targets: Vec<String>,
    /// Seconds to fuzz, which are divided evenly between the targets.
    seconds: u64,
    /// True to add inputs that reach new code to `fuzz/corpus`.
    keep: bool,
}

struct Ran {
    executions: u64,
    found: bool,
}

pub(crate) fn main(args: &[String]) -> Result<ExitCode, Error> {
    let mut options = parse(args)?;
    let home = PathBuf::from("target/fuzz");
    let program = build(&home)?;
    // The program itself knows its targets: it writes a folder of seeds for each of them.
    let seeds = home.join("seeds");
    let _ = fs::remove_dir_all(&seeds);
    run(Command::new(&program).env("WINDLASS_FUZZ_EXPORT", &seeds))?;
    let known = target_names(&seeds)?;
    if options.targets.is_empty() {
        options.targets.clone_from(&known);
    }
    if let Some(unknown) = options.targets.iter().find(|name| !known.contains(name)) {
        return Err(format!(
            "unknown target `{unknown}`; known targets: {}",
            known.join(", ")
        )
        .into());
    }
    let each = (options.seconds / options.targets.len() as u64).max(1);
    println!(
        "{:<18}{:>9}{:>14}  findings",
        "target", "minutes", "executions"
    );
    let mut has_findings = false;
    for name in &options.targets {
        let ran = fuzz(&program, &home, name, each)?;
        let finding = if ran.found {
            "see target/fuzz/failures"
        } else {
            "none"
        };
        let minutes = Duration::from_secs(each).as_secs_f64() / 60.0;
        println!("{name:<18}{minutes:>9.1}{:>14}  {finding}", ran.executions);
        has_findings |= ran.found;
        // A failed run may have stopped early, so its corpus isn't worth merging.
        if options.keep && !ran.found {
            keep(&program, &home, name)?;
        }
    }
    Ok(ExitCode::from(u8::from(has_findings)))
}

fn parse(args: &[String]) -> Result<Options, Error> {
    let mut options = Options {
        targets: Vec::new(),
        seconds: 60,
        keep: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || -> Result<u64, Error> {
            let text = args
                .next()
                .ok_or_else(|| format!("`{arg}` needs a number"))?;
            Ok(text
                .parse()
                .map_err(|_| format!("`{text}` is not a number"))?)
        };
        match arg.as_str() {
            "--minutes" => options.seconds = number()? * 60,
            "--seconds" => options.seconds = number()?,
            "--keep" => options.keep = true,
            flag if flag.starts_with('-') => return Err(format!("unknown flag `{flag}`").into()),
            name => options.targets.push(name.to_owned()),
        }
    }
    Ok(options)
}

/// Builds the instrumented program. The build has a target folder of its own, because the flags
/// apply to every crate.
fn build(home: &Path) -> Result<PathBuf, Error> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let host = host()?;
    run(Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "--package",
            "windlass-fuzz",
            "--bin",
            "fuzz",
        ])
        .args(["--features", "libfuzzer", "--target", &host, "--target-dir"])
        .arg(home)
        .env("RUSTFLAGS", FLAGS)
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0"))?;
    Ok(home.join(host).join("debug/fuzz"))
}

/// Returns this machine's target. We have to name it, because cargo applies the flags to build
/// scripts otherwise.
fn host() -> Result<String, Error> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("`rustc -vV` names no host")?.to_owned())
}

fn target_names(seeds: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(seeds)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Fuzzes one target for `seconds`. Inputs that reach new code are stored in `target/fuzz/corpus`,
/// where the next run begins.
fn fuzz(program: &Path, home: &Path, name: &str, seconds: u64) -> Result<Ran, Error> {
    let corpus = home.join("corpus").join(name);
    let failures = home.join("failures");
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&failures)?;
    let output = Command::new(program)
        .env("WINDLASS_FUZZ_TARGET", name)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={MAX_BYTES}"))
        .arg(format!("-timeout={MAX_SECONDS}"))
        .arg(format!("-rss_limit_mb={MAX_MEMORY}"))
        .arg(format!("-artifact_prefix={}/{name}-", failures.display()))
        .arg(format!(
            "-dict={}",
            home.join("seeds").join(format!("{name}.dict")).display()
        ))
        .args(["-print_final_stats=1", "-detect_leaks=0"])
        .args([&corpus, &home.join("seeds").join(name)])
        .output()?;
    let log = String::from_utf8_lossy(&output.stderr);
    fs::write(failures.join(format!("{name}.log")), log.as_bytes())?;
    let executions = log
        .lines()
        .find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    Ok(Ran {
        executions: executions
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(0),
        found: !output.status.success(),
    })
}

/// Adds the inputs that reach code which those in `fuzz/corpus` do not reach yet.
fn keep(program: &Path, home: &Path, name: &str) -> Result<(), Error> {
    let kept = Path::new("fuzz/corpus").join(name);
    fs::create_dir_all(&kept)?;
    run(Command::new(program)
        .env("WINDLASS_FUZZ_TARGET", name)
        .args(["-merge=1", "-max_len=2048"])
        .args([kept, home.join("corpus").join(name)]))
}

fn run(command: &mut Command) -> Result<(), Error> {
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{command:?} ended with {status}").into())
}
