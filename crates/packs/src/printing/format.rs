/// Output format of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text for a terminal.
    Text {
        /// Number of columns at which lines are cut, or `None` for no limit.
        width: Option<usize>,
    },
    /// Markdown for documents and agents.
    Markdown,
    /// Web page in one file. A budget applies to its text, not to its markup.
    Html,
    /// One line of compact JSON.
    Json,
    /// TRON: like JSON, but similar objects share a class wherever that is shorter.
    Tron,
}

impl Format {
    /// True for formats for programs.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Self::Json | Self::Tron)
    }
}
