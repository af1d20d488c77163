//! Finding a text again by what was noted of it alone: hashes of its lines and of those around it. This is all there is
//! where no commit has the text: without git, or where it was never committed.
//!
//! Less can be proven than with the old text. What is elsewhere now may always have been there, unless it was noted that
//! no other place had it.

use windlass_base::{Capture, RepairMethod, RepoPath, SourceHash};
use windlass_repo::{Snapshot, SourceFile};

use crate::capture::line_index::LineIndex;
use crate::capture::shift::places_now;
use crate::place::Place;
use crate::shared::text_of;
use crate::text::{Range, Text};

/// Minimum number of letters and digits of a text that is looked for in other files.
const MIN_INFORMATION_ELSEWHERE: u32 = 40;

/// Share of the text that may still be in its own file when it is said to be in another, in percent of its weight.
const MAX_LEFT: u64 = 34;

/// Share of lines that have to be between the former neighbours of the text, and to be of the text there, in percent.
const MIN_KEPT: usize = 50;

/// Share of the text that may have been elsewhere in its file, in percent, where a place is claimed for its surroundings.
const MAX_LOOK_ALIKE: u8 = 50;

/// Maximum number of places that are inspected.
const MAX_PLACES: usize = 4;

/// Findings.
#[derive(Debug)]
pub(crate) enum Noted {
    /// The text is there, as it was or edited.
    Place(Place),
    /// It may be at one of these.
    Several(Vec<Place>),
    /// No place, for this reason.
    Nothing(&'static str),
}

/// Looks for the text of `capture`, which was in `file`; `source` is that file as it is now, if it is there.
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

/// Between the lines that were around it, if most of it is there, and most of what is there is of it.
fn between_neighbours(file: &RepoPath, source: &SourceFile, capture: &Capture) -> Option<Place> {
    let wanted = capture.line_hashes.as_ref()?.as_slice();
    let (before, after) = (
        capture.before.as_ref()?.as_slice(),
        capture.after.as_ref()?.as_slice(),
    );
    capture
        .look_alike
        .filter(|alike| *alike <= MAX_LOOK_ALIKE)?;
    let table = source.line_table();
    // Lines that stand once in the file, and as near to each other as they did.
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
    // Were it the text as it was, it would have its hash and have been found by that: what was noted is of another text.
    if now.len() > wanted.len() * 2 || now == wanted {
        return None;
    }
    let kept = in_common(wanted, now);
    let unique = wanted
        .iter()
        .filter(|hash| once(**hash).is_some_and(|at| start <= at && at < end));
    let is_most = kept * 100 >= wanted.len() * MIN_KEPT && kept * 100 >= now.len() * MIN_KEPT;
    let proof = unique.count();
    (is_most && proof >= 2 && proof * 4 >= wanted.len()).then(|| Place {
        file: file.clone(),
        lines: Range { start, end },
        kept: (kept * 100 / wanted.len()) as u32,
        method: RepairMethod::Surroundings,
    })
}

/// Number of lines that two texts have in common, in order.
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

/// In another file, as it was.
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

/// Places in other files than `file` that have the text as it was; none if that is unknown.
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
        for span in places_now(&there, hash, capture, MAX_PLACES) {
            places.push(Place {
                file: path.clone(),
                lines: Range::of(span),
                kept: 100,
                method: RepairMethod::OtherFile,
            });
        }
        if places.len() >= MAX_PLACES {
            break;
        }
    }
    places
}

/// True if no other file had the text when it was captured, or half of it.
fn was_nowhere_else(capture: &Capture) -> bool {
    let look_alike = capture.look_alike_elsewhere;
    capture.copies_elsewhere == Some(0) && look_alike.is_none_or(|alike| alike <= MAX_LOOK_ALIKE)
}

/// True if the text that is at `place` says enough, and most of it is not in its own file any more.
fn is_telling(snapshot: &Snapshot, place: &Place, own: Option<&SourceFile>) -> bool {
    let text = snapshot.read(&place.file).ok();
    let Some(text) = text.and_then(|source| text_of(snapshot, &source)) else {
        return false;
    };
    text.information(place.lines) >= MIN_INFORMATION_ELSEWHERE
        && own.is_none_or(|own| left_in(&text, place.lines, own) <= MAX_LEFT)
}

/// Share of lines of `text` that is in `own`, in percent of their weight.
fn left_in(text: &Text, lines: Range, own: &SourceFile) -> u64 {
    let table = text.source().line_table();
    let stands = |at: &usize| {
        let hash = table.hashes().get(*at);
        hash.is_some_and(|hash| !own.line_table().lines_with(*hash).is_empty())
    };
    let left = (lines.start..lines.end).filter(stands);
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
