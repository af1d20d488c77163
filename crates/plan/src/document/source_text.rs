//! Decodes documents and limits their size.

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};

/// Maximum size of a document in bytes.
pub(crate) const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The maximum nesting of lists and mappings. Building and dropping values is recursive, and deeper
/// documents would risk a stack overflow.
pub(crate) const MAX_DEPTH: usize = 64;

/// The maximum number of values, including keys and expanded aliases.
///
/// A text of 4 MiB may contain up to 4 million values, which would take seconds to read.
pub(crate) const MAX_NODES: usize = 1_000_000;

pub(super) fn refuse(
    source: &Arc<Source>,
    range: Range<usize>,
    rule: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(rule, message).at(Place::new(source, range))
}

/// The maximum size of a document in bytes, and advice to show for a larger one.
pub type SizeLimit = (usize, &'static str);

pub(super) const LIMIT: SizeLimit = (MAX_BYTES, "split it, or keep data in files that steps read");

/// Decodes the document `name`. We only support UTF-8, but recognize UTF-16 for the error message.
///
/// # Errors
/// Returns an error if the document is too large or is not UTF-8.
pub fn decode(
    name: &str,
    bytes: &[u8],
    (limit, advice): SizeLimit,
) -> Result<Arc<Source>, Diagnostics> {
    if bytes.len() > limit {
        let (size, limit) = (bytes.len(), limit >> 20);
        let message = format!("the document has {size} bytes, more than {limit} MiB");
        // The text isn't needed for this message, so don't keep it.
        let large = refuse(&Source::new(name, ""), 0..0, "document-size", message);
        return Err(large.help(advice).into());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let at = error.valid_up_to();
            let source = Source::new(name, String::from_utf8_lossy(bytes));
            // The valid part ends with an incomplete character. This is what a file looks like
            // after an interrupted write or copy.
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

/// The position of an error from serde_json.
///
/// `skipped` is the number of bytes at the start of the text that serde_json has not seen.
#[must_use]
pub fn json_place(source: &Arc<Source>, skipped: usize, error: &serde_json::Error) -> Place {
    let text = source.text();
    let lines = text[skipped..].split_inclusive('\n');
    let before: usize = lines
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let mut at = (skipped + before + error.column().saturating_sub(1)).min(text.len());
    // The column counts bytes, and may point into a character.
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    Place::new(source, at..at)
}
