//! Beads are pieces of work, such as tasks, bugs and epics.
//!
//! `issues.jsonl` has the current beads as records that other tools can read, and
//! [`bead_of_record`] reads theirs. Other tools know statuses and types that we don't. A bead then
//! gets the closest one of ours, and its metadata has the original, so that nothing is lost when we
//! export it again.

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

/// Metadata key for the original values of an imported record. Dependencies use it as well.
pub const IMPORTED: &str = "imported";
/// Maximum length of a title, in characters.
pub const MAX_TITLE: usize = 100;
/// The lowest priority, i.e. the largest number. The highest is 0.
pub const MAX_PRIORITY: u8 = 4;
/// Priority of a bead if the user gives none.
pub const USUAL_PRIORITY: u8 = 2;
/// Priority that `bd` and `beads_rust` assume for a record without one, because older versions of
/// `bd` omit 0.
pub const PEER_PRIORITY: u8 = 0;

/// A piece of work, in its written form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bead {
    /// Id: `{prefix}-{hash}` or `{parent}.{n}`.
    pub id: String,
    /// Title, at most 100 characters.
    pub title: String,
    /// Description in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Current status.
    pub status: BeadStatus,
    /// Priority from 0 (critical) to 4 (backlog).
    #[schemars(range(max = 4))]
    pub priority: u8,
    /// Type of work.
    pub issue_type: IssueType,
    /// Time of creation.
    pub created_at: Stamp,
    /// Time of the last change.
    pub updated_at: Stamp,
    /// Creator of the bead.
    pub created_by: String,
    /// The actor the bead is assigned to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Dependencies on other beads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Dependency>,
    /// Labels, sorted and unique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Additional data from users and tools.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Fields,
    /// Time of closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Stamp>,
    /// Reason for closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_reason: Option<String>,
    /// Outcome, if it has been recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Other tools' fields.
    #[serde(flatten)]
    pub rest: Fields,
}

/// A bead's dependency on another bead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Dependency {
    /// Id of the other bead.
    pub depends_on_id: String,
    /// Kind of dependency.
    #[serde(rename = "type")]
    pub kind: DependencyKind,
    /// Time of creation.
    pub created_at: Stamp,
    /// Creator of the dependency.
    pub created_by: String,
    /// For `waits-for`: `all-children` or `any-children`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// Other tools' fields.
    #[serde(flatten)]
    pub rest: Fields,
}

impl Bead {
    /// True if any text of the bead, such as its id, title, labels or close reason, contains
    /// `text`, which must be in lower case.
    pub(crate) fn has(&self, text: &str) -> bool {
        let texts = [self.id.as_str(), self.full_title(), &self.description];
        let labels = self.labels.iter().map(String::as_str);
        let rest = self.rest.values().filter_map(Value::as_str);
        let reason = self.close_reason.as_deref();
        let mut all = texts.into_iter().chain(labels).chain(rest).chain(reason);
        all.any(|own| own.to_lowercase().contains(text))
    }

    /// The title at full length, even if we had to shorten [`Self::title`] to [`MAX_TITLE`].
    #[must_use]
    pub fn full_title(&self) -> &str {
        match self.imported("title") {
            Some(Value::String(title)) => title,
            _ => &self.title,
        }
    }

    /// Another tool's status if there is no equivalent here, e.g. `deferred`, `pinned` or
    /// `tombstone`.
    #[must_use]
    pub fn foreign_status(&self) -> Option<&str> {
        self.imported("status")?.as_str()
    }

    /// Another tool's type if there is no equivalent here, e.g. `chore` or `molecule`.
    #[must_use]
    pub fn foreign_type(&self) -> Option<&str> {
        self.imported("issue_type")?.as_str()
    }

    /// The bead that this one is a part of, if any.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        let parent = |found: &&Dependency| found.kind == DependencyKind::ParentChild;
        let found = self.dependencies.iter().find(parent)?;
        Some(&found.depends_on_id)
    }

    /// Returns the outcome of a closed bead, or `None` while it's open. If none was recorded, we
    /// guess it from the close reason.
    #[must_use]
    pub fn ending(&self) -> Option<Outcome> {
        (self.status == BeadStatus::Closed).then(|| {
            let reason = self.close_reason.as_deref().unwrap_or_default();
            self.outcome
                .unwrap_or_else(|| bead_words::outcome_of(reason))
        })
    }

    /// The value that `field` had in the imported record, if it differs from the bead's.
    fn imported(&self, field: &str) -> Option<&Value> {
        self.metadata.get(IMPORTED)?.get(field)
    }

    /// Drops the imported value of `field`. This must be called whenever the field changes, because
    /// an export would undo the change otherwise.
    pub(crate) fn forget_imported(&mut self, field: &str) {
        if let Some(Value::Object(imported)) = self.metadata.get_mut(IMPORTED) {
            imported.shift_remove(field);
            if imported.is_empty() {
                self.metadata.shift_remove(IMPORTED);
            }
        }
    }

    pub(crate) fn sort_labels(&mut self) {
        self.labels.sort();
        self.labels.dedup();
    }
}

impl Dependency {
    /// True if a `waits-for` dependency is satisfied as soon as one child closes. Otherwise, all of
    /// them have to.
    #[must_use]
    pub fn any_child_is_enough(&self) -> bool {
        // `bd` puts the gate into a `metadata` field, sometimes as a string with JSON in it.
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
