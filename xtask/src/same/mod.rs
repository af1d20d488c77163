//! Records the output of a `windlass` build for the commands in `commands.txt`, and compares the
//! records of two builds.
//!
//! Use this to check that a refactoring does not change what users see. Each section of the file
//! has its own folder, home and environment, which are the same on every machine. Its lines are run
//! by `sh` with the functions in `prelude.sh`. Some output (times and random IDs, for example)
//! differs even between two runs of the same build, so we replace it before recording.

mod commands;
mod normal;
mod outputs;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::Error;
use commands::{Line, Section, sections};
use normal::Normal;

/// The folder in which we run the commands. It is always the same, because output contains its
/// path.
const FOLDER: &str = "/tmp/windlass-same";

pub(crate) fn main(args: &[String]) -> Result<ExitCode, Error> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["record", "--windlass", windlass, "--out", out, only @ ..] => {
            record(Path::new(windlass), Path::new(out), only)?;
            Ok(ExitCode::SUCCESS)
        }
        ["compare", first, second] => compare(Path::new(first), Path::new(second)),
        ["--windlass", windlass, "--against", other, only @ ..] => {
            let folder = tempfile::Builder::new()
                .prefix("windlass-same-")
                .tempdir()?;
            let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
            record(Path::new(other), &old, only)?;
            record(Path::new(windlass), &new, only)?;
            compare(&old, &new)
        }
        _ => Err(crate::USAGE.into()),
    }
}

pub(crate) fn outputs_main(args: &[String]) -> Result<ExitCode, Error> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let built = Path::new("target/debug/windlass");
    match args.as_slice() {
        [] => outputs::main(built, false),
        ["--write"] => outputs::main(built, true),
        ["--windlass", windlass] => outputs::main(Path::new(windlass), false),
        ["--windlass", windlass, "--write"] => outputs::main(Path::new(windlass), true),
        _ => Err(crate::USAGE.into()),
    }
}

/// Runs all sections, or those named in `only`, and writes a file for each command below `out`.
fn record(windlass: &Path, out: &Path, only: &[&str]) -> Result<(), Error> {
    let windlass = windlass
        .canonicalize()
        .map_err(|error| format!("{}: {error}", windlass.display()))?;
    let lock = fs::File::create(format!("{FOLDER}.lock"))?;
    // Two recordings at the same time would overwrite each other's folder.
    lock.lock()?;
    clear(out)?;
    let normal = Normal::new()?;
    let mut recorded = 0;
    for section in sections()? {
        if !only.is_empty() && !only.contains(&section.name) {
            continue;
        }
        let place = Place::new(section.name, &windlass)?;
        let answers = out.join(section.name);
        fs::create_dir_all(&answers)?;
        recorded += place.run(&section, &answers, &normal)?;
    }
    println!("recorded {recorded} commands in {}", out.display());
    Ok(())
}

/// Prints the differences between two records, and returns exit code 1 if there are any.
fn compare(first: &Path, second: &Path) -> Result<ExitCode, Error> {
    for folder in [first, second] {
        if !folder.is_dir() {
            return Err(format!("no record in {}", folder.display()).into());
        }
    }
    let status = Command::new("git")
        .args(["--no-pager", "diff", "--no-index", "--no-renames", "--stat"])
        .args(["--patch", "--exit-code", "--"])
        .args([first, second])
        .status()?;
    if !status.success() {
        return Ok(ExitCode::FAILURE);
    }
    println!("no difference");
    Ok(ExitCode::SUCCESS)
}

fn clear(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(fs::create_dir_all(folder)?),
    }
}

/// The folder of a section, with its repository, its home, and the files that its lines share.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(section: &str, windlass: &Path) -> Result<Self, Error> {
        let folder = Path::new(FOLDER).join(section);
        clear(&folder)?;
        for name in ["bin", "repo", "home", "tmp", "common"] {
            fs::create_dir(folder.join(name))?;
        }
        std::os::unix::fs::symlink(windlass, folder.join("bin/windlass"))?;
        fs::write(folder.join("common/prelude.sh"), include_str!("prelude.sh"))?;
        Ok(Self { folder })
    }

    /// Runs the lines of `section`, and writes a file for each command into `answers`. Returns the
    /// number of files.
    fn run(&self, section: &Section<'_>, answers: &Path, normal: &Normal) -> Result<usize, Error> {
        let mut recorded = 0;
        for line in &section.lines {
            let (script, name) = match line {
                Line::Setup(script) => (script, None),
                Line::Command { script, name } => (script, Some(name)),
            };
            let output = self.shell(script).output()?;
            let [stdout, stderr] =
                [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
            let code = output.status.code().unwrap_or(-1);
            let text = format!(
                "$ {script}\n== exit code {code}\n== stdout\n{stdout}\n== stderr\n{stderr}\n"
            );
            let name = match name {
                Some(name) => {
                    // The function `keep` of the prelude reads values from the output of the last
                    // command.
                    fs::write(self.folder.join("common/last"), &output.stdout)?;
                    name.to_owned()
                }
                None if output.status.success() => continue,
                // Don't stop here: the preparation may succeed with the other build, and that's a
                // difference to report.
                None => {
                    eprintln!("{}: preparation failed\n{text}", section.name);
                    format!("failed-preparation-{recorded}")
                }
            };
            fs::write(answers.join(format!("{name}.txt")), normal.of(&text))?;
            recorded += 1;
        }
        Ok(recorded)
    }

    fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("sh");
        let at = |name: &str| self.folder.join(name);
        let path = std::env::var("PATH").unwrap_or_default();
        shell
            .args(["-c", &format!(". ../common/prelude.sh\n{script}")])
            .current_dir(at("repo"))
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", format!("{}:{path}", at("bin").display()))
            .env("SHARED", at("common"))
            .env("SOURCE", concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .env("HOME", at("home"))
            .env("TMPDIR", at("tmp"))
            .env("XDG_CONFIG_HOME", at("home/config"))
            .env("XDG_DATA_HOME", at("home/data"))
            .env("XDG_STATE_HOME", at("home/state"))
            .env("XDG_CACHE_HOME", at("home/cache"))
            .envs([("TZ", "UTC"), ("LC_ALL", "C"), ("TERM", "dumb")])
            .envs([("NO_COLOR", "1"), ("COLUMNS", "100"), ("HOSTNAME", "host")])
            .envs([
                ("USER", "ann"),
                ("BD_ACTOR", "ann"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
            ]);
        for role in ["AUTHOR", "COMMITTER"] {
            shell
                .env(format!("GIT_{role}_NAME"), "Ann")
                .env(format!("GIT_{role}_EMAIL"), "ann@example.org")
                .env(format!("GIT_{role}_DATE"), "2025-01-02T03:04:05Z");
        }
        shell
    }
}
