//! Collects the entries that a view may show.
//!
//! For a page, that is everything that the first view and earlier pages have not shown. How much of
//! it is shown is decided later, by the planner.

use std::ops::Range;

use windlass_base::{Entry, Limit, Observation, ResponseMode};
use windlass_repo::Snapshot;

use crate::runbook::runbook_view::{ViewError, ViewOptions};
use crate::runbook::value_parts::Parts;
use crate::runbook::verified_lines::{self, Block, MAX_LINES, Shown, has_rest};
use crate::{Cursor, Pack, PackSection};

pub(crate) struct Draft<'a> {
    pub(crate) at: usize,
    pub(crate) section: &'a PackSection,
    pub(crate) entries: Vec<Candidate<'a>>,
    /// Index of the first entry that is not a candidate, because it comes after the ones we show
    /// now.
    pub(crate) end: usize,
    /// The first entry with long lines. Their omitted parts are shown after all entries.
    pub(crate) rest: Option<usize>,
}

/// An entry to show, or its remainder if a part has been shown before.
pub(crate) struct Candidate<'a> {
    pub(crate) at: usize,
    pub(crate) entry: &'a Entry,
    pub(crate) blocks: Vec<Block>,
    /// The remainder of an observation. This is `None` for an item.
    pub(crate) parts: Option<PartsLeft<'a>>,
}

/// The parts of an observation that have not been shown yet.
pub(crate) struct PartsLeft<'a> {
    pub(crate) all: Parts<'a>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Number of parts before the lines.
    ///
    /// This is only set in the first view of a program's output, which tends to end with what
    /// matters. The view then shows these parts and the last lines, and pages show the lines in
    /// between.
    pub(crate) lead: Option<usize>,
}

impl<'a> PartsLeft<'a> {
    /// `shown` is the number of parts in the first view, and `before` the number on earlier pages.
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

    /// Indices of the parts, in the order in which they are added to the view: with `lead`, the
    /// lines come from the end.
    pub(crate) fn order(&self) -> impl Iterator<Item = usize> {
        let middle = self.lead.unwrap_or(self.end);
        (self.start..middle).chain((middle..self.end).rev())
    }
}

/// The range of parts to omit in the middle if only `shown` of all parts are shown. `lead` is the
/// number of parts before the lines.
pub(crate) fn gap(lead: usize, shown: usize, all: usize) -> Range<usize> {
    let lead = lead.min(shown);
    lead..all - (shown - lead)
}

impl<'a> Candidate<'a> {
    /// Creates a candidate without the parts that earlier pages have shown, as stated by `from`.
    /// `nr` is the number of pieces of evidence in earlier entries.
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
                // An entry is never shown without its first line, so there's one more than the
                // cursor says.
                let shown = match from.seen.lines_of(at, nr) {
                    _ if at >= from.seen.entries as usize => 0,
                    lines => lines.saturating_add(1),
                };
                let is_page = options.from.is_some();
                parts = Some(PartsLeft::new(seen, shown, before, is_page));
            }
            // The cursor counts every piece of evidence, even if we don't show its text.
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

    fn chars(&self) -> usize {
        let lines = self.blocks.iter().flat_map(|block| &block.lines);
        lines.map(|line| line.text.as_str().chars().count()).sum()
    }

    fn is_done(&self) -> bool {
        match &self.parts {
            Some(parts) => parts.len() == 0,
            None => self.blocks.iter().all(|block| block.units() == 0),
        }
    }
}

/// Number of pieces of evidence in an entry. An observation counts as one.
pub(crate) fn pieces(entry: &Entry) -> usize {
    match entry {
        Entry::Item(item) => item.evidence.len(),
        Entry::Observation(_) => 1,
    }
}

/// The sections to show, with up to `max` candidates each. A page only shows the section of its
/// cursor.
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
    // The section's limit is meant for the first view. Whoever asks for a page wants to see the
    // rest, so only the budget limits it.
    let max = if options.from.is_some() {
        usize::MAX
    } else {
        section.limit
    };
    let mut nr: usize = section.entries[..offset].iter().map(pieces).sum();
    let (mut entries, mut end) = (Vec::new(), offset);
    let max = max.min(options.limit.max()).min(at_most);
    // Stop as soon as there's more text than a page can have. Entries can have large texts, and
    // collecting them in vain takes time.
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
        // Skip the entries that have been shown as a whole. The one at the cursor has something
        // left.
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
