//! Reasons for including files in a context pack, with ranks.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::RepoPath;

use crate::compose::picked_lines::Wish;

/// Minimum rank for including files of the memory and files about the project. Only named and
/// failing files get there.
pub(super) const SAID: u32 = 600;
/// Rank of a file that a name in the goal refers to unambiguously.
pub(super) const NAMED: u32 = 800;
/// Rank of a file with all of the goal's words.
const SPOKEN: f64 = 120.0;

/// The reasons for including a file, and what to show of it.
#[derive(Default)]
pub(super) struct Case {
    pub(super) rank: u32,
    pub(super) why: BTreeSet<String>,
    /// Wanted lines, with each line's rank.
    pub(super) lines: BTreeMap<u32, u32>,
    /// Line ranges to show as they are.
    pub(super) stretches: Vec<Wish>,
    /// Code names in the goal that occur in the file.
    pub(super) names: BTreeSet<String>,
    /// True if the file is generated, in which case we omit its text.
    pub(super) is_generated: bool,
}

impl Case {
    pub(super) fn add(&mut self, rank: u32) {
        self.rank = together(self.rank, rank);
    }
}

/// Combines two ranks. The higher one counts in full, and the lower one by a quarter.
pub(super) fn together(one: u32, other: u32) -> u32 {
    one.max(other) + one.min(other) / 4
}

pub(super) type Cases = BTreeMap<RepoPath, Case>;

/// Returns the rank of a file containing the given share, from 0 to 1, of the goal's words.
pub(super) fn spoken(share: f64) -> u32 {
    (share * SPOKEN).round() as u32
}

/// Adds a reason with its rank for the file at `path`.
pub(super) fn speak(cases: &mut Cases, path: &RepoPath, rank: u32, why: &str) {
    let case = cases.entry(path.clone()).or_default();
    case.add(rank);
    if case.why.len() < 3 {
        case.why.insert(why.to_owned());
    }
}

pub(super) fn want(cases: &mut Cases, path: &RepoPath, line: u32, rank: u32) {
    let wanted = cases
        .entry(path.clone())
        .or_default()
        .lines
        .entry(line)
        .or_default();
    *wanted = rank.max(*wanted);
}
