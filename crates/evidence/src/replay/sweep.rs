//! Continues tracks through one commit.
//!
//! The line map of a changed file carries most of its lines. We look up the others in the moves of
//! the commit, and then try to pair them with similar lines that took their place. If that fails
//! too, the line is recorded as removed, together with what's known about the removal.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use windlass_base::RepoPath;
use windlass_repo::{BlobAt, BlobChange, CommitStep, Snapshot};

use super::contents::{Contents, Readable};
use super::file_steps::{FileStep, step_between};
use super::line_for_line;
use super::moves::Moves;
use super::rivals::Rivals;
use super::track::{Edit, Leave, Line, Track};
use crate::alignment::Alignment;
use crate::params;
use crate::text::{Part, Range, Text};

/// Moves of commits, which are found once for all tracks.
#[derive(Default)]
pub(crate) struct KnownMoves(Mutex<BTreeMap<Ends, Slot>>);

/// The two commits of a comparison.
///
/// A merge is compared with its first parent, and also with the merged branch.
pub(super) type Ends = (Box<str>, Box<str>);

pub(super) fn ends_of(commit: &CommitStep) -> Ends {
    (commit.parent.clone(), commit.commit.clone())
}

type Slot = Arc<OnceLock<Arc<Moves>>>;

pub(crate) struct Sweep<'a> {
    snapshot: &'a Snapshot,
    moves: &'a KnownMoves,
}

/// A changed file that contains followed lines, before and after a commit.
struct Touched<'a> {
    change: &'a BlobChange,
    step: Arc<FileStep>,
    /// True if both sides could be compared and the new side is certainly the same file.
    is_sure: bool,
}

/// A followed line that the line map does not carry through the commit.
#[derive(Debug, Clone, Copy)]
struct Left {
    /// Number of the line in the track.
    number: u32,
    /// Number of the line before the commit.
    at: u32,
    /// Index of its file in the touched files.
    file: usize,
}

impl<'a> Sweep<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, moves: &'a KnownMoves) -> Self {
        Self { snapshot, moves }
    }

    pub(crate) fn through<'t>(
        &self,
        commit: &CommitStep,
        tracks: impl Iterator<Item = &'t mut Track>,
    ) {
        let mut touched: BTreeMap<usize, Touched<'_>> = BTreeMap::new();
        let rivals = LazyCell::new(|| Rivals::of(commit));
        for track in tracks {
            track.steps += 1;
            track.rename(&commit.changes);
            let holds = |change: &BlobChange| {
                let from = change.from.as_ref();
                from.is_some_and(|from| track.files.contains_key(&from.path))
            };
            let changes = commit.changes.iter().enumerate();
            let held: Vec<usize> = changes
                .filter(|(_, change)| holds(change))
                .map(|(nr, _)| nr)
                .collect();
            for nr in &held {
                // Compare each file only once, even if several tracks have lines in it.
                touched
                    .entry(*nr)
                    .or_insert_with(|| self.touch(&rivals, &commit.changes[*nr]));
            }
            let files: Vec<&Touched<'_>> = held.iter().filter_map(|nr| touched.get(nr)).collect();
            if !files.is_empty() {
                self.follow(track, commit, &files);
            }
        }
    }

    fn touch<'c>(&self, rivals: &Rivals<'_>, change: &'c BlobChange) -> Touched<'c> {
        // If git may have paired the wrong files, don't compare the old file with anything. Its
        // lines can then only be found as moved.
        let is_it = !rivals.has(self.snapshot, change);
        let to = change.to.as_ref().filter(|_| is_it);
        let step = step_between(self.snapshot, change.from.as_ref(), to);
        Touched {
            change,
            is_sure: is_it && step.from.is_some() && step.to.is_some() == change.to.is_some(),
            step,
        }
    }

    fn follow(&self, track: &mut Track, commit: &CommitStep, files: &[&Touched<'_>]) {
        let nr_of = |path: &RepoPath| {
            let is_it = |file: &&Touched<'_>| file.from().is_some_and(|from| from.path == *path);
            files.iter().position(is_it)
        };
        let when = track.steps;
        track.commits.insert(when, commit.commit.to_string());
        let mut left: Vec<Left> = Vec::new();
        for (number, line) in &mut track.lines {
            let Some((path, at)) = &line.at else { continue };
            let Some(file) = nr_of(path) else { continue };
            let (number, at) = (*number, *at);
            match (
                files[file].step.carried(at as usize),
                &files[file].change.to,
            ) {
                (Some(now), Some(to)) => {
                    line.move_to((to.path.clone(), now as u32), Edit::None, when);
                }
                _ => left.push(Left { number, at, file }),
            }
        }
        // Remove all old paths before adding the new ones. If two files have swapped their names,
        // each path is both.
        for from in files.iter().filter_map(|file| file.from()) {
            track.files.remove(&from.path);
        }
        let moved_to = files.iter().filter_map(|file| file.change.to.as_ref());
        let moved_to = moved_to.map(|to| (to.path.clone(), to.blob.to_string()));
        track.files.extend(moved_to);
        if !left.is_empty() {
            self.find(track, commit, files, &left);
        }
        track.tidy();
    }

    /// Finds out what happened to the lines in `left`.
    ///
    /// The result for a line doesn't depend on which other lines are followed. [`Track::absorb`]
    /// relies on that to combine tracks.
    fn find(&self, track: &mut Track, commit: &CommitStep, files: &[&Touched<'_>], left: &[Left]) {
        let when = track.steps;
        let mut gaps: BTreeMap<(usize, usize), Gap> = BTreeMap::new();
        for one in left {
            let file = files[one.file];
            let (Some(from), Some(line)) = (file.from(), track.lines.get_mut(&one.number)) else {
                continue;
            };
            // Either copy may be the original, so we can't follow this line any further.
            if file.is_sure && file.step.is_copied(one.at as usize) {
                line.lose(when, Leave::Copied);
                continue;
            }
            let start = file.start_of_gap(one.at as usize);
            let gap = gaps.entry((one.file, start)).or_insert_with(|| {
                let moves = self.moves_for(commit, file, start);
                Gap::of(file, start, moves)
            });
            if let Some(to) = gap.moves.to(&from.path, one.at) {
                // At a new location, an edited line cannot be told from another line.
                let edit = match line.is_same() {
                    true => Edit::None,
                    false => Edit::Loose,
                };
                line.move_to(to.clone(), edit, when);
                if let Some(blob) = blob_at(commit, &to.0) {
                    track.files.insert(to.0.clone(), blob.to_owned());
                }
                continue;
            }
            match (gap.aligned.get(&one.at), &file.change.to) {
                (Some((now, edit)), Some(to)) => {
                    line.move_to((to.path.clone(), *now), *edit, when);
                }
                _ => file.lose(line, one.at as usize, &gap.moves, when),
            }
        }
    }

    /// Returns the moves of the commit.
    ///
    /// If the gap of `file` that begins at `start` has hardly any information, only moves within
    /// the file are searched for, which is faster.
    fn moves_for(&self, commit: &CommitStep, file: &Touched<'_>, start: usize) -> Arc<Moves> {
        let letters = file.step.from.as_ref().map_or(0, |(_, text)| {
            let left = (start..text.len()).take_while(|at| file.step.carried(*at).is_none());
            left.map(|at| text.letters(at)).sum()
        });
        if letters >= params::MIN_INFORMATION {
            return self.moves.of(self.snapshot, commit);
        }
        Arc::new(Moves::of(std::slice::from_ref(&file.step), file.is_sure))
    }
}

/// Adjacent lines of a file that the line map does not carry.
struct Gap {
    moves: Arc<Moves>,
    /// Similar lines that took the place of lines of the gap, by removed line.
    aligned: BTreeMap<u32, (u32, Edit)>,
}

impl Gap {
    fn of(file: &Touched<'_>, start: usize, moves: Arc<Moves>) -> Self {
        let aligned = aligned_lines(file, start, &moves);
        Self { moves, aligned }
    }
}

impl Touched<'_> {
    /// Returns the first line of the gap that contains `at`.
    fn start_of_gap(&self, at: usize) -> usize {
        let before = (0..at).rev();
        let left = before.take_while(|at| self.step.carried(*at).is_none());
        left.last().unwrap_or(at)
    }

    fn from(&self) -> Option<&BlobAt> {
        self.change.from.as_ref()
    }

    fn lose(&self, line: &mut Line, at: usize, moves: &Moves, when: u32) {
        let text = self.step.from.as_ref().map(|(_, text)| text);
        // Nearly every commit adds a line such as `}`, so trivial lines aren't a sign that the text
        // was put back.
        let came = text.is_none_or(|text| !text.is_trivial(at) && moves.came(text.keys()[at]));
        let left = match (self.is_sure && moves.complete, came) {
            (false, _) => Leave::Unseen,
            (true, true) => Leave::Doubtful,
            (true, false) => Leave::Clean,
        };
        line.lose(when, left);
    }
}

impl KnownMoves {
    fn of(&self, snapshot: &Snapshot, commit: &CommitStep) -> Arc<Moves> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(known.entry(ends_of(commit)).or_default());
        drop(known);
        Arc::clone(slot.get_or_init(|| Arc::new(moves_of(snapshot, commit))))
    }
}

fn moves_of(snapshot: &Snapshot, commit: &CommitStep) -> Moves {
    let left = files_left(commit);
    // This would take too long. The default isn't `complete`, so the lines without a location will
    // be `Leave::Unseen`.
    if left > params::MAX_COMMIT_FILES {
        return Moves::default();
    }
    let mut complete = commit.complete;
    // The commit only deletes files, so nothing can have moved.
    if left == 0 {
        return Moves::nothing_came(complete);
    }
    let mut lines = 0;
    let mut steps = Vec::new();
    let contents = snapshot.kept::<Contents>();
    let rivals = Rivals::of(commit);
    for change in &commit.changes {
        for at in change.from.iter().chain(&change.to) {
            match contents.read(snapshot, at) {
                Readable::Text(text) => lines += text.len(),
                // Moves into this file are not found. Before a text is reported as deleted, the
                // file is searched separately (see `taken_out`).
                Readable::Binary(_) => {}
                // No line can move into a deleted file, so it is not needed.
                Readable::No => complete &= change.to.as_ref() != Some(at),
            }
        }
        if lines > params::MAX_COMMIT_LINES {
            return Moves::default();
        }
        steps.push(match rivals.has(snapshot, change) {
            true => Arc::default(),
            false => step_between(snapshot, change.from.as_ref(), change.to.as_ref()),
        });
    }
    Moves::of(&steps, complete)
}

/// Number of changed files that still exist after the commit.
pub(super) fn files_left(commit: &CommitStep) -> usize {
    let changes = commit.changes.iter();
    changes.filter(|change| change.to.is_some()).count()
}

fn blob_at<'c>(commit: &'c CommitStep, path: &RepoPath) -> Option<&'c str> {
    let mut after = commit
        .changes
        .iter()
        .filter_map(|change| change.to.as_ref());
    Some(&after.find(|to| to.path == *path)?.blob)
}

/// Pairs the lines of the gap around line `at` with similar lines that took their place, between
/// the same unchanged neighbors.
fn aligned_lines(file: &Touched<'_>, at: usize, moves: &Moves) -> BTreeMap<u32, (u32, Edit)> {
    let (Some((from, old)), Some((to, new))) = (&file.step.from, &file.step.to) else {
        return BTreeMap::new();
    };
    let (gap, place) = gap_around(&file.step, old, new, at);
    let is_open = |line: usize| file.step.is_added(line) && !moves.is_taken(to, line as u32);
    let found = Alignment::of(Part::new(old, gap), Part::new(new, place), is_open).pairs;
    // A line that moved already has a location, even if a similar line took its old place.
    let stayed = |at: usize| moves.to(from, at as u32).is_none();
    let in_place = line_for_line::pairs((old, gap), (new, place), is_open, stayed);
    let found = found.into_iter().filter(|(old, ..)| stayed(*old));
    found
        .map(|(old, new, _)| {
            let edit = match in_place.contains(&(old, new)) {
                true => Edit::InPlace,
                false => Edit::Loose,
            };
            (old as u32, (new as u32, edit))
        })
        .collect()
}

/// Returns the gap that contains `at`, and the range between the same neighbors after the change.
pub(super) fn gap_around(step: &FileStep, old: &Text, new: &Text, at: usize) -> (Range, Range) {
    let carried = |at: usize| step.carried(at);
    let before = (0..at).rev().find_map(|at| Some((at, carried(at)?)));
    let after = (at + 1..old.len()).find_map(|at| Some((at, carried(at)?)));
    let start = before.map_or((0, 0), |(at, to)| (at + 1, to + 1));
    let end = after.unwrap_or((old.len(), new.len()));
    let range = |start: usize, end: usize| Range::new(start, end.max(start));
    (range(start.0, end.0), range(start.1, end.1))
}
