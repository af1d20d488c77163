//! Collects the texts of a document to index, by field.

use std::ops::Range;

use windlass_base::Source;
use windlass_redact::redact_for_cache;

use crate::markdown::{goes_by, is_same_heading};
use crate::recall::FIELDS;
use crate::records::impression::Impression;
use crate::records::kind::RecordKind;
use crate::records::record::Record;

/// The number of parts of the summary that have content of their own. The others only link to
/// records.
const SUMMARY_PARTS: usize = 3;

/// The texts to index, by field.
pub(super) type FieldTexts = [Vec<String>; FIELDS];

/// The texts of a record, in which `shown` replaces the text.
pub(super) fn texts_of_shown(
    record: &Record,
    impressions: &[&Impression],
    shown: String,
) -> FieldTexts {
    if shown == record.source().text() {
        return texts_of(record, impressions);
    }
    let source = Source::new(record.path.as_str(), shown);
    Record::of(&record.path, &source)
        .map(|record| texts_of(&record, impressions))
        .unwrap_or_default()
}

fn texts_of(record: &Record, impressions: &[&Impression]) -> FieldTexts {
    let list = |key: &str| {
        let texts = record
            .front()
            .into_iter()
            .flat_map(|front| front.texts(key));
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    let headings = record.sections().iter().skip(1);
    let headings = headings.map(|section| section.title.clone());
    let mut headings: Vec<String> = headings
        .filter(|title| !is_usual(record.kind, title))
        .collect();
    headings.push(record.path.file_name().trim_end_matches(".md").to_owned());
    let mut texts = [
        vec![record.title().to_owned()],
        [list("keywords"), list("tags")].concat(),
        list("aliases"),
        headings,
        bodies_of(record),
    ];
    add_impressions(impressions, record.title(), &mut texts);
    texts
}

/// The texts of a file outside of the memory. We only have those in its impressions.
pub(super) fn texts_of_impressions(impressions: &[&Impression]) -> FieldTexts {
    let mut texts = FieldTexts::default();
    add_impressions(impressions, "", &mut texts);
    texts
}

fn add_impressions(impressions: &[&Impression], title: &str, texts: &mut FieldTexts) {
    // Impressions usually have the title of the record, which must not count twice.
    for impression in impressions {
        if impression.title != title {
            texts[0].push(without_secrets(&impression.title));
        }
        texts[1].push(without_secrets(&impression.keywords.join("\n")));
        texts[2].push(without_secrets(&impression.aliases.join("\n")));
    }
}

/// The text below the frontmatter. The lists of links in a summary are left out, because a question
/// about one of these titles should find the record itself.
fn bodies_of(record: &Record) -> Vec<String> {
    let text = record.source().text();
    let from = record.front().map_or(0, |front| front.end);
    let filled = |range: Range<usize>| {
        let parts = record.body().filled(range).into_iter();
        parts.map(|part| text[part].to_owned()).collect::<Vec<_>>()
    };
    if record.kind != RecordKind::Summary {
        return filled(from..text.len());
    }
    let linked = RecordKind::Summary.parts().iter().skip(SUMMARY_PARTS);
    let linked: Vec<&str> = linked.flat_map(|names| names.iter().copied()).collect();
    let mut bodies = Vec::new();
    let mut at = from;
    for section in record.sections().iter().filter(|section| section.level > 1) {
        if section.heading.start >= at && goes_by(&section.title, &linked) {
            bodies.extend(filled(at..section.heading.start));
            at = section.body.end;
        }
    }
    bodies.extend(filled(at..text.len().max(at)));
    bodies
}

pub(super) fn without_secrets(text: &str) -> String {
    redact_for_cache(text).0.as_str().to_owned()
}

/// True for a heading that all records of this kind have, so it doesn't tell them apart.
fn is_usual(kind: RecordKind, title: &str) -> bool {
    let mut names = kind.parts().iter().flat_map(|names| names.iter());
    names.any(|name| is_same_heading(name, title))
}
