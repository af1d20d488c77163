//! Frontmatter fields shown beside a record's text, e.g. its owner and date.

use windlass_repo::SourceFile;

use super::recollection::LoadedField;
use super::source_lines::{pointer, span_of};
use crate::{Record, fields_for};

/// Maximum length of a shown field, in characters.
const MAX_FIELD_CHARS: usize = 120;

/// The fields requested in `question`.
pub(super) fn fields_of(source: &SourceFile, record: &Record, question: &str) -> Vec<LoadedField> {
    let fields = fields_for(record, question).into_iter();
    let fields = fields.filter_map(|field| {
        let span = span_of(record.source(), &field)?;
        let lines = (span.start()..=span.end()).filter_map(|line| source.shown().line(line));
        let lines: Vec<String> = lines.map(|line| line.as_str().to_owned()).collect();
        let words: Vec<&str> = lines
            .iter()
            .flat_map(|line| line.split_whitespace())
            .collect();
        Some(LoadedField {
            pointer: pointer(&record.path, source, span)?,
            text: cut(&words.join(" ")),
        })
    });
    fields.collect()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_FIELD_CHARS) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
