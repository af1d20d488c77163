//! Notes about failures of the earlier pack that may or may not have been fixed.

use std::collections::{BTreeMap, BTreeSet};

use windlass_packs::context::{ArtifactRef, Source, SourceKind};

use super::Outcomes;
use super::failed_before::{FailedBefore, Now};
use super::ran::may_be_one;
use crate::compose::nameable::safe;
use windlass_site::Error;

impl Outcomes<'_, '_> {
    /// Adds a note for each result file of the earlier pack with a failure that isn't reported
    /// again but doesn't pass either. Perhaps the file was not given again, or it doesn't name the
    /// test. Without the note, an agent could believe that the failure has been fixed.
    pub(super) fn tell_results_not_given(&mut self) -> Result<(), Error> {
        let Some(before) = self.pack_before()? else {
            return Ok(());
        };
        let delta = self.draft.pack.delta.as_ref();
        let told: Vec<&str> = delta
            .iter()
            .flat_map(|delta| {
                let fails = delta.failures.iter().map(|failure| &failure.id);
                fails.chain(&delta.resolved)
            })
            .map(String::as_str)
            .collect();
        let given: BTreeSet<&str> = self
            .draft
            .pack
            .artifacts
            .iter()
            .filter_map(file_of)
            .collect();
        let then = FailedBefore::of(&before);
        let mut open: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for failure in &then.failures {
            if told.iter().any(|id| may_be_one(id, &failure.id)) {
                continue;
            }
            for path in then.paths_of(failure) {
                if then.now_by(path, &self.whole, failure) != Now::Passed {
                    open.entry(path).or_default().push(&failure.id);
                }
            }
        }
        let (shown, not_given): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|(path, _)| given.contains(path));
        let notes = shown
            .iter()
            .map(|(path, failures)| not_named(path, failures));
        let paths: Vec<&str> = not_given.iter().map(|(path, _)| *path).collect();
        let notes: Vec<String> = notes.chain(not_given_again(&paths)).collect();
        for note in notes {
            let source = Source {
                kind: SourceKind::Pack,
                ..Source::default()
            };
            self.draft.tell(self.ground.site, safe(&note), vec![source]);
        }
        Ok(())
    }
}

fn file_of(artifact: &ArtifactRef) -> Option<&str> {
    artifact.reference.strip_prefix("file:")
}

/// We name this many failures, followed by "N more".
const NAMED: usize = 3;

fn named(all: &[&str]) -> String {
    let shown = all.iter().take(NAMED);
    let mut named: Vec<String> = shown.map(|name| format!("`{name}`")).collect();
    if all.len() > NAMED {
        named.push(format!("{} more", all.len() - NAMED));
    }
    named.join(", ")
}

fn not_given_again(paths: &[&str]) -> Option<String> {
    let were = match paths.len() {
        0 => return None,
        1 => "was",
        _ => "were",
    };
    let named = named(paths);
    Some(format!(
        "{named} {were} not passed again, so it is unknown if the failures of the earlier pack remain"
    ))
}

fn not_named(path: &str, failures: &[&str]) -> String {
    format!(
        "`{path}` does not show if the failures of the earlier pack were run and passed: {}; pass results that name passed tests, such as JUnit XML",
        named(failures)
    )
}
