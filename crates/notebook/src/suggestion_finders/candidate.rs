use windlass_base::{LineSpan, RepoPath};
use windlass_outline::Symbol;

use super::file_survey::{Text, regex_of};
use crate::{AnchorKind, Locator, LocatorKind};

/// What a suggestion is about, the most telling first. The order is that of the suggestions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Program,
    Api,
    Gate,
    Command,
    Schema,
    Table,
    Config,
    Guide,
    Owner,
}

impl Topic {
    pub(super) fn kind(self) -> AnchorKind {
        match self {
            Self::Program | Self::Table => AnchorKind::Entrypoint,
            Self::Api | Self::Schema | Self::Config => AnchorKind::Contract,
            Self::Gate => AnchorKind::Ci,
            Self::Command | Self::Guide => AnchorKind::Canon,
            Self::Owner => AnchorKind::Zone,
        }
    }

    /// What the names of its anchors begin with.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Program => "start",
            Self::Api => "api",
            Self::Gate => "gate",
            Self::Command => "build",
            Self::Schema => "schema",
            Self::Table => "table",
            Self::Config => "config",
            Self::Guide => "guide",
            Self::Owner => "owners",
        }
    }

    /// The most suggestions about it.
    pub(super) fn cap(self) -> usize {
        match self {
            Self::Api | Self::Schema => 6,
            Self::Gate | Self::Command | Self::Guide => 5,
            Self::Program => 4,
            Self::Table | Self::Config => 2,
            Self::Owner => 1,
        }
    }
}

/// A place that may be worth an anchor.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) topic: Topic,
    /// What its name is made of.
    pub(super) name: String,
    pub(super) label: String,
    pub(super) file: RepoPath,
    pub(super) span: LineSpan,
    pub(super) locator: Locator,
    pub(super) reason: String,
}

/// Definitions with more lines are anchored by their signature: the whole would be stale all the time.
const MAX_DEFINITION: u32 = 60;

/// Anything with more lines says too little about where to look.
pub(super) const MAX_LINES: u32 = 120;

impl Candidate {
    /// What defines `symbol`.
    pub(super) fn symbol(topic: Topic, text: &Text, symbol: &Symbol) -> Option<Self> {
        let lines = if symbol.lines.count() <= MAX_DEFINITION {
            symbol.lines
        } else {
            symbol.signature_lines
        };
        Some(Self {
            topic,
            name: symbol.name.clone(),
            label: format!("`{}`", symbol.path),
            file: text.file.clone(),
            span: LineSpan::new(lines.first(), lines.last()).ok()?,
            locator: Locator {
                kind: LocatorKind::Symbol,
                value: symbol.path.clone(),
            },
            reason: String::new(),
        })
    }

    /// Lines `first` to `last` of `text`; found again by the text of the first.
    pub(super) fn lines(topic: Topic, text: &Text, first: u32, last: u32) -> Option<Self> {
        let span = LineSpan::new(first, last).ok()?;
        (span.count() <= MAX_LINES).then(|| Self {
            topic,
            name: String::new(),
            label: String::new(),
            file: text.file.clone(),
            span,
            locator: Locator {
                kind: LocatorKind::Grep,
                value: regex_of(text.line(first)),
            },
            reason: String::new(),
        })
    }

    pub(super) fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub(super) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }
}
