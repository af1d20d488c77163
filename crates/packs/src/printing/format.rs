/// Output format of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text for a terminal.
    Text {
        /// Columns at which lines are cut, or `None` for no limit.
        width: Option<usize>,
    },
    /// Markdown for documents and agents.
    Markdown,
    /// A self-contained web page. A budget applies to its text but not its markup.
    Html,
    /// One line of compact JSON.
    Json,
    /// TRON: like JSON, except that objects with the same fields share a class where that is
    /// shorter.
    Tron,
}

impl Format {
    /// Returns true for formats meant for programs.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Self::Json | Self::Tron)
    }
}
