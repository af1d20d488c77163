//! The reasons for including a file in a pack, and the rank that it has because of them.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::RepoPath;

use crate::compose::picked_lines::Wish;

/// Files of the memory, and files about the project as a whole, need at least this rank. Only files
/// that the request or a failure names get there.
pub(super) const SAID: u32 = 600;
/// Rank of a file that is the only one that a name in the goal can refer to.
pub(super) const NAMED: u32 = 800;
/// Rank of a file with all words of the goal.
const SPOKEN: f64 = 120.0;

/// Reason for including a file, and its included lines.
#[derive(Default)]
pub(super) struct Case {
    pub(super) rank: u32,
    pub(super) why: BTreeSet<String>,
    /// The ranks of wanted lines.
    pub(super) lines: BTreeMap<u32, u32>,
    /// Ranges of lines that should be shown as a whole.
    pub(super) stretches: Vec<Wish>,
    /// Names of code in the goal that the file contains.
    pub(super) names: BTreeSet<String>,
    /// True if the file should be named, but without its text.
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

/// The rank of a file that has this share of the goal's words, from 0 to 1.
pub(super) fn spoken(share: f64) -> u32 {
    (share * SPOKEN).round() as u32
}

/// Adds to the rank of a file. The reason is recorded too, unless there are three already.
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
