//! The packages of a release (`cargo xtask dist`).
//!
//! They are built from the same sources, described in one place ([`Release`]), and tried in empty
//! environments. Failures are collected, so that one run shows all of them.

mod binary;
mod checks;
mod dependencies;
mod documents;
mod kinds;
mod options;
mod release;
mod summary;
mod target;
mod tree;
mod trial;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::Error;
use options::Options;
use release::Release;
use target::Target;

/// A built program, with everything that is packaged with it.
pub(super) struct Product<'a> {
    release: &'a Release,
    target: &'a Target,
    program: Vec<u8>,
    documents: &'a [documents::Document],
    /// True for fast but weak compression, which is good enough for a trial.
    quick: bool,
    /// Version of the C library that the program needs, such as `2.28`, or `None` if it is linked
    /// statically.
    glibc: Option<String>,
}

pub(crate) fn main(args: &[String]) -> Result<ExitCode, Error> {
    let options = Options::parse(args)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
    let release = Release::read(&root)?;
    std::fs::create_dir_all(&options.out)?;
    let mut failures = checks::tree(&release, options.check)?;
    if !options.collect {
        failures.extend(packages(&release, &options)?);
    }
    summary::write(&release, &options.out)?;
    for failure in &failures {
        eprintln!("error: {failure}");
    }
    Ok(ExitCode::from(u8::from(!failures.is_empty())))
}

/// Makes the packages of every target and tries those that run here. Returns the failures.
fn packages(release: &Release, options: &Options) -> Result<Vec<String>, Error> {
    let mut binaries = Vec::new();
    for target in &options.targets {
        binaries.push((target, binary::obtain(release, target, options)?));
    }
    let here = binaries
        .iter()
        .find(|(target, _)| target.runs_here())
        .ok_or("no target runs on this machine, and a program that runs prints the completions and manual pages")?;
    let shared = documents::shared(release, &here.1.path)?;
    let mut failures = Vec::new();
    for (target, binary) in &binaries {
        let mut documents = shared.clone();
        documents.extend(documents::of_target(release, target)?);
        let product = Product {
            release,
            target,
            program: std::fs::read(&binary.path)?,
            documents: &documents,
            quick: options.quick,
            glibc: binary.glibc.clone(),
        };
        failures.extend(kinds::make_and_try(&product, options)?);
    }
    Ok(failures)
}

/// Runs `command` and returns its standard output. If it fails, the error includes what it printed
/// to standard error.
fn output(command: &mut Command) -> Result<Vec<u8>, Error> {
    let output = command
        .output()
        .map_err(|error| format!("cannot run `{command:?}`: {error}"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{command:?}`: {}\n{errors}", output.status).into());
    }
    Ok(output.stdout)
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

fn write(path: PathBuf, bytes: &[u8]) -> Result<PathBuf, Error> {
    std::fs::write(&path, bytes)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let size = format!("{:.1} MB", bytes.len() as f64 / 1e6);
    println!("{size:>9}  {name}");
    Ok(path)
}
