//! Collects candidate entries: everything in a pack's sections that a view might show.

use std::ops::Range;

use windlass_base::{Entry, Limit, Observation, ResponseMode};
use windlass_repo::Snapshot;

use crate::runbook::runbook_view::{ViewError, ViewOptions};
use crate::runbook::value_parts::Parts;
use crate::runbook::verified_lines::{self, Block, MAX_LINES, Shown, has_rest};
use crate::{Cursor, Pack, PackSection};

/// A section with its candidate entries.
pub(crate) struct Draft<'a> {
    /// The section's index in the pack.
    pub(crate) at: usize,
    pub(crate) section: &'a PackSection,
    /// Candidate entries, in display order.
    pub(crate) entries: Vec<Candidate<'a>>,
    /// Index of the first entry after the candidates.
    pub(crate) end: usize,
    /// First entry with long lines, if any. Their omitted parts come after all entries.
    pub(crate) rest: Option<usize>,
}

/// An entry that a view might show, or what is left of it.
pub(crate) struct Candidate<'a> {
    /// The entry's index in its section.
    pub(crate) at: usize,
    pub(crate) entry: &'a Entry,
    /// Lines for each piece of an item's evidence.
    pub(crate) blocks: Vec<Block>,
    /// The observation's remaining parts, or `None` for an item.
    pub(crate) parts: Option<PartsLeft<'a>>,
}

/// Parts of an observation we haven't shown yet.
pub(crate) struct PartsLeft<'a> {
    pub(crate) all: Parts<'a>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Number of parts before the lines, set in the first view of program output. Such output
    /// usually ends with what matters most, so we show these parts and then the last lines. Pages
    /// show the lines in between, from the first.
    pub(crate) lead: Option<usize>,
}

impl<'a> PartsLeft<'a> {
    /// Returns the parts left after a first view of `shown` parts and pages with `before` more.
    fn new(seen: &'a Observation, shown: usize, before: usize, is_page: bool) -> Self {
        let all = Parts::of(&seen.value);
        let lead = all.before_texts().filter(|_| !seen.provenance.reproducible);
        let shown = shown.min(all.len());
        let (start, end) = match lead {
            Some(lead) if shown > 0 => {
                let gap = gap(lead, shown, all.len());
                (gap.start, gap.end)
            }
            _ => (all.rounded(0, shown), all.len()),
        };
        Self {
            start: start.saturating_add(before).min(end),
            end,
            lead: lead.filter(|_| !is_page),
            all,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns part indexes in display order.
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> {
        let middle = self.lead.unwrap_or(self.end);
        (self.start..middle).chain((middle..self.end).rev())
    }
}

/// Returns the range omitted from the middle of `all` parts if only `shown` are shown. `lead` is
/// the number of parts before the lines.
pub(crate) fn gap(lead: usize, shown: usize, all: usize) -> Range<usize> {
    let lead = lead.min(shown);
    lead..all - (shown - lead)
}

impl<'a> Candidate<'a> {
    /// Creates a candidate for `entry` without the content of pages before `from`. `nr` is the
    /// number of preceding pieces of evidence in the section.
    fn new(
        (snapshot, options): (&Snapshot, &ViewOptions),
        (at, entry): (usize, &'a Entry),
        nr: usize,
        from: &Cursor,
    ) -> Self {
        let before = if at == from.offset as usize {
            from.line as usize
        } else {
            0
        };
        let (mut blocks, mut parts) = (Vec::new(), None);
        match entry {
            Entry::Observation(seen) => {
                // An entry is never shown without its first part.
                let shown = match from.seen.lines_of(at, nr) {
                    _ if at >= from.seen.entries as usize => 0,
                    lines => lines.saturating_add(1),
                };
                let is_page = options.from.is_some();
                parts = Some(PartsLeft::new(seen, shown, before, is_page));
            }
            // Count every piece of evidence, even if we don't show its text.
            Entry::Item(item) if options.mode == ResponseMode::Minimal => {
                blocks.resize_with(item.evidence.len(), Block::default);
            }
            Entry::Item(item) => {
                let shown = verified_lines::shown(snapshot, entry, options.text);
                let mut before = before;
                let block = |(block, shown): (usize, Option<Shown<'_>>)| {
                    let Some(shown) = shown else {
                        return Block::default();
                    };
                    let (all, seen) = match from.rest {
                        true => (shown.rest_count(), 0),
                        false => {
                            let lines = shown.line_count();
                            let all = lines + usize::from(shown.has_around(item.context));
                            let seen = from.seen.lines_of(at, nr + block).min(MAX_LINES as usize);
                            let is_all = seen >= lines && from.seen.has_around(at, nr + block);
                            (all, if is_all { all } else { seen.min(lines) })
                        }
                    };
                    let more = before.min(all - seen);
                    before -= more;
                    if from.rest {
                        return shown.pieces(seen + more);
                    }
                    let block = shown.lines(item.context, seen + more);
                    Block {
                        around_in_turn: options.from.is_some() && block.around().next().is_some(),
                        ..block
                    }
                };
                blocks = shown.into_iter().enumerate().map(block).collect();
            }
        }
        Self {
            at,
            entry,
            blocks,
            parts,
        }
    }

    /// Returns the number of characters in all lines.
    fn chars(&self) -> usize {
        let lines = self.blocks.iter().flat_map(|block| &block.lines);
        lines.map(|line| line.text.as_str().chars().count()).sum()
    }

    /// Returns true if there's nothing left to show.
    fn is_done(&self) -> bool {
        match &self.parts {
            Some(parts) => parts.len() == 0,
            None => self.blocks.iter().all(|block| block.units() == 0),
        }
    }
}

/// Returns the number of pieces of evidence in `entry`. An observation counts as one.
pub(crate) fn pieces(entry: &Entry) -> usize {
    match entry {
        Entry::Item(item) => item.evidence.len(),
        Entry::Observation(_) => 1,
    }
}

/// Returns the sections to show, each with at most `max` candidates.
pub(crate) fn drafts<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
    max: usize,
) -> Result<Vec<Draft<'a>>, ViewError> {
    let wanted = |at: &usize| {
        options
            .from
            .is_none_or(|cursor| usize::from(cursor.section) == *at)
    };
    let chosen: Vec<usize> = (0..pack.sections.len()).filter(wanted).collect();
    let offset = options.from.map_or(0, |cursor| cursor.offset as usize);
    let past = |at: &usize| offset > 0 && offset >= pack.sections[*at].entries.len();
    if options.from.is_some() && (chosen.is_empty() || chosen.iter().any(past)) {
        return Err(ViewError::PastTheEnd);
    }
    let draft = |at: usize| draft(pack, at, snapshot, options, max);
    Ok(chosen.into_iter().map(draft).collect())
}

/// Returns section `at` with at most `at_most` candidates.
fn draft<'a>(
    pack: &'a Pack,
    at: usize,
    snapshot: &Snapshot,
    options: &ViewOptions,
    at_most: usize,
) -> Draft<'a> {
    let section = &pack.sections[at];
    let from = options.from.unwrap_or_else(|| Cursor::new(&pack.key, 0, 0));
    let offset = from.offset as usize;
    // Don't cap the entries on a page: the budget already does that.
    let max = if options.from.is_some() {
        usize::MAX
    } else {
        section.limit
    };
    let mut nr: usize = section.entries[..offset].iter().map(pieces).sum();
    let (mut entries, mut end) = (Vec::new(), offset);
    let max = max.min(options.limit.max()).min(at_most);
    // Stop reading candidates once their text exceeds what a page can hold.
    let room = match options.limit {
        Limit::Chars(max) if options.from.is_some() => max,
        _ => usize::MAX,
    };
    let mut held = 0;
    for (at, entry) in section.entries.iter().enumerate().skip(offset) {
        if entries.len() == max || held > room {
            break;
        }
        let candidate = Candidate::new((snapshot, options), (at, entry), nr, &from);
        nr += pieces(entry);
        end = at + 1;
        // Skip entries that have been shown completely. The one at the cursor hasn't.
        let begun = at < from.seen.entries as usize || from.rest;
        if !begun || at == offset || !candidate.is_done() {
            held = candidate.chars().saturating_add(held);
            entries.push(candidate);
        }
    }
    let is_last = end == section.entries.len() && !from.rest;
    let has_rest = |entry: &Entry| has_rest(snapshot, entry, options.text);
    let rest = (is_last && options.mode != ResponseMode::Minimal)
        .then(|| section.entries.iter().position(has_rest));
    Draft {
        at,
        section,
        entries,
        end,
        rest: rest.flatten(),
    }
}
