//! Decodes documents and limits their size.

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};

/// Maximum size of a document in bytes.
pub(crate) const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Maximum nesting depth of lists and mappings.
pub(crate) const MAX_DEPTH: usize = 64;

/// Maximum number of values, including keys and expanded aliases. A text of 4 MiB can hold 4
/// million values, which would take seconds to read.
pub(crate) const MAX_NODES: usize = 1_000_000;

/// Creates an error of the given rule for a range of the text.
pub(super) fn refuse(
    source: &Arc<Source>,
    range: Range<usize>,
    rule: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(rule, message).at(Place::new(source, range))
}

/// Decodes a document. Rejects it if it's above the size limit.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Result<Arc<Source>, Diagnostics> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the document has {} bytes, more than 4 MiB", bytes.len());
        return Err(
            refuse(&Source::new(name, ""), 0..0, "document-size", message)
                .help("split it, or keep data in files that steps read")
                .into(),
        );
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let at = error.valid_up_to();
            let source = Source::new(name, String::from_utf8_lossy(bytes));
            if error.error_len().is_none() && at > 0 {
                let message = format!("the file ends within a character, at byte {at}");
                let cut = refuse(&source, at..at, "document-encoding", message);
                return Err(cut
                    .help("the file is truncated: write or copy it again")
                    .into());
            }
            let message = format!("byte {at} is not UTF-8");
            let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
            let from = if wide { "UTF-16" } else { "its encoding" };
            Err(refuse(&source, at..at, "document-encoding", message)
                .help(format!("convert the file from {from} to UTF-8"))
                .into())
        }
    }
}
