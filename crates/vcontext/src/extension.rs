/// Where a field is specified: in the core, or in one of the twelve common extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extension {
    /// The core.
    Core,
    /// 1: when things were made and changed.
    Timestamps,
    /// 2: what things are called by others.
    Identifiers,
    /// 3: titles, narratives, tags.
    RichMetadata,
    /// 4: dependencies, items inside of items.
    Hierarchical,
    /// 5: due dates, percentages.
    Workflow,
    /// 6: who takes part.
    Participants,
    /// 7: links to other documents.
    Resources,
    /// 8: what comes again, and reminders.
    Recurring,
    /// 9: who may see it.
    Security,
    /// 10: who changed what.
    VersionControl,
    /// 11: copies that are worked on side by side.
    Forking,
    /// 12: playbooks inside of other documents.
    Playbooks,
}

impl Extension {
    /// All extensions, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Timestamps,
        Self::Identifiers,
        Self::RichMetadata,
        Self::Hierarchical,
        Self::Workflow,
        Self::Participants,
        Self::Resources,
        Self::Recurring,
        Self::Security,
        Self::VersionControl,
        Self::Forking,
        Self::Playbooks,
    ];

    /// Its name in `vContextInfo.metadata.extensions`.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Timestamps => "timestamps",
            Self::Identifiers => "identifiers",
            Self::RichMetadata => "rich-metadata",
            Self::Hierarchical => "hierarchical",
            Self::Workflow => "workflow",
            Self::Participants => "participants",
            Self::Resources => "resources",
            Self::Recurring => "recurring",
            Self::Security => "security",
            Self::VersionControl => "version-control",
            Self::Forking => "forking",
            Self::Playbooks => "playbooks",
        }
    }

    /// Its number, 0 for the core.
    #[must_use]
    pub fn number(self) -> usize {
        let at = Self::ALL.iter().position(|one| *one == self);
        at.map_or(0, |at| at + 1)
    }

    /// The extension that it builds on.
    #[must_use]
    pub fn needs(self) -> Option<Self> {
        match self {
            Self::Hierarchical | Self::Participants | Self::VersionControl | Self::Playbooks => {
                Some(Self::Identifiers)
            }
            Self::Recurring => Some(Self::Workflow),
            Self::Forking => Some(Self::VersionControl),
            _ => None,
        }
    }

    /// The extension with this name.
    #[must_use]
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.slug() == slug)
    }
}
