//! Taking a long text apart into passages: a sentence in a long record says as much as one in a short record.

use windlass_search::EvenPassages;

use crate::records::entries::entries_in;

/// About so many bytes are a passage: some 250 words, the length at which passages are known to rank best, and what is loaded of a
/// record as a whole.
pub(crate) const PASSAGE: usize = 1_600;

/// How texts are taken apart.
pub(super) const PASSAGES: EvenPassages = EvenPassages { bytes: PASSAGE };

/// The entries of a file of events that says `texts`, each with the heading it stands below, as passages.
pub(super) fn events_in<'a>(texts: &[&'a str]) -> Vec<Vec<&'a str>> {
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
