//! Planted files where our own files should be: links, second names, pipes, huge files and folders.
//! Every command still ends by itself, and no file elsewhere changes.
#![cfg(target_os = "linux")]
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod documents;
mod plant;
mod routes;
mod workout;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use support::{Answer, Sandbox};

/// Memory limit of a command in KiB. It's well above what a command needs, and well below the size
/// of a huge file.
const MEMORY: u32 = 16 << 20;

/// Time after which we consider a command hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a command with limited memory, and kills it after the time limit.
#[track_caller]
pub(crate) fn run(sandbox: &Sandbox, args: &[&str]) -> Answer {
    let mut command = Command::new("sh");
    let limited = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    command.args([
        "-c",
        &limited,
        env!("CARGO_BIN_EXE_windlass"),
        "--actor",
        "ann",
    ]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.args(args).current_dir(sandbox.root()).env_clear();
    command.env("HOME", sandbox.home()).env("PATH", path);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let id = child.id();
    let (ended, watched) = std::sync::mpsc::channel();
    let watch = std::thread::spawn(move || {
        let is_over = watched.recv_timeout(PATIENCE).is_ok();
        if !is_over {
            kill(id);
        }
        is_over
    });
    let output = wait(child);
    let _ = ended.send(());
    assert!(watch.join().unwrap(), "`windlass {}` hangs", args.join(" "));
    output
}

fn wait(child: Child) -> Answer {
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn kill(id: u32) {
    let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
}

/// Returns the entries below `folder`: the contents of files, or the kind of anything else.
pub(crate) fn contents(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(inner) = open.pop() {
        for entry in std::fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            let said = match (kind.is_dir(), kind.is_file()) {
                (true, _) => {
                    open.push(path.clone());
                    "a folder".to_owned()
                }
                (_, true) => String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
                _ => format!("{kind:?}"),
            };
            found.insert(path.to_string_lossy().into_owned(), said);
        }
    }
    found
}
