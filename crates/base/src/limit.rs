/// A limit on the size of printed output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Number of characters, i.e. Unicode scalar values.
    Chars(usize),
    /// Number of tokens, as counted by the o200k tokenizer.
    Tokens(usize),
}

impl Limit {
    /// The number, whatever its unit.
    #[must_use]
    pub fn max(self) -> usize {
        match self {
            Self::Chars(max) | Self::Tokens(max) => max,
        }
    }

    /// Returns another limit with the same unit.
    #[must_use]
    pub fn with_max(self, max: usize) -> Self {
        match self {
            Self::Chars(_) => Self::Chars(max),
            Self::Tokens(_) => Self::Tokens(max),
        }
    }
}

crate::word_enum! {
    /// Amount of information in a pack in addition to its entries. Statuses and omissions are always
    /// included.
    #[derive(Default)]
    ResponseMode, "response mode" {
        /// Facts, diagnostics and next actions.
        Full = "full",
        /// Facts, and next actions for stale, failed or omitted entries.
        #[default]
        Facts = "facts",
        /// The smallest pack that is still correct.
        Minimal = "minimal",
    }
}
