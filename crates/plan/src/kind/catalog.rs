use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Capability, InputWords, LazySchema, Lookup, Problem, WrittenInput};

/// Effects of a step kind that planning must know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effects {
    /// Reads files of the repository.
    pub reads_files: bool,
    /// Starts processes; such a step is kept even if its output is unused.
    pub runs_processes: bool,
    /// Runs other runbooks.
    pub nested: bool,
    /// Gives the same output for the same repository state and arguments.
    pub reproducible: bool,
}

/// Step kind as planning sees it: its name, and the schemas of its input and output.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KindSpec {
    /// Value of `uses`: `search`, `plugin:codeowners@1`.
    pub name: String,
    /// Summary in one line.
    pub summary: String,
    /// JSON Schema of `with`.
    pub input_schema: Value,
    /// JSON Schema of the output.
    pub output_schema: LazySchema,
    /// Output field with the main list, shown by a section without `select`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// Effects of a step of this kind on the repository and beyond.
    #[serde(default)]
    pub effects: Effects,
    /// Required capabilities, which the runbook must grant.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub asks: BTreeSet<Capability>,
    /// True if a section without `sort` shows the worst items first, so that they are not the ones cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub worst_first: bool,
    /// Knowledge of the input beyond the schema.
    #[serde(skip)]
    pub reads: InputReading,
}

/// Knowledge of a kind's input beyond the schema.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputReading {
    /// Checks literal input with the same code as the step itself.
    pub check: Option<fn(&mut WrittenInput<'_>)>,
    /// Describes the effects of a step, one sentence each.
    pub explain: Option<fn(&InputWords) -> Vec<String>>,
    /// True if a truncated list in the input makes the output wrong instead of shorter: a missing item is then
    /// taken for absent.
    pub needs_whole: Option<fn(&Value) -> bool>,
    /// Returns the keys in the input that are looked up in values of its other fields.
    pub looks_up: Option<fn(&Value) -> Vec<Lookup<'_>>>,
}

impl KindSpec {
    /// Checks the input `with` beyond the schema; `left` limits the effort and is reduced by it.
    #[must_use]
    pub fn check(&self, with: &Value, left: &mut usize) -> Vec<Problem> {
        let mut input = WrittenInput::new(with, left);
        if let Some(check) = self.reads.check {
            check(&mut input);
        }
        input.into_problems()
    }

    /// True if a truncated list in the input `with` makes the output wrong instead of shorter.
    #[must_use]
    pub fn needs_whole_lists(&self, with: &Value) -> bool {
        self.reads.needs_whole.is_some_and(|needs| needs(with))
    }

    /// Returns the keys in the input `with` that are looked up in values of its other fields.
    pub(crate) fn lookups<'w>(&self, with: &'w Value) -> Vec<Lookup<'w>> {
        self.reads
            .looks_up
            .map_or_else(Vec::new, |looks_up| looks_up(with))
    }

    /// Describes the effects of a step with this input, one sentence each.
    #[must_use]
    pub fn explain(&self, input: &InputWords) -> Vec<String> {
        self.reads
            .explain
            .map_or_else(Vec::new, |explain| explain(input))
    }

    /// Sets the default order to worst first.
    #[must_use]
    pub fn worst_first(mut self) -> Self {
        self.worst_first = true;
        self
    }

    /// Sets the check of literal input.
    #[must_use]
    pub fn checked_by(mut self, check: fn(&mut WrittenInput<'_>)) -> Self {
        self.reads.check = Some(check);
        self
    }

    /// Sets the description of a step's effects.
    #[must_use]
    pub fn explained_by(mut self, explain: fn(&InputWords) -> Vec<String>) -> Self {
        self.reads.explain = Some(explain);
        self
    }

    /// Sets the function that returns the lookup keys of an input.
    #[must_use]
    pub fn looking_up(mut self, looks_up: fn(&Value) -> Vec<Lookup<'_>>) -> Self {
        self.reads.looks_up = Some(looks_up);
        self
    }

    /// Sets the predicate for inputs that need whole lists.
    #[must_use]
    pub fn misled_where(mut self, needs_whole: fn(&Value) -> bool) -> Self {
        self.reads.needs_whole = Some(needs_whole);
        self
    }
}

/// Source of kinds that are resolved by name: plugins.
pub trait KindSource: Send + Sync + fmt::Debug {
    /// Resolves the kind `name`; `None` if the name does not belong to this source. Called once for each name.
    ///
    /// # Errors
    /// If there is no such kind, or it is unusable.
    fn kind(&self, name: &str) -> Option<Result<Arc<KindSpec>, Problem>>;
}

/// Step kinds available to a runbook. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    kinds: BTreeMap<Cow<'static, str>, Kind>,
    source: Option<Arc<CachedSource>>,
}

/// Source with a cache of its answers.
#[derive(Debug)]
struct CachedSource {
    source: Arc<dyn KindSource>,
    first: AnswerList,
}

/// Answers of a source as a list that only grows, so that references into it stay valid.
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
                // If another thread was faster, its answer is used.
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
    /// Built on first use: a runbook uses few kinds, and schemas are slow to build.
    BuiltIn(&'static LazyLock<KindSpec>),
}

impl Catalog {
    /// Adds a kind, or replaces the one of its name.
    pub fn insert(&mut self, kind: KindSpec) {
        let name = Cow::Owned(kind.name.clone());
        self.kinds.insert(name, Kind::Made(Arc::new(kind)));
    }

    /// Adds a kind `name` that is built on first use, or replaces the one of its name.
    pub fn insert_built_in(&mut self, name: &'static str, kind: &'static LazyLock<KindSpec>) {
        self.kinds.insert(Cow::Borrowed(name), Kind::BuiltIn(kind));
    }

    /// Adds the kinds of `source`; kinds added directly take precedence.
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

    /// Returns the directly added kinds, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &KindSpec> {
        self.kinds.values().map(Kind::spec)
    }

    /// Returns the names of the directly added kinds, sorted.
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

    /// Source of kinds with the prefix `x:` that records its calls.
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
