//! Measures the entries of a section, piece by piece.
//!
//! A section may have thousands of entries. We stop as soon as their heads alone exceed the limit,
//! since the rest cannot be shown anyway.

use super::Planner;
use super::shown_entries::block_view;
use crate::Measure;
use crate::runbook::entry_drafts::{Candidate, Draft, PartsLeft};
use crate::runbook::entry_view::EntryView;
use crate::runbook::value_parts::Piece;
use crate::runbook::verified_lines::{Block, TextLine};
use crate::runbook::weights::{BlockWeight, Weights};

impl<'a> Planner<'_, 'a> {
    pub(super) fn weights(&self, draft: &Draft<'a>) -> Weights {
        let measure = Measure::of(self.options.limit);
        let format = self.options.format;
        let mut total = 0;
        let mut entries = Vec::new();
        for candidate in &draft.entries {
            let (entry, blocks) = (candidate.entry, &candidate.blocks);
            if let Some(parts) = &candidate.parts {
                let (head, lines) = self.weigh_parts(candidate, parts);
                entries.push((head, vec![lines]));
                total += head;
                if total > self.max() {
                    break;
                }
                continue;
            }
            let whole = EntryView {
                entry,
                fields: self.says.text,
                part: None,
                blocks: blocks
                    .iter()
                    .map(|block| block_view(block, block.lines.len(), false))
                    .collect(),
            };
            if self.says.text && whole.single_line().is_some() {
                // Such an entry makes no sense without its line, so both are shown or neither.
                let head = measure.weigh(&format.entry(&whole));
                let around = blocks.iter().filter(|block| block.around_in_turn);
                let around = around.map(|block| {
                    // If the lines around are shown, the line itself is printed once more between
                    // them.
                    let lines = block.around().chain(&block.lines);
                    lines.map(|line| measure.weigh(&format.line(line))).sum()
                });
                let weight = BlockWeight {
                    lines: [0].into_iter().chain(around).collect(),
                    ..BlockWeight::free()
                };
                entries.push((head, vec![weight]));
                total += head;
                if total > self.max() {
                    break;
                }
                continue;
            }
            let shown = EntryView {
                entry,
                fields: self.says.text,
                part: None,
                blocks: blocks
                    .iter()
                    .map(|block| block_view(block, 0, false))
                    .collect(),
            };
            let head = measure.weigh(&format.entry_head(&shown));
            let weight = |block: &Block| BlockWeight {
                goes_on: block.beyond > 0,
                open: measure.weigh(format.block_frame()),
                cut: measure.weigh(&format.cut_mark(block.beyond + 999)),
                lines: {
                    let line = |line: &TextLine| match block.is_rest {
                        true => measure.weigh(&format.piece(line)),
                        false => measure.weigh(&format.line(line)),
                    };
                    let around = block.around_in_turn.then(|| {
                        let frame = measure.weigh(format.block_frame());
                        frame + block.around().map(line).sum::<usize>()
                    });
                    let each = block.lines.iter().map(line).chain(around);
                    let mut sum = 0;
                    let sums = each.map(|weight| {
                        sum += weight;
                        sum
                    });
                    sums.collect()
                },
            };
            entries.push((head, blocks.iter().map(weight).collect()));
            total += head;
            if total > self.max() {
                break;
            }
        }
        Weights {
            entries,
            in_order: self.options.from.is_some(),
        }
    }

    /// The size of an observation with its next part, and the size that each later part adds.
    fn weigh_parts(
        &self,
        candidate: &Candidate<'a>,
        parts: &PartsLeft<'a>,
    ) -> (usize, BlockWeight) {
        let measure = Measure::of(self.options.limit);
        let format = self.options.format;
        let mut head = measure.weigh(&format.entry_head(&self.entry_view(candidate, &[0], 0)));
        if parts.len() > 1 {
            head += measure.weigh(&format.parts_mark());
        }
        let (mut lines, mut sum) = (Vec::new(), 0);
        for at in parts.order().skip(1) {
            let mut part = parts.all.part(at);
            if parts.lead.is_some()
                && at + 1 == parts.end
                && let Piece::Lines { goes_on, .. } = &mut part.piece
            {
                // The previous line isn't shown, so this one starts below the name of the text.
                *goes_on = false;
            }
            sum += measure.weigh(&format.part(&part));
            lines.push(sum);
            if sum > self.max() {
                break;
            }
        }
        let weight = BlockWeight {
            open: 0,
            cut: 0,
            goes_on: 1 + lines.len() < parts.len(),
            lines,
        };
        (head, weight)
    }
}
