//! A view of what a pack has, within a room, for a given richness.

use windlass_base::{Entry, NextAction};

use crate::excerpt::Block;
use crate::fit::{Draft, Fitting};
use crate::render::{Format, render};
use crate::view::{BlockView, EntryView, Says, SectionView, View, ViewOptions};
use crate::weights::{BlockWeight, Filled, Weights, share};
use crate::{Cursor, Measure, Pack};

/// Which part of the room for entries, one in so many, purpose, notes and next actions may take at most.
const MAX_EXTRA: usize = 4;

pub(crate) struct Planner<'p, 'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) options: &'p ViewOptions,
    pub(crate) says: Says,
    pub(crate) drafts: &'p [Draft<'a>],
}

impl<'a> Planner<'_, 'a> {
    fn max(&self) -> usize {
        self.options.limit.max()
    }

    fn weigh(&self, view: &View<'a>) -> (usize, crate::Styled) {
        let printed = render(view, self.options.format);
        (
            Measure::of(self.options.limit).weigh(&printed.plain()),
            printed,
        )
    }

    /// Which entries are shown when none is.
    fn nothing(&self) -> Vec<Filled> {
        vec![Filled::new(); self.drafts.len()]
    }

    /// What a view takes that shows no entry.
    pub(crate) fn skeleton(&self) -> usize {
        self.weigh(&self.assemble(&self.nothing())).0
    }

    /// A page with its first entry alone, without lines; and what it takes.
    pub(crate) fn first_entry(&self) -> (usize, Fitting<'a>) {
        let first = |draft: &Draft<'a>| -> Filled {
            let entries = draft.entries.iter().take(1);
            let shown = |(entry, blocks): &(&Entry, Vec<Block>)| match entry {
                Entry::Observation(_) => vec![0],
                Entry::Item(_) => vec![0; blocks.len()],
            };
            entries.map(shown).collect()
        };
        let view = self.assemble(&self.drafts.iter().map(first).collect::<Vec<_>>());
        let (taken, printed) = self.weigh(&view);
        (taken, (view, printed))
    }

    /// Whether a page would show nothing although there is something to show.
    fn stands_still(&self, view: &View<'a>) -> bool {
        self.options.from.is_some()
            && view
                .sections
                .iter()
                .all(|section| section.entries.is_empty())
            && self.drafts.iter().any(|draft| !draft.entries.is_empty())
    }

    /// The fullest view that fits and says what this planner says. `floor` is what the least takes that can
    /// be said: what comes on top of it must not take the room of the entries.
    pub(crate) fn fit(&self, floor: usize) -> Option<Fitting<'a>> {
        let everything: Vec<Filled> = self
            .drafts
            .iter()
            .map(|draft| everything(draft, self.says.text))
            .collect();
        let whole = self.assemble(&everything);
        let (taken, printed) = self.weigh(&whole);
        if taken <= self.max() {
            return Some(self.with_context(whole, printed, taken));
        }
        let skeleton = self.skeleton();
        let extra = skeleton.saturating_sub(floor);
        if extra > self.max().saturating_sub(floor) / MAX_EXTRA {
            return None;
        }
        let weights: Vec<Weights> = self
            .drafts
            .iter()
            .map(|draft| self.weights(draft))
            .collect();
        // The parts are weighed one by one; the whole may weigh a little more. Then there is less room.
        let mut room = self.max().saturating_sub(skeleton);
        for _ in 0..8 {
            let view = self.assemble(&share(&weights, room));
            let (taken, printed) = self.weigh(&view);
            if taken <= self.max() && !self.stands_still(&view) {
                return Some(self.with_context(view, printed, taken));
            }
            room = room.saturating_sub(taken.saturating_sub(self.max()) * 2);
        }
        let (taken, (view, printed)) = if self.options.from.is_some() {
            self.first_entry()
        } else {
            let view = self.assemble(&self.nothing());
            let (taken, printed) = self.weigh(&view);
            (taken, (view, printed))
        };
        (taken <= self.max()).then_some((view, printed))
    }

    /// As many sections as fit, without their entries; at least one.
    pub(crate) fn fit_some_sections(&self) -> Result<Fitting<'a>, usize> {
        let mut least = self.skeleton();
        for count in (1..=self.drafts.len()).rev() {
            let mut view = self.assemble(&self.nothing());
            view.sections.truncate(count);
            view.sections_left_out = self.drafts.len() - count;
            let (taken, printed) = self.weigh(&view);
            if taken <= self.max() {
                return Ok((view, printed));
            }
            least = least.min(taken);
        }
        Err(least)
    }

    /// The view in which `filled` is shown of each section.
    fn assemble(&self, filled: &[Filled]) -> View<'a> {
        let sections = self
            .drafts
            .iter()
            .zip(filled)
            .map(|(draft, filled)| self.section(draft, filled));
        let mut view = View {
            pack: self.pack,
            sections: sections.collect(),
            sections_left_out: 0,
            next_actions: Vec::new(),
            limit: self.options.limit,
            says: self.says,
        };
        view.next_actions = self.next_actions(&view);
        view
    }

    /// How many lines of an observation are left out when the first and `lines` more are shown.
    fn left_out(&self, entry: &Entry, lines: &[usize]) -> usize {
        match (entry, lines) {
            (Entry::Observation(seen), [more]) => {
                let all = self.options.format.observed_lines(seen).len();
                all.saturating_sub(1 + more)
            }
            _ => 0,
        }
    }

    fn section(&self, draft: &Draft<'a>, filled: &Filled) -> SectionView<'a> {
        let shown = draft.entries.iter().zip(filled);
        let entries: Vec<EntryView<'a>> = shown
            .map(|((entry, blocks), lines)| EntryView {
                entry,
                fields: self.says.text,
                blocks: blocks
                    .iter()
                    .zip(lines)
                    .map(|(block, lines)| block_view(block, *lines))
                    .collect(),
                lines_left_out: self.left_out(entry, lines),
            })
            .collect();
        let next = draft.offset + entries.len();
        let left_out = draft.section.entries.len() - next;
        let cursor = || {
            let (section, offset) = (u16::try_from(draft.at).ok()?, u32::try_from(next).ok()?);
            Some(Cursor::new(&self.pack.key, section, offset).to_string())
        };
        SectionView {
            section: draft.section,
            entries,
            left_out,
            next_cursor: (left_out > 0).then(cursor).flatten(),
        }
    }

    fn next_actions(&self, view: &View<'a>) -> Vec<NextAction> {
        let mut actions = self.pack.next_actions.clone();
        // The other formats name the call at each section that is cut.
        if self.options.format == Format::Json {
            actions.extend(
                view.sections
                    .iter()
                    .find_map(|section| section.more(self.says)),
            );
        }
        actions.truncate(self.says.next_actions);
        actions
    }

    fn weights(&self, draft: &Draft<'a>) -> Weights {
        let measure = Measure::of(self.options.limit);
        let format = self.options.format;
        let mut total = 0;
        let mut entries = Vec::new();
        for (entry, blocks) in &draft.entries {
            if let Entry::Observation(seen) = entry {
                let lines = format.observed_lines(seen);
                if lines.len() > 1 {
                    let cut = measure.weigh(&format.cut_mark(9_999));
                    let head = measure.weigh(&lines[0]) + cut;
                    entries.push((head, vec![BlockWeight::bare(measure, &lines[1..])]));
                    total += head;
                    if total > self.max() {
                        break;
                    }
                    continue;
                }
            }
            let whole = EntryView {
                entry,
                fields: self.says.text,
                lines_left_out: 0,
                blocks: blocks
                    .iter()
                    .map(|block| block_view(block, block.lines.len()))
                    .collect(),
            };
            if self.says.text && whole.single_line().is_some() {
                // Without its line, such an entry would say nothing: they are shown together.
                let head = measure.weigh(&format.entry(&whole));
                entries.push((head, vec![BlockWeight::free()]));
                total += head;
                if total > self.max() {
                    break;
                }
                continue;
            }
            let shown = EntryView {
                entry,
                fields: self.says.text,
                lines_left_out: 0,
                blocks: blocks.iter().map(|block| block_view(block, 0)).collect(),
            };
            let head = measure.weigh(&format.entry_head(&shown));
            let weight = |block: &Block| BlockWeight {
                open: measure.weigh(&format.block_frame()),
                cut: measure.weigh(&format.cut_mark(block.beyond + 999)),
                lines: block
                    .lines
                    .iter()
                    .scan(0, |sum, line| {
                        *sum += measure.weigh(&format.line(line));
                        Some(*sum)
                    })
                    .collect(),
            };
            let text = if self.says.text { &blocks[..] } else { &[] };
            entries.push((head, text.iter().map(weight).collect()));
            total += head;
            if total > self.max() {
                break;
            }
        }
        Weights { entries }
    }

    /// Adds lines around the evidence, as far as the noise budget and the limit allow.
    fn with_context(
        &self,
        view: View<'a>,
        printed: crate::Styled,
        taken: usize,
    ) -> (View<'a>, crate::Styled) {
        let measure = Measure::of(self.options.limit);
        let allowed = self.max() / 1000 * self.options.noise_permille as usize
            + self.max() % 1000 * self.options.noise_permille as usize / 1000;
        let mut room = allowed.min(self.max() - taken);
        let mut richer = view.clone();
        let mut added = false;
        for (section, draft) in richer.sections.iter_mut().zip(self.drafts) {
            for (entry, (_, blocks)) in section.entries.iter_mut().zip(&draft.entries) {
                for (shown, block) in entry.blocks.iter_mut().zip(blocks) {
                    let context = || block.before.iter().chain(&block.after);
                    let weight: usize = context()
                        .map(|line| measure.weigh(&self.options.format.line(line)))
                        .sum();
                    if shown.lines_cut == 0 && weight > 0 && weight <= room && self.says.text {
                        room -= weight;
                        shown.before.clone_from(&block.before);
                        shown.after.clone_from(&block.after);
                        added = true;
                    }
                }
            }
        }
        if added {
            let (taken, printed) = self.weigh(&richer);
            if taken <= self.max() {
                return (richer, printed);
            }
        }
        (view, printed)
    }
}

fn everything(draft: &Draft<'_>, text: bool) -> Filled {
    let lines = |block: &Block| if text { block.lines.len() } else { 0 };
    draft
        .entries
        .iter()
        .map(|(_, blocks)| blocks.iter().map(lines).collect())
        .collect()
}

fn block_view(block: &Block, lines: usize) -> BlockView {
    let left_out = u32::try_from(block.lines.len() - lines).unwrap_or(u32::MAX);
    BlockView {
        lines: block.lines[..lines].to_vec(),
        lines_cut: block.beyond + left_out,
        ..BlockView::default()
    }
}
