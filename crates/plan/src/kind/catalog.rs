use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Capability, InputWords, LazySchema, Lookup, Problem, WrittenInput};

/// A step kind's effects, as far as they matter for planning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effects {
    /// True if the kind reads repository files.
    pub reads_files: bool,
    /// True if the kind starts processes. We don't report such a step as unused, since it does more
    /// than produce output.
    pub runs_processes: bool,
    /// True if the kind runs other runbooks.
    pub nested: bool,
    /// True if the same repository state and arguments always give the same output.
    pub reproducible: bool,
}

/// A step kind's specification, as far as it matters for planning.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KindSpec {
    /// Name in `uses`, such as `search` or `plugin:codeowners@1`.
    pub name: String,
    /// One-line summary.
    pub summary: String,
    /// JSON Schema of `with`.
    pub input_schema: Value,
    /// JSON Schema of the output.
    pub output_schema: LazySchema,
    /// Output field with the main list, shown by sections without `select`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// Effects of this kind's steps.
    #[serde(default)]
    pub effects: Effects,
    /// Capabilities required by the kind, to be granted by the runbook.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub asks: BTreeSet<Capability>,
    /// True if a section without `sort` shows the worst items first, so that they aren't cut off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub worst_first: bool,
    /// Knowledge about the input that the schema can't express.
    #[serde(skip)]
    pub reads: InputReading,
}

/// Knowledge about a kind's input that the schema can't express.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputReading {
    /// Checks literal input with the same code as the step itself.
    pub check: Option<fn(&mut WrittenInput<'_>)>,
    /// Describes a step's effects in sentences.
    pub explain: Option<fn(&InputWords) -> Vec<String>>,
    /// Returns true if a truncated list in the input would make the output wrong instead of just
    /// shorter. This is the case if the step takes a missing item for absent.
    pub needs_whole: Option<fn(&Value) -> bool>,
    /// Returns the keys in the input that the step looks up in the values of other input fields.
    pub looks_up: Option<fn(&Value) -> Vec<Lookup<'_>>>,
}

impl KindSpec {
    /// Checks the input `with` beyond the schema. Deducts the effort from `left`, and stops once
    /// that's used up.
    #[must_use]
    pub fn check(&self, with: &Value, left: &mut usize) -> Vec<Problem> {
        let mut input = WrittenInput::new(with, left);
        if let Some(check) = self.reads.check {
            check(&mut input);
        }
        input.into_problems()
    }

    /// Returns true if a truncated list in the input `with` would make the output wrong instead of
    /// just shorter.
    #[must_use]
    pub fn needs_whole_lists(&self, with: &Value) -> bool {
        self.reads.needs_whole.is_some_and(|needs| needs(with))
    }

    /// Returns the keys in the input `with` that the step looks up in the values of other input
    /// fields.
    pub(crate) fn lookups<'w>(&self, with: &'w Value) -> Vec<Lookup<'w>> {
        self.reads
            .looks_up
            .map_or_else(Vec::new, |looks_up| looks_up(with))
    }

    /// Describes a step's effects with this input, in sentences.
    #[must_use]
    pub fn explain(&self, input: &InputWords) -> Vec<String> {
        self.reads
            .explain
            .map_or_else(Vec::new, |explain| explain(input))
    }

    /// Makes sections show the worst items first by default.
    #[must_use]
    pub fn worst_first(mut self) -> Self {
        self.worst_first = true;
        self
    }

    /// Sets the function that checks literal input.
    #[must_use]
    pub fn checked_by(mut self, check: fn(&mut WrittenInput<'_>)) -> Self {
        self.reads.check = Some(check);
        self
    }

    /// Sets the function that describes a step's effects.
    #[must_use]
    pub fn explained_by(mut self, explain: fn(&InputWords) -> Vec<String>) -> Self {
        self.reads.explain = Some(explain);
        self
    }

    /// Sets the function that returns an input's lookup keys.
    #[must_use]
    pub fn looking_up(mut self, looks_up: fn(&Value) -> Vec<Lookup<'_>>) -> Self {
        self.reads.looks_up = Some(looks_up);
        self
    }

    /// Sets the function that returns true for inputs misled by a truncated list.
    #[must_use]
    pub fn misled_where(mut self, needs_whole: fn(&Value) -> bool) -> Self {
        self.reads.needs_whole = Some(needs_whole);
        self
    }
}

/// Source of step kinds resolved by name, such as plugins.
pub trait KindSource: Send + Sync + fmt::Debug {
    /// Resolves the kind `name`, or returns `None` if the name doesn't belong to this source.
    /// The catalog caches all answers except `None`.
    ///
    /// # Errors
    /// Returns an error if there's no such kind, or if it's unusable.
    fn kind(&self, name: &str) -> Option<Result<Arc<KindSpec>, Problem>>;
}

/// Step kinds available to a runbook. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    kinds: BTreeMap<Cow<'static, str>, Kind>,
    source: Option<Arc<CachedSource>>,
}

/// A source and a cache for its answers.
#[derive(Debug)]
struct CachedSource {
    source: Arc<dyn KindSource>,
    first: AnswerList,
}

/// A source's answers, as a list that only grows. References into it therefore stay valid.
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
                // If another thread has stored an answer first, use that one.
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
    /// Built on first use, since a runbook uses few kinds and building schemas is slow.
    BuiltIn(&'static LazyLock<KindSpec>),
}

impl Catalog {
    /// Adds a kind, replacing any kind with the same name.
    pub fn insert(&mut self, kind: KindSpec) {
        let name = Cow::Owned(kind.name.clone());
        self.kinds.insert(name, Kind::Made(Arc::new(kind)));
    }

    /// Adds a kind to be built on first use, replacing any kind with the same name.
    pub fn insert_built_in(&mut self, name: &'static str, kind: &'static LazyLock<KindSpec>) {
        self.kinds.insert(Cow::Borrowed(name), Kind::BuiltIn(kind));
    }

    /// Adds the kinds of `source`. Kinds added directly take precedence.
    #[must_use]
    pub fn with_source(mut self, source: Arc<dyn KindSource>) -> Self {
        let first = OnceLock::new();
        self.source = Some(Arc::new(CachedSource { source, first }));
        self
    }

    /// Returns the kind `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&KindSpec> {
        let added = self.kinds.get(name).map(Kind::spec);
        added.or_else(|| self.source.as_ref()?.get(name)?.as_deref().ok())
    }

    /// Returns the reason why the kind `name` is unusable, if its source gives one.
    #[must_use]
    pub fn why_not(&self, name: &str) -> Option<&Problem> {
        if self.kinds.contains_key(name) {
            return None;
        }
        self.source.as_ref()?.get(name)?.as_ref().err()
    }

    /// Iterates over the directly added kinds, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &KindSpec> {
        self.kinds.values().map(Kind::spec)
    }

    /// Iterates over the names of directly added kinds, sorted.
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

    /// A source of kinds with the prefix `x:`, which records its calls.
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
        assert_eq!(*source.0.lock().unwrap(), ["x:b", "x:a", "x:broken"]);
        assert!(catalog.get("other").is_none() && catalog.why_not("other").is_none());
        assert_eq!(catalog.names().collect::<Vec<_>>(), ["own"]);
    }
}
