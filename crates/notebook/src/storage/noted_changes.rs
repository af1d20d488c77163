use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use windlass_base::counted;

/// The most names of one sort that a revision keeps of what it changed.
const MAX_NAMES: usize = 20;

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It was there, and is another now.
    Replaced,
    /// It was there, and is no longer.
    Removed,
}

impl ChangeKind {
    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::Removed => "removed",
        }
    }
}

/// What changed between two revisions of a notebook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Anchors, by name.
    pub anchors: BTreeMap<String, ChangeKind>,
    /// Runbooks, by name.
    pub runbooks: BTreeMap<String, ChangeKind>,
}

impl Changes {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.anchors.is_empty() && self.runbooks.is_empty()
    }

    /// The names of anchors that were removed.
    pub(crate) fn removed_anchors(&self) -> impl Iterator<Item = &str> {
        removed(&self.anchors)
    }

    /// The names of runbooks that were removed.
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

/// Notes that the entry `id` changed: what counts is the state before all changes, and the one after them.
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

/// Who writes, and when.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    /// Who holds the lock, in words that help somebody who has to wait for it.
    pub holder: String,
    /// Who makes the change: a person or an agent, where that is known.
    pub by: Option<String>,
    /// When, as RFC 3339 in UTC.
    pub at: Option<String>,
    /// The same for the age of files; `None` where it is not known, and nothing is too old then.
    pub now: Option<std::time::SystemTime>,
}

/// What a revision says of the write that made it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// When, as RFC 3339 in UTC, by the clock of then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// By whom, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The revision it went back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back_to: Option<u64>,
    /// Whether what was handed over to others, or taken over from them, was noted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed_over: bool,
    /// What became of anchors.
    #[serde(default, skip_serializing_if = "ChangedNames::is_empty")]
    pub anchors: ChangedNames,
    /// What became of runbooks.
    #[serde(default, skip_serializing_if = "ChangedNames::is_empty")]
    pub runbooks: ChangedNames,
}

/// What became of entries of one sort.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedNames {
    /// Those that are new.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub added: Named,
    /// Those that are others now.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub replaced: Named,
    /// Those that are no longer there.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub removed: Named,
}

/// Some names, the first of them by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// How many there are.
    pub total: usize,
    /// The first twenty.
    pub names: Vec<String>,
}

impl Named {
    /// Whether there is none.
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
    /// Whether there is none.
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
    /// What `writer` changed.
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
    /// What changed, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let back = self
            .rolled_back_to
            .map(|revision| format!("back to revision {revision}"));
        let mut parts: Vec<String> = back.into_iter().collect();
        parts.extend(self.anchors.words("anchor"));
        parts.extend(self.runbooks.words("runbook"));
        if self.handed_over {
            parts.push("handed over to the repository, or taken over from it".to_owned());
        }
        if parts.is_empty() {
            return f.write_str("nothing is known of what changed");
        }
        f.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_is_before_and_after() {
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
    fn many_changes_are_counted_and_the_first_named() {
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
