//! Applies the verdicts on citations to the text of their documents.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use windlass_base::{LineSpan, RepairOutcome};
use windlass_repo::{Snapshot, SourceFile};
use windlass_site::{Error, Site, SiteError};
use windlass_store::Replacement;

use crate::citation_error::CitationError;
use crate::cited_document::Document;
use crate::cited_path::path_to;
use crate::scan_report::RepairDepth;
use crate::scanner::{NewCitation, rewrite, scan};
use crate::verdict::JudgedCitation;

/// Reason for not rewriting a citation with an unusual spelling, e.g. an unparseable list.
const BY_HAND: &str = "its spelling cannot be rewritten automatically; change it by hand";

/// Reason for not rewriting a code block whose lines now contain a secret value.
const SECRET: &str = "the lines of its code block now hold a secret value";

/// Reason for not rewriting a code block whose lines are no longer text.
const NO_TEXT: &str = "the lines of its code block are no longer text";

/// Rewrites the citations of `document` whose text has moved, and records their replacements in
/// `judged`. Returns `None` if the document need not change.
pub(crate) fn rewritten(
    document: &Document,
    judged: &mut [JudgedCitation],
    depth: RepairDepth,
    snapshot: &Snapshot,
) -> Option<String> {
    let (text, new) = rewritten_text(document, judged, depth, snapshot);
    if text == document.text {
        return None;
    }
    // The citations have other positions and spellings in the new text.
    let now = scan(&text);
    for one in judged {
        if let Some(new) = new.iter().find(|new| new.index == one.index) {
            let excerpt = new.excerpt.as_deref();
            one.cited.rewritten_lines =
                excerpt.map_or(0, |text| rewritten_lines(document, one.index, text));
            let citation = now.get(one.index);
            one.cited.rewritten = citation.map(|citation| citation.as_written(&text));
        }
    }
    Some(text)
}

/// Marks those of `judged` that a repair could not rewrite.
///
/// To find out, we attempt both kinds of repair and throw the text away.
pub(crate) fn mark_unwritable(
    document: &Document,
    judged: &mut [JudgedCitation],
    snapshot: &Snapshot,
) {
    for depth in [RepairDepth::Moved, RepairDepth::Edited] {
        rewritten_text(document, judged, depth, snapshot);
    }
}

/// Computes the text of `document` with the new citations. Those that cannot be rewritten stay
/// unchanged, and are marked in `judged`.
fn rewritten_text(
    document: &Document,
    judged: &mut [JudgedCitation],
    depth: RepairDepth,
    snapshot: &Snapshot,
) -> (String, Vec<NewCitation>) {
    let mut new: Vec<NewCitation> = Vec::new();
    for one in judged.iter_mut() {
        match new_citation(document, one, depth, snapshot) {
            Some(Ok(citation)) => new.push(citation),
            Some(Err(why)) => one.cited.mark_by_hand(why),
            None => {}
        }
    }
    let (text, refused) = rewrite(&document.text, &document.citations, &new);
    for one in judged.iter_mut().filter(|one| refused.contains(&one.index)) {
        one.cited.mark_by_hand(BY_HAND);
    }
    new.retain(|new| !refused.contains(&new.index));
    (text, new)
}

/// Makes the replacement for a citation.
///
/// Returns `None` if the citation need not change, and a reason if it has to be changed by hand.
fn new_citation(
    document: &Document,
    judged: &JudgedCitation,
    depth: RepairDepth,
    snapshot: &Snapshot,
) -> Option<Result<NewCitation, &'static str>> {
    let cited = &judged.cited;
    if cited.judgement.is_fresh() || cited.edited_in_place || cited.by_hand.is_some() {
        return None;
    }
    let repair = cited.judgement.repair.as_ref()?;
    let is_wanted = match repair.outcome {
        RepairOutcome::Moved => true,
        RepairOutcome::Edited => depth == RepairDepth::Edited,
        RepairOutcome::Ambiguous | RepairOutcome::Gone | RepairOutcome::Unproven => false,
    };
    let place = repair.evidence.as_ref().filter(|_| is_wanted)?;
    let citation = document.citations.get(judged.index)?;
    let path = (place.file != cited.pointer.file)
        .then(|| path_to(&place.file, &document.name, citation, judged.from));
    let source = snapshot.read(&place.file).ok()?;
    let new = |excerpt: Option<String>| NewCitation {
        index: judged.index,
        path,
        lines: citation.lines.map(|_| place.span),
        excerpt,
    };
    if !judged.is_verbatim || repair.outcome != RepairOutcome::Edited {
        return Some(Ok(new(None)));
    }
    // The block shows the text from before the edit, so update it too.
    let shown = shown_text(document, judged.index, &source, place.span);
    Some(shown.map(|text| new(Some(text))))
}

/// Formats the lines `span` of `source` for the code block of the citation at `index`.
///
/// # Errors
/// Returns the reason if the block cannot show these lines.
fn shown_text(
    document: &Document,
    index: usize,
    source: &SourceFile,
    span: LineSpan,
) -> Result<String, &'static str> {
    if source.shown().has_secret_in(span) {
        return Err(SECRET);
    }
    let citation = document.citations.get(index);
    let excerpt = citation.and_then(|citation| citation.excerpt.as_ref());
    let lines = (span.start()..=span.end()).map(|number| {
        let line = source.line(number)?;
        std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok()
    });
    let lines: Vec<&str> = lines.collect::<Option<_>>().ok_or(NO_TEXT)?;
    let excerpt = excerpt.ok_or(NO_TEXT)?;
    Ok(excerpt.in_its_place(&document.text, &lines))
}

fn rewritten_lines(document: &Document, index: usize, new: &str) -> usize {
    let citation = document.citations.get(index);
    let excerpt = citation.and_then(|citation| citation.excerpt.as_ref());
    let old = excerpt.and_then(|excerpt| document.text.get(excerpt.range.clone()));
    let old: Vec<&str> = old.unwrap_or_default().lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new).into_iter();
    let other = ops.filter(|op| !matches!(op, DiffOp::Equal { .. }));
    other
        .map(|op| op.old_range().len().max(op.new_range().len()))
        .sum()
}

pub(crate) struct Rewrite {
    pub(crate) document: Document,
    pub(crate) text: String,
}

/// New versions of documents, already written to temporary files next to them.
pub(crate) struct Prepared(Vec<(Document, Replacement)>);

impl Prepared {
    /// Writes the temporary files, which proves that all of `rewrites` can be written. No document
    /// changes yet.
    pub(crate) fn of(site: &Site, rewrites: Vec<Rewrite>) -> Result<Self, Error> {
        let prepared = rewrites.into_iter().map(|rewrite| {
            let Rewrite { document, text } = rewrite;
            let place = site.files().document_place(&document.name)?;
            check_unchanged(site, &document)?;
            let replacement = Replacement::prepare(&place, text.as_bytes())?;
            Ok((document, replacement))
        });
        prepared.collect::<Result<_, Error>>().map(Self)
    }

    /// Replaces the documents one after the other, up to the first failure (for example, a document
    /// that has changed in the meantime).
    pub(crate) fn finish(self, site: &Site) -> Result<(), Error> {
        let mut written = Vec::new();
        for (document, replacement) in self.0 {
            // A user may have edited the document since the first check.
            let unchanged = check_unchanged(site, &document);
            match unchanged.and_then(|()| Ok(replacement.finish()?)) {
                Ok(()) => written.push(document.name.to_string()),
                Err(cause) if written.is_empty() => return Err(cause),
                Err(cause) => {
                    return Err(CitationError::PartlyWritten { written, cause }.into());
                }
            }
        }
        Ok(())
    }
}

fn check_unchanged(site: &Site, document: &Document) -> Result<(), Error> {
    let now = site.repo().snapshot().read(&document.name);
    let is_same = now.is_ok_and(|source| source.bytes() == document.text.as_bytes());
    match is_same {
        true => Ok(()),
        false => Err(SiteError::ChangedMeanwhile(document.name.clone()).into()),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files they need")]
mod tests {
    use std::fs;

    use windlass_base::RepoPath;

    use super::*;
    use crate::testing::site;

    #[test]
    fn rewrite_partial_failure_lists_written() {
        let folder = tempfile::tempdir().unwrap();
        let site = site(folder.path());
        let at = |name: &str| folder.path().join(name);
        let texts = || ["a.md", "b.md"].map(|name| fs::read_to_string(at(name)).unwrap());
        let rewrites = || {
            let snapshot = site.snapshot();
            ["a.md", "b.md"].map(|name| Rewrite {
                document: Document::read(&snapshot, &RepoPath::parse(name).unwrap()).unwrap(),
                text: "new".to_owned(),
            })
        };
        fs::write(at("a.md"), "old").unwrap();
        fs::write(at("b.md"), "old").unwrap();

        // A change before the preparation prevents all writes. A later one only prevents the write
        // of its own document.
        let changed = rewrites();
        fs::write(at("b.md"), "other").unwrap();
        assert!(Prepared::of(&site, changed.into()).is_err());
        assert_eq!(texts(), ["old", "other"]);
        let prepared = Prepared::of(&site, rewrites().into()).unwrap();
        fs::write(at("b.md"), "another").unwrap();
        let error = prepared.finish(&site).unwrap_err().to_string();
        assert!(
            error.starts_with("`b.md` changed while it was being edited"),
            "{error}"
        );
        assert!(error.ends_with("; written already: a.md"), "{error}");
        assert_eq!(texts(), ["new", "another"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
