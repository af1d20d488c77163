//! Heirs of a text: lines that were added by the commits that removed it, and that may be its successors.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::{RepoPath, is_on};

use super::file_steps::FileStep;
use super::line_for_line::MAX_FEW;
use super::sweep::gap_around;
use crate::alignment::Alignment;
use crate::old_text::OldText;
use crate::other_names::OtherNames;
use crate::reshaped::Reshaped;
use crate::text::{Part, Range, Text};
use crate::vestige::{OwnName, OwnWords, Rewritten, may_be_edited};

/// Minimum similarity of a line to a text of a single line if the line was added elsewhere, in percent.
const MIN_ALIKE_ALONE: u32 = 75;

/// Maximum number of line pairs to compare for one text.
const MAX_PAIRS: usize = 1_000_000;

/// Maximum number of possible successors of one text.
const MAX_HEIRS: usize = 8;

/// Maximum number of lines in a text for which a rewrite is considered. A longer text has words in common with any
/// addition.
const MAX_REWRITTEN: usize = 3;

/// Shares of a text that the commits which removed it added again, in percent of the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Share that is similar to lines added anywhere.
    pub(crate) anywhere: u32,
    /// Share that is similar to lines added in the text's place. A low similarity is enough here, such as a line with
    /// words inserted.
    pub(crate) in_place: u32,
    /// Share of the words unique to the text that were added close to each other.
    pub(crate) words: u32,
}

/// Possible successor: added lines that have more in common with the text than an unrelated text would.
#[derive(Debug)]
pub(crate) struct Heir {
    pub(crate) file: RepoPath,
    /// Lines at the time when they were added.
    pub(crate) text: OldText,
}

/// Lines that were added by the commits that removed a text.
#[derive(Debug, Default)]
pub(crate) struct PutIn {
    /// Largest share of each kind.
    pub(crate) most: Shares,
    pub(crate) heirs: Vec<Heir>,
    /// Reason why there may be further successors that cannot be followed. `None` if there are no others.
    pub(crate) more: Option<String>,
}

/// Search for successors of a text among the lines that commits added.
pub(super) struct Looking<'a> {
    old: &'a OldText,
    words: Arc<OwnWords>,
    /// Other forms of the text. They are computed on first use, because few texts need them.
    reshaped: OnceCell<Reshaped>,
    /// Forms of the text with renamed words. They are computed on first use, because few texts need them.
    renamed: OnceCell<Option<OtherNames<'a>>>,
    name: Option<OwnName>,
    /// Shares that an unrelated text may also have.
    limits: Shares,
    pairs: usize,
    pub(super) found: PutIn,
}

impl<'a> Looking<'a> {
    pub(super) fn new(old: &'a OldText, limits: Shares) -> Self {
        Self {
            old,
            words: Arc::new(OwnWords::of(old)),
            reshaped: OnceCell::new(),
            renamed: OnceCell::new(),
            name: OwnName::of(old),
            limits,
            pairs: MAX_PAIRS,
            found: PutIn::default(),
        }
    }

    /// Inspects the lines that `commit` added to one file.
    ///
    /// # Errors
    /// Returns the reason if there are too many lines to compare.
    pub(super) fn look_at(&mut self, step: &FileStep, commit: &str) -> Result<(), String> {
        let Some((file, text)) = &step.to else {
            return Ok(());
        };
        let wanted = self.old.part();
        let reach = wanted.lines.len() * 2 + 8;
        let is_added = |at: usize| step.is_added(at);
        let words = Arc::clone(&self.words);
        let words = NewWords::of(&words, step, text);
        let (mut next, mut heirs) = (0, Vec::new());
        for at in (0..text.len()).filter(|at| is_added(*at)) {
            if at < next {
                continue;
            }
            next = at + wanted.lines.len();
            let there = Range {
                start: at,
                end: (at + reach).min(text.len()),
            };
            let there = Part { text, lines: there };
            let count = wanted.lines.len() * there.lines.len();
            let too_much = "the commits that took it out put too much in";
            self.pairs = self.pairs.checked_sub(count).ok_or(too_much)?;
            heirs.extend(self.alike(there, is_added));
            heirs.extend(self.with_its_words(&words, there.lines));
        }
        let places = places_of(self.old, step);
        if let Some(name) = self.name.as_ref().filter(|_| !places.is_empty())
            && is_on("evidence.own_name")
        {
            let added = (0..text.len()).filter(|at| is_added(*at));
            let named = added.filter(|at| name.begins(&text.bytes(*at)));
            heirs.extend(named.map(|at| Range {
                start: at,
                end: at + 1,
            }));
        }
        for lines in places {
            heirs.extend(self.in_its_place(Part { text, lines }, is_added));
        }
        if heirs.is_empty() {
            self.look_for_another_shape(step, file);
            self.look_for_other_names(step, file, text);
        }
        for lines in joined(heirs) {
            if self.found.heirs.len() == MAX_HEIRS {
                let more = "too much came in that is like it";
                self.found.more = Some(more.to_owned());
                return Ok(());
            }
            self.found.heirs.push(Heir {
                file: file.clone(),
                text: OldText {
                    text: text.clone(),
                    lines,
                    commit: commit.to_owned(),
                    blob: None,
                },
            });
        }
        Ok(())
    }

    /// Records if the lines added to `file` contain the text in another form.
    fn look_for_another_shape(&mut self, step: &FileStep, file: &RepoPath) {
        if !is_on("evidence.reshaped") {
            return;
        }
        let letters = step.letters_that_came();
        if letters.is_empty() {
            return;
        }
        let reshaped = self.reshaped.get_or_init(|| Reshaped::of(self.old));
        if reshaped.is_in(letters) {
            self.found.more = Some(format!("`{file}` has it in another shape"));
        } else if is_on("evidence.strings") && reshaped.has_a_string_in(letters) {
            self.found.more = Some(format!("`{file}` has a string of it"));
        }
    }

    /// Records if the lines added to `file` contain the text with renamed words.
    fn look_for_other_names(&mut self, step: &FileStep, file: &RepoPath, text: &Text) {
        if !is_on("evidence.other_names") {
            return;
        }
        let renamed = self.renamed.get_or_init(|| OtherNames::of(self.old));
        let added = (0..text.len()).filter(|at| step.is_added(*at));
        if renamed
            .as_ref()
            .is_some_and(|names| names.is_in(text, added))
        {
            self.found.more = Some(format!("`{file}` has it under other names"));
        }
    }

    /// Returns the lines of `there` that are similar to the text. Returns `None` if there are too few.
    fn alike(&mut self, there: Part<'_>, is_added: impl Fn(usize) -> bool) -> Option<Range> {
        let wanted = self.old.part();
        let alignment = Alignment::of(wanted, there, is_added);
        let share = alignment.share_of_one(wanted);
        if is_chance(wanted, share) {
            return None;
        }
        let most = &mut self.found.most.anywhere;
        *most = share.max(*most);
        let is_enough = share > self.limits.anywhere;
        is_enough.then(|| paired(&alignment)).flatten()
    }

    /// Returns such lines among those that replaced lines of the text.
    fn in_its_place(&mut self, there: Part<'_>, is_added: impl Fn(usize) -> bool) -> Option<Range> {
        let wanted = self.old.part();
        let alignment = match is_on("evidence.vestiges") {
            true => Alignment::with_vestiges(wanted, there, &is_added),
            false => Alignment::of(wanted, there, &is_added),
        };
        let (mut share, mut lines) = (alignment.share_of_one(wanted), paired(&alignment));
        if is_on("evidence.rewritten")
            && share <= self.limits.in_place
            && let Some((rewritten, there)) = rewritten(self.old, there, is_added)
        {
            (share, lines) = (rewritten, Some(there));
        }
        let most = &mut self.found.most.in_place;
        *most = share.max(*most);
        lines.filter(|_| share > self.limits.in_place)
    }

    /// Returns the added lines among `there` that contain words of the text. Returns `None` if there are too few.
    fn with_its_words(&mut self, words: &NewWords<'_>, there: Range) -> Option<Range> {
        if !is_on("evidence.own_words") {
            return None;
        }
        let lines = words.among(there);
        let found: BTreeSet<&[u8]> = lines.iter().flat_map(|(_, words)| words).copied().collect();
        let share = self.words.percent(found.len());
        let most = &mut self.found.most.words;
        *most = share.max(*most);
        let is_enough = share > self.limits.words;
        is_enough
            .then(|| around(lines.iter().map(|(at, _)| *at)))
            .flatten()
    }
}

/// Words that are unique to a text and occur in added lines. Words that other lines already contained before the commit
/// are ignored.
struct NewWords<'w> {
    /// Words by line, in order. Lines without such words are missing.
    lines: Vec<(usize, Vec<&'w [u8]>)>,
}

impl<'w> NewWords<'w> {
    fn of(words: &'w OwnWords, step: &FileStep, text: &Text) -> Self {
        let added = (0..text.len()).filter(|at| step.is_added(*at));
        let of_lines = added.map(|at| (at, words.within(&text.bytes(at))));
        let of_lines: Vec<(usize, BTreeSet<&[u8]>)> =
            of_lines.filter(|(_, words)| !words.is_empty()).collect();
        let mut had: BTreeSet<&[u8]> = BTreeSet::new();
        if let Some((_, before)) = &step.from
            && !of_lines.is_empty()
        {
            let carried = (0..before.len()).filter(|at| step.carried(*at).is_some());
            had.extend(carried.flat_map(|at| words.within(&before.bytes(at))));
        }
        let news = of_lines.into_iter().map(|(at, words)| {
            let news = words.into_iter().filter(|word| !had.contains(word));
            (at, news.collect())
        });
        let lines = news.filter(|(_, words): &(usize, Vec<&[u8]>)| !words.is_empty());
        Self {
            lines: lines.collect(),
        }
    }

    fn among(&self, lines: Range) -> &[(usize, Vec<&'w [u8]>)] {
        let first = self.lines.partition_point(|(at, _)| *at < lines.start);
        let end = self.lines.partition_point(|(at, _)| *at < lines.end);
        &self.lines[first..end.max(first)]
    }
}

/// True if any large commit adds lines that are this similar. For a single line, only an equal one is evidence.
fn is_chance(text: Part<'_>, likeness: u32) -> bool {
    let telling = (text.lines.start..text.lines.end).filter(|at| !text.text.is_trivial(*at));
    likeness < MIN_ALIKE_ALONE && telling.take(2).count() < 2
}

/// Returns the ranges of lines that were added where lines of the text were removed.
fn places_of(old: &OldText, step: &FileStep) -> Vec<Range> {
    let (Some((_, from)), Some((_, to))) = (&step.from, &step.to) else {
        return Vec::new();
    };
    let keys: BTreeSet<u64> = (old.lines.start..old.lines.end)
        .filter(|at| !old.text.is_trivial(*at))
        .map(|at| old.text.keys()[at])
        .collect();
    let (mut places, mut done) = (Vec::new(), 0);
    for (at, key) in from.keys().iter().enumerate() {
        if at >= done && step.carried(at).is_none() && keys.contains(key) {
            let (gap, place) = gap_around(step, from, to, at);
            done = gap.end;
            places.push(place);
        }
    }
    places
}

/// Returns the lines with which `step` replaced the text. Their number must be that of the removed lines, and nothing
/// next to them may have been removed. They may then be the text, edited beyond recognition. If there are more than a
/// few lines, the pairs must be similar, because an equal number could be due to chance.
pub(super) fn replaced_one_to_one(old: &OldText, step: &FileStep) -> Option<Range> {
    let ((_, from), (_, to)) = (step.from.as_ref()?, step.to.as_ref()?);
    let keys: BTreeSet<u64> = telling(old.part()).map(|at| old.text.keys()[at]).collect();
    let is_own = |at: usize| keys.contains(&from.keys()[at]);
    let (mut replaced, mut found, mut done) = (0, None::<Range>, 0);
    for at in 0..from.len() {
        if at < done || step.carried(at).is_some() || !is_own(at) {
            continue;
        }
        let (gap, place) = gap_around(step, from, to, at);
        done = gap.end;
        let part = |text, lines| telling(Part { text, lines });
        let (before, after) = (part(from, gap), part(to, place));
        let pairs: Vec<(usize, usize)> = before.clone().zip(after.clone()).collect();
        let is_it = (gap.start > 0 || gap.end < from.len())
            && before.clone().all(is_own)
            && before.count() == after.clone().count()
            && after.clone().all(|at| step.is_added(at));
        let shared = pairs
            .iter()
            .filter(|(one, other)| may_be_edited(&from.bytes(*one), &to.bytes(*other)));
        if is_it && (pairs.len() <= MAX_FEW || shared.count() * 2 >= pairs.len()) {
            replaced += pairs.len();
            found = Some(match found {
                Some(known) => known.with(place.start).with(place.end - 1),
                None => place,
            });
        }
    }
    found.filter(|_| replaced * 2 >= telling(old.part()).count())
}

/// Returns the non-trivial lines of `part`.
fn telling(part: Part<'_>) -> impl Iterator<Item = usize> + Clone {
    let lines = part.lines.start..part.lines.end;
    lines.filter(move |at| !part.text.is_trivial(*at))
}

/// Returns the share of a short text, in percent, that may have been rewritten to the few lines that replaced it, and
/// these lines.
fn rewritten(
    text: &OldText,
    there: Part<'_>,
    is_added: impl Fn(usize) -> bool,
) -> Option<(u32, Range)> {
    let old: Vec<usize> = telling(text.part()).collect();
    let mut new: Vec<usize> = telling(there).collect();
    new.retain(|at| is_added(*at));
    if old.len() > MAX_REWRITTEN || new.len() > old.len() * 2 + 1 {
        return None;
    }
    let known = Rewritten::of(text, &old);
    let mut heirs: BTreeSet<usize> = BTreeSet::new();
    for at in &new {
        heirs.extend(known.to(text, &there.text.bytes(*at)));
    }
    let weight: u32 = heirs.iter().map(|at| text.text.weight(*at)).sum();
    let all = text.text.weight_of(text.lines).max(1);
    Some((weight * 100 / all, around(new.into_iter())?))
}

fn paired(alignment: &Alignment) -> Option<Range> {
    around(alignment.pairs.iter().map(|(_, there, _)| *there))
}

/// Returns the range from the first to the last of `lines`, which must be in order.
fn around(lines: impl Iterator<Item = usize> + Clone) -> Option<Range> {
    let (first, last) = (lines.clone().next()?, lines.last()?);
    Some(Range {
        start: first,
        end: last + 1,
    })
}

/// Returns the ranges in order. Ranges that overlap are joined.
fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.overlaps(range) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}
