//! Rebuilds failures from their result files.

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::{RepoPath, counted};
use windlass_packs::context::{
    ContextPack, OutsideResults, Source, SourceKind, TestNames, failure_item,
};
use windlass_repo::{MAX_FILE_BYTES, SourceFile, read_foreign_results};
use windlass_results::{Failure, NamedTest, Results};

use super::part_state::{Again, PartState};
use super::source_gone::gone;
use super::{NO_ORIGIN, Rebuild};
use crate::compose::outcomes::may_be_one;
use crate::compose::outcomes::read_safely;
use crate::compose::outcomes::settled;
use crate::compose::picked_lines::whole_text;
use crate::compose::source_notes::on_results;

/// Maximum number of new failures to name.
const MOST_NAMED: usize = 5;

impl Rebuild<'_> {
    /// Returns a result file's current contents, reading it only once.
    pub(super) fn results_now(&mut self, then: &ResultsThen) -> &ResultsNow {
        let (snapshot, outside) = (self.look.snapshot, &self.outside);
        self.results.entry(then.clone()).or_insert_with(|| {
            let files = match then.outside {
                false => {
                    let path = RepoPath::parse(&then.path).ok();
                    let file = path.and_then(|path| snapshot.read(&path).ok());
                    file.into_iter().collect()
                }
                true => files_of(outside, then),
            };
            let mut texts = files.iter().map(|file| whole_text(file));
            let same = texts.clone().find(|(_, now)| *now == then.hash);
            let Some((text, now)) = same.or_else(|| texts.next()) else {
                return ResultsNow::Gone;
            };
            let said = read_safely(&text).ok().map(|found| Said {
                note: on_results(&then.path, &text, &found),
                found: settled(found, snapshot),
            });
            match said {
                Some(said) if now == then.hash => ResultsNow::Same(said),
                said => ResultsNow::Others(said),
            }
        })
    }

    /// Checks if result files are unchanged. Names the failures in them that aren't in the pack.
    pub(super) fn results(&mut self, item: &str, sources: &[&Source], kept: &ContextPack) {
        let results = sources.iter().filter_map(|source| results_of(source));
        let tried: Vec<_> = results.map(|of| self.say_the_same(&of, kept)).collect();
        if !tried.is_empty() {
            self.nearest(item, tried);
        } else if sources.is_empty() {
            self.tell(item, PartState::NoOrigin, NO_ORIGIN);
        }
    }

    /// Checks the test counts, but only if the pack has a single result file. If there are more, we
    /// check the failures in each of them separately.
    pub(super) fn counts(&mut self, kept: &ContextPack, pack: &mut ContextPack) {
        let items = kept.provenance.iter().flat_map(|it| &it.items);
        let all: BTreeSet<ResultsThen> = items.filter_map(|it| results_of(&it.source)).collect();
        let (Some(then), 1, Some(delta)) = (all.first(), all.len(), &kept.delta) else {
            return;
        };
        let ResultsNow::Same(said) = self.results_now(then) else {
            return;
        };
        let found = &said.found;
        let (tests, left_out) = (found.tests, u64::from(found.left_out));
        let is_known = |it: &&Failure| find_again(&delta.failures, it, &it.id).is_some();
        let missing = found.failures.iter().find(|it| !is_known(it));
        let missing = missing.map(|it| it.id.clone());
        let path = &then.path;
        if let Some(id) = missing {
            let why = format!("`{path}` reports a failure that the pack does not have");
            self.tell(&failure_item(&id), PartState::Changed, why);
        }
        if delta.tests == tests && delta.more_failures.unwrap_or_default() == left_out {
            return;
        }
        let why = format!("`{path}` counts others");
        self.tell("delta/tests", PartState::Changed, why);
        if let Some(delta) = &mut pack.delta {
            delta.tests = tests;
            delta.more_failures = (left_out > 0).then_some(left_out);
        }
    }

    fn say_the_same(&mut self, then: &ResultsThen, kept: &ContextPack) -> Again<()> {
        let path = &then.path;
        let known = Known::of(kept, path);
        match self.results_now(then) {
            ResultsNow::Same(_) => Again::same(()),
            ResultsNow::Gone if then.outside => {
                Again::told(PartState::Unverified, out_of_reach(path), ())
            }
            ResultsNow::Gone => Again::told(PartState::Missing, gone(path), ()),
            ResultsNow::Others(found) => {
                let names = found.iter().flat_map(|said| &said.found.names);
                let fresh = names.filter(|name| name.is_bad() && !known.has(name));
                let fresh: Vec<String> = fresh.map(|one| format!("`{}`", one.name)).collect();
                let more = match fresh.len() {
                    0 => String::new(),
                    _ if !known.is_whole => {
                        ", and which failures are new is not known: the pack does not name all"
                            .to_owned()
                    }
                    count => format!(
                        ", and reports {} that the pack does not have: {}",
                        counted(count, "failure"),
                        fresh[..count.min(MOST_NAMED)].join(", ")
                    ),
                };
                let why = format!("`{path}` changed{more}");
                Again::told(PartState::Changed, why, ())
            }
        }
    }

    /// Checks if a note still applies to a result file.
    pub(super) fn results_noted(&mut self, then: &ResultsThen, note: &str) -> Again<bool> {
        let path = &then.path;
        let (is_same, said) = match self.results_now(then) {
            ResultsNow::Gone if then.outside => {
                return Again::told(PartState::Unverified, out_of_reach(path), true);
            }
            ResultsNow::Gone => return Again::told(PartState::Missing, gone(path), false),
            ResultsNow::Same(said) => (true, said.note.as_deref()),
            ResultsNow::Others(said) => {
                let said = said.as_ref().and_then(|said| said.note.as_deref());
                (false, said)
            }
        };
        match (is_same, said == Some(note)) {
            (true, true) => Again::same(true),
            (false, true) => {
                let why = format!("`{path}` changed, and the note still applies");
                Again::told(PartState::LinesSame, why, true)
            }
            (_, false) => {
                let why = format!("the note no longer applies to `{path}`");
                Again::told(PartState::Changed, why, false)
            }
        }
    }

    /// Returns a failure as the results describe it now, or `None` if it's no longer in them.
    pub(super) fn failure(
        &mut self,
        item: &str,
        sources: &[&Source],
        failure: Failure,
    ) -> Option<Failure> {
        let results = sources.iter().filter_map(|source| results_of(source));
        let tried: Vec<_> = results.map(|of| self.fails_still(&of, &failure)).collect();
        if !tried.is_empty() {
            return self.nearest(item, tried).flatten();
        }
        if sources.is_empty() {
            self.tell(item, PartState::NoOrigin, NO_ORIGIN);
        }
        Some(failure)
    }

    fn fails_still(&mut self, then: &ResultsThen, failure: &Failure) -> Again<Option<Failure>> {
        let path = &then.path;
        // The path in the id distinguishes the test from one with the same name in another program.
        let other = format!(" ({path})");
        let id = failure.id.strip_suffix(&other).unwrap_or(&failure.id);
        let (is_same, again) = match self.results_now(then) {
            ResultsNow::Gone if then.outside => {
                let given = Some(failure.clone());
                return Again::told(PartState::Unverified, out_of_reach(path), given);
            }
            ResultsNow::Gone => return Again::told(PartState::Missing, gone(path), None),
            ResultsNow::Same(said) => (true, find_again(&said.found.failures, failure, id)),
            ResultsNow::Others(found) => {
                let found = found.as_ref();
                let again = found.and_then(|said| find_again(&said.found.failures, failure, id));
                (false, again)
            }
        };
        let Some(again) = again.cloned() else {
            let why = format!("`{path}` does not say that it fails any longer");
            return Again::told(PartState::Changed, why, None);
        };
        let again = Failure {
            id: failure.id.clone(),
            new: failure.new,
            ..again
        };
        match (is_same, again == *failure) {
            (true, true) => Again::same(Some(again)),
            (false, true) => {
                let why = format!("`{path}` changed, and reports the same failure");
                Again::told(PartState::LinesSame, why, Some(again))
            }
            (_, false) => {
                let why = format!("`{path}` reports the failure differently");
                Again::told(PartState::Changed, why, Some(again))
            }
        }
    }
}

/// Finds one of the pack's failures in `all`, by its own id or by `id`. Accepts a failure with
/// another label if the description is the same.
fn find_again<'f>(all: &'f [Failure], failure: &Failure, id: &str) -> Option<&'f Failure> {
    let says_the_same = |it: &&Failure| {
        (&it.summary, &it.detail, &it.places)
            == (&failure.summary, &failure.detail, &failure.places)
            && may_be_one(&it.id, id)
    };
    let by_name = all.iter().find(|it| it.id == failure.id || it.id == id);
    by_name.or_else(|| all.iter().find(says_the_same))
}

/// A pack's failures from one result file.
struct Known<'p> {
    listed: BTreeSet<&'p str>,
    names: Option<&'p TestNames>,
    /// True if the pack lists all failures, and false if it only counts some.
    is_whole: bool,
}

impl<'p> Known<'p> {
    fn of(kept: &'p ContextPack, path: &str) -> Self {
        let failures = kept.delta.iter().flat_map(|delta| &delta.failures);
        let runs = kept.delta.iter().flat_map(|delta| &delta.runs);
        let reference = format!("file:{path}");
        let mut own = runs.filter(|run| run.results.iter().any(|it| it.reference == reference));
        let names = own.find_map(|run| run.names.as_ref());
        let more = kept.delta.as_ref().and_then(|delta| delta.more_failures);
        Self {
            listed: failures.map(|failure| failure.id.as_str()).collect(),
            names,
            is_whole: names.is_some() || more.is_none(),
        }
    }

    fn has(&self, name: &NamedTest) -> bool {
        self.listed.contains(name.name.as_str())
            || self.names.is_some_and(|names| names.has_failed(&name.key))
    }
}

/// A parsed result file.
pub(super) struct Said {
    pub(super) found: Results,
    /// The note that no failures can be read from the file, if that's the case.
    note: Option<String>,
}

/// Possible current states of a result file.
pub(super) enum ResultsNow {
    /// The file is unchanged.
    Same(Said),
    /// The file changed. `None` if we can no longer parse it.
    Others(Option<Said>),
    /// The file is missing, or we may not read it.
    Gone,
}

/// A result file, as recorded in a pack.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ResultsThen {
    /// The file's path, or just its name if it's outside of the repository.
    path: String,
    /// Hash of the file's text.
    hash: String,
    /// True if the file is outside of the repository.
    outside: bool,
}

impl ResultsThen {
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn is_outside(&self) -> bool {
        self.outside
    }
}

pub(super) fn results_of(source: &Source) -> Option<ResultsThen> {
    let (path, hash) = (source.path.clone()?, source.hash.clone()?);
    let outside = source.outside;
    (source.kind == SourceKind::Results).then_some(ResultsThen {
        path,
        hash,
        outside,
    })
}

/// Reads the files at the locations recorded for a result file outside of the repository.
fn files_of(outside: &OutsideResults, then: &ResultsThen) -> Vec<Arc<SourceFile>> {
    let places = outside.places_of(&then.path, &then.hash);
    let bytes = places.filter_map(|place| read_foreign_results(place, MAX_FILE_BYTES).ok());
    bytes
        .map(|bytes| Arc::new(SourceFile::from_bytes(bytes)))
        .collect()
}

/// Returns the reason why we can't check results outside of the repository.
pub(super) fn out_of_reach(name: &str) -> String {
    format!("`{name}` lies outside of the repository, and cannot be read from here")
}
