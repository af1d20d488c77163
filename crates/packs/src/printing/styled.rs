/// What a piece of text is, for a screen that has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ordinary text.
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
    /// Helps to read, says nothing by itself.
    Dim,
    /// A place in a file.
    Place,
    /// A command that can be run as it stands.
    Command,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// What it is.
    pub style: Style,
    /// The text.
    pub text: String,
}

/// Text in pieces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Styled(Vec<Span>);

impl Styled {
    /// Adds `text`.
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

    /// The pieces.
    pub fn spans(&self) -> impl Iterator<Item = &Span> {
        self.0.iter()
    }

    /// The text without styles: what is weighed, and what is printed where there are no colours.
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
