//! From bytes to a [`Document`].
//!
//! The value comes from `serde_yaml`, which is named in this file alone: it is no longer maintained, and may
//! have to be replaced. The places come from another parser over the same text. Two parsers can disagree;
//! where the shapes they see differ, the document is refused.

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use windlass_base::{Diagnostic, Diagnostics, Place, Source};

use crate::Document;
use crate::document::Offsets;
use crate::positions::{NodeId, Positions, Refusal};

/// The longest document, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

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
    let positions = Positions::scan(&text[skipped..])
        .map_err(|refusals| report(&source, &offsets, refusals))?;
    let value = deserialise(&source, skipped)?;
    if let Some(node) = disagreement(&positions, &value) {
        let span = offsets.bytes(text, positions.span(node).unwrap_or(0..0));
        return Err(refuse(
            &source,
            span,
            "yaml-ambiguous",
            "YAML readers disagree on what this means",
        )
        .help("write it more plainly: quote texts, and put each key on a line of its own")
        .into());
    }
    Ok(Document::new(value, positions, offsets, source))
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
fn decode(name: &str, bytes: &[u8]) -> Result<Arc<Source>, Diagnostics> {
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

/// Refuses `%` lines before the document: with many of them, the deserialiser takes quadratic time.
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

fn deserialise(source: &Arc<Source>, skipped: usize) -> Result<Value, Diagnostics> {
    let text = &source.text()[skipped..];
    Value::deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| {
        let at = error.location().map_or(skipped, |location| {
            skipped + offset_of(text, location.line(), location.column())
        });
        let message = format!("this is not YAML: {error}");
        refuse(source, at..at, "yaml-syntax", message)
            .help("look at this line and the one before: indentation, quotes, brackets and colons")
            .into()
    })
}

/// The byte of a line and column, both from 1.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n');
    let start: usize = lines.take(line.saturating_sub(1)).map(str::len).sum();
    let rest = &text[start..];
    let chars = rest.char_indices().nth(column.saturating_sub(1));
    start + chars.map_or(rest.len(), |(at, _)| at)
}

/// The first node that holds another number of parts than its value.
fn disagreement(positions: &Positions, value: &Value) -> Option<NodeId> {
    let mut todo = vec![(0, value)];
    while let Some((node, value)) = todo.pop() {
        let mut children = positions.children(node);
        match value {
            Value::Array(items) => {
                for item in items {
                    match children.next() {
                        Some(child) => todo.push((child, item)),
                        None => return Some(node),
                    }
                }
            }
            Value::Object(fields) => {
                for field in fields.values() {
                    match (children.next(), children.next()) {
                        (Some(_), Some(child)) => todo.push((child, field)),
                        _ => return Some(node),
                    }
                }
            }
            _ => {}
        }
        if children.next().is_some() {
            return Some(node);
        }
    }
    None
}

#[cfg(test)]
#[path = "yaml_tests.rs"]
mod tests;
