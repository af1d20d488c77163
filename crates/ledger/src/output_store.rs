//! Stores the step outputs that are too large for the log.
//!
//! Each output is a file named by its digest, in a folder beside the log. We store the output
//! before we append the event that refers to it. If the ledger is shared, the output also goes to
//! the shared log's backend. `events sync` copies it into the working tree, so that git carries it
//! along with the events. Readers look in all of these places and check the digest.

use std::collections::BTreeSet;

use windlass_store::{Durability, RootedPath, read_file, write_atomic, write_shared};

use crate::molecule::StoredOutput;
use crate::shared::{Replica, SharedError, SharedLog};
use crate::{LedgerError, Places, fold};

/// Maximum size of an output: 256 MiB, or 1 MiB in tests. A step with a larger output cannot
/// complete; the error suggests to write a file and return its name instead.
const MAX_BYTES: u64 = if cfg!(test) { 1 } else { 256 } << 20;

const FOLDER: &str = "outputs";

pub(crate) type Blob = (StoredOutput, Vec<u8>);

/// Reads the JSON of an output from this machine. Returns `None` if it is missing or damaged here;
/// unlike [`read`], this never asks the shared log's backend.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub(crate) fn local(
    places: &Places,
    stored: &StoredOutput,
) -> Result<Option<Vec<u8>>, LedgerError> {
    for path in paths(places, stored) {
        let bytes = read_file(&path, MAX_BYTES)?;
        if let Some(bytes) = bytes.filter(|bytes| StoredOutput::of(bytes) == *stored) {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

/// Reads the JSON of an output, from this machine if possible and otherwise from the shared log's
/// backend. A downloaded output is stored here, so we only ask once.
///
/// # Errors
/// Returns [`LedgerError::NoOutput`] if neither has it or it does not match its digest, or another
/// error if the backend cannot be reached.
pub(crate) fn read(
    places: &Places,
    replica: Option<&mut Replica>,
    stored: &StoredOutput,
) -> Result<Vec<u8>, LedgerError> {
    // This also rejects an invalid digest, so do it before anything else.
    let own = path(&places.home(), stored)?;
    if let Some(bytes) = local(places, stored)? {
        return Ok(bytes);
    }
    let Some(replica) = replica.filter(|replica| !replica.is_offline()) else {
        return Err(LedgerError::no_output(
            stored,
            "this machine doesn't have it",
        ));
    };
    let bytes = download(replica, stored)?;
    if let Err(error) = write_atomic(&own, &bytes, Durability::Relaxed) {
        tracing::debug!(%error, "an output was read but not stored on this machine");
    }
    Ok(bytes)
}

/// Downloads the outputs that `lines` refer to, unless this machine has them already. Returns the
/// number of outputs that the backend does not have either.
///
/// # Errors
/// Returns an error if the backend cannot be reached, or a file cannot be read or written.
pub(crate) fn download_missing(
    places: &Places,
    replica: &mut Replica,
    lines: &[u8],
) -> Result<usize, LedgerError> {
    let mut missing = BTreeSet::new();
    for stored in references(lines) {
        let own = path(&places.home(), &stored);
        let found = own.and_then(|own| match local(places, &stored)? {
            Some(_) => Ok(()),
            None => {
                let bytes = download(replica, &stored)?;
                Ok(write_atomic(&own, &bytes, Durability::Fsync)?)
            }
        });
        match found {
            // If nobody has one of the outputs, go on with the others.
            Err(LedgerError::NoOutput { blake3, .. }) => drop(missing.insert(blake3)),
            found => found?,
        }
    }
    Ok(missing.len())
}

fn download(replica: &mut Replica, stored: &StoredOutput) -> Result<Vec<u8>, LedgerError> {
    let why = match replica.blob(&stored.blake3)? {
        Some(bytes) if StoredOutput::of(&bytes) == *stored => return Ok(bytes),
        Some(_) => "the shared ledger has other contents for it",
        None => "neither this machine nor the shared ledger has it",
    };
    Err(LedgerError::no_output(stored, why))
}

/// Checks the size before we store an output. Without this check, we would write a file that we
/// then refuse to read.
///
/// # Errors
/// Returns an error if it is too large.
pub(crate) fn check_size(stored: &StoredOutput) -> Result<(), LedgerError> {
    match stored.bytes {
        bytes if bytes > MAX_BYTES => Err(LedgerError::Invalid(format!(
            "the output has {bytes} bytes, but at most {MAX_BYTES} are allowed: write it to a file and let the output name that file"
        ))),
        _ => Ok(()),
    }
}

/// Stores outputs on this machine and syncs them to disk.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub(crate) fn keep_all(places: &Places, blobs: &[Blob]) -> Result<(), LedgerError> {
    for (stored, bytes) in blobs {
        write_atomic(&path(&places.home(), stored)?, bytes, Durability::Fsync)?;
    }
    Ok(())
}

/// Copies the outputs that `lines` refer to into the caller's working tree, replacing damaged
/// copies.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub(crate) fn copy_to_tree(places: &Places, lines: &[u8]) -> Result<(), LedgerError> {
    for stored in references(lines) {
        let path = path(&places.tracked(), &stored)?;
        // Replace a copy that can't be read, as if it were damaged.
        let copy = read_file(&path, MAX_BYTES).ok().flatten();
        if copy.is_none_or(|copy| StoredOutput::of(&copy) != stored)
            && let Some(bytes) = local(places, &stored)?
        {
            write_shared(&path, &bytes)?;
        }
    }
    Ok(())
}

/// Stores the outputs that `lines` refer to in the backend of `link`. We leave out those that we
/// do not have: their events may come from a clone that does not have them either.
///
/// # Errors
/// Returns an error if a file cannot be read, or the backend cannot store an output.
pub(crate) fn send(
    places: &Places,
    lines: &[u8],
    link: &mut dyn SharedLog,
) -> Result<(), SharedError> {
    for stored in references(lines) {
        let bytes = local(places, &stored);
        let bytes = bytes.map_err(|error| SharedError::Refused(error.to_string()))?;
        if let Some(bytes) = bytes {
            link.put_blob(&stored.blake3, &bytes)?;
        }
    }
    Ok(())
}

pub(crate) fn references(lines: &[u8]) -> impl Iterator<Item = StoredOutput> {
    #[derive(serde::Deserialize)]
    struct Reference {
        stored_output: Option<StoredOutput>,
    }
    // Few events refer to an output, and parsing all of them takes long. So search for the field's
    // name first, and only parse the lines that have it.
    let mark = memchr::memmem::Finder::new(b"\"stored_output\":").into_owned();
    let lines = fold::lines(lines, 0).map(|(_, line)| line);
    let lines = lines.filter(move |line| mark.find(line).is_some());
    lines.filter_map(|line| {
        let event = fold::event_of(line)?;
        let data: Reference = serde_json::from_str(event.data.get()).ok()?;
        data.stored_output
    })
}

fn paths(places: &Places, stored: &StoredOutput) -> Vec<RootedPath> {
    let folders = [places.home(), places.beads(), places.tracked()];
    let paths = folders.iter().map(|folder| path(folder, stored));
    paths.filter_map(Result::ok).collect()
}

/// Path of an output's file.
///
/// # Errors
/// Returns an error if the digest is not valid hexadecimal. References come from the log, so
/// without this check they could name any path.
fn path(folder: &RootedPath, stored: &StoredOutput) -> Result<RootedPath, LedgerError> {
    let digest = &stored.blake3;
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    match is_digest {
        true => Ok(folder.join(FOLDER).join(format!("{digest}.json"))),
        false => Err(LedgerError::no_output(stored, "its digest is invalid")),
    }
}
