//! Search for a text by its captured context alone: the hashes of its lines and of the lines around
//! it.
//!
//! This is needed if no commit has the text, because it was never committed or there is no git. The
//! context proves less than the text itself would. In particular, a copy elsewhere may be older
//! than the capture, unless the capture recorded that there was none.

use windlass_base::{Capture, RepairMethod, RepoPath, SourceHash};
use windlass_repo::{Snapshot, SourceFile};

use crate::capture::line_index::LineIndex;
use crate::capture::shift::places_now;
use crate::params;
use crate::place::Place;
use crate::shared::text_of;
use crate::text::{Range, Text};

#[derive(Debug)]
pub(crate) enum Noted {
    /// The location of the text, which may be edited.
    Place(Place),
    /// Locations in other files, none of which is proven.
    Several(Vec<Place>),
    /// Nothing was found, for this reason.
    Nothing(&'static str),
}

/// Searches for the text of `capture`, which was in `file`. `source` is the current contents of
/// that file, if it exists.
pub(crate) fn look(
    snapshot: &Snapshot,
    file: &RepoPath,
    source: Option<&SourceFile>,
    hash: SourceHash,
    capture: &Capture,
) -> Noted {
    if capture.copies_in_file != 1 {
        return Noted::Nothing("the text had copies in its file");
    }
    if let Some(place) = source.and_then(|source| between_neighbours(file, source, capture)) {
        return Noted::Place(place);
    }
    elsewhere(snapshot, file, source, hash, capture)
}

/// Locates the text between the lines that were around it.
///
/// Most of the text must be there, and most of the lines there must be from the text.
fn between_neighbours(file: &RepoPath, source: &SourceFile, capture: &Capture) -> Option<Place> {
    let wanted = capture.line_hashes.as_ref()?.as_slice();
    let (before, after) = (
        capture.before.as_ref()?.as_slice(),
        capture.after.as_ref()?.as_slice(),
    );
    // Give up if another location in the file looked much like the text at capture. The lines
    // between the neighbors could come from there.
    capture
        .look_alike
        .filter(|alike| u32::from(*alike) <= params::HALF)?;
    let table = source.line_table();
    // A former neighbor identifies a location only if it is unique in the file now.
    let once = |hash: u32| match table.lines_with(hash) {
        [only] => Some(*only as usize),
        _ => None,
    };
    let start = before
        .iter()
        .rev()
        .zip(1..)
        .find_map(|(hash, back)| Some(once(*hash)? + back))?;
    let end = after
        .iter()
        .zip(0..)
        .find_map(|(hash, on)| once(*hash)?.checked_sub(on))?;
    let now = table.hashes().get(start..end)?;
    // The unchanged text would have been found by its hash, so the recorded context is that of
    // another text.
    if now.len() > wanted.len() * 2 || now == wanted {
        return None;
    }
    let kept = in_common(wanted, now);
    let unique = wanted
        .iter()
        .filter(|hash| once(**hash).is_some_and(|at| start <= at && at < end));
    let is_most = kept * 100 >= wanted.len() * params::HALF as usize
        && kept * 100 >= now.len() * params::HALF as usize;
    let proof = unique.count();
    (is_most && proof >= 2 && proof * 4 >= wanted.len()).then(|| Place {
        file: file.clone(),
        lines: Range::new(start, end),
        kept: (kept * 100 / wanted.len()) as u32,
        method: RepairMethod::Surroundings,
    })
}

/// Returns the length of the longest common subsequence of two lists of lines.
fn in_common(one: &[u32], other: &[u32]) -> usize {
    let mut row = vec![0usize; other.len() + 1];
    for hash in one {
        let mut diagonal = 0;
        for (at, theirs) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = match hash == theirs {
                true => diagonal + 1,
                false => above.max(row[at]),
            };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or(0)
}

fn elsewhere(
    snapshot: &Snapshot,
    file: &RepoPath,
    source: Option<&SourceFile>,
    hash: SourceHash,
    capture: &Capture,
) -> Noted {
    if source.is_some_and(|source| !places_now(source, hash, capture, 1).is_empty()) {
        return Noted::Nothing("the text stands in its file still");
    }
    let Some(wanted) = &capture.line_hashes else {
        return Noted::Nothing("its lines were not noted one by one");
    };
    let Some(files) = LineIndex::files_with(snapshot, wanted.as_slice()) else {
        return Noted::Nothing("not all other files can be looked at");
    };
    let places = places_in(snapshot, &files, file, hash, capture);
    match &places[..] {
        [] => Noted::Nothing("no other file has the text as it was"),
        [only] if was_nowhere_else(capture) && is_telling(snapshot, only, source) => {
            Noted::Place(only.clone())
        }
        _ => Noted::Several(places),
    }
}

/// Returns the locations of the unchanged text in files other than `file`, as far as they are
/// known.
pub(crate) fn other_places(
    snapshot: &Snapshot,
    file: &RepoPath,
    hash: SourceHash,
    capture: &Capture,
) -> Vec<Place> {
    let wanted = capture.line_hashes.as_ref();
    let files = wanted.and_then(|wanted| LineIndex::files_with(snapshot, wanted.as_slice()));
    places_in(snapshot, &files.unwrap_or_default(), file, hash, capture)
}

fn places_in(
    snapshot: &Snapshot,
    files: &[RepoPath],
    own: &RepoPath,
    hash: SourceHash,
    capture: &Capture,
) -> Vec<Place> {
    let mut places = Vec::new();
    for path in files.iter().filter(|path| *path != own) {
        let Ok(there) = snapshot.read(path) else {
            continue;
        };
        for span in places_now(&there, hash, capture, params::MAX_LOCATIONS) {
            places.push(Place {
                file: path.clone(),
                lines: Range::of(span),
                kept: 100,
                method: RepairMethod::OtherFile,
            });
        }
        if places.len() >= params::MAX_LOCATIONS {
            break;
        }
    }
    places
}

/// Returns true if no other file had half of the text when it was captured.
fn was_nowhere_else(capture: &Capture) -> bool {
    let look_alike = capture.look_alike_elsewhere;
    capture.copies_elsewhere == Some(0)
        && look_alike.is_none_or(|alike| u32::from(alike) <= params::HALF)
}

/// Returns true if the text at `place` has enough information to be claimed, and its own file has
/// lost most of it.
fn is_telling(snapshot: &Snapshot, place: &Place, own: Option<&SourceFile>) -> bool {
    let text = snapshot.read(&place.file).ok();
    let Some(text) = text.and_then(|source| text_of(snapshot, &source)) else {
        return false;
    };
    text.information(place.lines) >= params::MIN_INFORMATION_ELSEWHERE
        && own
            .is_none_or(|own| left_in(&text, place.lines, own) <= u64::from(params::MAX_UNRELATED))
}

/// Returns how much of `lines` the file `own` still has, in percent of their weight.
fn left_in(text: &Text, lines: Range, own: &SourceFile) -> u64 {
    let table = text.source().line_table();
    let stands = |at: &usize| {
        let hash = table.hashes().get(*at);
        hash.is_some_and(|hash| !own.line_table().lines_with(*hash).is_empty())
    };
    let left = lines.iter().filter(stands);
    let left: u64 = left.map(|at| u64::from(text.weight(at))).sum();
    (left * 100)
        .checked_div(u64::from(text.weight_of(lines)))
        .unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_common_keep_their_order() {
        assert_eq!(in_common(&[1, 2, 3, 4], &[9, 1, 3, 2, 4, 4]), 3);
        assert_eq!(in_common(&[1, 2], &[]), 0);
        assert_eq!(in_common(&[], &[1]), 0);
    }
}
