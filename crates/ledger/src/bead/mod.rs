//! A bead: a piece of work, as it stands in `issues.jsonl`.

mod bead_import;
mod bead_words;
mod dependency_shapes;
mod originals;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Stamp;
use crate::event::{Fields, Outcome};

pub use bead_import::{ImportError, bead_of_record, original_record};
pub use bead_words::{BeadStatus, DependencyKind, IssueType};
pub use dependency_shapes::{kind as dependency_kind, target as dependency_target};

/// The key of `metadata`, and of a dependency, that holds what an imported record had in another form.
pub const IMPORTED: &str = "imported";
/// The longest title, in characters.
pub const MAX_TITLE: usize = 100;
/// The least important priority.
pub const MAX_PRIORITY: u8 = 4;
/// What counts where no priority is given.
pub const USUAL_PRIORITY: u8 = 2;
/// Priority that `bd` and `beads_rust` read where a record gives none: older versions of `bd` leave out 0.
pub const PEER_PRIORITY: u8 = 0;

/// A bead, as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bead {
    /// `{prefix}-{hash}`, or `{parent}.{n}`.
    pub id: String,
    /// At most 100 characters.
    pub title: String,
    /// Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Where it stands.
    pub status: BeadStatus,
    /// 0 (critical) to 4 (backlog).
    #[schemars(range(max = 4))]
    pub priority: u8,
    /// What sort of work it is.
    pub issue_type: IssueType,
    /// When it was made.
    pub created_at: Stamp,
    /// When it was last changed.
    pub updated_at: Stamp,
    /// Who made it.
    pub created_by: String,
    /// Who it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// What it depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Dependency>,
    /// Sorted, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// What somebody wants to keep with it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Fields,
    /// When it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Stamp>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_reason: Option<String>,
    /// How it ended, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Fields,
}

/// That a bead depends on another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Dependency {
    /// The other.
    pub depends_on_id: String,
    /// In which way.
    #[serde(rename = "type")]
    pub kind: DependencyKind,
    /// Since when.
    pub created_at: Stamp,
    /// Who said so.
    pub created_by: String,
    /// Of `waits-for`: `all-children` or `any-children`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Fields,
}

impl Bead {
    /// Whether `text`, in small letters, stands in it: in its id, title, description, labels, or any other field that is a text.
    pub(crate) fn has(&self, text: &str) -> bool {
        let texts = [self.id.as_str(), self.full_title(), &self.description];
        let labels = self.labels.iter().map(String::as_str);
        let rest = self.rest.values().filter_map(Value::as_str);
        let reason = self.close_reason.as_deref();
        let mut all = texts.into_iter().chain(labels).chain(rest).chain(reason);
        all.any(|own| own.to_lowercase().contains(text))
    }

    /// Its whole title, also where that is longer than a title may be.
    #[must_use]
    pub fn full_title(&self) -> &str {
        match self.imported("title") {
            Some(Value::String(title)) => title,
            _ => &self.title,
        }
    }

    /// The status another tool gave it, where that is none of ours: `deferred`, `pinned`, `tombstone`, `blocked` …
    #[must_use]
    pub fn foreign_status(&self) -> Option<&str> {
        self.imported("status")?.as_str()
    }

    /// The type another tool gave it, where that is none of ours: `chore`, `molecule` …
    #[must_use]
    pub fn foreign_type(&self) -> Option<&str> {
        self.imported("issue_type")?.as_str()
    }

    /// The bead it is a part of.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        let parent = |found: &&Dependency| found.kind == DependencyKind::ParentChild;
        let found = self.dependencies.iter().find(parent)?;
        Some(&found.depends_on_id)
    }

    /// How it ended; nothing while it is open.
    #[must_use]
    pub fn ending(&self) -> Option<Outcome> {
        (self.status == BeadStatus::Closed).then(|| {
            let told = self.close_reason.as_deref().unwrap_or_default();
            self.outcome.unwrap_or_else(|| bead_words::outcome_of(told))
        })
    }

    /// What an imported record had in `field`, where that is not what the bead has.
    fn imported(&self, field: &str) -> Option<&Value> {
        self.metadata.get(IMPORTED)?.get(field)
    }

    /// Forgets what was imported for `field`: it has another value now.
    pub(crate) fn forget_imported(&mut self, field: &str) {
        if let Some(Value::Object(imported)) = self.metadata.get_mut(IMPORTED) {
            imported.shift_remove(field);
            if imported.is_empty() {
                self.metadata.shift_remove(IMPORTED);
            }
        }
    }

    /// Puts its labels in order.
    pub(crate) fn sort_labels(&mut self) {
        self.labels.sort();
        self.labels.dedup();
    }
}

impl Dependency {
    /// Whether any child is enough for a `waits-for`.
    #[must_use]
    pub fn any_child_is_enough(&self) -> bool {
        let foreign = || {
            let metadata = self.rest.get("metadata")?;
            let parsed: Option<Value> = metadata
                .as_str()
                .and_then(|text| serde_json::from_str(text).ok());
            let gate = parsed.as_ref().unwrap_or(metadata).get("gate")?.as_str()?;
            Some(gate.to_owned())
        };
        self.gate.clone().or_else(foreign).as_deref() == Some("any-children")
    }
}
