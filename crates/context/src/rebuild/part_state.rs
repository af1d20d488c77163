windlass_base::word_enum! {
    /// Possible states of a part after a rebuild.
    PartState, "state of a part" {
        /// The file changed, but the recorded commit has the text.
        FromCommit = "from_commit",
        /// The lines are unchanged, but other lines of the file changed.
        LinesSame = "lines_same",
        /// The source cannot be read from here, or the pack was built elsewhere. The part was copied.
        Unverified = "unverified",
        /// The part changed.
        Changed = "changed",
        /// The source is missing.
        Missing = "missing",
        /// The part has no origin, so it cannot be checked.
        NoOrigin = "no_origin",
    }
}

impl PartState {
    /// True if the text is the same, even though the file may have changed.
    #[must_use]
    pub fn is_reproduced(self) -> bool {
        matches!(self, Self::FromCommit | Self::LinesSame)
    }
}

/// A part that was rebuilt from one of its sources.
#[derive(Debug, Clone)]
pub(super) struct Again<T> {
    /// `None` if neither the part nor its source has changed.
    pub(super) state: Option<PartState>,
    /// The difference between the stored part and the rebuilt one.
    pub(super) why: String,
    /// What the source has now.
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
