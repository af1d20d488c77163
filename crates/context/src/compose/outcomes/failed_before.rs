//! Failures in the earlier pack, the result files that showed them, and what the current results say.

use std::collections::BTreeMap;

use windlass_packs::context::{ContextPack, TestNames, failure_item};
use windlass_results::Failure;

use super::ran::Ran;

/// State that the current results show for a failure in the earlier pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Now {
    /// The test ran and passed.
    Passed,
    /// The results do not mention the test.
    NotShown,
    /// The result file was not given again, or is incomplete.
    NotGiven,
}

/// Failures of a pack, with the result files that showed them.
#[derive(Default)]
pub(crate) struct FailedBefore<'p> {
    pub(crate) failures: Vec<&'p Failure>,
    /// Paths of the result files, by pack part. Several files can show the same failure.
    paths: BTreeMap<&'p str, Vec<&'p str>>,
    /// Test names in each result file.
    names: BTreeMap<&'p str, &'p TestNames>,
}

impl<'p> FailedBefore<'p> {
    pub(crate) fn of(pack: &'p ContextPack) -> Self {
        let mut paths: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for origin in pack.provenance.iter().flat_map(|it| &it.items) {
            if let Some(path) = origin.source.path.as_deref() {
                paths.entry(&origin.item).or_default().push(path);
            }
        }
        let runs = pack.delta.iter().flat_map(|delta| &delta.runs);
        let names = runs.filter_map(|run| match &run.results[..] {
            [only] => Some((only.reference.strip_prefix("file:")?, run.names.as_ref()?)),
            _ => None,
        });
        let delta = pack.delta.iter();
        Self {
            failures: delta.flat_map(|delta| &delta.failures).collect(),
            paths,
            names: names.collect(),
        }
    }

    /// Returns the result files that showed `failure`. The result is empty if they are unknown.
    pub(super) fn paths_of(&self, failure: &Failure) -> &[&'p str] {
        let paths = self.paths.get(&*failure_item(&failure.id));
        paths.map_or(&[], Vec::as_slice)
    }

    /// True if `ran`, which are the results at `path`, show that the test of `failure` passed.
    pub(crate) fn has_passed_by(&self, path: &str, ran: &Ran, failure: &Failure) -> bool {
        // The path was added to the id to distinguish the test from one with the same name in another program.
        let other = format!(" ({path})");
        let id = failure.id.strip_suffix(&other).unwrap_or(&failure.id);
        ran.has_passed(id, failure.kind, self.names.get(path).copied())
    }

    /// Returns the state of `failure` according to the results at `path`. `given` has the results that were given.
    pub(super) fn now_by(
        &self,
        path: &str,
        given: &BTreeMap<String, Ran>,
        failure: &Failure,
    ) -> Now {
        match given.get(path) {
            None => Now::NotGiven,
            Some(ran) if self.has_passed_by(path, ran, failure) => Now::Passed,
            Some(_) => Now::NotShown,
        }
    }

    /// True if all result files that showed `failure` now show that its test passed.
    pub(super) fn has_passed(&self, given: &BTreeMap<String, Ran>, failure: &Failure) -> bool {
        let paths = self.paths_of(failure);
        if !paths.is_empty() {
            let now = |path: &&str| self.now_by(path, given, failure);
            return paths.iter().all(|path| now(path) == Now::Passed);
        }
        // The files that showed the failure are unknown, so any current results that name it are accepted.
        let mut all = given.values();
        all.any(|ran| ran.has_passed(&failure.id, failure.kind, None))
    }
}
