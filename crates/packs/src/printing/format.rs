/// How a pack is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people at a terminal.
    Text {
        /// Lines are cut at this many columns; not at all if there is none.
        width: Option<usize>,
    },
    /// For documents and agents that read Markdown.
    Markdown,
    /// One line of compact JSON.
    Json,
    /// TRON: as JSON, but objects that are alike share a class, wherever that saves something.
    Tron,
}

impl Format {
    /// Whether it is for programs.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Self::Json | Self::Tron)
    }
}
