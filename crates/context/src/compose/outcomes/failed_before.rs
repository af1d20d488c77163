//! The failures of an earlier pack, and what the present results tell about them. We compare a
//! failure with the result files that showed it.

use std::collections::BTreeMap;

use windlass_packs::context::{ContextPack, TestNames, failure_item};
use windlass_results::Failure;

use super::ran::Ran;

/// The present state of a failure in the earlier pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Now {
    /// The test ran and passed.
    Passed,
    /// The results are here, but the test is not mentioned.
    NotShown,
    /// The result file was not given again, or it is incomplete.
    NotGiven,
}

#[derive(Default)]
pub(super) struct FailedBefore<'p> {
    pub(super) failures: Vec<&'p Failure>,
    /// The result files of each part, since several of them may show the same failure.
    paths: BTreeMap<&'p str, Vec<&'p str>>,
    /// The names of tests in each result file.
    names: BTreeMap<&'p str, &'p TestNames>,
}

impl<'p> FailedBefore<'p> {
    pub(super) fn of(pack: &'p ContextPack) -> Self {
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

    /// The result files that showed `failure`. This is empty if the pack does not tell.
    pub(super) fn paths_of(&self, failure: &Failure) -> &[&'p str] {
        let paths = self.paths.get(&*failure_item(&failure.id));
        paths.map_or(&[], Vec::as_slice)
    }

    /// True if the test of `failure` has passed, according to the results `ran` at `path`.
    pub(super) fn has_passed_by(&self, path: &str, ran: &Ran, failure: &Failure) -> bool {
        // Two programs may have a test of the same name. The ID then has the path at the end.
        let other = format!(" ({path})");
        let id = failure.id.strip_suffix(&other).unwrap_or(&failure.id);
        ran.has_passed(id, failure.kind, self.names.get(path).copied())
    }

    /// The present state of `failure` in the result file `path`. `given` has the present results by
    /// path.
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

    /// True if the test of `failure` has passed, according to all result files that showed the
    /// failure.
    pub(super) fn has_passed(&self, given: &BTreeMap<String, Ran>, failure: &Failure) -> bool {
        let paths = self.paths_of(failure);
        if !paths.is_empty() {
            let now = |path: &&str| self.now_by(path, given, failure);
            return paths.iter().all(|path| now(path) == Now::Passed);
        }
        // We don't know these files, so any results that name the test will do. It may be a test of
        // the same name in another program, but that's rare.
        let mut all = given.values();
        all.any(|ran| ran.has_passed(&failure.id, failure.kind, None))
    }
}
