//! Records what a revision has changed, for the notebook's history.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_base::counted;

/// Maximum number of changed names recorded for a revision, for each type of entry and kind of
/// change. An import of thousands of anchors would otherwise make the history about as large as the
/// notebook.
const MAX_NAMES: usize = 20;

windlass_base::word_enum! {
    /// Kinds of changes to a notebook that its history names.
    ChangeKind, "kind of change" {
        /// The entry is new.
        Added = "added",
        /// The entry was replaced with another state.
        Replaced = "replaced",
        /// The entry was removed.
        Removed = "removed",
    }
}

/// Changes between two revisions of a notebook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Changed anchors, by name.
    pub anchors: BTreeMap<String, ChangeKind>,
    /// Changed runbooks, by name.
    pub runbooks: BTreeMap<String, ChangeKind>,
}

impl Changes {
    /// Returns true if nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.anchors.is_empty() && self.runbooks.is_empty()
    }

    pub(crate) fn removed_anchors(&self) -> impl Iterator<Item = &str> {
        removed(&self.anchors)
    }

    pub(crate) fn removed_runbooks(&self) -> impl Iterator<Item = &str> {
        removed(&self.runbooks)
    }
}

fn removed(changes: &BTreeMap<String, ChangeKind>) -> impl Iterator<Item = &str> {
    let removed = changes
        .iter()
        .filter(|(_, kind)| **kind == ChangeKind::Removed);
    removed.map(|(name, _)| name.as_str())
}

/// Records a change of the entry `id`.
///
/// If the entry has already changed, both become a single change from the first state to the last.
/// For instance, an entry that was added and then removed has not changed at all.
pub(crate) fn note(changes: &mut BTreeMap<String, ChangeKind>, id: &str, now: ChangeKind) {
    let kind = match (changes.get(id), now) {
        (Some(ChangeKind::Added), ChangeKind::Removed) => {
            changes.remove(id);
            return;
        }
        (Some(ChangeKind::Added), _) => ChangeKind::Added,
        (Some(ChangeKind::Removed), ChangeKind::Added) => ChangeKind::Replaced,
        (_, now) => now,
    };
    changes.insert(id.to_owned(), kind);
}

/// The author and time of a write.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    /// The person or agent making the change, if known.
    pub by: Option<String>,
    /// Time of the change, as RFC 3339 in UTC.
    pub at: Option<String>,
    /// The current time, which the age of stored revisions is computed from. Without it, none of
    /// them is too old.
    pub now: Option<std::time::SystemTime>,
}

/// Metadata of the write that created a revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Time of the write, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The person or agent that made the change, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The restored revision, if this write was a rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back_to: Option<u64>,
    /// True if the write recorded an export or import.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed_over: bool,
    /// Changed anchors.
    #[serde(default, skip_serializing_if = "ChangedNames::is_empty")]
    pub anchors: ChangedNames,
    /// Changed runbooks.
    #[serde(default, skip_serializing_if = "ChangedNames::is_empty")]
    pub runbooks: ChangedNames,
}

/// Names of changed entries of the same type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedNames {
    /// Names of added entries.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub added: Named,
    /// Names of replaced entries.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub replaced: Named,
    /// Names of removed entries.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub removed: Named,
}

/// A sorted list of names. We count all of them, but only store the first twenty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Number of names, including those that are not stored.
    pub total: usize,
    /// The first twenty names.
    pub names: Vec<String>,
}

impl Named {
    /// Returns true if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    fn push(&mut self, name: &str) {
        self.total += 1;
        if self.names.len() < MAX_NAMES {
            self.names.push(name.to_owned());
        }
    }
}

impl ChangedNames {
    /// Returns true if nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.replaced.is_empty() && self.removed.is_empty()
    }

    fn of(changes: &BTreeMap<String, ChangeKind>) -> Self {
        let mut names = Self::default();
        for (name, kind) in changes {
            match kind {
                ChangeKind::Added => names.added.push(name),
                ChangeKind::Replaced => names.replaced.push(name),
                ChangeKind::Removed => names.removed.push(name),
            }
        }
        names
    }

    fn words(&self, what: &str) -> Vec<String> {
        [
            (ChangeKind::Added, &self.added),
            (ChangeKind::Replaced, &self.replaced),
            (ChangeKind::Removed, &self.removed),
        ]
        .into_iter()
        .filter(|(_, named)| !named.is_empty())
        .map(|(kind, named)| {
            let names = named.names.iter().map(|name| format!("`{name}`"));
            let names = names.collect::<Vec<_>>().join(", ");
            let more = named.total.saturating_sub(named.names.len());
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let what = match named.total {
                1 => what.to_owned(),
                total => counted(total, what),
            };
            format!("{what} {}: {names}{more}", kind.as_str())
        })
        .collect()
    }
}

impl Written {
    pub(crate) fn of(writer: &Writer, changes: &Changes, rolled_back_to: Option<u64>) -> Self {
        Self {
            at: writer.at.clone(),
            by: writer.by.clone(),
            rolled_back_to,
            handed_over: false,
            anchors: ChangedNames::of(&changes.anchors),
            runbooks: ChangedNames::of(&changes.runbooks),
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let back = self
            .rolled_back_to
            .map(|revision| format!("back to revision {revision}"));
        let mut parts: Vec<String> = back.into_iter().collect();
        parts.extend(self.anchors.words("anchor"));
        parts.extend(self.runbooks.words("runbook"));
        if self.handed_over {
            parts.push("exported to the repository, or imported from it".to_owned());
        }
        if parts.is_empty() {
            return f.write_str("unknown changes");
        }
        f.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_combined_first_to_last() {
        use ChangeKind::{Added, Removed, Replaced};
        for (steps, want) in [
            (&[Added, Replaced][..], Some(Added)),
            (&[Added, Removed], None),
            (&[Replaced, Removed], Some(Removed)),
            (&[Removed, Added], Some(Replaced)),
            (&[Removed, Added, Removed], Some(Removed)),
        ] {
            let mut changes = BTreeMap::new();
            for step in steps {
                note(&mut changes, "a", *step);
            }
            assert_eq!(changes.get("a").copied(), want, "{steps:?}");
        }
    }

    #[test]
    fn changes_many_first_names_shown() {
        let mut changes = Changes::default();
        for at in 0..25 {
            note(
                &mut changes.anchors,
                &format!("a{at:02}"),
                ChangeKind::Added,
            );
        }
        note(&mut changes.runbooks, "r", ChangeKind::Removed);
        let written = Written::of(&Writer::default(), &changes, None);
        let text = written.to_string();
        assert!(text.starts_with("25 anchors added: `a00`, `a01`"), "{text}");
        assert!(
            text.ends_with("`a19` and 5 more; runbook removed: `r`"),
            "{text}"
        );
        let again: Written =
            serde_json::from_value(serde_json::to_value(&written).unwrap()).unwrap();
        assert_eq!(again, written);
    }
}
