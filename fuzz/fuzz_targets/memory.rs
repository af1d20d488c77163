//! The memory: findings point into files, and recalled passages lie within their records.

use windlass_memory::{
    Draft, Files, Memory, Query, RecallIndex, Record, build_index, check as check_memory, fix,
    passages,
};

/// Files of the memory, in the order of their texts in the input.
const FILES: [&str; 6] = [
    "memory/summary.md",
    "memory/index.md",
    "memory/impressions.jsonl",
    "memory/recall-feedback.jsonl",
    "memory/decisions/a.md",
    "memory/open-loops/b.md",
];

/// Separator between files.
const BETWEEN: char = '\u{1}';

/// Splits the input into the texts of [`FILES`].
pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let files = FILES.into_iter().zip(text.split(BETWEEN));
    let memory = Memory::read(Files::of_texts(files));
    for finding in check_memory(&memory).iter() {
        if let Some(place) = &finding.place {
            let text = place.source.text().get(place.range.clone());
            assert!(text.is_some(), "{}: {:?}", finding.rule, place.range);
        }
    }
    let mended = mended(&memory);
    let _ = check_memory(&mended);
    let shown = |record: &Record| record.source().text().to_owned();
    let made = build_index(&memory, &shown, 1);
    let index = RecallIndex::open(made).expect("a built index opens");
    let query = Query::of("why does one store own the settings of retry_loop?");
    let ranking = index.recall(&query, 10);
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
