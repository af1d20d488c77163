/// Byte offsets of the starts of a document's lines, for converting an offset to a line number.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(ends).collect())
    }

    /// The number of the line around the byte `offset`, from 1.
    pub(super) fn number_at(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }
}
