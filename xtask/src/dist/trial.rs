//! Tries an installed package: runs `init`, `run` and `mcp` in a small repository.
//!
//! The trial gets an environment with nothing but a home folder and the path of programs, so that
//! it does not depend on this machine's settings.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Product, output};
use crate::Error;

/// Goal for the time from the package to the first runbook pack. If a trial is slower, we say so
/// but do not fail, because the machine may just be busy.
const MAX_TIME: Duration = Duration::from_secs(5);

/// An installed package, and the repository to try it in.
pub(super) struct Installed {
    /// The program, and the arguments that start it.
    pub(super) command: Vec<OsString>,
    pub(super) repository: PathBuf,
    /// The repository's path as the program sees it. In a container image, the program has another
    /// root than we do.
    pub(super) seen_repository: PathBuf,
    pub(super) home: PathBuf,
}

impl Installed {
    /// Returns a program that sees the same files as we do and works in `room`.
    pub(super) fn program(program: PathBuf, room: &Path) -> Self {
        Self {
            command: vec![program.into()],
            repository: room.join("repository"),
            seen_repository: room.join("repository"),
            home: room.join("home"),
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut words = self.command.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_default());
        command
            .args(words)
            .arg("--root")
            .arg(&self.seen_repository)
            .args(args);
        command.env_clear().env("HOME", &self.home);
        for kept in ["PATH", "SYSTEMROOT"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        command
    }
}

/// Tries a package and prints the seconds to its first pack. A package gets up to three attempts to
/// meet the goal, in case the machine is busy.
pub(super) fn best_of_three(
    name: &str,
    product: &Product<'_>,
    install: impl Fn(&Path) -> Result<Installed, Error>,
) -> Result<(), Error> {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let room = tempfile::tempdir()?;
        let start = Instant::now();
        let installed = install(room.path())?;
        first_pack(&installed)?;
        best = best.min(start.elapsed());
        tools_over_mcp(&installed)?;
        let printed = output(installed.command(&["--version"]).stdin(Stdio::null()))?;
        if !String::from_utf8(printed)?.contains(&product.release.version) {
            return Err("the installed program has another version".into());
        }
        if best <= MAX_TIME {
            break;
        }
    }
    let seconds = best.as_secs_f64();
    let remark = match best <= MAX_TIME {
        true => String::new(),
        false => format!(" (slow: the goal is {} s)", MAX_TIME.as_secs()),
    };
    println!("{seconds:>7.1} s  {name}: from package to first pack{remark}");
    Ok(())
}

fn first_pack(installed: &Installed) -> Result<(), Error> {
    let root = &installed.repository;
    std::fs::create_dir_all(root.join("src"))?;
    std::fs::write(root.join("README.md"), "# Sample\n")?;
    std::fs::write(
        root.join("Cargo.toml"),
        "[package]\nname = \"sample\"\nversion = \"0.1.0\"\n",
    )?;
    std::fs::write(
        root.join("src/main.rs"),
        "fn main() {\n    println!(\"started\");\n}\n",
    )?;
    output(&mut installed.command(&["init", "--yes"]))?;
    let pack = output(&mut installed.command(&["run", "overview"]))?;
    let pack = String::from_utf8(pack)?;
    match pack.contains("src/main.rs:1-3") {
        true => Ok(()),
        false => Err(format!("the first pack lacks `src/main.rs:1-3`:\n{pack}").into()),
    }
}

fn tools_over_mcp(installed: &Installed) -> Result<(), Error> {
    let client = json!({ "name": "xtask", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ];
    let mut server = installed
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = server.stdin.take().ok_or("no input")?;
    for message in messages {
        writeln!(input, "{message}")?;
    }
    // The server ends when its input is closed.
    drop(input);
    let ended = server.wait_with_output()?;
    let answers = String::from_utf8(ended.stdout)?;
    let mut answers = answers
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let listed = answers.find(|answer| answer["id"] == 2);
    let tools = listed.and_then(|answer| Some(answer["result"]["tools"].as_array()?.len()));
    match tools {
        Some(1..) => Ok(()),
        _ => Err(format!(
            "`mcp` lists no tools\n{}",
            String::from_utf8_lossy(&ended.stderr)
        )
        .into()),
    }
}
