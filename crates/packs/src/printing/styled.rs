/// Meaning of a piece of text, for screens with colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Text without a style of its own.
    Plain,
    /// The title of the pack.
    Title,
    /// The title of a section.
    Heading,
    /// Verified where it was captured.
    Good,
    /// Verified at a new place, or incomplete.
    Warn,
    /// Not verified, or failed.
    Bad,
    /// Aid for reading, without information of its own.
    Dim,
    /// A place in a file.
    Place,
    /// Command that can be pasted.
    Command,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The style of the whole span.
    pub style: Style,
    /// The text; escape sequences for colors are added when it is printed.
    pub text: String,
}

/// Text in pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Styled(Vec<Span>);

impl Styled {
    /// Appends `text` in `style`; an empty text adds no span.
    pub fn push(&mut self, style: Style, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Span { style, text });
        }
        self
    }

    /// Adds ordinary text.
    pub fn plain_text(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Style::Plain, text)
    }

    /// Ends the line.
    pub fn end_line(&mut self) -> &mut Self {
        self.push(Style::Plain, "\n")
    }

    /// Adds the pieces of `other`.
    pub fn append(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the spans in order.
    pub fn spans(&self) -> impl Iterator<Item = &Span> {
        self.0.iter()
    }

    /// Returns the text without styles, which is weighed, and printed without colors.
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
