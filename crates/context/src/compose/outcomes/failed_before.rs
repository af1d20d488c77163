//! What failed in the pack before, by which results, and what the results that were named now say of it.

use std::collections::BTreeMap;

use windlass_packs::context::{ContextPack, TestNames, failure_item};
use windlass_results::Failure;

use super::ran::Ran;

/// What results that were named now say of a failure of the pack before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Now {
    /// That it was run and passed.
    Passed,
    /// Nothing.
    NotShown,
    /// They were not given again, or not to their end.
    NotGiven,
}

/// The failures of a pack, with the results by which they failed.
#[derive(Default)]
pub(crate) struct FailedBefore<'p> {
    pub(crate) failures: Vec<&'p Failure>,
    /// Which results said so, by the part of the pack: one may fail by several.
    paths: BTreeMap<&'p str, Vec<&'p str>>,
    /// Which tests each file of results had.
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

    /// By which files of results `failure` failed; by none where nobody says.
    pub(super) fn paths_of(&self, failure: &Failure) -> &[&'p str] {
        let paths = self.paths.get(&*failure_item(&failure.id));
        paths.map_or(&[], Vec::as_slice)
    }

    /// Whether the results at `path`, which `ran` has read, show that `failure` passed.
    pub(crate) fn has_passed_by(&self, path: &str, ran: &Ran, failure: &Failure) -> bool {
        // Another program had a test of this name.
        let other = format!(" ({path})");
        let id = failure.id.strip_suffix(&other).unwrap_or(&failure.id);
        ran.has_passed(id, failure.kind, self.names.get(path).copied())
    }

    /// What the results at `path`, of all those that were given, say of `failure` now.
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

    /// Whether `failure` passed by all results by which it failed, as far as those that were given now show it.
    pub(super) fn has_passed(&self, given: &BTreeMap<String, Ran>, failure: &Failure) -> bool {
        let paths = self.paths_of(failure);
        if !paths.is_empty() {
            let now = |path: &&str| self.now_by(path, given, failure);
            return paths.iter().all(|path| now(path) == Now::Passed);
        }
        // Nobody says by which results it failed: it is mended where those that were named now name it.
        let mut all = given.values();
        all.any(|ran| ran.has_passed(&failure.id, failure.kind, None))
    }
}
