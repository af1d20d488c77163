//! Builds the shown form of evidence and observations.

use std::ops::Range;

use windlass_base::{Entry, Observation};

use crate::runbook::entry_drafts::{Candidate, Draft, gap};
use crate::runbook::entry_view::{BlockView, EntryView, PartView};
use crate::runbook::render::observed;
use crate::runbook::value_parts::{Parts, Piece};
use crate::runbook::verified_lines::Block;
use crate::runbook::weights::Filled;

/// Shows all of `draft`. If a piece of evidence has too many lines to show at once, a page must end
/// there, since the next page continues with those lines.
pub(super) fn everything(draft: &Draft<'_>, text: bool, is_page: bool) -> Filled {
    let mut entries = Vec::new();
    for candidate in &draft.entries {
        if let Some(parts) = &candidate.parts {
            entries.push(vec![parts.len().saturating_sub(1)]);
            continue;
        }
        let mut is_open = false;
        let units = |block: &Block| {
            let units = if text && !(is_page && is_open) {
                block.units()
            } else {
                0
            };
            is_open |= block.beyond > 0;
            units
        };
        entries.push(candidate.blocks.iter().map(units).collect());
        if is_open && is_page && text {
            break;
        }
    }
    Filled {
        entries,
        level: (u32::MAX as usize, 0),
        around: 0,
    }
}

/// Shows the first `units` of a block. If that's all of it, `around` decides if the lines around it
/// are shown as well. On a page, these are a unit of their own instead.
pub(super) fn block_view(block: &Block, units: usize, around: bool) -> BlockView {
    let lines = units.min(block.lines.len());
    let left_out = u32::try_from(block.lines.len() - lines).unwrap_or(u32::MAX);
    let lines_cut = block.beyond.saturating_add(left_out);
    if block.is_rest {
        return BlockView {
            pieces: block.lines[..lines].to_vec(),
            pieces_cut: lines_cut,
            ..BlockView::default()
        };
    }
    let shown = BlockView {
        lines: block.lines[..lines].to_vec(),
        lines_cut,
        skipped: block.skipped,
        ..BlockView::default()
    };
    if lines_cut > 0 {
        shown
    } else if units > block.lines.len() || (around && !block.around_in_turn) {
        BlockView {
            before: block.before.clone(),
            after: block.after.clone(),
            ..shown
        }
    } else {
        BlockView {
            context_cut: u32::try_from(block.around().count()).unwrap_or(u32::MAX),
            ..shown
        }
    }
}

/// Shows the next part of an observation, and `more` parts after that. Returns `None` if that's all
/// of the observation.
pub(super) fn part_view(candidate: &Candidate<'_>, more: usize) -> Option<PartView> {
    let (Some(parts), Entry::Observation(seen)) = (&candidate.parts, candidate.entry) else {
        return None;
    };
    let all = &parts.all;
    let shown = more.saturating_add(1).min(parts.len());
    let cut = match parts.lead {
        Some(lead) => gap(lead, shown, all.len()),
        None => all.rounded(parts.start, parts.start + shown).min(parts.end)..parts.end,
    };
    if cut.is_empty() && parts.start == 0 && parts.end == all.len() {
        return None;
    }
    let is_inside = parts.lead.is_some() && cut.end < all.len();
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Some(PartView {
        observation: Observation {
            provenance: seen.provenance.clone(),
            value: if is_inside {
                all.without(cut.clone())
            } else {
                all.slice(parts.start, cut.start)
            },
            parts_before: number(parts.start),
            parts_cut: number(cut.len()),
            parts_after: if is_inside {
                number(all.len() - cut.end)
            } else {
                0
            },
        },
        left_out: all.extent(cut.clone()),
        gap_at: is_inside.then(|| gap_at(all, seen, cut)),
    })
}

/// Index of the printed line after the gap.
fn gap_at(all: &Parts<'_>, seen: &Observation, gap: Range<usize>) -> usize {
    let before = Observation {
        value: all.slice(0, gap.start),
        ..seen.clone()
    };
    let lines = match gap.start {
        0 => 0,
        _ => observed(&before).len(),
    };
    // If a text has several lines, its name is on a line above them. A single line is next to the
    // name.
    let part = all.part(gap.end);
    let has_heading = !part.names.is_empty() && gap.end + 1 < all.len();
    let goes_on = matches!(part.piece, Piece::Lines { goes_on: true, .. });
    lines + usize::from(has_heading && goes_on)
}

impl EntryView<'_> {
    /// Number of lines or parts that are shown.
    pub(super) fn shown(&self, candidate: &Candidate<'_>) -> usize {
        match (&self.part, &candidate.parts) {
            (Some(part), Some(parts)) => parts.len() - part.observation.parts_cut as usize,
            _ => self.blocks.iter().map(BlockView::units).sum(),
        }
    }
}
