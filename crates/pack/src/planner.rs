//! A view of what a pack has, within a room, for a given richness.

use std::ops::Range;

use windlass_base::{Entry, NextAction, Observation};

use crate::cursor::Seen;
use crate::excerpt::{Block, TextLine};
use crate::fit::{Candidate, Draft, Fitting, PartsLeft, gap, pieces};
use crate::parts::{Parts, Piece};
use crate::render::{Format, observed, render};
use crate::view::{BlockView, EntryView, PartView, Says, SectionView, View, ViewOptions};
use crate::weights::{BlockWeight, Filled, Weights, share};
use crate::{Cursor, Measure, Pack, PackSection};

/// Which part of the room for entries, one in so many, purpose, notes and next actions may take at most.
const MAX_EXTRA: usize = 4;

/// How many times as much fits as TRON as does as JSON, at most about.
const LIGHTER: usize = 3;

/// How often a fuller view is tried.
const TRIES: usize = 6;

/// What is shown of each section, that as it is printed, and what it takes.
type Found<'a> = (Vec<Filled>, Fitting<'a>, usize);

pub(crate) struct Planner<'p, 'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) options: &'p ViewOptions,
    pub(crate) says: Says,
    pub(crate) drafts: &'p [Draft<'a>],
    /// What the pages that go on take at least.
    pub(crate) page: usize,
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
        vec![Filled::default(); self.drafts.len()]
    }

    /// What a view takes that shows no entry.
    pub(crate) fn skeleton(&self) -> usize {
        self.weigh(&self.assemble(&self.nothing())).0
    }

    /// A page with the first line of its first entry alone; and what it takes.
    pub(crate) fn first_entry(&self) -> (usize, Fitting<'a>) {
        let first = |draft: &Draft<'a>| -> Filled {
            let shown = |candidate: &Candidate<'a>| match candidate.entry {
                Entry::Observation(_) => vec![0],
                Entry::Item(_) => {
                    let first = candidate.blocks.iter().position(|block| block.units() > 0);
                    let lines = |at: usize| usize::from(self.says.text && Some(at) == first);
                    (0..candidate.blocks.len()).map(lines).collect()
                }
            };
            Filled {
                entries: draft.entries.iter().take(1).map(shown).collect(),
                ..Filled::default()
            }
        };
        let view = self.assemble(&self.drafts.iter().map(first).collect::<Vec<_>>());
        let (taken, printed) = self.weigh(&view);
        (taken, (view, printed))
    }

    /// Whether a page would lead to itself although there is something to show.
    fn stands_still(&self, view: &View<'a>) -> bool {
        let Some(from) = self.options.from else {
            return false;
        };
        view.sections
            .iter()
            .any(|section| section.next_cursor == Some(from))
    }

    /// The fullest view that fits and says what this planner says. `floor` is what the least takes that can
    /// be said: what comes on top of it must not take the room of the entries.
    pub(crate) fn fit(&self, floor: usize) -> Option<Fitting<'a>> {
        let everything: Vec<Filled> = self
            .drafts
            .iter()
            .map(|draft| everything(draft, self.says.text, self.options.from.is_some()))
            .collect();
        let whole = self.assemble(&everything);
        let (taken, printed) = self.weigh(&whole);
        if taken <= self.max() {
            return Some(self.with_context(everything, (whole, printed), taken));
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
            let filled = share(&weights, room);
            let view = self.assemble(&filled);
            let (taken, printed) = self.weigh(&view);
            if taken <= self.max() && !self.stands_still(&view) {
                let found = (filled, (view, printed), taken);
                let (filled, fitting, taken) = self.fuller(&weights, room, found);
                return Some(self.with_context(filled, fitting, taken));
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

    /// The parts were weighed as JSON, and what they make weighs less as TRON: the fullest view that is found between
    /// the room that `found` was made for and several times as much.
    fn fuller(&self, weights: &[Weights], room: usize, found: Found<'a>) -> Found<'a> {
        if self.options.format != Format::Tron {
            return found;
        }
        let (mut best, mut low, mut high) = (found, room, room.saturating_mul(LIGHTER));
        for _ in 0..TRIES {
            let middle = low + (high - low) / 2;
            let filled = share(weights, middle);
            let view = self.assemble(&filled);
            let (taken, printed) = self.weigh(&view);
            if taken <= self.max() && !self.stands_still(&view) {
                best = (filled, (view, printed), taken);
                low = middle;
            } else {
                high = middle;
            }
        }
        best
    }

    /// As many sections as fit, without their entries; at least one.
    pub(crate) fn fit_some_sections(&self) -> Result<Fitting<'a>, usize> {
        let mut least = self.skeleton();
        for count in (1..=self.drafts.len()).rev() {
            let view = self.assemble(&self.nothing()[..count]);
            let (taken, printed) = self.weigh(&view);
            if taken <= self.max() {
                return Ok((view, printed));
            }
            least = least.min(taken);
        }
        Err(least)
    }

    /// The view in which `filled` is shown of the first sections, and the others are left out.
    fn assemble(&self, filled: &[Filled]) -> View<'a> {
        let sections = self
            .drafts
            .iter()
            .zip(filled)
            .map(|(draft, filled)| self.section(draft, filled));
        let mut view = View {
            pack: self.pack,
            sections: sections.collect(),
            sections_left_out: self.drafts.len() - filled.len(),
            next_actions: Vec::new(),
            limit: self.options.limit,
            says: self.says,
        };
        view.next_actions = self.next_actions(&view);
        view
    }

    fn section(&self, draft: &Draft<'a>, filled: &Filled) -> SectionView<'a> {
        let shown = draft.entries.iter().zip(&filled.entries);
        let mut around = filled.around;
        let entries: Vec<EntryView<'a>> = shown
            .map(|(candidate, lines)| {
                let entry = self.entry_view(candidate, lines, around);
                around = around.saturating_sub(pieces(candidate.entry));
                entry
            })
            .collect();
        let next = self.next_place(draft, filled, &entries);
        let begun = draft
            .entries
            .get(entries.len().wrapping_sub(1))
            .map(|last| last.at + 1);
        let seen = self
            .options
            .from
            .map_or(0, |from| from.seen.entries.max(from.offset));
        let begun = begun.unwrap_or(0).max(seen as usize);
        SectionView {
            section: draft.section,
            entries,
            left_out: match next {
                Some(Cursor { rest: true, .. }) => 0,
                _ => draft.section.entries.len().saturating_sub(begun),
            },
            go_on: next.and_then(|cursor| {
                self.go_on(format!("see more of `{}`", draft.section.id), cursor)
            }),
            next_cursor: next,
        }
    }

    /// `candidate` with so many units of each of its blocks, and what stands around the first `around` of them.
    fn entry_view(
        &self,
        candidate: &Candidate<'a>,
        units: &[usize],
        around: usize,
    ) -> EntryView<'a> {
        EntryView {
            entry: candidate.entry,
            // Pages with the rest of long lines come after one that showed them.
            fields: self.says.text && !self.options.from.is_some_and(|from| from.rest),
            blocks: candidate
                .blocks
                .iter()
                .zip(units)
                .enumerate()
                .map(|(at, (block, units))| block_view(block, *units, at < around))
                .collect(),
            part: part_view(candidate, units.first().copied().unwrap_or(0)),
        }
    }

    /// Where the next page begins, if anything is left.
    fn next_place(
        &self,
        draft: &Draft<'a>,
        filled: &Filled,
        entries: &[EntryView<'a>],
    ) -> Option<Cursor> {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        if let Some(from) = self.options.from.filter(|_| entries.is_empty()) {
            return (!draft.entries.is_empty()).then_some(from);
        }
        let cut = entries.iter().position(EntryView::is_cut);
        let next = match cut {
            Some(cut) => draft.entries[cut].at,
            None => draft
                .entries
                .get(entries.len())
                .map_or(draft.end, |next| next.at),
        };
        let is_end = next >= draft.section.entries.len();
        let next = if is_end { draft.rest? } else { next };
        let section = u16::try_from(draft.at).ok()?;
        let mut cursor = Cursor::new(&self.pack.key, section, u32::try_from(next).ok()?);
        cursor.onward = self.options.from.is_some_and(|from| from.onward);
        cursor.rest = is_end || self.options.from.is_some_and(|from| from.rest);
        if is_end {
            return Some(cursor);
        }
        match (&self.options.from, cut) {
            (None, None) => {}
            (None, Some(_)) => {
                cursor.seen = Seen {
                    entries: number(entries.len()),
                    lines: number(filled.level.0),
                    more: number(filled.level.1),
                    around: number(filled.around),
                };
            }
            (Some(from), cut) => {
                if cursor.offset < from.seen.entries {
                    cursor.seen = from.seen;
                }
                if let Some(cut) = cut {
                    let before = if cursor.offset == from.offset {
                        from.line
                    } else {
                        0
                    };
                    cursor.line =
                        before.saturating_add(number(entries[cut].shown(&draft.entries[cut])));
                }
            }
        }
        Some(cursor)
    }

    /// The call that goes on at `cursor`, if the pack is kept for it.
    fn go_on(&self, reason: impl Into<String>, cursor: Cursor) -> Option<NextAction> {
        let calls = &self.pack.calls;
        let call = || self.options.go_on(reason, cursor, self.page);
        let called = || call().for_caller(calls.caller.as_ref());
        calls.kept.then(called).flatten()
    }

    fn next_actions(&self, view: &View<'a>) -> Vec<NextAction> {
        let caller = self.pack.calls.caller.as_ref();
        let named = |action: &NextAction| action.clone().for_caller(caller);
        let own = self.pack.next_actions.iter();
        let mut actions: Vec<NextAction> = own.filter_map(named).collect();
        // The other formats name the call at each section that is cut.
        if self.options.format.is_data() {
            actions.extend(
                view.sections
                    .iter()
                    .find_map(|section| section.more(self.says).cloned()),
            );
        }
        actions.truncate(self.says.next_actions);
        let rest = self.rest(view).filter(|_| self.says.rest);
        actions.extend(rest.and_then(|cursor| self.go_on("see what is left out", cursor)));
        actions
    }

    /// Where to go on with what nothing else in `view` leads to: sections that are left out as a whole or are cut
    /// without a word, and on a page that goes on through the sections the one after this.
    fn rest(&self, view: &View<'a>) -> Option<Cursor> {
        let named = self.says.next_actions > 0 || self.options.format.is_data();
        let mut cut = view.sections.iter().map(|section| section.next_cursor);
        let start = |at: usize| Some(Cursor::new(&self.pack.key, u16::try_from(at).ok()?, 0));
        if let Some(from) = self.options.from {
            return match cut.next().flatten() {
                Some(here) => (!named).then_some(here),
                None => {
                    let mut after =
                        (0..self.pack.sections.len()).skip(usize::from(from.section) + 1);
                    let next = after.find(|at| says_something(&self.pack.sections[*at]));
                    next.filter(|_| from.onward)
                        .and_then(start)
                        .map(Cursor::onward)
                }
            };
        }
        if named && view.sections_left_out == 0 {
            return None;
        }
        let left_out = self.drafts[view.sections.len()..].iter();
        let mut left_out = left_out.filter(|draft| says_something(draft.section));
        let cut = if named {
            None
        } else {
            cut.find_map(|cursor| cursor)
        };
        cut.or_else(|| start(left_out.next()?.at))
            .map(Cursor::onward)
    }

    fn weights(&self, draft: &Draft<'a>) -> Weights {
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
                // Without its line, such an entry would say nothing: they are shown together.
                let head = measure.weigh(&format.entry(&whole));
                let around = blocks.iter().filter(|block| block.around_in_turn);
                let around = around.map(|block| {
                    // With these, the line stands below as well.
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
                open: measure.weigh(&format.block_frame()),
                cut: measure.weigh(&format.cut_mark(block.beyond + 999)),
                lines: {
                    let line = |line: &TextLine| match block.is_rest {
                        true => measure.weigh(&format.piece(line)),
                        false => measure.weigh(&format.line(line)),
                    };
                    let around = block.around_in_turn.then(|| {
                        let frame = measure.weigh(&format.block_frame());
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

    /// What an observation takes with its next part, and what the parts after that add.
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
                // The line before it is not there: it stands under its name.
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

    /// Adds the lines around evidence that is shown whole, in each section from the first, as far as the noise budget
    /// and the limit allow. On a page they are shown in their turn.
    fn with_context(
        &self,
        mut filled: Vec<Filled>,
        plain: Fitting<'a>,
        taken: usize,
    ) -> Fitting<'a> {
        if self.options.from.is_some() || !self.says.text {
            return plain;
        }
        let allowed = self.max() / 1000 * self.options.noise_permille as usize
            + self.max() % 1000 * self.options.noise_permille as usize / 1000;
        let mut room = allowed.min(self.max() - taken);
        for (filled, draft) in filled.iter_mut().zip(self.drafts) {
            filled.around = self.around_within(&mut room, filled, draft);
        }
        if filled.iter().all(|filled| filled.around == 0) {
            return plain;
        }
        let richer = self.assemble(&filled);
        let (taken, printed) = self.weigh(&richer);
        if taken <= self.max() {
            (richer, printed)
        } else {
            plain
        }
    }

    /// How many pieces of evidence of a section, from the first, can be shown with the lines around them; takes
    /// those from `room`.
    fn around_within(&self, room: &mut usize, filled: &Filled, draft: &Draft<'a>) -> usize {
        let measure = Measure::of(self.options.limit);
        let mut count = 0;
        for (candidate, lines) in draft.entries.iter().zip(&filled.entries) {
            for (block, lines) in candidate.blocks.iter().zip(lines) {
                if block.beyond == 0 && *lines == block.lines.len() {
                    let weigh = |line| measure.weigh(&self.options.format.line(line));
                    let Some(left) = room.checked_sub(block.around().map(weigh).sum()) else {
                        return count;
                    };
                    *room = left;
                }
                count += 1;
            }
            // An observation counts as one.
            count += pieces(candidate.entry) - candidate.blocks.len();
        }
        count
    }
}

/// Whether a section is worth a page: it has entries, or says why it has none.
fn says_something(section: &PackSection) -> bool {
    !section.entries.is_empty() || section.reason.is_some()
}

/// All that is at hand; on a page no further than where a piece of evidence has more lines than are shown at
/// once, since what follows comes after them.
fn everything(draft: &Draft<'_>, text: bool, is_page: bool) -> Filled {
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

/// So many units of `block`; `around` says whether a first view shows what stands around it, if it is shown whole.
fn block_view(block: &Block, units: usize, around: bool) -> BlockView {
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

/// The part of an observation that is shown with its next part and at most `more` after that; `None` where
/// that is the whole of it.
fn part_view(candidate: &Candidate<'_>, more: usize) -> Option<PartView> {
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

/// Before which line of an observation, as it is printed for people, the parts `gap` are missing.
fn gap_at(all: &Parts<'_>, seen: &Observation, gap: Range<usize>) -> usize {
    let before = Observation {
        value: all.slice(0, gap.start),
        ..seen.clone()
    };
    let lines = match gap.start {
        0 => 0,
        _ => observed(&before).len(),
    };
    // A text that goes on stands under its name; a single line of it stands beside that.
    let part = all.part(gap.end);
    let has_heading = !part.names.is_empty() && gap.end + 1 < all.len();
    let goes_on = matches!(part.piece, Piece::Lines { goes_on: true, .. });
    lines + usize::from(has_heading && goes_on)
}

impl EntryView<'_> {
    /// How much of `candidate` is shown: lines, or parts.
    fn shown(&self, candidate: &Candidate<'_>) -> usize {
        match (&self.part, &candidate.parts) {
            (Some(part), Some(parts)) => parts.len() - part.observation.parts_cut as usize,
            _ => self.blocks.iter().map(BlockView::units).sum(),
        }
    }
}
