//! Search for a text in files other than its own, by its rarest lines.
//!
//! Only lines count that their file did not have when the text was captured. Whatever was already
//! there is a copy, never the original.

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::{RepairMethod, RepoPath};
use windlass_repo::Snapshot;

use crate::old_text::OldText;
use crate::params;
use crate::place::Place;
use crate::reciprocal::explained_by_others;
use crate::shared::{map_between, text_of};
use crate::sought::{FilesWith, files_with, rarest_lines};
use crate::text::{Range, Text};
use crate::windows::best_places;

#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    /// Locations of new lines that equal the text or are similar to it, best first.
    pub(crate) places: Vec<Place>,
    /// Similar locations that the text explains only in part, e.g. because it was extended. At most
    /// one per file.
    pub(crate) grown: Vec<Place>,
    /// A location with the whole text, most of whose lines are new. It proves nothing if some of
    /// them were there before.
    pub(crate) whole: Option<Place>,
    /// Largest similarity of the text to any new lines, in percent, including lines that other text
    /// of its old file explains better.
    pub(crate) most: u32,
    /// True if all files with its rarest lines were compared.
    pub(crate) complete: bool,
}

impl std::fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = if self.complete { "all" } else { "not all" };
        write!(f, "{all} other files with its rarest lines were compared; ")?;
        write!(
            f,
            "up to {} % of it is new there, in {} similar places",
            self.most,
            self.places.len()
        )?;
        self.places
            .first()
            .map_or(Ok(()), |best| write!(f, ", {best} with {} %", best.kept))
    }
}

/// Searches all files except `own` for the text of `old`.
///
/// If there are too many to compare, those that match the globs of `zone` come first.
pub(crate) fn look_elsewhere(
    snapshot: &Snapshot,
    old: &OldText,
    own: &[RepoPath],
    zone: &[String],
) -> Elsewhere {
    let sought = rarest_lines(&old.text, old.lines);
    let files_with = |globs: &[String]| {
        let mut found = files_with(snapshot, &sought, globs);
        found.files.retain(|path| !own.contains(path));
        found
    };
    if sought.is_empty() {
        return Elsewhere::default();
    }
    let FilesWith {
        mut files,
        complete,
    } = files_with(&[]);
    let mut all = Elsewhere {
        complete: complete && files.len() <= params::MAX_FILES_COMPARED,
        ..Elsewhere::default()
    };
    if !all.complete && !zone.is_empty() {
        // We can't compare all of these files, so we start with those in the zone.
        let nearer = files_with(zone).files;
        files.retain(|path| !nearer.contains(path));
        files.splice(0..0, nearer);
    }
    for file in files.iter().take(params::MAX_FILES_COMPARED) {
        let Some(there) = places_in(snapshot, old, file) else {
            all.complete = false;
            continue;
        };
        all.most = all.most.max(there.most);
        all.places.extend(there.places);
        all.grown.extend(there.grown);
        all.whole = all.whole.or(there.whole);
    }
    let places = &mut all.places;
    places.sort_by(|a, b| (b.kept, &a.file, a.lines).cmp(&(a.kept, &b.file, b.lines)));
    all
}

/// Returns true if another file contained at least `least` percent of the text when it was
/// captured.
///
/// Only files with its rarest line are inspected, so a variant without this line is missed; see
/// [`had_variants`]. Returns `None` if there are too many such files, if the text has no line to
/// search for, or if git fails.
pub(crate) fn had_copies(
    snapshot: &Snapshot,
    old: &OldText,
    own: &RepoPath,
    least: u32,
) -> Option<bool> {
    had_copies_by(1, snapshot, old, own, least)
}

/// Checks the same as [`had_copies`] for files with any of the rarest lines.
///
/// A location that is only similar to the text needs this wider check, because a variant of the
/// text may lack the rarest line.
pub(crate) fn had_variants(
    snapshot: &Snapshot,
    old: &OldText,
    own: &RepoPath,
    least: u32,
) -> Option<bool> {
    had_copies_by(usize::MAX, snapshot, old, own, least)
}

/// Implements [`had_copies`] and [`had_variants`] for the `most` rarest lines.
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
        if others.len() > params::MAX_FILES_COMPARED && nr > 0 {
            // A line in this many files is no evidence if a rarer one was searched for already.
            continue;
        }
        if others.iter().take(params::MAX_FILES_COMPARED).any(has_it) {
            return Some(true);
        }
        // None of the files that we compared had the text, but we couldn't compare them all.
        if others.len() > params::MAX_FILES_COMPARED {
            return None;
        }
        looked_at.extend(others.into_iter().cloned());
    }
    (!lines.is_empty()).then_some(false)
}

fn old_text(snapshot: &Snapshot, commit: &str, path: &RepoPath) -> Option<Arc<Text>> {
    text_of(snapshot, &snapshot.history().file(commit, None, path).ok()?)
}

/// Returns the first location in `file` that contains the whole text and at least one non-trivial
/// new line.
pub(crate) fn whole_in(snapshot: &Snapshot, old: &OldText, file: &RepoPath) -> Option<Place> {
    let text = text_of(snapshot, &snapshot.read(file).ok()?)?;
    let before = old_text(snapshot, &old.commit, file);
    let map = before.map(|before| map_between(snapshot, &before, &text));
    let is_new = |at: usize| map.as_ref().is_none_or(|map| !map.is_carried(at));
    let mut places = whole_places(old, &text, file);
    places.find(|place| {
        let mut lines = place.lines.iter();
        lines.any(|at| is_new(at) && !text.is_trivial(at))
    })
}

/// Returns up to [`params::MAX_LOCATIONS`] locations in `text`, the contents of `file`, that
/// contain the whole text of `old`.
fn whole_places<'a>(
    old: &OldText,
    text: &Text,
    file: &'a RepoPath,
) -> impl Iterator<Item = Place> + 'a {
    let length = old.lines.len();
    let starts = text
        .places_of(old.keys(), params::MAX_LOCATIONS)
        .into_iter();
    starts.map(move |start| Place {
        file: file.clone(),
        lines: Range::new(start, start + length),
        kept: 100,
        method: RepairMethod::OtherFile,
    })
}

/// Searches the new lines of `file` for the text. Returns `None` if the file cannot be compared.
fn places_in(snapshot: &Snapshot, old: &OldText, file: &RepoPath) -> Option<Elsewhere> {
    let text = text_of(snapshot, &snapshot.read(file).ok()?)?;
    let before = old_text(snapshot, &old.commit, file);
    let map = before.map(|before| map_between(snapshot, &before, &text));
    let is_new = |at: usize| map.as_ref().is_none_or(|map| !map.is_carried(at));
    let is_mostly_new = |place: &Place| {
        let new = place.lines.iter().filter(|at| is_new(*at));
        new.map(|at| text.weight(at)).sum::<u32>() * 2 > text.weight_of(place.lines)
    };
    let exact = whole_places(old, &text, file).filter(is_mostly_new);
    let mut found = Elsewhere {
        complete: true,
        most: 100,
        ..Elsewhere::default()
    };
    for place in exact {
        found.whole = found.whole.or_else(|| Some(place.clone()));
        if place.lines.iter().all(is_new) {
            found.places.push(place);
        }
    }
    // Nothing similar can be better than the exact text in new lines.
    if !found.places.is_empty() {
        return Some(found);
    }
    let alike = best_places(old.part(), &text, is_new, file);
    found.most = alike
        .iter()
        .chain(&found.whole)
        .map(|place| place.kept)
        .max()
        .unwrap_or(0);
    for place in alike {
        match explained(old, &text, place.lines) {
            Explained::Best => found.places.push(place),
            Explained::InPart if found.grown.is_empty() => found.grown.push(place),
            Explained::InPart | Explained::ByOthers => {}
        }
    }
    let mut similar = found.places.iter().filter(|place| place.kept == 100);
    found.whole = found.whole.or_else(|| similar.next().cloned());
    Some(found)
}

/// Origin of the lines at a location, as far as comparing them with the old file shows it.
enum Explained {
    /// The text, which explains the location far better than any other text of its old file does.
    Best,
    /// The text, but only a part of it, or hardly more likely than other text of its old file.
    InPart,
    /// Other text of the old file.
    ByOthers,
}

fn explained(old: &OldText, text: &Text, place: Range) -> Explained {
    let own = old.explains(text, place);
    let others = explained_by_others(old, text, place, |_| true);
    if own >= params::HALF && others + params::MARGIN <= own {
        Explained::Best
    } else if own > others {
        Explained::InPart
    } else {
        Explained::ByOthers
    }
}
