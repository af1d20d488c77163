//! From bytes to a [`Document`].
//!
//! One parser is asked once: its events become nodes, of which the value is made, so that a value and its place
//! cannot disagree.

mod characters;
mod events;
mod peek;
mod positions;
mod refusal;
mod scalar;
mod tag;
mod value;

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};

use self::events::Nodes;
pub(crate) use self::peek::text_of_field;
pub(crate) use self::positions::{NodeId, Positions};
use self::refusal::Refusal;
use crate::Document;
use crate::document::Offsets;

/// The longest document, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The deepest nesting of lists and mappings.
pub(crate) const MAX_DEPTH: usize = 64;

/// The most values, keys included and aliases expanded. A text of 4 MiB can hold 4 million, which would take
/// seconds to read.
pub(crate) const MAX_NODES: usize = 1_000_000;

/// What aliases may make of a text: this many nodes and bytes, plus a multiple of its length.
const ALIAS_ALLOWANCE: usize = 100_000;

/// The most findings that are kept.
const MAX_FINDINGS: usize = 200;

const BOM: char = '\u{feff}';

pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Document, Diagnostics> {
    let source = decode(name, bytes)?;
    let text = source.text();
    let skipped = if text.starts_with(BOM) {
        BOM.len_utf8()
    } else {
        0
    };
    refuse_characters(&source, skipped)?;
    refuse_directives(&source, skipped)?;
    let offsets = Offsets::new(text, skipped);
    match Nodes::read(&text[skipped..]).and_then(value::build) {
        Ok((value, positions)) => Ok(Document::new(value, positions, offsets, source)),
        Err(refusals) => Err(report(&source, &offsets, refusals)),
    }
}

fn refuse(
    source: &Arc<Source>,
    range: Range<usize>,
    rule: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(rule, message).at(Place::new(source, range))
}

/// The text of the document, if it is one and not too long.
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
                    .help("it was cut: write it again, or copy all of it")
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

/// Refuses characters that YAML does not allow, or that its versions read differently.
fn refuse_characters(source: &Arc<Source>, skipped: usize) -> Result<(), Diagnostics> {
    let text = source.text();
    let bad = |c: char| match c {
        '\t' | '\n' | '\r' => false,
        // YAML 1.1 ends a line at these, YAML 1.2 does not.
        '\u{85}' | '\u{2028}' | '\u{2029}' => true,
        BOM | '\u{fffe}' | '\u{ffff}' => true,
        c => c.is_control(),
    };
    // Most documents are plain ASCII, which is looked at many bytes at a time.
    let plain = |b: &u8| matches!(b, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    if text.as_bytes().iter().fold(true, |all, b| all & plain(b)) {
        return Ok(());
    }
    let Some((at, c)) = text[skipped..].char_indices().find(|(_, c)| bad(*c)) else {
        return Ok(());
    };
    let at = skipped + at;
    let escape = format!("\\u{:04X}", u32::from(c));
    let message = format!("the character U+{:04X} may not stand in YAML", u32::from(c));
    Err(
        refuse(source, at..at + c.len_utf8(), "yaml-character", message)
            .help(format!(
                "remove it, or write `{escape}` in a text in double quotes"
            ))
            .into(),
    )
}

/// Refuses `%` lines before the document: they could make another language of it, or give tags other meanings.
fn refuse_directives(source: &Arc<Source>, skipped: usize) -> Result<(), Diagnostics> {
    let mut at = skipped;
    for line in source.text()[skipped..].split_inclusive(['\n', '\r']) {
        if line.starts_with('%') {
            return Err(refuse(
                source,
                at..at + line.trim_end().len(),
                "yaml-directive",
                "directives (`%…`) are not supported",
            )
            .help("remove the line")
            .into());
        }
        let ignored = line.trim_start();
        if !(ignored.is_empty() || ignored.starts_with('#')) {
            break;
        }
        at += line.len();
    }
    Ok(())
}

fn report(source: &Arc<Source>, offsets: &Offsets, refusals: Vec<Refusal>) -> Diagnostics {
    let place = |span| Place::new(source, offsets.bytes(source.text(), span));
    let mut found = Diagnostics::default();
    for refusal in refusals {
        let mut diagnostic = Diagnostic::error(refusal.rule, refusal.message)
            .at(place(refusal.span))
            .help(refusal.help);
        if let Some(first) = refusal.first {
            diagnostic = diagnostic.see(place(first), "the first one");
        }
        found.push(diagnostic);
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests;
