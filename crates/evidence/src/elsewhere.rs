//! Search for a text in other files, by its rarest lines.
//!
//! A line counts only if its file did not contain it when the text was captured. A text that was already there is a
//! copy and never the original.

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::{RepairMethod, RepoPath};
use windlass_repo::Snapshot;

use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::place::Place;
use crate::reciprocal::{AHEAD, explained_by_others};
use crate::shared::{map_between, text_of};
use crate::sought::{files_with, rarest_lines, rarest_of};
use crate::text::{Part, Range, Text};
use crate::windows::best_places;

/// Maximum number of files to compare.
pub(crate) const MAX_FILES: usize = 40;

/// Minimum share of a location, in percent, that the text has to explain.
const MIN_EXPLAINED: u32 = 50;

/// Minimum share of the text, in percent, that another file has to contain to count as a copy.
pub(crate) const MOST: u32 = 50;

/// Minimum share for a copy if every line of the text was followed to another location.
pub(crate) const NEARLY_ALL: u32 = 90;

/// Result of the search in other files.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    /// New locations that contain the whole text or are similar to it, best first.
    pub(crate) places: Vec<Place>,
    /// New and similar locations that the text explains only in part, such as a text that was extended. There is one
    /// per file at most.
    pub(crate) grown: Vec<Place>,
    /// Location with the whole text, most of which is new. It proves nothing, because its file already contained a line
    /// of the text.
    pub(crate) whole: Option<Place>,
    /// Largest similarity of the text to any new location, in percent. Locations that other text of the old file may
    /// explain are included.
    pub(crate) most: u32,
    /// True if all files were inspected.
    pub(crate) complete: bool,
    /// Description of the result.
    pub(crate) said: String,
}

/// Searches all files except `own` for the text of `old`. If too many files contain its lines, those that match the
/// globs of `zone` come first.
pub(crate) fn look_elsewhere(
    snapshot: &Snapshot,
    old: &OldText,
    own: &[RepoPath],
    zone: &[String],
) -> Elsewhere {
    let sought = rarest_lines(&old.text, old.lines);
    if sought.is_empty() {
        return Elsewhere {
            said: "no line of it says enough to be looked for".to_owned(),
            ..Elsewhere::default()
        };
    }
    let found = match files_with(snapshot, &sought, &[]) {
        Ok(found) => found,
        Err(error) => {
            return Elsewhere {
                said: format!("other files cannot be searched: {error}"),
                ..Elsewhere::default()
            };
        }
    };
    let mut files = found.files;
    files.retain(|path| !own.contains(path));
    let complete = found.complete && files.len() <= MAX_FILES;
    let mut in_zone = 0;
    if !complete && !zone.is_empty() {
        // There are too many files to compare, so those in the zone come first.
        let nearer = files_with(snapshot, &sought, zone).unwrap_or_default();
        let mut nearer = nearer.files;
        nearer.retain(|path| !own.contains(path));
        files.retain(|path| !nearer.contains(path));
        in_zone = nearer.len();
        files.splice(0..0, nearer);
    }
    let (mut places, mut grown, mut whole, mut most, mut unread) =
        (Vec::new(), Vec::new(), None, 0, 0);
    for file in files.iter().take(MAX_FILES) {
        let Some(there) = places_in(snapshot, old, file) else {
            unread += 1;
            continue;
        };
        most = most.max(there.most);
        places.extend(there.proven);
        grown.extend(there.grown);
        whole = whole.or(there.whole);
    }
    places.sort_by(|a, b| (b.kept, &a.file, a.lines).cmp(&(a.kept, &b.file, b.lines)));
    let said = format!(
        "its {} rarest lines stand in {} other files{}; {} places there are new and like it{}; up to {most} % of it is new there",
        sought.len(),
        files.len(),
        match (complete, in_zone) {
            (true, _) => String::new(),
            (false, 0) => " or more".to_owned(),
            (false, in_zone) => format!(" or more, {in_zone} of them in its zone"),
        },
        places.len(),
        places.first().map_or(String::new(), |best| format!(
            ", {best} most: {} %",
            best.kept
        )),
    );
    Elsewhere {
        places,
        grown,
        whole,
        most,
        complete: complete && unread == 0,
        said: match unread {
            0 => said,
            unread => format!("{said}; {unread} of the files cannot be compared"),
        },
    }
}

/// True if other files contained the text, or `least` percent of it, when it was captured. Only files with its rarest
/// line are inspected. Returns `None` if this is unknown.
pub(crate) fn had_copies(
    snapshot: &Snapshot,
    old: &OldText,
    own: &RepoPath,
    least: u32,
) -> Option<bool> {
    had_copies_by(1, snapshot, old, own, least)
}

/// Checks the same as [`had_copies`], but inspects files with any of the rarest lines. A location that is only similar
/// needs this wider check, because a variant of the text may lack the rarest line.
pub(crate) fn had_variants(
    snapshot: &Snapshot,
    old: &OldText,
    own: &RepoPath,
    least: u32,
) -> Option<bool> {
    had_copies_by(usize::MAX, snapshot, old, own, least)
}

/// Checks the same for files with one of the `most` rarest lines.
fn had_copies_by(
    most: usize,
    snapshot: &Snapshot,
    old: &OldText,
    own: &RepoPath,
    least: u32,
) -> Option<bool> {
    let wanted = old.part();
    let has_it = |path: &&RepoPath| {
        let text = old_text(snapshot, &old.commit, path);
        text.is_some_and(|text| {
            let best = best_places(wanted, &text, |_| true, path);
            best.first().is_some_and(|place| place.kept >= least)
        })
    };
    let lines = rarest_lines(&old.text, old.lines);
    let mut looked_at = BTreeSet::from([own.clone()]);
    for (nr, line) in lines.iter().take(most).enumerate() {
        let files = snapshot.history().files_with(&old.commit, line).ok()?;
        let others = files.iter().filter(|path| !looked_at.contains(*path));
        let others: Vec<&RepoPath> = others.collect();
        if others.len() > MAX_FILES && nr > 0 {
            // A frequent line is no evidence if there is a rarer one.
            continue;
        }
        if others.iter().take(MAX_FILES).any(has_it) {
            return Some(true);
        }
        if others.len() > MAX_FILES {
            return None;
        }
        looked_at.extend(others.into_iter().cloned());
    }
    (!lines.is_empty()).then_some(false)
}

/// True if other files contained all unchanged lines that `place` shares with the text of `old` when it was captured.
/// The lines may then come from there. Returns `None` if this is unknown.
pub(crate) fn is_common(
    snapshot: &Snapshot,
    old: &OldText,
    own: &RepoPath,
    place: &Place,
    now: &Text,
) -> Option<bool> {
    let there = &now.keys()[place.lines.start..place.lines.end.min(now.len())];
    let is_there = |at: usize| there.contains(&old.text.keys()[at]);
    let kept = rarest_of(
        &old.text,
        (old.lines.start..old.lines.end).filter(|at| is_there(*at)),
    );
    for line in &kept {
        let files = snapshot.history().files_with(&old.commit, line).ok()?;
        if files.iter().all(|path| path == own) {
            return Some(false);
        }
    }
    Some(!kept.is_empty())
}

fn old_text(snapshot: &Snapshot, commit: &str, path: &RepoPath) -> Option<Arc<Text>> {
    text_of(snapshot, &snapshot.history().file(commit, None, path).ok()?)
}

/// New lines in a file that are similar to the text.
struct There {
    /// Locations that the text explains better than any other text of its old file.
    proven: Vec<Place>,
    /// Most similar location that the text explains only in part and that no other text of the old file explains
    /// better.
    grown: Option<Place>,
    /// First location with the whole text, most of which is new.
    whole: Option<Place>,
    /// Largest similarity of the text to one of the locations, in percent.
    most: u32,
}

/// Returns the location in `file` that contains the whole text and at least one new line.
pub(crate) fn whole_in(snapshot: &Snapshot, old: &OldText, file: &RepoPath) -> Option<Place> {
    let text = text_of(snapshot, &snapshot.read(file).ok()?)?;
    let before = old_text(snapshot, &old.commit, file);
    let map = before.map(|before| map_between(snapshot, &before, &text));
    let is_new = |at: usize| map.as_ref().is_none_or(|map| !map.is_carried(at));
    let mut places = whole_places(old, &text, file);
    places.find(|place| {
        let mut lines = place.lines.start..place.lines.end;
        lines.any(|at| is_new(at) && !text.is_trivial(at))
    })
}

/// Returns the first locations in `text` of `file` that contain the whole text of `old`.
fn whole_places<'a>(
    old: &OldText,
    text: &Text,
    file: &'a RepoPath,
) -> impl Iterator<Item = Place> + 'a {
    /// Maximum number of locations to compare.
    const MOST: usize = 4;
    let length = old.lines.len();
    let starts = text.places_of(old.keys(), MOST).into_iter();
    starts.map(move |start| Place {
        file: file.clone(),
        lines: Range {
            start,
            end: start + length,
        },
        kept: 100,
        method: RepairMethod::OtherFile,
    })
}

/// Finds the new lines in `file` that are similar to the text. Returns `None` if the file cannot be compared.
fn places_in(snapshot: &Snapshot, old: &OldText, file: &RepoPath) -> Option<There> {
    let text = text_of(snapshot, &snapshot.read(file).ok()?)?;
    let before = old_text(snapshot, &old.commit, file);
    let map = before
        .as_ref()
        .map(|before| map_between(snapshot, before, &text));
    let is_new = |at: usize| map.as_ref().is_none_or(|map| !map.is_carried(at));
    let is_mostly_new = |place: &Place| {
        let new = (place.lines.start..place.lines.end).filter(|at| is_new(*at));
        new.map(|at| text.weight(at)).sum::<u32>() * 2 > text.weight_of(place.lines)
    };
    let exact = whole_places(old, &text, file);
    let exact: Vec<Place> = exact.filter(is_mostly_new).collect();
    let whole = exact.first().cloned();
    let is_all_new = |place: &Place| (place.lines.start..place.lines.end).all(is_new);
    let proven: Vec<Place> = exact.into_iter().filter(is_all_new).collect();
    if !proven.is_empty() {
        return Some(There {
            proven,
            grown: None,
            whole,
            most: 100,
        });
    }
    let places = best_places(old.part(), &text, is_new, file);
    let alike = places.iter().chain(&whole).map(|place| place.kept);
    let most = alike.max().unwrap_or(0);
    let (mut proven, mut grown) = (Vec::new(), None);
    for place in places {
        match explained(old, &text, place.lines) {
            Explained::Best => proven.push(place),
            Explained::InPart => grown = grown.or(Some(place)),
            Explained::ByOthers => {}
        }
    }
    let whole = whole.or_else(|| proven.iter().find(|place| place.kept == 100).cloned());
    Some(There {
        proven,
        grown,
        whole,
        most,
    })
}

/// Where the lines at a location come from.
enum Explained {
    /// They come from most of the text, which explains the location far better than any other text of its old file.
    Best,
    /// They come from a part of the text, or the text is only slightly better than other text of its old file.
    InPart,
    /// They come from other text of the old file.
    ByOthers,
}

/// Determines where the lines at `place` in `text` come from.
fn explained(old: &OldText, text: &Text, place: Range) -> Explained {
    let there = Part { text, lines: place };
    let own = Alignment::of(old.part(), there, |_| true).share_of_other(there);
    let others = explained_by_others(old, text, place, |_| true);
    if own >= MIN_EXPLAINED && others + AHEAD <= own {
        Explained::Best
    } else if own > others {
        Explained::InPart
    } else {
        Explained::ByOthers
    }
}
