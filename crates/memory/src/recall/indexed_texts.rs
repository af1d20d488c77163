//! Texts of the fields by which a record is indexed.

use windlass_base::Source;
use windlass_redact::redact_for_cache;
use windlass_search::{BODY, EvenPassages, FIELDS, Passage};

use crate::markdown::{goes_by, is_same_heading};
use crate::records::entries::entries_in;
use crate::records::impression::Impression;
use crate::records::kind::RecordKind;
use crate::records::record::Record;

/// Length of a passage in bytes: some 250 words.
pub(crate) const PASSAGE: usize = 1_600;
/// Passages of a record.
pub(super) const PASSAGES: EvenPassages = EvenPassages { bytes: PASSAGE };

/// Texts of each field.
pub(super) type Texts = [Vec<String>; FIELDS];

/// How many parts of a summary say something themselves; the others link records.
const SUMMARY_SAYS: usize = 3;

/// The texts of the parts of a record as `shown`, its text as it may be shown, has them.
pub(super) fn texts_shown(record: &Record, impressions: &[&Impression], shown: String) -> Texts {
    if shown == record.source().text() {
        return texts_of(record, impressions);
    }
    let source = Source::new(record.path.as_str(), shown);
    Record::of(&record.path, &source)
        .map(|record| texts_of(&record, impressions))
        .unwrap_or_default()
}

/// The texts of the parts of a record.
fn texts_of(record: &Record, impressions: &[&Impression]) -> Texts {
    let front = record.front();
    let mut texts: Texts = Default::default();
    texts[0].push(record.title().to_owned());
    texts[1].extend(
        front
            .into_iter()
            .flat_map(|front| front.texts("keywords"))
            .map(str::to_owned),
    );
    texts[1].extend(
        front
            .into_iter()
            .flat_map(|front| front.texts("tags"))
            .map(str::to_owned),
    );
    texts[2].extend(
        front
            .into_iter()
            .flat_map(|front| front.texts("aliases"))
            .map(str::to_owned),
    );
    add_cues(impressions, record.title(), &mut texts);
    texts[3].extend(
        record
            .sections()
            .iter()
            .skip(1)
            .map(|section| section.title.clone())
            .filter(|title| !is_usual(record.kind, title)),
    );
    texts[3].push(record.path.file_name().trim_end_matches(".md").to_owned());
    texts[4] = bodies_of(record);
    texts
}

/// What a record says below its frontmatter. Of the summary only what stands nowhere else: the records that it links are found
/// by their own words.
fn bodies_of(record: &Record) -> Vec<String> {
    let text = record.source().text();
    let from = record.front().map_or(0, |front| front.end);
    let said = |range: std::ops::Range<usize>| {
        let parts = record.saying(range).into_iter();
        parts.map(|part| text[part].to_owned()).collect::<Vec<_>>()
    };
    if record.kind != RecordKind::Summary {
        return said(from..text.len());
    }
    let linked = RecordKind::Summary.parts().iter().skip(SUMMARY_SAYS);
    let linked: Vec<&str> = linked.flat_map(|names| names.iter().copied()).collect();
    let mut bodies = Vec::new();
    let mut at = from;
    for section in record.sections().iter().filter(|section| section.level > 1) {
        let is_linked = goes_by(&section.title, &linked);
        if section.heading.start >= at && is_linked {
            bodies.extend(said(at..section.heading.start));
            at = section.body.end;
        }
    }
    bodies.extend(said(at..text.len().max(at)));
    bodies
}

/// The texts of cues that lead to no record of the memory.
pub(super) fn texts_of_cues(impressions: &[&Impression]) -> Texts {
    let mut texts = Texts::default();
    add_cues(impressions, "", &mut texts);
    texts
}

fn add_cues(impressions: &[&Impression], title: &str, texts: &mut Texts) {
    for impression in impressions {
        if impression.title != title {
            texts[0].push(safe(&impression.title));
        }
        texts[1].push(safe(&impression.keywords.join("\n")));
        texts[2].push(safe(&impression.aliases.join("\n")));
    }
}

/// `text` without secret values, for the index.
pub(super) fn safe(text: &str) -> String {
    redact_for_cache(text).0.as_str().to_owned()
}

/// Whether a heading is one that all records of a kind have.
fn is_usual(kind: RecordKind, title: &str) -> bool {
    kind.parts()
        .iter()
        .flat_map(|names| names.iter())
        .any(|name| is_same_heading(name, title))
}

/// The passages of these texts. Each entry of a file of events stands by itself: other fields speak of the whole month.
pub(super) fn passages_of(kind: RecordKind, texts: &Texts) -> Vec<Passage<'static>> {
    let bodies: Vec<&str> = texts[BODY].iter().map(String::as_str).collect();
    if kind == RecordKind::Event {
        let entries = bodies.iter().flat_map(|text| {
            let entries = entries_in(text).into_iter();
            entries.map(|one| {
                let parts = one.heading.into_iter().chain([one.range]);
                parts.map(|part| &text[part]).collect::<Vec<_>>()
            })
        });
        let entries = entries.map(|entry| Passage::of([&[], &[], &[], &[], &entry]));
        let entries: Vec<Passage<'_>> = entries.collect();
        if !entries.is_empty() {
            return entries;
        }
    }
    let fields: Vec<Vec<&str>> = texts[..BODY]
        .iter()
        .map(|texts| texts.iter().map(String::as_str).collect())
        .collect();
    let passages = PASSAGES.of(&bodies).into_iter();
    let of = |body: Vec<&str>| Passage::of([&fields[0], &fields[1], &fields[2], &fields[3], &body]);
    passages.map(of).collect()
}
