//! Results of tests and compilers: the failures, the number of tests, and earlier failures that
//! have been fixed.
//!
//! A result file has the tests' names and outcomes. We count tests by their names, so that a test
//! that's in two files counts once.
//!
//! We're careful before we claim that a failure has been fixed. Every result file that showed the
//! failure must show now that the test ran and passed, and a test is identified by its full name
//! and location. Otherwise, a test with the same name in another file, or a run of just a few
//! tests, could make us believe that everything is fine. For example, if a test failed in two files
//! and only one of them is given again, we don't know enough.

mod failed_before;
mod failure_places;
mod go_modules;
mod not_given;
mod ran;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_packs::context::{
    ArtifactKind, ArtifactRef, ContextPack, Origin, RESOLVED_ITEM, RunCount, Source, SourceKind,
    TestNames, artifact_item, failure_item,
};
use windlass_repo::{MAX_FILE_BYTES, SourceFile, read_foreign_results};
use windlass_results::{Failure, NamedTest, NotResults, Results, read_results};

use self::failed_before::FailedBefore;
use self::failure_places::settled;
use self::ran::{Ran, may_be_one};
use super::ground::Ground;
use super::nameable::safe;
use super::pack_draft::Draft;
use super::source_notes as notes;
use crate::compose::picked_lines::whole_text;
use crate::context_error::ContextError;
use windlass_site::Error;
use windlass_site::SiteError;
use windlass_site::unreadable;

/// Summary of a file whose format we don't recognize.
const NOT_RECOGNISED: &str = "not recognised as test results";
/// Summary of a file without text.
const EMPTY: &str = "empty: it does not say whether anything fails";
/// This is added if the results are incomplete.
const BROKEN_OFF: &str = ", and not all was run";

/// If a run has more tests than this, the pack doesn't record their names. Each name takes twelve
/// bytes. Without them, a later pack can't compare runs.
const MOST_NAMES: usize = 50_000;

struct NamedResults {
    /// The name that the pack shows.
    shown: String,
    file: Arc<SourceFile>,
    /// True if the file is outside of the repository, so the name has no folder.
    outside: bool,
}

/// Parses results, and replaces secrets afterwards. The other way round, we would miss a secret
/// that's split by escapes or color codes in the raw text.
///
/// # Errors
/// Returns an error if the file isn't well-formed XML.
fn read_safely(text: &str) -> Result<Results, NotResults> {
    let mut found = read_results(text)?;
    let of = |failures: &[Failure]| -> Vec<String> {
        let texts = failures.iter().flat_map(|it| {
            let said = [&it.id, &it.summary].into_iter().chain(&it.detail);
            said.chain(&it.places).cloned()
        });
        texts.collect()
    };
    let names = found.names.iter();
    let names = names.flat_map(|name| [name.key.clone(), name.name.clone()]);
    let names = names.chain(found.files.keys().cloned());
    let all: Vec<String> = of(&found.failures).into_iter().chain(names).collect();
    let all = all.join("\n");
    // There are hardly ever secrets in results, so try all texts at once first.
    if safe(&all) == all {
        return Ok(found);
    }
    let files = std::mem::take(&mut found.files).into_iter();
    found.files = files.map(|(file, count)| (safe(&file), count)).collect();
    for name in &mut found.names {
        name.key = safe(&name.key);
        name.name = safe(&name.name);
    }
    for failure in &mut found.failures {
        let own = [&mut failure.id, &mut failure.summary].into_iter();
        for text in own.chain(&mut failure.detail).chain(&mut failure.places) {
            *text = safe(text);
        }
    }
    Ok(found)
}

/// True if one of the texts contains the other. Two programs may describe the same failure in more
/// or less detail.
fn says_as_much(one: &str, other: &str) -> bool {
    one.contains(other) || other.contains(one)
}

/// Adds what another description of the same failure has.
fn add_to(failure: &mut Failure, other: Failure) {
    if failure.summary.is_empty() {
        failure.summary = other.summary;
    }
    failure.detail = failure.detail.take().or(other.detail);
    for place in other.places {
        if !failure.places.contains(&place) {
            failure.places.push(place);
        }
    }
}

/// The name of a result file outside of the repository. We leave out the folder, which others
/// shouldn't see.
pub(crate) fn shown_outside(name: &str) -> String {
    safe(name.rsplit(['/', '\\']).next().unwrap_or(name))
}

pub(super) struct Outcomes<'b, 'w> {
    ground: &'b Ground<'w>,
    draft: &'b mut Draft,
    /// By the name that the pack shows. Only complete results are in here, because others can't
    /// prove that a test has passed.
    whole: BTreeMap<String, Ran>,
}

impl<'b, 'w> Outcomes<'b, 'w> {
    pub(super) fn new(ground: &'b Ground<'w>, draft: &'b mut Draft) -> Self {
        Self {
            ground,
            draft,
            whole: BTreeMap::new(),
        }
    }

    /// Adds the results that the request names, and notes which earlier ones are missing.
    pub(super) fn take(&mut self) -> Result<(), Error> {
        self.take_results()?;
        self.tell_results_not_given()
    }

    fn take_results(&mut self) -> Result<(), Error> {
        let (mut runs, mut told) = (Vec::new(), BTreeMap::new());
        for name in &self.ground.request.results {
            let NamedResults {
                shown,
                file,
                outside,
            } = self.results_in(name)?;
            if let Some(why) = file.why_no_text() {
                return Err(Error::unusable(shown, why));
            }
            let (text, hash) = whole_text(&file);
            let found = read_safely(&text).map_err(|error| ContextError::Results {
                file: shown.clone(),
                error,
            })?;
            let found = settled(found, &self.ground.snapshot);
            if let Some(ran) = Ran::of(&found) {
                self.whole.insert(shown.clone(), ran);
            }
            let failed = found.failures.len() + found.left_out as usize;
            let mut summary = match found.tests {
                Some(tests) => {
                    format!("{} of {} tests failed", tests.failed, tests.all())
                }
                None if text.trim().is_empty() => EMPTY.to_owned(),
                None if !found.is_recognised => NOT_RECOGNISED.to_owned(),
                None => windlass_base::counted(failed, "failure"),
            };
            if found.is_broken_off {
                summary.push_str(BROKEN_OFF);
            }
            let source = Source {
                kind: SourceKind::Results,
                path: Some(shown.clone()),
                hash: Some(hash.clone()),
                outside,
                ..Source::default()
            };
            if let Some(note) = notes::on_results(&shown, &text, &found) {
                self.draft
                    .tell(self.ground.site, note, vec![source.clone()]);
            }
            let why = match found.is_recognised {
                true => "it reports failures",
                false => "it was named as results",
            };
            self.take_artifact(&shown, (&summary, why), &hash, source.clone());
            runs.extend(self.run_of(&found));
            self.take_failures(found, &mut told, &shown, &source);
        }
        if !runs.is_empty() {
            self.draft.delta().count(runs);
        }
        self.compare_failures()
    }

    /// Adds failures. `told` maps the keys of failed tests in earlier files to the IDs of their
    /// failures.
    ///
    /// Two programs may report the same failure under different names. So if the key and the
    /// description match a known failure, we take it for the same one.
    fn take_failures(
        &mut self,
        found: Results,
        told: &mut BTreeMap<String, String>,
        shown: &str,
        source: &Source,
    ) {
        let bad = found.names.into_iter().filter(NamedTest::is_bad);
        let keys: BTreeMap<String, String> = bad.map(|name| (name.name, name.key)).collect();
        for (at, mut failure) in found.failures.into_iter().enumerate() {
            let known = &mut self.draft.delta().failures;
            let same = |it: &Failure| it.summary == failure.summary && it.detail == failure.detail;
            if known.iter().any(|it| it.id == failure.id && same(it)) {
                self.fails_too(&failure.id, source);
                continue;
            }
            let other = keys.get(&failure.id).and_then(|key| told.get(key));
            let other = other.filter(|id| **id != failure.id);
            let other = other.and_then(|id| known.iter_mut().find(|it| it.id == *id));
            if let Some(other) = other.filter(|it| says_as_much(&it.summary, &failure.summary)) {
                let id = other.id.clone();
                add_to(other, failure);
                self.fails_too(&id, source);
                continue;
            }
            if known.iter().any(|it| it.id == failure.id) {
                // Two programs have a test of the same name, so add the file to tell them apart.
                failure.id = format!("{} ({shown})", failure.id);
            }
            let item = failure_item(&failure.id);
            known.push(failure);
            let rank = 1_000_u32.saturating_sub(u32::try_from(at).unwrap_or(u32::MAX));
            self.draft.note(item, source.clone(), "it fails", rank);
        }
        for (id, key) in keys {
            told.entry(key).or_insert(id);
        }
    }

    /// Notes that `source` reports a known failure as well.
    fn fails_too(&mut self, id: &str, source: &Source) {
        let item = failure_item(id);
        if self
            .draft
            .origins
            .get(&item)
            .is_none_or(|it| it.source != *source)
        {
            self.draft.noted.push(Origin {
                item,
                source: source.clone(),
                why: BTreeSet::from(["it fails".to_owned()]),
                ..Origin::default()
            });
        }
    }

    /// Counts the tests in the artifact that was added last. Returns `None` if there are neither
    /// counts nor failures.
    fn run_of(&self, found: &Results) -> Option<RunCount> {
        let named = self.draft.pack.artifacts.last()?;
        let says_something = found.tests.is_some() || !found.failures.is_empty();
        says_something.then(|| RunCount {
            results: vec![ArtifactRef {
                summary: None,
                ..named.clone()
            }],
            tests: found.tests,
            failures: found.failures.len() as u64,
            more_failures: found.left_out.into(),
            names: (found.names.len() <= MOST_NAMES).then(|| TestNames::of_results(found)),
            ..RunCount::default()
        })
    }

    /// Adds a reference to the results, with their hash. The pack doesn't contain their text.
    fn take_artifact(
        &mut self,
        name: &str,
        (summary, why): (&str, &str),
        hash: &str,
        source: Source,
    ) {
        let reference = format!("file:{name}");
        self.draft.note(artifact_item(&reference), source, why, 50);
        self.draft.pack.artifacts.push(ArtifactRef {
            reference,
            kind: ArtifactKind::Verification,
            summary: Some(summary.to_owned()),
            sha256: hash.strip_prefix("sha256:").map(str::to_owned),
            ..ArtifactRef::default()
        });
    }

    /// Reads results. If the file is outside of the repository, the pack doesn't show its path, and
    /// a confined caller can't use it.
    fn results_in(&self, name: &str) -> Result<NamedResults, Error> {
        let path = self.ground.request.start.join(name);
        if let Some(inside) = self.ground.site.repo().path_of(&path) {
            let file = self.ground.snapshot.read(&inside);
            let file = file.map_err(|refusal| unreadable(inside.as_str(), &refusal))?;
            return Ok(NamedResults {
                shown: safe(inside.as_str()),
                file,
                outside: false,
            });
        }
        if self.ground.site.is_confined() {
            return Err(SiteError::Outside(name.to_owned()).into());
        }
        let bytes = read_foreign_results(&path, MAX_FILE_BYTES)
            .map_err(|refusal| unreadable(name, &refusal))?;
        Ok(NamedResults {
            shown: shown_outside(name),
            file: Arc::new(SourceFile::from_bytes(bytes)),
            outside: true,
        })
    }

    /// Compares the failures with those of an earlier pack: marks the new ones, and lists those
    /// that have been fixed.
    fn compare_failures(&mut self) -> Result<(), Error> {
        if self.ground.request.results.is_empty() {
            return Ok(());
        }
        let Some(before) = self.pack_before()? else {
            return Ok(());
        };
        let then = FailedBefore::of(&before);
        let failed: BTreeSet<&str> = then.failures.iter().map(|it| it.id.as_str()).collect();
        let passed = then.failures.iter();
        let passed = passed.filter(|failure| then.has_passed(&self.whole, failure));
        let passed: Vec<&Failure> = passed.copied().collect();
        let delta = self.draft.delta();
        let fails: BTreeSet<String> = delta.failures.iter().map(|it| it.id.clone()).collect();
        for failure in &mut delta.failures {
            // A failure may have been renamed. So if the earlier pack has a similar name that
            // doesn't fail anymore, we can't be sure that this failure is new.
            let may_be_it = |id: &&&str| !fails.contains(**id) && may_be_one(id, &failure.id);
            failure.new = match failed.contains(failure.id.as_str()) {
                true => Some(false),
                false => failed.iter().find(may_be_it).is_none().then_some(true),
            };
        }
        let resolved: Vec<&Failure> = passed
            .into_iter()
            .filter(|failure| !fails.contains(&failure.id))
            .collect();
        delta.resolved = resolved.iter().map(|failure| failure.id.clone()).collect();
        let by = resolved.iter().flat_map(|failure| then.paths_of(failure));
        let by: BTreeSet<&str> = by.copied().collect();
        self.note_mended(&by);
        Ok(())
    }

    /// Records that the results at `paths` prove which failures have been fixed.
    fn note_mended(&mut self, paths: &BTreeSet<&str>) {
        let shown = self.draft.pack.artifacts.iter().filter_map(|artifact| {
            let path = artifact.reference.strip_prefix("file:")?;
            let origin = self
                .draft
                .origins
                .get(&artifact_item(&artifact.reference))?;
            paths.contains(path).then(|| origin.source.clone())
        });
        let shown: Vec<Source> = shown.collect();
        let why = "its earlier failures pass now";
        self.draft
            .noted
            .extend(shown.into_iter().map(|source| Origin {
                item: RESOLVED_ITEM.to_owned(),
                source,
                why: BTreeSet::from([why.to_owned()]),
                ..Origin::default()
            }));
    }

    /// The pack that `--base` names, unless it names something else.
    pub(super) fn pack_before(&self) -> Result<Option<ContextPack>, Error> {
        let delta = self.draft.pack.delta.as_ref();
        let Some(id) = delta.and_then(|delta| delta.since.as_ref()?.pack_id) else {
            return Ok(None);
        };
        if let Some(pack) = self.ground.shelf.kept().pack(id)? {
            return Ok(Some(pack));
        }
        let name = self.ground.request.since.as_deref().unwrap_or_default();
        let found =
            self.ground
                .shelf
                .find(name, &self.ground.request.start, &self.ground.snapshot)?;
        Ok(Some(found))
    }
}
