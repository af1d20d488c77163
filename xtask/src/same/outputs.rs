//! Compares the output of a build with the digests in `outputs.txt`, so that no output changes
//! unnoticed.
//!
//! If you change an output on purpose, run `cargo xtask outputs --write` and commit the new digests
//! along with the changelog.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use sha2::{Digest as _, Sha256};

use super::commands::sections;
use crate::Error;

/// The digests by section and command, one per line.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/same/outputs.txt");

/// Section that works on this repository itself and needs its whole history, which a shallow clone
/// does not have.
const OWN_SECTION: &str = "itself";

/// Prefix of commands that print which programs the machine has. Their output is different
/// everywhere.
const OF_MACHINE: &str = "doctor";

/// Records the output of `windlass`, and then writes the digests or compares them. If any of them
/// differ, the exit code is 1.
pub(super) fn main(windlass: &Path, is_written: bool) -> Result<ExitCode, Error> {
    let folder = tempfile::Builder::new()
        .prefix("windlass-same-")
        .tempdir()?;
    let sections = sections()?;
    let names = sections.iter().map(|section| section.name);
    let names: Vec<&str> = names.filter(|name| *name != OWN_SECTION).collect();
    super::record(windlass, folder.path(), &names)?;
    let now = digests(folder.path(), &names)?;
    if is_written {
        let lines = now
            .iter()
            .map(|(name, digest)| format!("{digest} {name}\n"));
        fs::write(FILE, lines.collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = fs::read_to_string(FILE)?;
    let known = text.lines().filter_map(|line| line.split_once(' '));
    let known: BTreeMap<&str, &str> = known.map(|(digest, name)| (name, digest)).collect();
    let all: BTreeSet<&str> = known
        .keys()
        .copied()
        .chain(now.keys().map(|name| &**name))
        .collect();
    let is_changed =
        |name: &&str| known.get(*name).copied() != now.get(*name).map(|digest| &**digest);
    let changed: Vec<&str> = all.into_iter().filter(is_changed).collect();
    if changed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("error: these outputs changed:\n  {}", changed.join("\n  "));
    println!("help: add a line to CHANGELOG.md and run `cargo xtask outputs --write`");
    Ok(ExitCode::FAILURE)
}

fn digests(folder: &Path, names: &[&str]) -> Result<BTreeMap<String, String>, Error> {
    let mut digests = BTreeMap::new();
    for name in names {
        for entry in fs::read_dir(folder.join(name))? {
            let path = entry?.path();
            let command = path.file_stem().unwrap_or_default().to_string_lossy();
            if !command.starts_with(OF_MACHINE) {
                let digest = Sha256::digest(fs::read(&path)?);
                // Four bytes are enough to notice a change, and keep the file short.
                let start = digest.iter().take(4).map(|byte| format!("{byte:02x}"));
                digests.insert(format!("{name}/{command}"), start.collect());
            }
        }
    }
    Ok(digests)
}
