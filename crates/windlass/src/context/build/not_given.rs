//! Results whose failures the pack before has, and which were not given again or say nothing of them: nobody knows how what failed
//! goes now.

use std::collections::{BTreeMap, BTreeSet};

use windlass_context::{ArtifactRef, Source, SourceKind, failure_item};

use super::ran::may_be_one;
use super::{Builder, safe};
use crate::Error;

impl Builder<'_> {
    /// Tells which results of the pack before have failures that these neither have nor mend, since they were not
    /// given again or do not name them.
    pub(super) fn tell_results_not_given(&mut self) -> Result<(), Error> {
        let Some(before) = self.pack_before()? else {
            return Ok(());
        };
        let delta = self.pack.delta.as_ref();
        let told: Vec<&str> = delta
            .iter()
            .flat_map(|delta| {
                let fails = delta.failures.iter().map(|failure| &failure.id);
                fails.chain(&delta.resolved)
            })
            .map(String::as_str)
            .collect();
        let given: BTreeSet<&str> = self.pack.artifacts.iter().filter_map(file_of).collect();
        let origins = before.provenance.iter().flat_map(|it| &it.items);
        let paths: BTreeMap<&str, &str> = origins
            .filter_map(|it| Some((it.item.as_str(), it.source.path.as_deref()?)))
            .collect();
        let mut open: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for failure in before.delta.iter().flat_map(|delta| &delta.failures) {
            let is_told = told.iter().any(|id| may_be_one(id, &failure.id));
            let path = paths.get(&*failure_item(&failure.id)).copied();
            if let Some(path) = path.filter(|_| !is_told) {
                open.entry(path).or_default().push(&failure.id);
            }
        }
        let notes = open
            .into_iter()
            .map(|(path, failures)| match given.contains(path) {
                true => not_named(path, &failures),
                false => not_given(path),
            });
        let notes: Vec<String> = notes.collect();
        for note in notes {
            let source = Source {
                kind: SourceKind::Pack,
                ..Source::default()
            };
            self.tell(safe(&note), vec![source]);
        }
        Ok(())
    }
}

/// The file that an artifact is.
fn file_of(artifact: &ArtifactRef) -> Option<&str> {
    artifact.reference.strip_prefix("file:")
}

fn not_given(path: &str) -> String {
    format!(
        "`{path}`, whose failures the pack before has, was not given again: whether they still fail is not known"
    )
}

/// So many failures are named by a note.
const NAMED: usize = 3;

/// On results that say nothing of what failed by them before.
fn not_named(path: &str, failures: &[&str]) -> String {
    let shown = failures.iter().take(NAMED);
    let mut named: Vec<String> = shown.map(|id| format!("`{id}`")).collect();
    if failures.len() > NAMED {
        named.push(format!("{} more", failures.len() - NAMED));
    }
    format!(
        "`{path}` does not show whether what failed in the pack before was run and passed: {}",
        named.join(", ")
    )
}
