//! Ranking, tiers and spelling on a small collection.

use crate::{
    Document, Passage, Query, STRONG, SearchIndex, Tier, WEAK, confidence, encode_index,
    thousandths,
};

const TEXTS: [(&str, &str); 4] = [
    (
        "Releases leave on Thursdays",
        "A release is cut from main and tagged.",
    ),
    (
        "The TypeScript engine stays optional",
        "The Markdown protocol is the default.",
    ),
    (
        "Files instead of a database",
        "Version 15.4 is gone; see `MAX_FORM_PARTS` in read.c.",
    ),
    ("Old rule", "Releases of the engine were cut on Mondays."),
];

/// The last document was replaced by the first.
fn documents() -> Vec<Document<'static>> {
    let documents = (0u32..).zip(TEXTS).map(|(number, (title, body))| Document {
        payload: vec![b'0' + number as u8],
        boost: 1_000,
        found_as: Some(if number == 3 { 0 } else { number }),
        passages: vec![Passage::of([&[title], &[], &[], &[], &[body]])],
    });
    documents.collect()
}

fn index() -> SearchIndex {
    SearchIndex::open(encode_index(&documents(), b"more")).unwrap()
}

/// The first document for a question, and its tier.
fn first(question: &str) -> Option<(u32, Tier)> {
    let (index, query) = (index(), Query::of(question));
    let search = index.search(&query);
    let ranked = search.ranked(2, |_| 0);
    let best = ranked.first()?;
    let ahead = best.score - ranked.get(1).map_or(0.0, |second| second.score);
    let features = search.features(best, &search.matches(best), ahead, 0);
    let confidence = thousandths(confidence(&features));
    Some((best.document, Tier::within((WEAK, STRONG), confidence)))
}

#[test]
fn index_renewed_from_itself_is_the_same() {
    let index = index();
    let documents: Vec<Document<'_>> = documents()
        .into_iter()
        .zip(index.passages())
        .map(|(document, passages)| Document {
            passages,
            ..document
        })
        .collect();
    assert_eq!(encode_index(&documents, b"more"), index.bytes());
    assert_eq!(
        (index.payload(2), index.extra()),
        (Some(&b"2"[..]), &b"more"[..])
    );
}

#[test]
fn damaged_index_is_none_or_answers() {
    let (bytes, query) = (index().bytes().to_vec(), Query::of("release engine 15.4"));
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        if let Some(index) = SearchIndex::open(damaged) {
            let search = index.search(&query);
            let _ = search
                .ranked(3, |_| 0)
                .iter()
                .map(|it| search.matches(it))
                .count();
            let _ = index.passages();
        }
        assert!(SearchIndex::open(bytes[..at].to_vec()).is_none());
    }
}

#[test]
fn question_is_answered_by_most_of_its_words() {
    for (question, document) in [
        ("when do releases leave", 0),
        ("is the markdown protocol optional", 1),
        ("MAX_FORM_PARTS", 2),
        ("engine cut on mondays", 0),
    ] {
        assert_eq!(
            first(question).map(|(it, _)| it),
            Some(document),
            "{question}"
        );
    }
    assert_eq!(first("kubernetes"), None);
}

#[test]
fn single_word_and_missing_version_are_never_strong() {
    let tier = |question: &str| first(question).map(|(_, tier)| tier);
    assert_eq!(tier("typescript engine optional"), Some(Tier::Strong));
    for question in [
        "typescript",
        "files of version 16.2 instead of a database",
        "typscript",
    ] {
        assert!(tier(question) < Some(Tier::Strong), "{question}");
    }
}

#[test]
fn misspelt_word_is_corrected_and_a_name_is_not() {
    let index = index();
    let corrected = |question: &str| {
        let query = Query::of(question);
        let words = index.corrected(&query).into_owned().words.into_iter();
        words.map(|word| word.stem).collect::<Vec<_>>()
    };
    assert_eq!(corrected("databse"), ["databas"]);
    assert_eq!(corrected("preact ensign"), ["preact", "ensign"]);
}
