/// Meaning of a piece of text, shown as a color on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ordinary text.
    Plain,
    /// Title of the pack.
    Title,
    /// Title of a section.
    Heading,
    /// State of evidence verified at its captured location.
    Good,
    /// State of evidence verified at a new location, or of an incomplete result.
    Warn,
    /// State of unverified evidence, or of a failure.
    Bad,
    /// Text that only helps with reading.
    Dim,
    /// A location in a file.
    Place,
    /// A command ready to be pasted.
    Command,
}

/// A piece of text in a single style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Style of the text.
    pub style: Style,
    /// The text without escape sequences, which are only added when printing to a terminal.
    pub text: String,
}

/// Text made of styled spans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Styled(Vec<Span>);

impl Styled {
    /// Appends `text` in `style`. Empty text adds no span.
    pub fn push(&mut self, style: Style, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Span { style, text });
        }
        self
    }

    /// Appends ordinary text.
    pub fn plain_text(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Style::Plain, text)
    }

    /// Appends a line end.
    pub fn end_line(&mut self) -> &mut Self {
        self.push(Style::Plain, "\n")
    }

    /// Appends the spans of `other`.
    pub fn append(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the spans in order.
    pub fn spans(&self) -> impl Iterator<Item = &Span> {
        self.0.iter()
    }

    /// Returns the text without styles. Budgets count this text, so colors are free.
    #[must_use]
    pub fn plain(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }
}

impl From<String> for Styled {
    fn from(text: String) -> Self {
        Self(vec![Span {
            style: Style::Plain,
            text,
        }])
    }
}
