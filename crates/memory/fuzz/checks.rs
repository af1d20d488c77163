//! Invariants for any bytes, shared by the fuzz target and a test that changes a known memory.

use windlass_memory::{
    Draft, Files, Memory, Query, RecallIndex, Record, Renewed, build_index, check, fix, passages,
    renew_index,
};

/// The files of a memory, in the order in which [`memory`] takes them from its bytes.
pub(crate) const FILES: [&str; 6] = [
    "memory/summary.md",
    "memory/index.md",
    "memory/impressions.jsonl",
    "memory/recall-feedback.jsonl",
    "memory/decisions/a.md",
    "memory/open-loops/b.md",
];

/// Separator of two files.
pub(crate) const BETWEEN: char = '\u{1}';

/// Any bytes, taken for the files of a memory, are read and mended: what is wrong with them stands somewhere, and what is
/// recalled stands in its record. An index that is renewed answers as one that is made.
pub(crate) fn memory(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let files = FILES.into_iter().zip(text.split(BETWEEN));
    let memory = Memory::read(Files::of_texts(files));
    for finding in check(&memory).iter() {
        if let Some(place) = &finding.place {
            let told = place.source.text().get(place.range.clone());
            assert!(told.is_some(), "{}: {:?}", finding.rule, place.range);
        }
    }
    let mended = mended(&memory);
    let _ = check(&mended);
    let shown = |record: &Record| record.source().text().to_owned();
    let made = build_index(&memory, &shown, 1);
    let base = build_index(&mended, &shown, 1);
    let before = RecallIndex::open(base.clone()).expect("what was made is an index");
    let renewed = match renew_index(&before, &memory, &shown, 1) {
        Renewed::Whole(bytes) => RecallIndex::open(bytes),
        Renewed::Changes(bytes) => RecallIndex::open_changed(base, &bytes),
    };
    let renewed = renewed.expect("what is renewed is an index");
    let index = RecallIndex::open(made).expect("what was made is an index");
    let query = Query::of("why does one store own the settings of retry_loop?");
    let ranking = index.recall(&query, 10);
    assert!(
        ranking == renewed.recall(&query, 10),
        "a renewed index answers otherwise"
    );
    for hit in ranking.hits {
        let Some(record) = memory.record(&hit.path) else {
            continue;
        };
        for passage in passages(record, &query) {
            let text = record.source().text().get(passage.range);
            assert!(text.is_some(), "{}", hit.path);
        }
    }
}

fn mended(memory: &Memory) -> Memory {
    let mut draft = Draft::new(memory);
    let _ = fix(memory, &mut draft);
    draft.as_memory()
}
