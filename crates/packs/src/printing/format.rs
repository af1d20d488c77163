/// Output format of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people at a terminal.
    Text {
        /// Lines are cut at this many columns; not at all if there is none.
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
