use serde::Serialize;

/// What became of the source of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartState {
    /// The file changed, and the commit of that time still has the text.
    FromCommit,
    /// The lines are the same, and others of the file are not.
    LinesSame,
    /// Its source lies where nobody can look from here: the part is as it was given.
    Unverified,
    /// It is another.
    Changed,
    /// Its source is not there any more.
    Missing,
    /// Nothing says where it comes from, so that nobody can look whether it holds.
    NoOrigin,
}

impl PartState {
    /// Whether the part is as it was.
    #[must_use]
    pub fn is_reproduced(self) -> bool {
        matches!(self, Self::FromCommit | Self::LinesSame)
    }

    /// The word as it stands in JSON.
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

/// What one source makes of a part now.
pub(super) struct Again<T> {
    /// What became of it; nothing where it is what it was, and its source as well.
    pub(super) state: Option<PartState>,
    /// What differs.
    pub(super) why: String,
    /// What it makes.
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
