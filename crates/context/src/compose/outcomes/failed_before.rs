//! Compares failures in the earlier pack, and the result files that showed them, with the current
//! results.

use std::collections::BTreeMap;

use windlass_packs::context::{ContextPack, TestNames, failure_item};
use windlass_results::Failure;

use super::ran::Ran;

/// Possible current states of a failure in the earlier pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Now {
    /// The test ran and passed.
    Passed,
    /// The results don't mention the test.
    NotShown,
    /// The result file wasn't given again, or is incomplete.
    NotGiven,
}

/// A pack's failures, with the result files that showed them.
#[derive(Default)]
pub(crate) struct FailedBefore<'p> {
    pub(crate) failures: Vec<&'p Failure>,
    /// Paths of the result files, by pack part. More than one file can show the same failure.
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

    /// Returns the result files that showed `failure`, or none if we don't know them.
    pub(super) fn paths_of(&self, failure: &Failure) -> &[&'p str] {
        let paths = self.paths.get(&*failure_item(&failure.id));
        paths.map_or(&[], Vec::as_slice)
    }

    /// Returns true if the results `ran` at `path` show that the test of `failure` passed.
    pub(crate) fn has_passed_by(&self, path: &str, ran: &Ran, failure: &Failure) -> bool {
        // The path in the id distinguishes the test from one with the same name in another program.
        let other = format!(" ({path})");
        let id = failure.id.strip_suffix(&other).unwrap_or(&failure.id);
        ran.has_passed(id, failure.kind, self.names.get(path).copied())
    }

    /// Returns the state of `failure` according to the results at `path`, looking them up in
    /// `given`.
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

    /// Returns true if all result files that showed `failure` now show that its test passed.
    pub(super) fn has_passed(&self, given: &BTreeMap<String, Ran>, failure: &Failure) -> bool {
        let paths = self.paths_of(failure);
        if !paths.is_empty() {
            let now = |path: &&str| self.now_by(path, given, failure);
            return paths.iter().all(|path| now(path) == Now::Passed);
        }
        // We don't know which files showed the failure, so accept any current results that name it.
        let mut all = given.values();
        all.any(|ran| ran.has_passed(&failure.id, failure.kind, None))
    }
}
