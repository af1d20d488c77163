//! Moved lines: a commit removed them at one location and added them at another.
//!
//! A block of lines has moved if it begins with lines that the whole commit removed exactly once and added exactly
//! once. There is then no other text that it could have become.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{RepoPath, is_on};

use super::file_steps::FileStep;
use crate::alignment::Alignment;
use crate::text::{Part, Range, Text};

/// Minimum number of letters and digits in lines that moved within a file, and below for lines that moved to another
/// file. These are the limits of `git blame -M` and `-C`.
const MIN_INFORMATION: u32 = 20;
const MIN_INFORMATION_ELSEWHERE: u32 = 40;

/// Maximum distance between blocks that moved together, in lines.
const MAX_GAP: usize = 8;

/// Maximum number of edited lines next to a block that count as part of it.
const MAX_EDGE: usize = 3;

/// Lines that a commit moved, with their destinations.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    /// Destination of each line, and true if the line is unchanged.
    to: BTreeMap<(RepoPath, u32), ((RepoPath, u32), bool)>,
    /// Lines to which some line moved.
    taken: BTreeSet<(RepoPath, u32)>,
    /// Keys of all added lines.
    added: BTreeSet<u64>,
    /// True if all changed files of the commit were inspected.
    pub(crate) complete: bool,
}

impl Moves {
    pub(crate) fn to(&self, file: &RepoPath, line: u32) -> Option<&((RepoPath, u32), bool)> {
        self.to.get(&(file.clone(), line))
    }

    /// True if a removed line moved to this line.
    pub(crate) fn is_taken(&self, file: &RepoPath, line: u32) -> bool {
        self.taken.contains(&(file.clone(), line))
    }

    /// True if the commit added a line with this key anywhere.
    pub(crate) fn came(&self, key: u64) -> bool {
        self.added.contains(&key)
    }

    /// Returns the result for a commit that added no lines.
    pub(crate) fn nothing_came(complete: bool) -> Self {
        Self {
            complete,
            ..Self::default()
        }
    }

    pub(crate) fn of(steps: &[Arc<FileStep>], complete: bool) -> Self {
        let finder = Finder::new(steps);
        let mut moves = Self {
            complete,
            added: finder.added.keys().copied().collect(),
            ..Self::default()
        };
        for chain in finder.chains() {
            finder.take(&chain, &mut moves);
        }
        moves
    }
}

/// Location of a line: the index of the file in the steps, and the line.
type Spot = (usize, usize);

/// Block of adjacent lines that were removed at `old` and added at `new`.
#[derive(Debug, Clone, Copy)]
struct Run {
    old: Spot,
    new: Spot,
    lines: usize,
}

struct Finder<'a> {
    steps: &'a [Arc<FileStep>],
    /// Added line for each key. `None` if the key was added more than once.
    added: BTreeMap<u64, Option<Spot>>,
    removed: BTreeMap<u64, Option<Spot>>,
}

impl<'a> Finder<'a> {
    fn new(steps: &'a [Arc<FileStep>]) -> Self {
        let mut finder = Self {
            steps,
            added: BTreeMap::new(),
            removed: BTreeMap::new(),
        };
        for (nr, step) in steps.iter().enumerate() {
            if let Some((_, text)) = &step.to {
                let lines = (0..text.len()).filter(|at| step.is_added(*at));
                count(&mut finder.added, text, lines, nr);
            }
            if let Some((_, text)) = &step.from {
                let lines = (0..text.len()).filter(|at| step.carried(*at).is_none());
                count(&mut finder.removed, text, lines, nr);
            }
        }
        finder
    }

    fn old(&self, step: usize) -> Option<&'a Text> {
        Some(&self.steps[step].from.as_ref()?.1)
    }

    fn new_text(&self, step: usize) -> Option<&'a Text> {
        Some(&self.steps[step].to.as_ref()?.1)
    }

    /// Returns the blocks that moved. Blocks that follow each other closely are in one chain.
    fn chains(&self) -> Vec<Vec<Run>> {
        let mut runs = Vec::new();
        let mut taken = (BTreeSet::new(), BTreeSet::new());
        for (key, old) in &self.removed {
            if let (Some(old), Some(Some(new))) = (old, self.added.get(key))
                && !taken.0.contains(old)
                && !taken.1.contains(new)
                && let Some(run) = self.run(*old, *new, &taken)
            {
                for at in 0..run.lines {
                    taken.0.insert((run.old.0, run.old.1 + at));
                    taken.1.insert((run.new.0, run.new.1 + at));
                }
                runs.push(run);
            }
        }
        runs.sort_by_key(|run| (run.old.0, run.new.0, run.old.1));
        let mut chains: Vec<Vec<Run>> = Vec::new();
        for run in runs {
            match chains.last_mut() {
                Some(chain) if chain.last().is_some_and(|last| follows(last, &run)) => {
                    chain.push(run);
                }
                _ => chains.push(vec![run]),
            }
        }
        chains.retain(|chain| self.says_enough(chain) && self.is_of_one_text(chain));
        chains
    }

    /// Extends a pair of equal lines to a block, in both directions.
    fn run(&self, old: Spot, new: Spot, taken: &(BTreeSet<Spot>, BTreeSet<Spot>)) -> Option<Run> {
        let (ours, theirs) = (self.old(old.0)?, self.new_text(new.0)?);
        let (from, to) = (&self.steps[old.0], &self.steps[new.0]);
        let fits = |a: usize, b: usize| {
            a < ours.len()
                && b < theirs.len()
                && ours.keys()[a] == theirs.keys()[b]
                && from.carried(a).is_none()
                && to.is_added(b)
                && !taken.0.contains(&(old.0, a))
                && !taken.1.contains(&(new.0, b))
        };
        let (mut a, mut b) = (old.1, new.1);
        while a > 0 && b > 0 && fits(a - 1, b - 1) {
            (a, b) = (a - 1, b - 1);
        }
        let mut lines = old.1 - a + 1;
        while fits(a + lines, b + lines) {
            lines += 1;
        }
        Some(Run {
            old: (old.0, a),
            new: (new.0, b),
            lines,
        })
    }

    /// True if a chain is too informative to be due to chance. Within a file, all its blocks count together. For a move
    /// to another file, a single block has to be enough.
    fn says_enough(&self, chain: &[Run]) -> bool {
        let said = |run: &Run| {
            let lines = Range {
                start: run.old.1,
                end: run.old.1 + run.lines,
            };
            self.old(run.old.0)
                .map_or(0, |text| text.information(lines))
        };
        let is_within = chain.iter().all(|run| run.old.0 == run.new.0);
        match is_within {
            true => chain.iter().map(said).sum::<u32>() >= MIN_INFORMATION,
            false => chain
                .iter()
                .any(|run| said(run) >= MIN_INFORMATION_ELSEWHERE),
        }
    }

    /// True if a block in the chain is unique in its old and in its new file. Lines that many texts contain may have
    /// been removed with one text and added with another.
    fn is_of_one_text(&self, chain: &[Run]) -> bool {
        let is_once = |run: &Run| {
            let (Some(ours), Some(theirs)) = (self.old(run.old.0), self.new_text(run.new.0)) else {
                return false;
            };
            let keys = &ours.keys()[run.old.1..run.old.1 + run.lines];
            ours.places_of(keys, 2).len() == 1 && theirs.places_of(keys, 2).len() == 1
        };
        chain.iter().any(is_once)
    }

    /// Records the moves of a chain: its equal lines, and the edited lines between and next to them.
    fn take(&self, chain: &[Run], moves: &mut Moves) {
        let Some((old, new)) = chain.first().and_then(|run| {
            let (old, _) = self.steps[run.old.0].from.as_ref()?;
            let (new, _) = self.steps[run.new.0].to.as_ref()?;
            Some((old, new))
        }) else {
            return;
        };
        let mut note = |a: usize, b: usize, same: bool| {
            let (from, to) = ((old.clone(), a as u32), (new.clone(), b as u32));
            if !moves.to.contains_key(&from) && moves.taken.insert(to.clone()) {
                moves.to.insert(from, (to, same));
            }
        };
        for run in chain {
            for at in 0..run.lines {
                note(run.old.1 + at, run.new.1 + at, true);
            }
        }
        for (a, b) in self.edited(chain) {
            note(a, b, false);
        }
    }

    fn edited(&self, chain: &[Run]) -> Vec<(usize, usize)> {
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else {
            return Vec::new();
        };
        let mut pairs = Vec::new();
        if !is_on("evidence.moved_edits") {
            return pairs;
        }
        for pair in chain.windows(2) {
            let (one, next) = (&pair[0], &pair[1]);
            let old = Range {
                start: one.old.1 + one.lines,
                end: next.old.1,
            };
            let new = Range {
                start: one.new.1 + one.lines,
                end: next.new.1,
            };
            pairs.extend(self.alike(first, old, new));
        }
        let before = (1..=MAX_EDGE.min(first.old.1).min(first.new.1))
            .map(|back| (first.old.1 - back, first.new.1 - back));
        let after =
            (0..MAX_EDGE).map(|on| (last.old.1 + last.lines + on, last.new.1 + last.lines + on));
        for edge in [before.collect::<Vec<_>>(), after.collect()] {
            for (a, b) in edge {
                let one = |at: usize| Range {
                    start: at,
                    end: at + 1,
                };
                let found = self.alike(first, one(a), one(b));
                if found.is_empty() {
                    break;
                }
                pairs.extend(found);
            }
        }
        pairs
    }

    /// Pairs removed lines of `old` with similar lines that were added in `new`.
    fn alike(&self, run: &Run, old: Range, new: Range) -> Vec<(usize, usize)> {
        let (Some(ours), Some(theirs)) = (self.old(run.old.0), self.new_text(run.new.0)) else {
            return Vec::new();
        };
        if old.end > ours.len() || new.end > theirs.len() {
            return Vec::new();
        }
        let (from, to) = (&self.steps[run.old.0], &self.steps[run.new.0]);
        let (old, new) = (
            Part {
                text: ours,
                lines: old,
            },
            Part {
                text: theirs,
                lines: new,
            },
        );
        let pairs = Alignment::of(old, new, |at| to.is_added(at)).pairs;
        pairs
            .into_iter()
            .map(|(a, b, _)| (a, b))
            .filter(|(a, _)| from.carried(*a).is_none())
            .collect()
    }
}

fn follows(last: &Run, next: &Run) -> bool {
    let gap = |last: Spot, next: Spot, lines: usize| {
        let end = last.1 + lines;
        last.0 == next.0 && end <= next.1 && next.1 - end <= MAX_GAP
    };
    gap(last.old, next.old, last.lines) && gap(last.new, next.new, last.lines)
}

fn count(
    into: &mut BTreeMap<u64, Option<Spot>>,
    text: &Text,
    lines: impl Iterator<Item = usize>,
    step: usize,
) {
    for at in lines.filter(|at| !text.is_trivial(*at)) {
        into.entry(text.keys()[at])
            .and_modify(|known| *known = None)
            .or_insert(Some((step, at)));
    }
}
