use std::sync::Arc;

use windlass_base::{Capture, LineSpan, Pointer};
use windlass_repo::{Snapshot, SourceFile};

use crate::old_text::OldText;

/// Returns the committed file that contains the captured text of `pointer`, and the lines of the text in it. Returns
/// `None` if git does not have the text.
#[must_use]
pub fn captured_text(
    snapshot: &Snapshot,
    pointer: &Pointer,
    capture: &Capture,
) -> Option<(Arc<SourceFile>, LineSpan)> {
    OldText::committed(snapshot, pointer, capture)
}
