//! Output formats.
/// The output formats of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text for a terminal.
    Text {
        /// The number of columns to cut lines at. Without it, lines are not cut.
        width: Option<usize>,
    },
    /// Markdown for documents and agents.
    Markdown,
    /// A self-contained web page. The budget covers its text, but not its markup.
    Html,
    /// Compact JSON on a single line.
    Json,
    /// A form of JSON in which objects with the same fields can share a class, which saves space.
    Tron,
}

impl Format {
    /// True if a program reads the output.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Self::Json | Self::Tron)
    }
}
