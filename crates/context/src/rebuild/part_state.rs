use serde::Serialize;

/// Possible states of a part after a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartState {
    /// The file changed, but the recorded commit has the text.
    FromCommit,
    /// The lines are unchanged, but other lines of the file changed.
    LinesSame,
    /// The source cannot be read from here, so the part was copied.
    Unverified,
    /// The part changed.
    Changed,
    /// The source is missing.
    Missing,
    /// The part has no origin, so it cannot be checked.
    NoOrigin,
}

impl PartState {
    /// Returns true if the part was rebuilt without a change.
    #[must_use]
    pub fn is_reproduced(self) -> bool {
        matches!(self, Self::FromCommit | Self::LinesSame)
    }

    /// Returns the state's name in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FromCommit => "from_commit",
            Self::LinesSame => "lines_same",
            Self::Unverified => "unverified",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::NoOrigin => "no_origin",
        }
    }
}

/// The result of rebuilding a part from one source.
pub(super) struct Again<T> {
    /// The part's state, or `None` if the part and its source are unchanged.
    pub(super) state: Option<PartState>,
    /// Description of how the rebuilt part differs from the stored one.
    pub(super) why: String,
    /// The part as rebuilt from the current source.
    pub(super) made: T,
}

impl<T> Again<T> {
    pub(super) fn same(made: T) -> Self {
        Self {
            state: None,
            why: String::new(),
            made,
        }
    }

    pub(super) fn told(state: PartState, why: impl Into<String>, made: T) -> Self {
        Self {
            state: Some(state),
            why: why.into(),
            made,
        }
    }
}
