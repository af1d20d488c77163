//! What fails, again: by the results that said so.

use std::collections::BTreeSet;

use windlass_base::{RepoPath, counted};
use windlass_context::{ContextPack, Failure, NamedTest, Results, Source, SourceKind, TestNames};

use super::super::build::pick::whole_text;
use super::super::build::results::read_safely;
use super::files::gone;
use super::{Again, NO_ORIGIN, PartState, Rebuild};

/// How many failures are named that a pack does not have.
const MOST_NAMED: usize = 5;

impl Rebuild<'_> {
    /// What results in a file of the repository say now.
    fn results_now(&mut self, (path, hash): (&str, &str)) -> &ResultsNow {
        let key = (path.to_owned(), hash.to_owned());
        let snapshot = self.snapshot;
        self.results.entry(key).or_insert_with(|| {
            let file = RepoPath::parse(path).ok();
            let Some(file) = file.and_then(|path| snapshot.read(&path).ok()) else {
                return ResultsNow::Gone;
            };
            let (text, now) = whole_text(&file);
            match read_safely(&text) {
                Ok(found) if now == hash => ResultsNow::Same(found),
                Ok(found) => ResultsNow::Others(Some(found)),
                Err(_) => ResultsNow::Others(None),
            }
        })
    }

    /// Whether results that were named are what they were, and what fails now that did not. Those of elsewhere were given.
    pub(super) fn results(&mut self, item: &str, sources: &[&Source], kept: &ContextPack) {
        let results = sources.iter().filter_map(|source| results_of(source));
        let tried: Vec<_> = results.map(|of| self.say_the_same(of, kept)).collect();
        if !tried.is_empty() {
            self.nearest(item, tried);
        }
    }

    fn say_the_same(&mut self, (path, hash): (&str, &str), kept: &ContextPack) -> Again<()> {
        let known = Known::of(kept, path);
        match self.results_now((path, hash)) {
            ResultsNow::Same(_) => Again::same(()),
            ResultsNow::Gone => Again::told(PartState::Missing, gone(path), ()),
            ResultsNow::Others(found) => {
                let names = found.iter().flat_map(|found| &found.names);
                let fresh = names.filter(|name| name.is_bad() && !known.has(name));
                let fresh: Vec<String> = fresh.map(|one| format!("`{}`", one.name)).collect();
                let more = match fresh.len() {
                    0 => String::new(),
                    _ if !known.is_whole => {
                        ", and which failures are new is not known: the pack does not name all"
                            .to_owned()
                    }
                    count => format!(
                        ", and says of {} that the pack does not have: {}",
                        counted(count, "failure"),
                        fresh[..count.min(MOST_NAMED)].join(", ")
                    ),
                };
                let why = format!("`{path}` is another now{more}");
                Again::told(PartState::Changed, why, ())
            }
        }
    }

    /// What is said of a failure now; nothing where the results do not have it any longer.
    pub(super) fn failure(
        &mut self,
        item: &str,
        sources: &[&Source],
        failure: Failure,
    ) -> Option<Failure> {
        let results = sources.iter().filter_map(|source| results_of(source));
        let tried: Vec<_> = results.map(|of| self.fails_still(of, &failure)).collect();
        if !tried.is_empty() {
            return self.nearest(item, tried).flatten();
        }
        if sources.is_empty() {
            self.tell(item, PartState::NoOrigin, NO_ORIGIN);
        }
        Some(failure)
    }

    fn fails_still(
        &mut self,
        (path, hash): (&str, &str),
        failure: &Failure,
    ) -> Again<Option<Failure>> {
        // Of a test of a name that another program has as well, the name says whose it is.
        let other = format!(" ({path})");
        let id = failure.id.strip_suffix(&other).unwrap_or(&failure.id);
        let is_it = |it: &&Failure| it.id == failure.id || it.id == id;
        let (is_same, again) = match self.results_now((path, hash)) {
            ResultsNow::Gone => return Again::told(PartState::Missing, gone(path), None),
            ResultsNow::Same(found) => (true, found.failures.iter().find(is_it)),
            ResultsNow::Others(found) => {
                let failures = found.iter().flat_map(|found| &found.failures);
                (false, failures.into_iter().find(is_it))
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
                let why = format!("`{path}` is another now, and says the same of it");
                Again::told(PartState::LinesSame, why, Some(again))
            }
            (_, false) => {
                let why = format!("`{path}` says something else of it now");
                Again::told(PartState::Changed, why, Some(again))
            }
        }
    }
}

/// What failed by one file of results, as a pack has it.
struct Known<'p> {
    listed: BTreeSet<&'p str>,
    names: Option<&'p TestNames>,
    /// Whether nothing failed beside it.
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

/// What a file of results says now.
pub(super) enum ResultsNow {
    /// What it said then.
    Same(Results),
    /// Something else; nothing if it cannot be understood.
    Others(Option<Results>),
    /// It is not there, or may not be read.
    Gone,
}

/// The path and the hash of results in a file of the repository: those of elsewhere were given.
fn results_of(source: &Source) -> Option<(&str, &str)> {
    let is_here = source.kind == SourceKind::Results && !source.outside;
    let (path, hash) = (source.path.as_deref()?, source.hash.as_deref()?);
    is_here.then_some((path, hash))
}
