//! Taking a long text apart into passages: a sentence in a long record says as much as one in a short record.

use std::ops::Range;

use crate::entries::entries_in;

/// About so many bytes are a passage: some 250 words, the length at which passages are known to rank best, and what is loaded of a
/// record as a whole.
pub const PASSAGE: usize = 1_600;

/// The passages of what stands in `texts`, one behind the other: for each the texts it is of, and where in them. One where all of it
/// is no longer than a passage. They are about as long as each other, and end where a paragraph ends, or a line in one that is too long.
pub(super) fn passages_in<'a>(texts: &[&'a str]) -> Vec<Vec<&'a str>> {
    let all: usize = texts.iter().map(|text| text.len()).sum();
    if all <= PASSAGE {
        return vec![texts.to_vec()];
    }
    let count = all.div_ceil(PASSAGE);
    let wanted = all / count;
    let (mut passages, mut length) = (vec![Vec::new()], 0);
    for text in texts {
        for block in blocks(text) {
            // It ends where it comes nearest to the length that is wanted.
            if length > 0 && length + block.len() / 2 > wanted && passages.len() < count {
                passages.push(Vec::new());
                length = 0;
            }
            length += block.len();
            if let Some(last) = passages.last_mut() {
                last.push(&text[block]);
            }
        }
    }
    passages
}

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

/// Where the passages of a text are.
pub(super) fn ranges_in(text: &str) -> Vec<Range<usize>> {
    let start = text.as_ptr() as usize;
    let passages = passages_in(&[text]).into_iter();
    let ranges = passages.filter_map(|passage| {
        let (first, last) = (passage.first()?, passage.last()?);
        Some(first.as_ptr() as usize - start..last.as_ptr() as usize - start + last.len())
    });
    ranges.collect()
}

/// The paragraphs of a text, each with the blank lines behind it, and with its heading; lines where one is too long.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let (mut blocks, mut start, mut at) = (Vec::new(), 0, 0);
    let (mut is_blank, mut has_text) = (false, false);
    for line in text.split_inclusive('\n') {
        let ends = is_blank && has_text && !line.trim().is_empty();
        let is_long = at - start + line.len() > PASSAGE && at > start;
        if ends || is_long {
            blocks.push(start..at);
            (start, has_text) = (at, false);
        }
        is_blank = line.trim().is_empty();
        has_text |= !is_blank && !line.starts_with('#');
        at += line.len();
    }
    blocks.push(start..at);
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_end_with_paragraphs_and_are_about_as_long() {
        assert_eq!(passages_in(&["a\n\nb", "c"]), [["a\n\nb", "c"]]);
        let paragraph = "word ".repeat(60);
        let text = format!("# Head\n\n{paragraph}\n\n").repeat(12);
        let passages = passages_in(&[&text, "the end"]);
        assert_eq!(passages.len(), 3);
        let joined: String = passages.concat().concat();
        assert_eq!(joined, format!("{text}the end"));
        for passage in &passages {
            let length: usize = passage.iter().map(|part| part.len()).sum();
            assert!((PASSAGE / 2..=PASSAGE).contains(&length), "{length}");
            assert!(passage[0].starts_with("# Head"));
        }
        let lines = "x\n".repeat(2_000);
        assert_eq!(passages_in(&[&lines]).len(), 3);
        let ranges = ranges_in(&lines);
        assert_eq!((ranges[0].start, ranges[2].end), (0, lines.len()));
        assert_eq!(ranges[0].end, ranges[1].start);
        assert_eq!(passages_in(&[&"x".repeat(9_000)]).len(), 1);
    }
}
