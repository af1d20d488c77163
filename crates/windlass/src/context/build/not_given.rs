//! Results whose failures the pack before has, and which were not given again: nobody knows how what failed goes now.

use std::collections::BTreeSet;

use windlass_context::{ArtifactRef, Source, SourceKind, failure_item};

use super::Builder;
use crate::Error;

impl Builder<'_> {
    /// Tells which results of the pack before have failures that these neither have nor mend, since they were not given again.
    pub(super) fn tell_results_not_given(&mut self) -> Result<(), Error> {
        let delta = self.pack.delta.as_ref();
        let Some(id) = delta.and_then(|delta| delta.since.as_ref()?.pack_id) else {
            return Ok(());
        };
        let before = match self.workspace.kept_pack(id)? {
            Some(pack) => pack,
            None => {
                let name = self.request.since.as_deref().unwrap_or_default();
                let start = &self.request.start;
                self.workspace.find_pack(name, start, &self.snapshot)?
            }
        };
        let is_told: BTreeSet<&str> = delta
            .iter()
            .flat_map(|delta| {
                let fails = delta.failures.iter().map(|failure| &failure.id);
                fails.chain(&delta.resolved)
            })
            .map(String::as_str)
            .collect();
        let given: BTreeSet<&str> = self.pack.artifacts.iter().filter_map(file_of).collect();
        let failures = before.delta.iter().flat_map(|delta| &delta.failures);
        let open: BTreeSet<String> = failures
            .filter(|failure| !is_told.contains(failure.id.as_str()))
            .map(|failure| failure_item(&failure.id))
            .collect();
        let origins = before.provenance.iter().flat_map(|it| &it.items);
        let results = origins.filter(|it| open.contains(&it.item));
        let paths: BTreeSet<&str> = results
            .filter_map(|it| it.source.path.as_deref())
            .filter(|path| !given.contains(path))
            .collect();
        for path in paths {
            let source = Source {
                kind: SourceKind::Pack,
                ..Source::default()
            };
            self.tell(not_given(path), vec![source]);
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
