use windlass_base::{Entry, Evidence, Limit, NextAction, ResponseMode};
use windlass_repo::Snapshot;

use crate::allot::allot;
use crate::excerpt::{Block, TextLine, blocks};
use crate::render::{Format, render};
use crate::{Cursor, Measure, Pack, PackSection, TextPolicy};

/// What a view shows, and within which limit.
#[derive(Debug, Clone, Copy)]
pub struct ViewOptions {
    /// How much may be printed.
    pub limit: Limit,
    /// How it is printed.
    pub format: Format,
    /// How much the pack says about itself.
    pub mode: ResponseMode,
    /// Which text may be shown.
    pub text: TextPolicy,
    /// Thousandths of the limit that may be context beyond the evidence itself.
    pub noise_permille: u32,
    /// Show one section only, from an entry on.
    pub from: Option<Cursor>,
}

/// Nothing sensible can be said within the limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// Not even the statuses fit; on a page, not even its first entry.
    #[error("a budget of {given} is too small for this pack: it takes at least {least}")]
    TooSmall {
        /// The limit.
        given: usize,
        /// A limit that is large enough.
        least: usize,
    },
    /// The cursor points past the pack.
    #[error("the cursor points past the end of the pack")]
    PastTheEnd,
}

/// What of a pack is shown.
#[derive(Debug, Clone)]
pub struct View<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) sections: Vec<SectionView<'a>>,
    /// Sections that are not even named, for want of room.
    pub(crate) sections_left_out: usize,
    pub(crate) next_actions: Vec<NextAction>,
    pub(crate) limit: Limit,
    pub(crate) says: Says,
}

/// What a view says beside its sections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Says {
    pub(crate) purpose: bool,
    pub(crate) notes: bool,
    pub(crate) text: bool,
    pub(crate) next_actions: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct SectionView<'a> {
    pub(crate) section: &'a PackSection,
    pub(crate) entries: Vec<EntryView<'a>>,
    /// How many entries come after them.
    pub(crate) left_out: usize,
    pub(crate) next_cursor: Option<String>,
}

impl SectionView<'_> {
    /// The call that shows the entries that are left out, where a view says such things.
    pub(crate) fn more(&self, says: Says) -> Option<NextAction> {
        let cursor = self
            .next_cursor
            .as_ref()
            .filter(|_| says.next_actions > 0)?;
        let reason = format!("see more of `{}`", self.section.id);
        Some(NextAction::new("run", reason).option("cursor", cursor.as_str()))
    }
}

#[derive(Debug, Clone)]
pub(crate) struct EntryView<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) blocks: Vec<BlockView>,
    /// How many lines at the end of an observation are left out.
    pub(crate) lines_left_out: usize,
}

/// The lines shown of one piece of evidence.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockView {
    pub(crate) before: Vec<TextLine>,
    pub(crate) lines: Vec<TextLine>,
    pub(crate) after: Vec<TextLine>,
    pub(crate) lines_cut: u32,
}

impl EntryView<'_> {
    /// The one line of an entry that is nothing but that line: a match of a search.
    pub(crate) fn single_line(&self) -> Option<(&Evidence, &TextLine)> {
        let Entry::Item(item) = self.entry else {
            return None;
        };
        let nameless = item.label.is_empty() && item.id.is_none() && item.kind.is_none();
        let ([evidence], [block]) = (&item.evidence[..], &self.blocks[..]) else {
            return None;
        };
        let alone = block.before.is_empty() && block.after.is_empty() && block.lines_cut == 0;
        match &block.lines[..] {
            [line] if nameless && alone => Some((evidence, line)),
            _ => None,
        }
    }
}

impl View<'_> {
    /// Whether the budget, and not only the number of entries asked for at once, left something out.
    pub(crate) fn is_cut(&self) -> bool {
        self.sections_left_out > 0
            || self.sections.iter().any(|view| {
                let cut =
                    |entry: &EntryView<'_>| entry.blocks.iter().any(|block| block.lines_cut > 0);
                let asked = view.section.limit.min(view.section.entries.len());
                view.entries.len() < asked || view.entries.iter().any(cut)
            })
    }

    /// Whether something was left out, for whatever reason.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.sections_left_out > 0
            || self.sections.iter().any(|section| {
                let cut = |entry: &EntryView<'_>| {
                    entry.lines_left_out > 0 || entry.blocks.iter().any(|block| block.lines_cut > 0)
                };
                section.next_cursor.is_some() || section.entries.iter().any(cut)
            })
    }
}

/// Decides what of `pack` is shown within the limit, and prints it.
///
/// # Errors
/// When not even the smallest view fits, or the cursor does not fit the pack.
pub fn view<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
) -> Result<(View<'a>, crate::Styled), ViewError> {
    let given = options.limit.max();
    let mut least = match fitting(pack, snapshot, options)? {
        Ok(fitting) => return Ok(fitting),
        Err(least) => least,
    };
    // What a view takes depends a little on the limit, since it names it.
    loop {
        let limit = match options.limit {
            Limit::Chars(_) => Limit::Chars(least),
            Limit::Tokens(_) => Limit::Tokens(least),
        };
        match fitting(pack, snapshot, &ViewOptions { limit, ..*options })? {
            Ok(_) => return Err(ViewError::TooSmall { given, least }),
            Err(more) => least = more.max(least.saturating_add(1)),
        }
    }
}

/// What is shown of a pack, and that as it is printed.
type Fitting<'a> = (View<'a>, crate::Styled);

/// The best view that fits; about what the poorest takes, if none does.
fn fitting<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
) -> Result<Result<Fitting<'a>, usize>, ViewError> {
    let drafts = drafts(pack, snapshot, options)?;
    let planner = |says| Planner {
        pack,
        options,
        says,
        drafts: &drafts,
    };
    let poorest = planner(says_least(options.mode));
    let floor = poorest.skeleton();
    for says in levels(options.mode) {
        if let Some(fitting) = planner(says).fit(floor) {
            return Ok(Ok(fitting));
        }
    }
    if let Some(fitting) = poorest.fit(floor) {
        return Ok(Ok(fitting));
    }
    if options.from.is_some() {
        // A page that shows nothing leads nowhere.
        return Ok(Err(poorest.first_entry().0));
    }
    let says = Says {
        text: false,
        ..poorest.says
    };
    Ok(planner(says).fit_some_sections())
}

/// The least a view says beside its sections.
fn says_least(mode: ResponseMode) -> Says {
    Says {
        purpose: false,
        notes: false,
        text: mode != ResponseMode::Minimal,
        next_actions: 0,
    }
}

/// What a view may say beyond that, the richest first: what is dropped first matters least.
fn levels(mode: ResponseMode) -> Vec<Says> {
    let say = |purpose, notes, text, next_actions| Says {
        purpose,
        notes,
        text,
        next_actions,
    };
    let mut levels = Vec::new();
    if mode == ResponseMode::Full {
        levels.push(say(true, true, true, 6));
    }
    if mode != ResponseMode::Minimal {
        levels.extend([say(true, false, true, 3), say(false, false, true, 1)]);
    }
    levels
}

/// A section with all that could be shown of it.
struct Draft<'a> {
    /// Its place in the pack.
    at: usize,
    section: &'a PackSection,
    /// The first entry that may be shown.
    offset: usize,
    entries: Vec<(&'a Entry, Vec<Block>)>,
}

fn drafts<'a>(
    pack: &'a Pack,
    snapshot: &Snapshot,
    options: &ViewOptions,
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
    let draft = |at: usize| {
        let section = &pack.sections[at];
        // A page of a section may be as long as the budget lets it be.
        let most = if options.from.is_some() {
            usize::MAX
        } else {
            section.limit
        };
        let shown = section.entries[offset..]
            .iter()
            .take(most.min(options.limit.max()));
        let text = options.mode != ResponseMode::Minimal;
        let with_text = |entry| {
            (
                entry,
                if text {
                    blocks(snapshot, entry, options.text)
                } else {
                    Vec::new()
                },
            )
        };
        Draft {
            at,
            section,
            offset,
            entries: shown.map(with_text).collect(),
        }
    };
    Ok(chosen.into_iter().map(draft).collect())
}

/// Which part of the room for entries, one in so many, purpose, notes and next actions may take at most.
const MAX_EXTRA: usize = 4;

/// How much of one section is shown: for each entry, the lines of each of its blocks.
type Filled = Vec<Vec<usize>>;

struct Planner<'p, 'a> {
    pack: &'a Pack,
    options: &'p ViewOptions,
    says: Says,
    drafts: &'p [Draft<'a>],
}

/// Lines that an entry is shown with, where it has them, before more entries are.
const LEAD_LINES: usize = 3;

/// What the parts of one section weigh.
struct Weights {
    /// Head of an entry, and for each block: opening, lines.
    entries: Vec<(usize, Vec<BlockWeight>)>,
}

struct BlockWeight {
    open: usize,
    cut: usize,
    /// What the first line takes, the first two, and so on.
    lines: Vec<usize>,
}

impl BlockWeight {
    /// One line that was weighed already.
    fn free() -> Self {
        Self {
            open: 0,
            cut: 0,
            lines: vec![0],
        }
    }

    /// Lines with nothing around them; that some are missing was weighed already.
    fn bare(measure: Measure, lines: &[String]) -> Self {
        let lines = lines.iter().scan(0, |sum, line| {
            *sum += measure.weigh(line);
            Some(*sum)
        });
        Self {
            open: 0,
            cut: 0,
            lines: lines.collect(),
        }
    }

    fn of(&self, lines: usize) -> usize {
        let Some(last) = lines.checked_sub(1) else {
            return 0;
        };
        let cut = if lines < self.lines.len() {
            self.cut
        } else {
            0
        };
        self.open + cut + self.lines[last]
    }

    fn all(&self) -> usize {
        self.of(self.lines.len())
    }

    /// The most lines that fit into `room`.
    fn fitting(&self, room: usize) -> usize {
        (0..=self.lines.len())
            .rev()
            .find(|lines| self.of(*lines) <= room)
            .unwrap_or(0)
    }
}

impl Weights {
    fn all(&self) -> usize {
        self.entries
            .iter()
            .map(|(head, blocks)| head + blocks.iter().map(BlockWeight::all).sum::<usize>())
            .sum()
    }

    /// How many entries fit into `room`, in order, each with the first `lines` lines of its blocks.
    fn fitting_entries(&self, room: usize, lines: usize) -> usize {
        let mut used = 0;
        let fits = |(head, blocks): &&(usize, Vec<BlockWeight>)| {
            let lead = |block: &BlockWeight| block.of(lines.min(block.lines.len()));
            used += head + blocks.iter().map(lead).sum::<usize>();
            used <= room
        };
        self.entries.iter().take_while(fits).count()
    }

    /// Shows as many entries as `room` allows, in order and with their first lines (a place without its
    /// text says little), then shares what is left among their lines, so that a long first entry does not
    /// starve the rest.
    fn fill(&self, room: usize) -> (Filled, usize) {
        let shown = match self.fitting_entries(room, LEAD_LINES) {
            0 => self.fitting_entries(room, 0).min(1),
            shown => shown,
        };
        let mut used: usize = self.entries[..shown].iter().map(|(head, _)| head).sum();
        let blocks: Vec<&BlockWeight> = self.entries[..shown]
            .iter()
            .flat_map(|(_, blocks)| blocks)
            .collect();
        let demands: Vec<usize> = blocks.iter().map(|block| block.all()).collect();
        let shares = allot(room - used, &demands);
        let mut lines: Vec<usize> = blocks
            .iter()
            .zip(&shares)
            .map(|(block, share)| block.fitting(*share))
            .collect();
        used += blocks
            .iter()
            .zip(&lines)
            .map(|(block, lines)| block.of(*lines))
            .sum::<usize>();
        // What whole lines left over goes to the first that can use it.
        for (block, lines) in blocks.iter().zip(&mut lines) {
            let more = block.fitting(block.of(*lines) + (room - used));
            used += block.of(more) - block.of(*lines);
            *lines = more;
        }
        let mut lines = lines.into_iter();
        let filled = self.entries[..shown]
            .iter()
            .map(|(_, blocks)| lines.by_ref().take(blocks.len()).collect());
        (filled.collect(), used)
    }
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
    fn skeleton(&self) -> usize {
        self.weigh(&self.assemble(&self.nothing())).0
    }

    /// A page with its first entry alone, without lines; and what it takes.
    fn first_entry(&self) -> (usize, Fitting<'a>) {
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
    fn fit(&self, floor: usize) -> Option<Fitting<'a>> {
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
    fn fit_some_sections(&self) -> Result<Fitting<'a>, usize> {
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

/// Shares `room` among sections, then what they could not use among those that want more.
fn share(weights: &[Weights], room: usize) -> Vec<Filled> {
    let demands: Vec<usize> = weights.iter().map(Weights::all).collect();
    let mut shares = allot(room, &demands);
    let mut filled: Vec<(Filled, usize)> = weights
        .iter()
        .zip(&shares)
        .map(|(w, share)| w.fill(*share))
        .collect();
    for _ in 0..3 {
        let used: usize = filled.iter().map(|(_, used)| used).sum();
        let unmet: Vec<usize> = demands
            .iter()
            .zip(&filled)
            .map(|(demand, (_, used))| demand - used)
            .collect();
        let extra = allot(room.saturating_sub(used), &unmet);
        if extra.iter().all(|extra| *extra == 0) {
            break;
        }
        shares = filled
            .iter()
            .zip(&extra)
            .map(|((_, used), extra)| used + extra)
            .collect();
        filled = weights
            .iter()
            .zip(&shares)
            .map(|(w, share)| w.fill(*share))
            .collect();
    }
    filled.into_iter().map(|(filled, _)| filled).collect()
}
