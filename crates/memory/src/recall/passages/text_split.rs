use windlass_search::EvenPassages;

use crate::records::entries::entries_in;

/// Approximate size of a passage, in bytes. Passages of about 250 words rank well.
pub(crate) const PASSAGE: usize = 1_600;

/// The splitter for all texts but event files.
pub(crate) const PASSAGES: EvenPassages = EvenPassages { bytes: PASSAGE };

/// An event file's entries, each with the heading above. The index stores each entry as a passage.
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
