use crate::texts::layout::{INDEX, SUMMARY};

windlass_base::word_enum! {
    /// Kind of a Markdown file in the memory, which follows from its path.
    RecordKind, "kind of record" {
        /// `memory/summary.md`.
        Summary = "summary",
        /// `memory/index.md`.
        Index = "index",
        /// A stable fact about the project: `memory/context/`.
        Context = "context",
        /// A decision: `memory/decisions/`.
        Decision = "decision",
        /// Unfinished work: `memory/open-loops/`.
        OpenLoop = "open-loop",
        /// A short trace of work: `memory/events/`.
        Event = "event",
        /// Any other file.
        Note = "note",
    }
}

impl RecordKind {
    /// Returns the kind of file at `path`, or `None` if the file isn't a Markdown file of the
    /// memory.
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

    /// Returns the folder for new records of this kind.
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

    /// Returns true for all kinds but the summary and the index.
    ///
    /// Records of these kinds can be superseded, and have impressions of their own. The summary is
    /// searched too, but only as an overview of the project.
    #[must_use]
    pub fn is_recalled(self) -> bool {
        !matches!(self, Self::Summary | Self::Index)
    }

    /// Returns true if active records of this kind need an impression, which has the keywords that
    /// a recall looks for.
    #[must_use]
    pub fn is_routed(self) -> bool {
        matches!(self, Self::Decision | Self::OpenLoop | Self::Context)
    }

    /// Returns true if the index and the summary must link to active records of this kind.
    #[must_use]
    pub fn is_linked(self) -> bool {
        matches!(self, Self::Decision | Self::OpenLoop)
    }

    /// Returns the names of the main part, which takes the caller's text unless it's meant for a
    /// section. They're alternatives.
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

    /// Returns the parts that a record of this kind must have on top of the common fields.
    ///
    /// A part is either a frontmatter field or a section. Authors don't always use the same name
    /// for it, so each part has several names, the first of which we use when we write a new one.
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

windlass_base::word_enum! {
    /// Status of a record.
    #[derive(Default)]
    Status, "status", str::to_ascii_lowercase {
        /// Valid.
        #[default]
        Active = "active",
        /// Superseded by another record.
        Superseded = "superseded",
        /// Retained for reference, but not recalled.
        Archived = "archived",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_follows_from_path() {
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
