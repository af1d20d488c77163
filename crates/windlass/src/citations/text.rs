//! What documents cite, for people.

use windlass_base::counted;
use windlass_pack::{Style, Styled, harmless_line};

use super::{CitedLines, Scan};
use crate::listing::{push_next, remark};
use crate::rank::Rank;

/// The most lines of one sort; JSON names all.
const MAX_SHOWN: usize = 100;

/// Width of the column of states: the longest word is `unknown`.
const STATE: usize = 7;

impl Scan {
    /// The answer for people: a line that sums it up, then what does not stand and what was written anew.
    #[must_use]
    pub fn to_text(&self) -> Styled {
        let mut out = Styled::default();
        let fresh = self
            .citations
            .iter()
            .filter(|cited| cited.judgement.is_fresh())
            .count();
        let documents = counted(self.documents, "document");
        let style = if self.is_stale() {
            Style::Warn
        } else {
            Style::Good
        };
        let text = match self.citations.len() {
            0 => format!("no citations in {documents}"),
            total => format!(
                "{fresh} of {} in {documents} fresh",
                counted(total, "citation")
            ),
        };
        out.push(style, text).end_line();
        for unread in self.unread.iter().take(MAX_SHOWN) {
            let text = format!(
                "{} cannot be looked through: {}",
                unread.document, unread.reason
            );
            out.push(Style::Bad, harmless_line(&text)).end_line();
        }
        let others: Vec<&CitedLines> = self
            .citations
            .iter()
            .filter(|cited| !cited.judgement.is_fresh())
            .collect();
        for cited in others.iter().take(MAX_SHOWN) {
            line(&mut out, cited);
        }
        if let Some(more) = others.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
            let text = format!("… {more} more; `--format json` names all");
            out.push(Style::Dim, text).end_line();
        }
        push_next(&mut out, &self.next_actions);
        out
    }
}

/// State, place in the document, what is cited, and what became of it; what was written in its stead as a diff.
fn line(out: &mut Styled, cited: &CitedLines) {
    let rank = Rank::of(&cited.judgement);
    let place = format!("{}:{}", cited.document, cited.document_line);
    let mut text = format!("{place}  {}", cited.citation);
    if cited.rewritten.is_none()
        && let Some(remark) = remark(&cited.judgement)
    {
        text.push_str(&format!("; {remark}"));
    }
    out.push(rank.style(), format!("{:STATE$}", rank.word()));
    out.plain_text(format!("  {}", harmless_line(&text)))
        .end_line();
    if let Some(new) = &cited.rewritten {
        let old = harmless_line(&cited.citation);
        out.push(Style::Bad, format!("- {old}")).end_line();
        out.push(Style::Good, format!("+ {}", harmless_line(new)))
            .end_line();
    }
}
