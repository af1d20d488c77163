//! Splits long texts into passages.

use windlass_search::EvenPassages;

use crate::records::entries::entries_in;

/// Approximate length of a passage in bytes. At about 250 words, passages rank well.
pub(crate) const PASSAGE: usize = 1_600;

/// Splitter for all texts except event files.
pub(crate) const PASSAGES: EvenPassages = EvenPassages { bytes: PASSAGE };

/// Returns an event file's entries as passages, each with its heading.
pub(crate) fn events_in<'a>(texts: &[&'a str]) -> Vec<Vec<&'a str>> {
    let entries = texts.iter().flat_map(|text| {
        let entries = entries_in(text).into_iter();
        entries.map(|one| {
            let parts = one.heading.into_iter().chain([one.range]);
            parts.map(|part| &text[part]).collect()
        })
    });
    let passages: Vec<Vec<&str>> = entries.collect();
    match passages.is_empty() {
        true => vec![Vec::new()],
        false => passages,
    }
}
