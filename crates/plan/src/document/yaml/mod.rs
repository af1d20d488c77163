//! The YAML parser.
//!
//! We parse the text only once. Parser events become nodes ([`yaml_events`]), and we build the
//! value from those nodes, so a value cannot disagree with its position. An earlier version used a
//! second parser for the values, and had to refuse documents for which the two had different
//! results.

mod peek;
mod scalar;
mod value;
mod yaml_events;
mod yaml_refusal;

use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};

pub(crate) use self::peek::text_of_field;
use self::yaml_events::Nodes;
use self::yaml_refusal::Refusal;
use super::document_tree::Document;
use super::offsets::Offsets;
use super::source_text::{LIMIT, MAX_BYTES, MAX_DEPTH, MAX_NODES, decode, refuse};

/// The fixed part of the allowance for expanded aliases, in nodes plus bytes.
///
/// It is meant for small documents with many aliases; the other part is a multiple of the text's
/// length.
const ALIAS_ALLOWANCE: usize = 100_000;

/// Maximum number of findings. We stop reading at this point.
const MAX_FINDINGS: usize = 200;

const BOM: char = '\u{feff}';

pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Document, Diagnostics> {
    let source = decode(name, bytes, LIMIT)?;
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

/// Rejects characters that YAML forbids, and those with a different meaning in another version.
fn refuse_characters(source: &Arc<Source>, skipped: usize) -> Result<(), Diagnostics> {
    let text = source.text();
    let bad = |c: char| match c {
        '\t' | '\n' | '\r' => false,
        // These are line ends in YAML 1.1 but not in 1.2, so other programs may read another value.
        '\u{85}' | '\u{2028}' | '\u{2029}' => true,
        BOM | '\u{fffe}' | '\u{ffff}' => true,
        c => c.is_control(),
    };
    // Most texts are plain ASCII. A loop without an early exit is faster here, since it vectorizes.
    let plain = |b: &u8| matches!(b, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    if text.as_bytes().iter().fold(true, |all, b| all & plain(b)) {
        return Ok(());
    }
    let Some((at, c)) = text[skipped..].char_indices().find(|(_, c)| bad(*c)) else {
        return Ok(());
    };
    let at = skipped + at;
    let escape = format!("\\u{:04X}", u32::from(c));
    let message = format!(
        "the character U+{:04X} is not allowed in YAML",
        u32::from(c)
    );
    Err(
        refuse(source, at..at + c.len_utf8(), "yaml-character", message)
            .help(format!(
                "remove it, or write `{escape}` in a text in double quotes"
            ))
            .into(),
    )
}

/// Rejects `%` directives, which could change the YAML version or the meaning of tags.
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
        // Directives can only come before the document, with comments and empty lines in between.
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
