//! Text with styles, independent of the way they are shown.
/// The meaning of a piece of text, which a terminal shows as a color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Without any color.
    Plain,
    /// The title of a pack.
    Title,
    /// The title of a section.
    Heading,
    /// Evidence that we verified at its captured location.
    Good,
    /// Evidence that we verified at a new location, or an incomplete result.
    Warn,
    /// Evidence that we could not verify, or a failure.
    Bad,
    /// Less important text. Dimming it makes the rest easier to read.
    Dim,
    /// A location in a file.
    Place,
    /// A command to paste.
    Command,
}

/// A piece of text with one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The style of all of the text.
    pub style: Style,
    /// The text, without escape sequences. These are only added when printing to a terminal.
    pub text: String,
}

/// A text with styles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Styled(Vec<Span>);

impl Styled {
    /// Appends text with a style. If `text` is empty, this does nothing.
    pub fn push(&mut self, style: Style, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Span { style, text });
        }
        self
    }

    /// Appends text without any color.
    pub fn plain_text(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Style::Plain, text)
    }

    /// Appends a line feed.
    pub fn end_line(&mut self) -> &mut Self {
        self.push(Style::Plain, "\n")
    }

    /// Appends `other` along with its styles.
    pub fn append(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// The spans, in the order of the text.
    pub fn spans(&self) -> impl Iterator<Item = &Span> {
        self.0.iter()
    }

    /// The text without styles. This is what budgets count, so colors are free.
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
