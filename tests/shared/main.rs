//! Ledgers shared by several machines, through the real command. A machine is a clone with its own
//! home.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[cfg(unix)]
#[path = "../support/postgres.rs"]
mod postgres;
#[path = "../support/mod.rs"]
mod support;

#[cfg(unix)]
mod failures;
mod joining;
mod offline;
mod proxy;
#[cfg(unix)]
mod races;
#[cfg(unix)]
mod servers;
#[cfg(unix)]
mod swarm;

use std::path::PathBuf;

use support::{Answer, Sandbox};

/// Returns the number in the environment variable `name`, which asks for a longer run, or else
/// `usual`.
pub(crate) fn count(name: &str, usual: usize) -> usize {
    let asked = std::env::var(name).ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(usual)
}

/// Two clones of a remote.
pub(crate) struct Team {
    pub(crate) one: Sandbox,
    pub(crate) two: Sandbox,
}

impl Team {
    pub(crate) fn new() -> Self {
        let one = Sandbox::git();
        one.write("README.md", "a project\n").commit("first");
        let remote = one.outside().join("remote.git");
        let remote = remote.to_str().unwrap();
        one.run_git(&["clone", "--quiet", "--bare", ".", remote]);
        one.run_git(&["remote", "add", "origin", remote]);
        let two = Self::clone_of(remote);
        Self { one, two }
    }

    fn clone_of(remote: &str) -> Sandbox {
        let clone = Sandbox::folder();
        clone.run_git(&["clone", "--quiet", "--origin=origin", remote, "."]);
        clone
    }

    pub(crate) fn third(&self) -> Sandbox {
        let remote = self.one.outside().join("remote.git");
        Self::clone_of(remote.to_str().unwrap())
    }

    pub(crate) fn folder(&self) -> PathBuf {
        let folder = self.one.outside().join("shared");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    pub(crate) fn folder_location(&self) -> String {
        format!("file:{}", self.folder().display())
    }

    #[track_caller]
    pub(crate) fn share(&self, location: &str) {
        for machine in [&self.one, &self.two] {
            machine.windlass(&["ledger", "share", location]).succeeds();
        }
    }
}

#[track_caller]
pub(crate) fn by(machine: &Sandbox, actor: &str, args: &[&str]) -> Answer {
    machine.windlass(&[&["--actor", actor], args].concat())
}

#[track_caller]
pub(crate) fn create(machine: &Sandbox, id: &str) {
    by(machine, "ann", &["bead", "create", id, "--id", id]).succeeds();
}

/// Returns all beads' ids, after an exchange with the shared ledger.
#[track_caller]
pub(crate) fn beads(machine: &Sandbox) -> Vec<String> {
    machine.windlass(&["ledger", "online"]).succeeds();
    let args = ["bead", "list", "--all", "--format", "json", "--limit", "0"];
    let list = by(machine, "ann", &args).succeeds().json();
    let beads = list["beads"].as_array().unwrap().iter();
    let mut ids: Vec<String> = beads
        .map(|bead| bead["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}
