//! What a change makes stale, for people.

use windlass_base::counted;
use windlass_pack::{Style, Styled, harmless_line};

use super::{Effect, Impact, KeptIn, StaleEvidence};
use crate::CitedLines;
use crate::listing::{push_next, remark};
use crate::rank::Rank;

/// The most lines of one sort; the other formats name all.
const MAX_SHOWN: usize = 100;

/// Width of the column of states: the longest word is `unknown`.
const STATE: usize = 7;

impl Impact {
    /// The answer for people: a line that sums it up, what is stale, and what to do.
    #[must_use]
    pub fn to_text(&self) -> Styled {
        let mut out = Styled::default();
        let style = if self.is_stale() {
            Style::Bad
        } else {
            Style::Good
        };
        out.push(style, self.summary()).end_line();
        for stale in self.anchors.iter().take(MAX_SHOWN) {
            let rank = Rank::of(&stale.judgement);
            out.push(rank.style(), format!("{:STATE$}", rank.word()));
            out.plain_text(format!("  {}", harmless_line(&what(stale))))
                .end_line();
        }
        rest(&mut out, self.anchors.len());
        for cited in self.cited().take(MAX_SHOWN) {
            let rank = Rank::of(&cited.judgement);
            out.push(rank.style(), format!("{:STATE$}", rank.word()));
            out.plain_text(format!("  {}", harmless_line(&what_is_cited(cited))))
                .end_line();
        }
        rest(&mut out, self.cited().count());
        let stale = self.stale_sections().count();
        for section in self.stale_sections().take(MAX_SHOWN) {
            out.push(Style::Bad, format!("{:STATE$}", Effect::Stale.as_str()));
            let why = section.because.join("; ");
            let text = format!(
                "{}  section {}  {}; {why}",
                section.runbook, section.section, section.title
            );
            out.plain_text(format!("  {}", harmless_line(&text)))
                .end_line();
        }
        rest(&mut out, stale);
        let touched = &self.sections[stale.min(self.sections.len())..];
        if !touched.is_empty() {
            let names: Vec<String> = touched
                .iter()
                .take(MAX_SHOWN)
                .map(|section| format!("{} ({})", section.runbook, section.section))
                .collect();
            let text = format!("sections that show what changed: {}", names.join(", "));
            out.push(Style::Dim, harmless_line(&text)).end_line();
        }
        for name in &self.unusable {
            let text = format!("{name} is not valid; `windlass check {name}` says why");
            out.push(Style::Warn, harmless_line(&text)).end_line();
        }
        push_next(&mut out, &self.next_actions);
        out
    }

    /// One line: how much is stale of how much, and since when.
    pub(super) fn summary(&self) -> String {
        let files = counted(self.files_changed, "changed file");
        let files = match self.files_not_utf8 {
            0 => files,
            more => format!("{files} ({more} more with names that are not UTF-8)"),
        };
        let base = self.base_in_words();
        let before = match self.stale_before {
            0 => String::new(),
            count => format!("; {count} did not before"),
        };
        let all = self.anchors.len() + self.standing;
        let unclear = match self.unclear.len() {
            0 => String::new(),
            count => format!("; {} to be looked at", counted(count, "citation")),
        };
        if all == 0 && !self.is_stale() {
            let nothing = match self.unclear.len() {
                0 => "nothing rests",
                _ => "nothing else rests",
            };
            return match self.stale_before {
                0 => format!("{nothing} on the {files} since {base}{unclear}"),
                count => format!(
                    "nothing that stood at {base} rests on the {files}; {} of evidence did not stand before{unclear}",
                    counted(count, "piece")
                ),
            };
        }
        if !self.is_stale() {
            let pieces = counted(all, "piece");
            return format!(
                "{pieces} of evidence in {files} since {base}: all stand{before}{unclear}"
            );
        }
        let mut parts = Vec::new();
        if !self.anchors.is_empty() {
            let pieces = counted(all, "piece");
            parts.push(format!(
                "{} of {pieces} of evidence in {files} no longer stand",
                self.anchors.len()
            ));
        }
        if !self.citations.is_empty() {
            let citations = counted(self.citations.len(), "citation");
            parts.push(format!("{citations} made stale"));
        }
        let sections = self.stale_sections().count();
        if sections > 0 {
            let sections = counted(sections, "section");
            parts.push(format!("{sections} of runbooks made stale"));
        }
        format!("since {base}: {}{before}{unclear}", parts.join(", "))
    }

    /// The citations that are shown: the stale ones, then those that somebody has to look at.
    pub(super) fn cited(&self) -> impl Iterator<Item = &CitedLines> {
        self.citations.iter().chain(&self.unclear)
    }
}

/// The anchor, its place, and what became of it.
pub(super) fn what(stale: &StaleEvidence) -> String {
    let mut text = format!("{}  {}", stale.id, stale.pointer);
    if let Some(remark) = remark(&stale.judgement) {
        text.push_str(&format!("; {remark}"));
    }
    if stale.label != stale.id.as_str() {
        text.push_str(&format!("  {}", stale.label));
    }
    if stale.kept_in == KeptIn::Repository {
        text.push_str("  (handed over)");
    }
    text
}

/// The citation, where it stands, and what became of it.
pub(super) fn what_is_cited(cited: &CitedLines) -> String {
    let place = format!("{}:{}", cited.document, cited.document_line);
    match remark(&cited.judgement) {
        Some(remark) => format!("{place}  {}; {remark}", cited.citation),
        None => format!("{place}  {}", cited.citation),
    }
}

fn rest(out: &mut Styled, count: usize) {
    if count > MAX_SHOWN {
        let more = count - MAX_SHOWN;
        let text = format!("… {more} more; `--format json` names all");
        out.push(Style::Dim, text).end_line();
    }
}
