//! Files beside the log, derived from the state.
//!
//! Every writer produces the same bytes, so that git sees no spurious changes. In a large ledger,
//! rewriting everything on every change would get slow, which is why some files are written less
//! often:
//!
//! | file of `.beads/` | written |
//! |---|---|
//! | `issues.jsonl`, `messages.jsonl` | by `events sync`; by every change without git or if ignored, rarely if large |
//! | `.gitattributes` | by `events sync`; by the first change without git |
//! | `mols/*.json` | by every change, rarely if large and open; git ignores them |
//! | `.hook-*`, `feed.jsonl` | by every change; git ignores them |
//! | `.gitignore` | by the first change, if missing; it ignores itself |

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_store::{
    Durability, DurableLog, FileMark, Lock, LockRequest, MAX_LOG_BYTES, RootedPath, StoreError,
    has_bytes, read_file, remove_file, write_atomic, write_derived, write_shared,
};

use crate::event::OrderKey;
use crate::hook::Hook;
use crate::journal::applied_log::AppliedLog;
use crate::molecule::{Molecule, PutAway};
use crate::state::{Found, State, Table};
use crate::stored_record::Record;
use crate::{LedgerError, Places, Stamp};

/// Number of records up to which every change rewrites the files of beads and messages. Above this,
/// we write less often (see [`interval_for`]).
const MAX_EAGER_RECORDS: usize = 256;
/// Minimum interval between writes of larger files, in microseconds for each [`MAX_EAGER_RECORDS`]
/// records. Since the interval grows with the file, writing only takes up a small part of the time.
const WRITE_INTERVAL: i64 = 100_000;

/// Note about the last write of the side files, from which we see if they are out of date.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Written {
    /// The log's identity at the last write, with the number of bytes applied by then in `end`.
    log: Option<FileMark>,
    end: u64,
    at: Stamp,
    hooks: BTreeMap<String, Hook>,
    #[serde(default)]
    mols: Option<OrderKey>,
    /// Time of the last write that covered all changed molecule files.
    #[serde(default)]
    mols_at: Stamp,
}

const ATTRIBUTES: &str = "# Logs of events: two branches are merged by taking the lines of both.\n*.jsonl merge=union text eol=lf\n";
/// Maximum size of a `.gitignore` file to read, in bytes.
const MAX_IGNORED: u64 = 64 * 1024;
/// Contents of `.beads/.gitignore`. It ignores itself, so writing it leaves the working tree clean.
const IGNORE: &str = "# Made from events.jsonl at any time, or of use on one machine alone.\n.windlass/\n.hook-*\nfeed.jsonl\nmols/\n.gitignore\n";
const IGNORE_FILE: &str = ".gitignore";

/// Creates the untracked files needed in `.beads`. If the repository uses git, no tracked file
/// changes.
pub(crate) fn prepare_folder(places: &Places) -> Result<(), StoreError> {
    if !places.has_git() {
        return prepare_tracked(places);
    }
    write_new(&places.beads(), IGNORE_FILE, IGNORE)
}

pub(crate) fn prepare_tracked(places: &Places) -> Result<(), StoreError> {
    let folder = places.tracked();
    write_new(&folder, ".gitattributes", ATTRIBUTES)?;
    write_new(&folder, IGNORE_FILE, IGNORE)?;
    complete_ignored(&folder.join(IGNORE_FILE))
}

fn write_new(folder: &RootedPath, name: &str, text: &str) -> Result<(), StoreError> {
    let path = folder.join(name);
    match path.is_there() {
        true => Ok(()),
        false => write_shared(&path, text.as_bytes()),
    }
}

/// Returns true if every change has to write the file `name` of `.beads`.
///
/// This is the case without git, or if `.beads/.gitignore` lists the file. Otherwise git may track
/// the file, and every command would leave a modified file in the working tree. We then only write
/// it on an explicit sync.
fn at_once(places: &Places, name: &str) -> Result<bool, StoreError> {
    if !places.has_git() {
        return Ok(true);
    }
    let ignored = read_file(&places.beads().join(IGNORE_FILE), MAX_IGNORED)?.unwrap_or_default();
    let mut lines = ignored.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    Ok(lines.any(|line| line.strip_prefix(b"/").unwrap_or(line) == name.as_bytes()))
}

/// Adds missing entries to `.gitignore` if Windlass wrote that file. A user may have commented out
/// an entry on purpose, so that does not count as missing.
fn complete_ignored(path: &RootedPath) -> Result<(), StoreError> {
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
    // Never add `.gitignore` itself. An older one may be tracked, and git would no longer show
    // changes to it.
    let speaks_of = |entry: &str| {
        let name = entry.trim_matches('/');
        name == IGNORE_FILE || text.lines().any(|line| line.contains(name))
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

fn text_of<R: Record>(table: &Table<R>) -> Vec<u8> {
    let mut text = Vec::new();
    for (_, found) in table.iter() {
        text.extend(found.line().iter());
        text.push(b'\n');
    }
    text
}

fn rows(state: &State) -> [(&'static str, Vec<u8>); 2] {
    [
        ("issues.jsonl", text_of(&state.beads)),
        ("messages.jsonl", text_of(&state.messages)),
    ]
}

struct MolFile {
    name: String,
    /// The file's contents, or `None` if the file must not exist.
    text: Option<Vec<u8>>,
}

fn mol_files(molecule: &Molecule) -> Result<[MolFile; 2], LedgerError> {
    let mut text = serde_json::to_vec_pretty(&molecule.to_file())?;
    text.push(b'\n');
    // A squashed molecule leaves an archive file behind, and a burned one leaves nothing.
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

fn changed_mols<'a>(
    state: &'a State,
    since: Option<&OrderKey>,
) -> impl Iterator<Item = Cow<'a, Molecule>> + use<'a> {
    let since = since.map(|key| key.timestamp().to_millis().micros());
    // `changed` may be rounded to milliseconds, so compare whole milliseconds. We may check a few
    // molecules too many this way, but none too few.
    let is_old = move |found: &Found<'_, Molecule>| {
        let head = found.head();
        head.is_some_and(|head| since.is_some_and(|since| head.changed < since))
    };
    let changed = state
        .molecules
        .iter()
        .filter(move |(_, found)| !is_old(found));
    changed.filter_map(|(id, _)| state.molecule(id))
}

#[derive(Debug, Default)]
struct MolWrite {
    written: usize,
    is_partial: bool,
}

/// Writes the files of the molecules changed after `since`. `elapsed` is the time in microseconds
/// since all of them were last written; if that is too recent for a large molecule, we leave it for
/// later.
fn write_mols(
    places: &Places,
    state: &State,
    since: Option<&OrderKey>,
    elapsed: i64,
) -> Result<MolWrite, LedgerError> {
    places.check_links()?;
    let mut done = MolWrite::default();
    for molecule in changed_mols(state, since) {
        if molecule.is_open() && elapsed < interval_for(molecule.steps.len()) {
            done.is_partial = true;
            continue;
        }
        done.written += 1;
        for MolFile { name, text } in mol_files(&molecule)? {
            let path = places.beads().join(&name);
            match text {
                Some(text) => write_derived(&path, &text)?,
                None if path.is_there() => remove_file(&path)?,
                None => {}
            }
        }
    }
    Ok(done)
}

/// Returns the time between two writes of `count` records, in microseconds. This rounds down, so up
/// to [`MAX_EAGER_RECORDS`] records the interval is 0.
fn interval_for(count: usize) -> i64 {
    i64::try_from(count / MAX_EAGER_RECORDS).map_or(i64::MAX, |times| times * WRITE_INTERVAL)
}

/// Writes the derived files that are out of date. Files that git tracks are left alone unless
/// `everything` is set.
pub(crate) fn refresh(
    places: &Places,
    log: &DurableLog,
    applied: &AppliedLog,
    now: Stamp,
    everything: bool,
) -> Result<(), LedgerError> {
    let (state, mark) = (applied.state(), log.mark()?);
    // Only a full refresh may create the folder.
    if !everything && !places.beads().is_folder() {
        return Ok(());
    }
    let note = places.home().join("written.json");
    let is_old = |written: &Written| {
        let is_same = written.log.is_some_and(|log| log.is_same_file(&mark));
        everything || !is_same || written.end < applied.end()
    };
    if !is_old(&read_note(&note)) {
        return Ok(());
    }
    // Only a full refresh waits for the lock. In other cases, the process holding it is probably
    // writing the same files. If it isn't, the next command updates them.
    let timeout = if everything {
        Duration::from_secs(5)
    } else {
        Duration::ZERO
    };
    let lock = places.home().join("write.lock");
    let guard = match Lock::acquire(&lock, &LockRequest::new(timeout, "windlass")) {
        Ok(guard) => guard,
        Err(_) if !everything => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    // Another process may have written the files while we waited for the lock.
    let written = read_note(&note);
    if is_old(&written) {
        let is_same = written.log.is_some_and(|log| log.is_same_file(&mark));
        let rows_at = write_rows(places, state, now, everything, &written)?;
        // A merge may have changed old molecules, so all their files have to be checked.
        let is_plain = !everything && !applied.was_merged() && is_same;
        let since = written.mols.as_ref().filter(|_| is_plain);
        let elapsed = match since {
            Some(_) => now.since(written.mols_at).saturating_abs(),
            None => i64::MAX,
        };
        let done = write_mols(places, state, since, elapsed)?;
        let has_same_hooks = written.hooks == *state.hooks();
        if is_plain && done.written == 0 && rows_at == written.at && has_same_hooks {
            // Most changes of beads get here, and need no new note because they wrote nothing.
            return Ok(());
        }
        // If some molecules were left for later, keep the old position, so that the next refresh
        // still finds them changed.
        let (mols, mols_at) = match done.is_partial {
            false => (state.last().cloned(), now),
            true => (written.mols, written.mols_at),
        };
        write_hooks(places, &written.hooks, state.hooks());
        let written = Written {
            mols,
            mols_at,
            log: Some(mark),
            end: applied.end(),
            at: rows_at,
            hooks: state.hooks().clone(),
        };
        let text = serde_json::to_vec(&written)?;
        write_atomic(&note, &text, Durability::Relaxed)?;
    }
    drop(guard);
    Ok(())
}

/// Writes the files with one line per bead or message, if it is time to. Returns the time of their
/// last write.
fn write_rows(
    places: &Places,
    state: &State,
    now: Stamp,
    everything: bool,
    written: &Written,
) -> Result<Stamp, LedgerError> {
    let count = state.beads.count() + state.messages.count();
    let is_time = now.since(written.at).saturating_abs() >= interval_for(count);
    if !everything && !is_time {
        return Ok(written.at);
    }
    let names = ["issues.jsonl", "messages.jsonl"];
    let live = names.map(|name| at_once(places, name));
    if !everything && !live.iter().any(|live| matches!(live, Ok(true))) {
        return Ok(written.at);
    }
    for ((name, text), live) in rows(state).into_iter().zip(live) {
        let folder = match live? {
            true => places.beads(),
            false if everything => places.tracked(),
            false => continue,
        };
        let path = folder.join(name);
        if read_file(&path, MAX_LOG_BYTES)?.as_ref() != Some(&text) {
            write_shared(&path, &text)?;
        }
    }
    Ok(now)
}

fn read_note(path: &RootedPath) -> Written {
    let bytes = read_file(path, 1 << 26).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Writes changed hook files and removes those of empty hooks. We ignore failures, because the next
/// command tries again.
pub(crate) fn write_hooks(
    places: &Places,
    before: &BTreeMap<String, Hook>,
    after: &BTreeMap<String, Hook>,
) {
    for (agent, hook) in before {
        // After a hook was cleared, another agent may get the same path.
        let is_used = after.values().any(|other| other.path == hook.path);
        if after.get(agent) != Some(hook) && !is_used {
            let _ = remove_file(&places.in_root(&hook.path));
        }
    }
    for hook in after.values() {
        let path = places.in_root(&hook.path);
        // The log has everything in the file, so a failure loses nothing.
        let _ = write_derived(&path, hook.text().as_bytes());
    }
}

pub(crate) fn stale_files(places: &Places, state: &State) -> Result<Vec<String>, LedgerError> {
    let mut stale = Vec::new();
    for molecule in changed_mols(state, None) {
        for MolFile { name, text } in mol_files(&molecule)? {
            let place = places.beads().join(&name);
            let is_right = match text {
                Some(text) => has_bytes(&place, &text),
                None => !place.is_there(),
            };
            if !is_right {
                stale.push(name);
            }
        }
    }
    for hook in state.hooks().values() {
        if !has_bytes(&places.in_root(&hook.path), hook.text().as_bytes()) {
            stale.push(hook.path.trim_start_matches(".beads/").to_owned());
        }
    }
    for (name, text) in rows(state) {
        let folder = match at_once(places, name)? {
            true => places.beads(),
            false => places.tracked(),
        };
        let place = folder.join(name);
        // A missing file is as good as an empty one.
        let is_right = has_bytes(&place, &text) || text.is_empty() && !place.is_there();
        if !is_right {
            stale.push(name.to_owned());
        }
    }
    Ok(stale)
}

pub(crate) fn are_alike(one: &State, other: &State) -> bool {
    text_of(&one.beads) == text_of(&other.beads)
        && text_of(&one.messages) == text_of(&other.messages)
        && text_of(&one.molecules) == text_of(&other.molecules)
        && text_of(&one.plans) == text_of(&other.plans)
        && one.small == other.small
}
