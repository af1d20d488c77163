//! Writing documents anew.

use windlass_base::{RepairOutcome, RepoPath};
use windlass_cite::{NewCitation, rewrite, scan};
use windlass_repo::{Snapshot, SourceFile};

use super::judging::JudgedCitation;
use super::resolve::path_to;
use super::{Document, RepairDepth};
use crate::{Error, Workspace};

/// Why a citation whose new place is proven is not written anew.
const BY_HAND: &str =
    "it is written in a way that leaves more than its own numbers to change, so change it by hand";

/// The text of `document` with what moved written anew; says of each of `judged` what stands in its place then. `None` where
/// nothing changes.
pub(super) fn rewritten(
    document: &Document,
    judged: &mut [JudgedCitation],
    depth: RepairDepth,
    snapshot: &Snapshot,
) -> Option<String> {
    let new: Vec<NewCitation> = judged
        .iter()
        .filter_map(|one| new_citation(document, one, depth, snapshot))
        .collect();
    let (text, refused) = rewrite(&document.text, &document.citations, &new);
    for one in judged.iter_mut().filter(|one| refused.contains(&one.index)) {
        one.cited.leave_to_a_person(BY_HAND);
    }
    if text == document.text {
        return None;
    }
    let now = scan(&text);
    for one in judged {
        let is_written = new.iter().any(|new| new.index == one.index);
        if is_written && !refused.contains(&one.index) {
            let new = now.get(one.index);
            one.cited.rewritten = new.map(|citation| citation.as_written(&text));
        }
    }
    Some(text)
}

fn new_citation(
    document: &Document,
    judged: &JudgedCitation,
    depth: RepairDepth,
    snapshot: &Snapshot,
) -> Option<NewCitation> {
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
    let excerpt = match judged.is_verbatim && repair.outcome == RepairOutcome::Edited {
        // Without the new text the block would show what is no longer there.
        true => Some(shown_text(document, judged.index, &source, place.span)?),
        false => None,
    };
    Some(NewCitation {
        index: judged.index,
        path,
        lines: citation.lines.map(|_| place.span),
        excerpt,
    })
}

/// The lines `span` of `source` as the block of code has its lines; nothing where a secret value is in them.
fn shown_text(
    document: &Document,
    index: usize,
    source: &SourceFile,
    span: windlass_base::LineSpan,
) -> Option<String> {
    let range = &document.citations.get(index)?.excerpt.as_ref()?.range;
    let old = document.text.get(range.clone())?;
    let end = if old.contains("\r\n") { "\r\n" } else { "\n" };
    if source.has_secret_in(span) {
        return None;
    }
    let mut text = String::new();
    for number in span.start()..=span.end() {
        let line = source.line(number)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        text.push_str(std::str::from_utf8(line).ok()?);
        text.push_str(end);
    }
    // The last block of a document may end with it.
    if !old.ends_with('\n') {
        text.truncate(text.len() - end.len());
    }
    Some(text)
}

impl Workspace {
    /// Writes `text` in place of `document`, as long as that is as it was read.
    pub(super) fn replace_document(
        &self,
        name: &RepoPath,
        document: &Document,
        text: &str,
    ) -> Result<(), Error> {
        let place = self.place_of(name)?;
        let now = self.repo().snapshot();
        let is_same = now
            .read(name)
            .is_ok_and(|source| source.bytes() == document.text.as_bytes());
        if !is_same {
            return Err(Error::ChangedMeanwhile(name.clone()));
        }
        windlass_store::replace_shared(&place, text.as_bytes())?;
        Ok(())
    }
}
