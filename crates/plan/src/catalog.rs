use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{InputWords, LazySchema, Lookup, Problem, WrittenInput};

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
    pub(crate) fn check(&self, with: &Value, left: &mut usize) -> Vec<Problem> {
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

/// The step kinds a runbook may use. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Catalog(BTreeMap<Cow<'static, str>, Kind>);

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
        self.0.insert(name, Kind::Made(Arc::new(kind)));
    }

    /// Adds a kind called `name` that is made when it is first asked for; a kind of the same name is
    /// replaced.
    pub fn insert_built_in(&mut self, name: &'static str, kind: &'static LazyLock<KindSpec>) {
        self.0.insert(Cow::Borrowed(name), Kind::BuiltIn(kind));
    }

    /// The kind called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&KindSpec> {
        self.0.get(name).map(Kind::spec)
    }

    /// The kinds, by name.
    pub fn iter(&self) -> impl Iterator<Item = &KindSpec> {
        self.0.values().map(Kind::spec)
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(AsRef::as_ref)
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
