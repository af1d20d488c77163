use serde::{Deserialize, Serialize};

use crate::texts::layout::{INDEX, SUMMARY};

/// What a Markdown file of the memory is, by where it lies.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum RecordKind {
    /// `memory/summary.md`.
    Summary,
    /// `memory/index.md`.
    Index,
    /// A stable fact about the project: `memory/context/`.
    Context,
    /// Something that was decided: `memory/decisions/`.
    Decision,
    /// Something that is not finished: `memory/open-loops/`.
    OpenLoop,
    /// A short trace of work: `memory/events/`.
    Event,
    /// Any other file.
    Note,
}

impl RecordKind {
    /// The kind of the file at `path`; none where it is no Markdown of the memory.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let inside = path.strip_prefix("memory/")?;
        let is_markdown = path
            .rsplit_once('.')
            .is_some_and(|(_, end)| end.eq_ignore_ascii_case("md"));
        if !is_markdown {
            return None;
        }
        Some(match inside.split_once('/') {
            _ if path == SUMMARY => Self::Summary,
            _ if path == INDEX => Self::Index,
            Some(("context", _)) => Self::Context,
            Some(("decisions", _)) => Self::Decision,
            Some(("open-loops", _)) => Self::OpenLoop,
            Some(("events", _)) => Self::Event,
            _ => Self::Note,
        })
    }

    /// The word, as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Index => "index",
            Self::Context => "context",
            Self::Decision => "decision",
            Self::OpenLoop => "open-loop",
            Self::Event => "event",
            Self::Note => "note",
        }
    }

    /// The folder that new records of this kind are put into.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::Context => "memory/context",
            Self::Decision => "memory/decisions",
            Self::OpenLoop => "memory/open-loops",
            Self::Event => "memory/events",
            Self::Summary | Self::Index | Self::Note => "memory",
        }
    }

    /// Whether it is found by recall.
    #[must_use]
    pub fn is_recalled(self) -> bool {
        !matches!(self, Self::Summary | Self::Index)
    }

    /// Whether an impression has to lead to what is active of this kind.
    #[must_use]
    pub fn is_routed(self) -> bool {
        matches!(self, Self::Decision | Self::OpenLoop | Self::Context)
    }

    /// Whether what is active of this kind has to be linked from the index and the summary.
    #[must_use]
    pub fn is_linked(self) -> bool {
        matches!(self, Self::Decision | Self::OpenLoop)
    }

    /// The part that says what it is about, by the names it may go by: where its text goes if no part is named.
    #[must_use]
    pub fn main_part(self) -> &'static [&'static str] {
        match self {
            Self::Summary => Self::Summary.parts()[0],
            Self::Index => Self::Index.parts()[0],
            Self::Decision => Self::Decision.parts()[1],
            Self::OpenLoop => Self::OpenLoop.parts()[3],
            Self::Context | Self::Event | Self::Note => &["What it is"],
        }
    }

    /// What a record has to say beside the fields that all have: each by the names it may go by, the first of which is
    /// the title it is given where it is missing. A field of the frontmatter or a section says it.
    #[must_use]
    pub fn parts(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Summary => &[
                &["Current objective", "Objective"],
                &["Key constraints", "Constraints"],
                &["Active priorities", "Priorities"],
                &["Linked decisions", "Active decisions", "Decisions"],
                &["Linked open loops", "Active open loops", "Open loops"],
            ],
            Self::Index => &[
                &["Current project scope", "Project scope", "Scope"],
                &["Active summary", "Active summary pointer", "Summary"],
                &["Active decisions", "Decisions", "Active decisions list"],
                &["Active open loops", "Open loops", "Active open loops list"],
                &[
                    "Superseded or archived records",
                    "Superseded or archived",
                    "Superseded or archived record references",
                    "Superseded",
                    "Archived",
                ],
            ],
            Self::Decision => &[
                &["Date"],
                &["Decision"],
                &["Rationale"],
                &["Consequences"],
                &["Related records", "Related"],
            ],
            Self::OpenLoop => &[
                &["Owner"],
                &["Opened"],
                &["Next trigger"],
                &["Why it matters"],
                &["Related records", "Related"],
            ],
            Self::Context | Self::Event | Self::Note => &[],
        }
    }
}

/// Whether a record is to be relied on.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It holds.
    #[default]
    Active,
    /// Another one took its place.
    Superseded,
    /// It is kept for its own sake.
    Archived,
}

impl Status {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Active, Self::Superseded, Self::Archived];

    /// The word, as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Superseded => "superseded",
            Self::Archived => "archived",
        }
    }

    /// The status that is written `text`, in small letters or not.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_same = |status: &Self| status.as_str().eq_ignore_ascii_case(text);
        Self::ALL.into_iter().find(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_from_places() {
        for (path, kind) in [
            ("memory/summary.md", Some(RecordKind::Summary)),
            ("memory/decisions/a/b.md", Some(RecordKind::Decision)),
            ("memory/open-loops/a.MD", Some(RecordKind::OpenLoop)),
            ("memory/sub/summary.md", Some(RecordKind::Note)),
            ("memory/impressions.jsonl", None),
            ("docs/summary.md", None),
        ] {
            assert_eq!(RecordKind::of_path(path), kind, "{path}");
        }
    }
}
