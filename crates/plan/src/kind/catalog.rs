use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Capability, InputWords, LazySchema, Lookup, Problem, WrittenInput};

/// The effects of a step kind, as far as they matter for planning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effects {
    /// The step reads files of the repository.
    pub reads_files: bool,
    /// The step starts processes. We assume that they do more than produce output, so we never
    /// report such a step as unused.
    pub runs_processes: bool,
    /// The step runs other runbooks.
    pub nested: bool,
    /// The same state of the repository and the same arguments always give the same output.
    pub reproducible: bool,
}

/// A step kind, as far as it matters for planning.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KindSpec {
    /// The name in `uses`, e.g. `search` or `plugin:codeowners@1`.
    pub name: String,
    /// A one-line summary for users.
    pub summary: String,
    /// The JSON Schema of `with`.
    pub input_schema: Value,
    /// The JSON Schema of the output.
    pub output_schema: LazySchema,
    /// The output field with the main list, which is shown by sections without `select`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// The kind's effects. By default, there are none.
    #[serde(default)]
    pub effects: Effects,
    /// The capabilities that the kind requires. A runbook has to grant them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub asks: BTreeSet<Capability>,
    /// If true, a section without `sort` shows the worst items first, so that a limit never hides
    /// those.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub worst_first: bool,
    /// Functions that look at a step's input. They are set by [`checked_by`](Self::checked_by) and
    /// the methods after it, and never serialized.
    #[serde(skip)]
    pub reads: InputReading,
}

/// Functions for what a schema cannot say about a kind's input.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputReading {
    /// Checks literal input with the step's own code.
    pub check: Option<fn(&mut WrittenInput<'_>)>,
    /// Describes the effects of a step in sentences.
    pub explain: Option<fn(&InputWords) -> Vec<String>>,
    /// True if a truncated list in the input would make the output wrong, rather than just shorter.
    ///
    /// For example, a step may report items as absent if they are not in the list.
    pub needs_whole: Option<fn(&Value) -> bool>,
    /// The keys in the input that will be looked up in the values of other input fields.
    pub looks_up: Option<fn(&Value) -> Vec<Lookup<'_>>>,
}

impl KindSpec {
    /// Looks for problems in `with` that the schema cannot express. The effort is deducted from
    /// `left`, and we stop once there is none left.
    #[must_use]
    pub fn check(&self, with: &Value, left: &mut usize) -> Vec<Problem> {
        let mut input = WrittenInput::new(with, left);
        if let Some(check) = self.reads.check {
            check(&mut input);
        }
        input.into_problems()
    }

    /// See [`InputReading::needs_whole`]. Without a function, this is false.
    #[must_use]
    pub fn needs_whole_lists(&self, with: &Value) -> bool {
        self.reads.needs_whole.is_some_and(|needs| needs(with))
    }

    pub(crate) fn lookups<'w>(&self, with: &'w Value) -> Vec<Lookup<'w>> {
        self.reads
            .looks_up
            .map_or_else(Vec::new, |looks_up| looks_up(with))
    }

    /// See [`InputReading::explain`].
    #[must_use]
    pub fn explain(&self, input: &InputWords) -> Vec<String> {
        self.reads
            .explain
            .map_or_else(Vec::new, |explain| explain(input))
    }

    /// Makes sections show the worst items first, unless they say otherwise.
    #[must_use]
    pub fn worst_first(mut self) -> Self {
        self.worst_first = true;
        self
    }

    /// Sets [`InputReading::check`].
    #[must_use]
    pub fn checked_by(mut self, check: fn(&mut WrittenInput<'_>)) -> Self {
        self.reads.check = Some(check);
        self
    }

    /// Sets [`InputReading::explain`].
    #[must_use]
    pub fn explained_by(mut self, explain: fn(&InputWords) -> Vec<String>) -> Self {
        self.reads.explain = Some(explain);
        self
    }

    /// Sets [`InputReading::looks_up`].
    #[must_use]
    pub fn looking_up(mut self, looks_up: fn(&Value) -> Vec<Lookup<'_>>) -> Self {
        self.reads.looks_up = Some(looks_up);
        self
    }

    /// Sets [`InputReading::needs_whole`].
    #[must_use]
    pub fn misled_where(mut self, needs_whole: fn(&Value) -> bool) -> Self {
        self.reads.needs_whole = Some(needs_whole);
        self
    }
}

/// Resolves step kinds that are not known in advance, such as plugins.
pub trait KindSource: Send + Sync + fmt::Debug {
    /// Returns `None` if the name belongs to another source.
    ///
    /// The catalog caches all other answers, so each kind is usually resolved just once.
    ///
    /// # Errors
    /// Returns an error for an unknown or unusable kind.
    fn kind(&self, name: &str) -> Option<Result<Arc<KindSpec>, Problem>>;
}

/// The step kinds that are available to a runbook. It is cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    kinds: BTreeMap<Cow<'static, str>, Kind>,
    source: Option<Arc<CachedSource>>,
}

#[derive(Debug)]
struct CachedSource {
    source: Arc<dyn KindSource>,
    first: AnswerList,
}

/// An append-only linked list.
///
/// We never move or remove an answer, so [`Catalog::get`] can return references into the list
/// without holding a lock.
type AnswerList = OnceLock<Box<SourceAnswer>>;

#[derive(Debug)]
struct SourceAnswer {
    name: String,
    kind: Result<Arc<KindSpec>, Problem>,
    next: AnswerList,
}

impl CachedSource {
    fn get(&self, name: &str) -> Option<&Result<Arc<KindSpec>, Problem>> {
        let mut at = &self.first;
        loop {
            let Some(answer) = at.get() else {
                let kind = self.source.kind(name)?;
                let next = OnceLock::new();
                let name = name.to_owned();
                // Another thread may have been faster. We use its answer then, which should be the
                // same.
                let _ = at.set(Box::new(SourceAnswer { name, kind, next }));
                continue;
            };
            if answer.name == name {
                return Some(&answer.kind);
            }
            at = &answer.next;
        }
    }
}

#[derive(Debug, Clone)]
enum Kind {
    Made(Arc<KindSpec>),
    /// A kind that is built on first use. A typical runbook only uses a few of them, and building
    /// schemas is slow.
    BuiltIn(&'static LazyLock<KindSpec>),
}

impl Catalog {
    /// Adds a kind, in place of any other kind of that name.
    pub fn insert(&mut self, kind: KindSpec) {
        let name = Cow::Owned(kind.name.clone());
        self.kinds.insert(name, Kind::Made(Arc::new(kind)));
    }

    /// Like [`insert`](Self::insert), but the kind is not built before its first use.
    pub fn insert_built_in(&mut self, name: &'static str, kind: &'static LazyLock<KindSpec>) {
        self.kinds.insert(Cow::Borrowed(name), Kind::BuiltIn(kind));
    }

    /// Adds a source of further kinds. A kind in the catalog itself takes precedence.
    #[must_use]
    pub fn with_source(mut self, source: Arc<dyn KindSource>) -> Self {
        let first = OnceLock::new();
        self.source = Some(Arc::new(CachedSource { source, first }));
        self
    }

    /// Looks up a kind. Returns `None` for an unknown or unusable one: [`why_not`](Self::why_not)
    /// tells the two apart.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&KindSpec> {
        let added = self.kinds.get(name).map(Kind::spec);
        added.or_else(|| self.source.as_ref()?.get(name)?.as_deref().ok())
    }

    /// The reason why a kind is unusable, if its source has reported one.
    #[must_use]
    pub fn why_not(&self, name: &str) -> Option<&Problem> {
        if self.kinds.contains_key(name) {
            return None;
        }
        self.source.as_ref()?.get(name)?.as_ref().err()
    }

    /// The kinds in the catalog itself, sorted by name. We do not know those of the source in
    /// advance.
    pub fn iter(&self) -> impl Iterator<Item = &KindSpec> {
        self.kinds.values().map(Kind::spec)
    }

    /// The names of the kinds in the catalog itself, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.kinds.keys().map(AsRef::as_ref)
    }
}

impl Kind {
    fn spec(&self) -> &KindSpec {
        match self {
            Self::Made(kind) => kind,
            Self::BuiltIn(kind) => kind,
        }
    }
}

impl FromIterator<KindSpec> for Catalog {
    fn from_iter<I: IntoIterator<Item = KindSpec>>(kinds: I) -> Self {
        let mut catalog = Self::default();
        for kind in kinds {
            catalog.insert(kind);
        }
        catalog
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Resolves kinds with the prefix `x:`, and records all calls.
    #[derive(Debug, Default)]
    struct Source(Mutex<Vec<String>>);

    impl KindSource for Source {
        fn kind(&self, name: &str) -> Option<Result<Arc<KindSpec>, Problem>> {
            self.0.lock().unwrap().push(name.to_owned());
            let wanted = name.strip_prefix("x:")?;
            if wanted == "broken" {
                let message = "it is broken".to_owned();
                let (at, help) = (String::new(), None);
                return Some(Err(Problem { at, message, help }));
            }
            let mut kind = crate::tests::kind(name);
            kind.summary = wanted.to_owned();
            Some(Ok(Arc::new(kind)))
        }
    }

    #[test]
    fn source_called_once_per_kind() {
        let source = Arc::new(Source::default());
        let mut catalog = Catalog::default().with_source(Arc::clone(&source) as _);
        catalog.insert(crate::tests::kind("own"));
        let same = catalog.clone();
        for catalog in [&catalog, &same] {
            assert_eq!(catalog.get("x:b").unwrap().summary, "b");
            assert_eq!(catalog.get("x:a").unwrap().summary, "a");
            assert!(catalog.get("x:broken").is_none());
            assert_eq!(catalog.why_not("x:broken").unwrap().message, "it is broken");
            assert!(catalog.why_not("x:a").is_none() && catalog.why_not("own").is_none());
            assert_eq!(catalog.get("own").unwrap().name, "own");
        }
        // A name without an answer isn't cached, but nothing else is asked for twice. Clones share
        // the cache.
        assert_eq!(*source.0.lock().unwrap(), ["x:b", "x:a", "x:broken"]);
        assert!(catalog.get("other").is_none() && catalog.why_not("other").is_none());
        assert_eq!(catalog.names().collect::<Vec<_>>(), ["own"]);
    }
}
