use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Capability, InputWords, LazySchema, Lookup, Problem, WrittenInput};

/// What a step kind does to the world, as far as planning must know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Effects {
    /// It reads files of the repository.
    pub reads_files: bool,
    /// It starts processes; such a step counts even when nobody uses its output.
    pub runs_processes: bool,
    /// It runs other runbooks.
    pub nested: bool,
    /// The same repository state and the same arguments give the same output.
    pub reproducible: bool,
}

/// A step kind as planning sees it: its name, and the shapes of what goes in and what comes out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KindSpec {
    /// What stands after `uses`: `search`, `plugin:codeowners@1`.
    pub name: String,
    /// What it does, in one line.
    pub summary: String,
    /// JSON Schema of `with`.
    pub input_schema: Value,
    /// JSON Schema of the output.
    pub output_schema: LazySchema,
    /// The field of the output that holds its main list: what a section shows that selects nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// What it does to the world.
    #[serde(default)]
    pub effects: Effects,
    /// What it asks to be allowed, which the runbook has to.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub asks: BTreeSet<Capability>,
    /// Whether a section that says no order shows what stands worst first, so that it is not what is cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub worst_first: bool,
    /// What the kind knows of its input beyond the schema.
    #[serde(skip)]
    pub reads: InputReading,
}

/// What a kind knows of its input beyond the schema.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputReading {
    /// Finds what is wrong with what is written out, by the same reading as when the step runs.
    pub check: Option<fn(&mut WrittenInput<'_>)>,
    /// Says what a step would look at or start, one sentence for each.
    pub explain: Option<fn(&InputWords) -> Vec<String>>,
    /// Says whether a list in the input that is not whole makes the output wrong, and not only shorter: what is not
    /// in the list is then taken for not there.
    pub needs_whole: Option<fn(&Value) -> bool>,
    /// Says which keys in the input are looked up in what other fields of it bring.
    pub looks_up: Option<fn(&Value) -> Vec<Lookup<'_>>>,
}

impl KindSpec {
    /// Looks at the input `with` beyond the schema: at no more than `left` values of it, which are counted off.
    #[must_use]
    pub fn check(&self, with: &Value, left: &mut usize) -> Vec<Problem> {
        let mut input = WrittenInput::new(with, left);
        if let Some(check) = self.reads.check {
            check(&mut input);
        }
        input.into_problems()
    }

    /// Whether the output is wrong, and not only shorter, where a list in the input `with` is not whole.
    #[must_use]
    pub fn needs_whole_lists(&self, with: &Value) -> bool {
        self.reads.needs_whole.is_some_and(|needs| needs(with))
    }

    /// The keys in the input `with` that are looked up in what other fields of it bring.
    pub(crate) fn lookups<'w>(&self, with: &'w Value) -> Vec<Lookup<'w>> {
        self.reads
            .looks_up
            .map_or_else(Vec::new, |looks_up| looks_up(with))
    }

    /// What a step with this input would look at or start, one sentence for each.
    #[must_use]
    pub fn explain(&self, input: &InputWords) -> Vec<String> {
        self.reads
            .explain
            .map_or_else(Vec::new, |explain| explain(input))
    }

    /// Shown the worst first.
    #[must_use]
    pub fn worst_first(mut self) -> Self {
        self.worst_first = true;
        self
    }

    /// With a check of what is written out in an input.
    #[must_use]
    pub fn checked_by(mut self, check: fn(&mut WrittenInput<'_>)) -> Self {
        self.reads.check = Some(check);
        self
    }

    /// With words for what a step would look at or start.
    #[must_use]
    pub fn explained_by(mut self, explain: fn(&InputWords) -> Vec<String>) -> Self {
        self.reads.explain = Some(explain);
        self
    }

    /// With what says which keys are looked up in what other fields of an input bring.
    #[must_use]
    pub fn looking_up(mut self, looks_up: fn(&Value) -> Vec<Lookup<'_>>) -> Self {
        self.reads.looks_up = Some(looks_up);
        self
    }

    /// With what says whether a list that is not whole misleads a step.
    #[must_use]
    pub fn misled_where(mut self, needs_whole: fn(&Value) -> bool) -> Self {
        self.reads.needs_whole = Some(needs_whole);
        self
    }
}

/// Where kinds come from that are looked up when a runbook names them: plugins.
pub trait KindSource: Send + Sync + fmt::Debug {
    /// The kind called `name`; `None` where such a name is none of this source's. It is asked once for each name.
    ///
    /// # Errors
    /// Why there is no such kind, or why it cannot be used.
    fn kind(&self, name: &str) -> Option<Result<Arc<KindSpec>, Problem>>;
}

/// The step kinds a runbook may use. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    kinds: BTreeMap<Cow<'static, str>, Kind>,
    source: Option<Arc<Looked>>,
}

/// A source, and what it said so far.
#[derive(Debug)]
struct Looked {
    source: Arc<dyn KindSource>,
    first: Found,
}

/// What a source said of one name after the other: a list that only grows, so that what was handed out stays.
type Found = OnceLock<Box<Said>>;

#[derive(Debug)]
struct Said {
    name: String,
    kind: Result<Arc<KindSpec>, Problem>,
    next: Found,
}

impl Looked {
    fn get(&self, name: &str) -> Option<&Result<Arc<KindSpec>, Problem>> {
        let mut at = &self.first;
        loop {
            let Some(said) = at.get() else {
                let kind = self.source.kind(name)?;
                let next = OnceLock::new();
                let name = name.to_owned();
                // Where another thread was faster, what it was told is looked at first.
                let _ = at.set(Box::new(Said { name, kind, next }));
                continue;
            };
            if said.name == name {
                return Some(&said.kind);
            }
            at = &said.next;
        }
    }
}

#[derive(Debug, Clone)]
enum Kind {
    Made(Arc<KindSpec>),
    /// Made when somebody first asks for it: a runbook uses few of the kinds, and schemas take their time.
    BuiltIn(&'static LazyLock<KindSpec>),
}

impl Catalog {
    /// Adds a kind; a kind of the same name is replaced.
    pub fn insert(&mut self, kind: KindSpec) {
        let name = Cow::Owned(kind.name.clone());
        self.kinds.insert(name, Kind::Made(Arc::new(kind)));
    }

    /// Adds a kind called `name` that is made when it is first asked for; a kind of the same name is
    /// replaced.
    pub fn insert_built_in(&mut self, name: &'static str, kind: &'static LazyLock<KindSpec>) {
        self.kinds.insert(Cow::Borrowed(name), Kind::BuiltIn(kind));
    }

    /// The same, with the kinds of `source` beside those that were added.
    #[must_use]
    pub fn with_source(mut self, source: Arc<dyn KindSource>) -> Self {
        let first = OnceLock::new();
        self.source = Some(Arc::new(Looked { source, first }));
        self
    }

    /// The kind called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&KindSpec> {
        let added = self.kinds.get(name).map(Kind::spec);
        added.or_else(|| self.source.as_ref()?.get(name)?.as_deref().ok())
    }

    /// Why the kind called `name` cannot be used, where its source says so.
    #[must_use]
    pub fn why_not(&self, name: &str) -> Option<&Problem> {
        if self.kinds.contains_key(name) {
            return None;
        }
        self.source.as_ref()?.get(name)?.as_ref().err()
    }

    /// The kinds that were added, by name.
    pub fn iter(&self) -> impl Iterator<Item = &KindSpec> {
        self.kinds.values().map(Kind::spec)
    }

    /// Their names, sorted.
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

    /// Knows names that start with `x:`, and counts how often it is asked.
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
    fn a_source_is_asked_once_for_each_of_its_kinds() {
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
