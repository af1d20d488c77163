//! Citations in Markdown: each lies within the document, and a rewrite changes exactly the
//! requested ones.

use windlass_base::LineSpan;
use windlass_cite::{NewCitation, rewrite, scan};

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let found = scan(&text);
    for citation in &found {
        assert!(text.get(citation.range.clone()).is_some(), "{citation:?}");
    }
    let unchanged = rewrite(&text, &found, &[]);
    assert_eq!(unchanged, (text.to_string(), Vec::new()));

    let lines = LineSpan::new(7, 9).expect("a valid span");
    let new: Vec<NewCitation> = (0..found.len())
        .filter(|index| found[*index].lines.is_some())
        .map(|index| NewCitation {
            index,
            path: None,
            lines: Some(lines),
            excerpt: None,
        })
        .collect();
    let (written, refused) = rewrite(&text, &found, &new);
    let again = scan(&written);
    assert_eq!(again.len(), found.len(), "{written}");
    for one in new.iter().filter(|one| !refused.contains(&one.index)) {
        assert_eq!(again[one.index].lines, Some(lines), "{written}");
        assert_eq!(again[one.index].path, found[one.index].path, "{written}");
    }
}
