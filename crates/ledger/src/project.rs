//! The files beside the log: made from the state, and the same bytes whoever makes them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_store::{
    Disk, Durability, FileMark, Lock, StoreError, read_file, write_atomic, write_shared,
};

use crate::event::OrderKey;
use crate::hook::Hook;
use crate::molecule::{Molecule, PutAway};
use crate::state::{Record, State, Table};
use crate::{Ledger, LedgerError, Places, Stamp};

/// Up to so many bytes they are written by every command that changes something.
const SMALL: usize = 128 << 10;
/// Larger ones at most once in so many microseconds.
const PAUSE: i64 = 1_000_000;

/// What was written last.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Written {
    /// The log it follows from, and how much of it.
    log: Option<FileMark>,
    end: u64,
    at: Stamp,
    /// The files of hooks that were written, by agent.
    hooks: BTreeMap<String, Hook>,
    /// The last event that the files of molecules were written after.
    #[serde(default)]
    mols: Option<OrderKey>,
}

const ATTRIBUTES: &str = "# Logs of events: two branches are merged by taking the lines of both.\n*.jsonl merge=union text eol=lf\n";
/// The longest list of what git ignores that is looked at.
const MAX_IGNORED: u64 = 64 * 1024;
const IGNORE: &str = "# Made from events.jsonl at any time, or of use on one machine alone.\n.windlass/\n.hook-*\nfeed.jsonl\nmols/\n";

/// Makes the folder ready to be written to, where that was not done before.
pub(crate) fn prepare_folder(places: &Places) -> Result<(), StoreError> {
    let beads = places.beads();
    for (name, text) in [(".gitattributes", ATTRIBUTES), (".gitignore", IGNORE)] {
        let path = beads.join(name);
        if !path.exists() {
            write_shared(&path, text.as_bytes())?;
        }
    }
    complete_ignored(&beads.join(".gitignore"))
}

/// Adds what was not known of when the list of what git ignores was written; if it is our own, and does not speak of it.
fn complete_ignored(path: &Path) -> Result<(), StoreError> {
    let Some(bytes) = read_file(path, MAX_IGNORED)? else {
        return Ok(());
    };
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Ok(());
    };
    let (title, known) = IGNORE.split_once('\n').unwrap_or_default();
    if !text.contains(title) {
        return Ok(());
    }
    let speaks_of = |entry: &str| {
        let name = entry.trim_matches('/');
        text.lines().any(|line| line.contains(name))
    };
    let missing: Vec<&str> = known.lines().filter(|entry| !speaks_of(entry)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let text = format!(
        "{}\n{}\n",
        text.trim_end_matches(['\r', '\n']),
        missing.join("\n")
    );
    write_shared(path, text.as_bytes())
}

/// A projection as a file: one line each.
fn text_of<R: Record>(table: &Table<R>) -> Vec<u8> {
    let mut text = Vec::with_capacity(table.line_bytes());
    for (_, found) in table.iter() {
        text.extend(found.line().iter());
        text.push(b'\n');
    }
    text
}

/// The files that follow from the state, by name.
pub(crate) fn files(ledger: &Ledger) -> Result<Vec<(&'static str, Vec<u8>)>, LedgerError> {
    let state = ledger.state();
    Ok(vec![
        ("issues.jsonl", text_of(&state.beads)),
        ("messages.jsonl", text_of(&state.messages)),
        ("feed.jsonl", feed(ledger)?),
    ])
}

/// A file of a molecule.
struct MolFile {
    name: String,
    /// What stands in it; nothing if it is not there.
    text: Option<Vec<u8>>,
}

fn mol_files(molecule: &Molecule) -> Result<[MolFile; 2], LedgerError> {
    let mut text = serde_json::to_vec_pretty(&molecule.to_file())?;
    text.push(b'\n');
    let how = molecule.closing.as_ref().map(|closing| closing.how);
    let is_archived = how == Some(PutAway::Squashed);
    let (open, archived) = match how {
        None => (Some(text), None),
        Some(_) => (None, Some(text).filter(|_| is_archived)),
    };
    let id = &molecule.id;
    Ok([
        MolFile {
            name: format!("mols/{id}.json"),
            text: open,
        },
        MolFile {
            name: format!("mols/{id}.archive.json"),
            text: archived,
        },
    ])
}

/// The files of the molecules that something happened to since an event; of all if there is none.
fn all_mol_files(state: &State, since: Option<&OrderKey>) -> Result<Vec<MolFile>, LedgerError> {
    let since = since.map(|key| key.timestamp().to_millis().micros());
    let mut files = Vec::new();
    for (_, found) in state.molecules.iter() {
        let is_old = found
            .head()
            .is_some_and(|head| since.is_some_and(|since| head.changed < since));
        if !is_old && let Some(molecule) = found.record() {
            files.extend(mol_files(&molecule)?);
        }
    }
    Ok(files)
}

fn write_mols(ledger: &Ledger, since: Option<&OrderKey>) -> Result<(), LedgerError> {
    ledger.places().check_links()?;
    for MolFile { name, text } in all_mol_files(ledger.state(), since)? {
        let path = ledger.places().beads().join(&name);
        match text {
            Some(text) if read_file(&path, u64::MAX)?.as_ref() != Some(&text) => {
                write_shared(&path, &text)?;
            }
            Some(_) => {}
            None if path.exists() => Disk::default().remove(&path)?,
            None => {}
        }
    }
    Ok(())
}

/// The newest events, as they stand in the log.
fn feed(ledger: &Ledger) -> Result<Vec<u8>, LedgerError> {
    let recent = &ledger.state().small.recent;
    let (Some(log), Some(first)) = (ledger.log(), recent.iter().map(|place| place.start).min())
    else {
        return Ok(Vec::new());
    };
    let bytes = log.read(first, ledger.end())?;
    let mut text = Vec::new();
    for place in recent {
        let start = usize::try_from(place.start - first).unwrap_or(usize::MAX);
        let line = bytes.get(start..start.saturating_add(place.bytes as usize));
        text.extend(line.unwrap_or_default().trim_ascii_end());
        text.push(b'\n');
    }
    Ok(text)
}

/// Writes them, where they are old and it is time; in any case if `now_or_never`.
pub(crate) fn refresh(ledger: &Ledger, now: Stamp, in_any_case: bool) -> Result<(), LedgerError> {
    let Some(log) = ledger.log() else {
        return Ok(());
    };
    let (places, mark) = (ledger.places(), log.mark()?);
    if !places.beads().is_dir() {
        return Ok(());
    }
    let note = places.home().join("written.json");
    let is_due = |written: &Written| {
        let is_same = written.log.is_some_and(|log| log.is_same_file(&mark));
        let is_old = !is_same || written.end < ledger.end();
        let size = ledger.state().beads.line_bytes() + ledger.state().messages.line_bytes();
        let is_time = size <= SMALL || !is_same || now.since(written.at).abs() >= PAUSE;
        is_old && is_time
    };
    if !in_any_case && !is_due(&read_note(&note)) {
        return Ok(());
    }
    // Whoever writes them already may be as far, or the next command finds them old.
    let timeout = if in_any_case {
        Duration::from_secs(5)
    } else {
        Duration::ZERO
    };
    let lock = places.home().join("write.lock");
    let guard = match Lock::acquire_promptly(&lock, timeout, "windlass") {
        Ok(guard) => guard,
        Err(_) if !in_any_case => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let written = read_note(&note);
    if in_any_case || is_due(&written) {
        for (name, text) in files(ledger)? {
            let path = places.beads().join(name);
            if read_file(&path, u64::MAX)?.as_ref() != Some(&text) {
                write_shared(&path, &text)?;
            }
        }
        // What was merged may have changed molecules long ago.
        let is_plain = !in_any_case && !ledger.was_merged();
        let since = written.mols.as_ref().filter(|_| is_plain);
        let is_same = written.log.is_some_and(|log| log.is_same_file(&mark));
        write_mols(ledger, since.filter(|_| is_same))?;
        write_hooks(places, &written.hooks, ledger.state().hooks());
        let written = Written {
            mols: ledger.state().last().cloned(),
            log: Some(mark),
            end: ledger.end(),
            at: now,
            hooks: ledger.state().hooks().clone(),
        };
        let text = serde_json::to_vec(&written)?;
        write_atomic(&note, &text, Durability::Relaxed)?;
    }
    drop(guard);
    Ok(())
}

fn read_note(path: &std::path::Path) -> Written {
    let bytes = read_file(path, 1 << 26).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Writes the files of hooks that changed, and removes those of hooks that are empty now. What fails is made good by
/// the next command.
pub(crate) fn write_hooks(
    places: &Places,
    before: &BTreeMap<String, Hook>,
    after: &BTreeMap<String, Hook>,
) {
    for (agent, hook) in before {
        let is_used = after.values().any(|other| other.path == hook.path);
        if after.get(agent) != Some(hook) && !is_used {
            let _ = Disk::default().remove(&places.root().join(&hook.path));
        }
    }
    for (agent, hook) in after {
        let path = places.root().join(&hook.path);
        if before.get(agent) != Some(hook) || !is_written(&path, hook) {
            let _ = write_shared(&path, hook.text().as_bytes());
        }
    }
}

/// Whether the file of `hook` says what it should.
fn is_written(path: &std::path::Path, hook: &Hook) -> bool {
    let text = hook.text();
    let there = read_file(path, text.len() as u64).ok().flatten();
    there.is_some_and(|there| there == text.as_bytes())
}

/// What the files beside the log should be, for who compares them.
pub(crate) fn stale_files(ledger: &Ledger) -> Result<Vec<String>, LedgerError> {
    let mut stale = Vec::new();
    for MolFile { name, text } in all_mol_files(ledger.state(), None)? {
        if read_file(&ledger.places().beads().join(&name), u64::MAX)? != text {
            stale.push(name);
        }
    }
    for hook in ledger.state().hooks().values() {
        if !is_written(&ledger.places().root().join(&hook.path), hook) {
            stale.push(hook.path.trim_start_matches(".beads/").to_owned());
        }
    }
    for (name, text) in files(ledger)? {
        let there = read_file(&ledger.places().beads().join(name), u64::MAX)?;
        if there.unwrap_or_default() != text {
            stale.push(name.to_owned());
        }
    }
    Ok(stale)
}

/// Whether two states give the same files.
pub(crate) fn are_alike(one: &State, other: &State) -> bool {
    text_of(&one.beads) == text_of(&other.beads)
        && text_of(&one.messages) == text_of(&other.messages)
        && text_of(&one.molecules) == text_of(&other.molecules)
        && text_of(&one.plans) == text_of(&other.plans)
        && one.small == other.small
}
