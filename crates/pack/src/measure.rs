use windlass_base::Limit;

/// How much a text weighs, in the unit of the limit.
#[derive(Clone, Copy)]
pub enum Measure {
    /// Unicode scalar values.
    Chars,
    /// Tokens of o200k.
    Tokens,
}

/// The name of the tokenizer, as packs give it.
pub(crate) const TOKENIZER: &str = windlass_tokens::ENCODING;

impl Measure {
    /// The measure of `limit`.
    #[must_use]
    pub fn of(limit: Limit) -> Self {
        match limit {
            Limit::Chars(_) => Self::Chars,
            Limit::Tokens(_) => Self::Tokens,
        }
    }

    /// The weight of `text`.
    #[must_use]
    pub fn weigh(self, text: &str) -> usize {
        match self {
            Self::Chars => text.chars().count(),
            Self::Tokens => windlass_tokens::count(text),
        }
    }
}
