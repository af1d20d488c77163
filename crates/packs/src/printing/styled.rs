/// Meaning of a piece of text, which a terminal shows as a color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ordinary text.
    Plain,
    /// Title of the pack.
    Title,
    /// Title of a section.
    Heading,
    /// State of evidence that was verified at its captured location.
    Good,
    /// State of evidence that was verified at a new location, or of an incomplete result.
    Warn,
    /// State of evidence that was not verified, or of a failure.
    Bad,
    /// Text that only helps reading.
    Dim,
    /// Location in a file.
    Place,
    /// Command that can be pasted.
    Command,
}

/// Piece of text with a single style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Style of the text.
    pub style: Style,
    /// Text without escape sequences. They are added when it is printed.
    pub text: String,
}

/// Text that consists of styled spans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Styled(Vec<Span>);

impl Styled {
    /// Appends `text` in `style`. An empty text adds no span.
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

    /// Returns the text without styles. This is the text whose size counts.
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
