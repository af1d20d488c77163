//! Lines that a commit moved: it removed them at one location and added them at another.
//!
//! A block of lines counts as moved only if it begins with lines that the whole commit removed
//! exactly once and added exactly once. There is then nothing else that these lines could have
//! become. This misses a block that was moved and copied at the same time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::RepoPath;

use super::file_steps::FileStep;
use crate::params;
use crate::text::{Range, Text};

#[derive(Debug, Default)]
pub(crate) struct Moves {
    to: BTreeMap<(RepoPath, u32), (RepoPath, u32)>,
    taken: BTreeSet<(RepoPath, u32)>,
    /// Keys of all added lines, moved or not.
    added: BTreeSet<u64>,
    /// True if all changed files of the commit were compared. A line that did not move is then
    /// known to be removed.
    pub(crate) complete: bool,
}

impl Moves {
    pub(crate) fn to(&self, file: &RepoPath, line: u32) -> Option<&(RepoPath, u32)> {
        self.to.get(&(file.clone(), line))
    }

    pub(crate) fn is_taken(&self, file: &RepoPath, line: u32) -> bool {
        self.taken.contains(&(file.clone(), line))
    }

    /// Returns true if the commit added a line with this key, in any file.
    pub(crate) fn came(&self, key: u64) -> bool {
        self.added.contains(&key)
    }

    /// Returns the result for a commit that leaves no changed file behind.
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

/// Line of a file, by the index of the file in the steps and the number of the line.
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
    /// The added line for each key, or `None` if several lines have it.
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

    /// Finds the blocks that moved, and groups those that moved together into chains.
    fn chains(&self) -> Vec<Vec<Run>> {
        let mut runs = Vec::new();
        let mut taken = (BTreeSet::new(), BTreeSet::new());
        for (key, old) in &self.removed {
            // Both lines have to be the only one with their key, or we couldn't tell which line
            // moved where.
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
        // Afterwards, blocks that moved between the same two files are neighbors, from top to
        // bottom.
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

    /// Returns true if a chain has too much information to be equal by chance.
    ///
    /// Within a file, all its blocks count together. For a move to another file, one of them has to
    /// be enough.
    fn says_enough(&self, chain: &[Run]) -> bool {
        let said = |run: &Run| {
            let lines = Range::new(run.old.1, run.old.1 + run.lines);
            self.old(run.old.0)
                .map_or(0, |text| text.information(lines))
        };
        let is_within = chain.iter().all(|run| run.old.0 == run.new.0);
        match is_within {
            true => chain.iter().map(said).sum::<u32>() >= params::MIN_INFORMATION_SURE,
            false => chain
                .iter()
                .any(|run| said(run) >= params::MIN_INFORMATION_ELSEWHERE),
        }
    }

    /// Returns true if at least one block is unique in its old and in its new file.
    ///
    /// Lines that many texts contain may have been removed with one text and added with another.
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

    fn take(&self, chain: &[Run], moves: &mut Moves) {
        let Some((old, new)) = chain.first().and_then(|run| {
            let (old, _) = self.steps[run.old.0].from.as_ref()?;
            let (new, _) = self.steps[run.new.0].to.as_ref()?;
            Some((old, new))
        }) else {
            return;
        };
        for run in chain {
            for at in 0..run.lines {
                let from = (old.clone(), (run.old.1 + at) as u32);
                let to = (new.clone(), (run.new.1 + at) as u32);
                moves.taken.insert(to.clone());
                moves.to.insert(from, to);
            }
        }
    }
}

fn follows(last: &Run, next: &Run) -> bool {
    // The blocks of a chain are near each other in both files, and in the same order.
    let gap = |last: Spot, next: Spot, lines: usize| {
        let end = last.1 + lines;
        last.0 == next.0 && end <= next.1 && next.1 - end <= params::MAX_DISTANCE
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
