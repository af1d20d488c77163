//! What the commits that took a text out put in instead.
//!
//! A commit that rewrites a text puts something like it in at the same time. One that takes it out does not, whatever comes
//! to stand there or elsewhere later.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_repo::{BlobAt, CommitStep, Snapshot};

use super::contents::{Readable, read};
use super::moves::FileStep;
use super::sweep::{MAX_FILES, gap_around};
use super::{Followed, uncommitted};
use crate::alignment::{Alignment, Part};
use crate::old_text::OldText;
use crate::text::Range;
use crate::vestige::{OwnWords, may_be_in};

/// The most commits that may have taken the text out, one part each.
const MAX_COMMITS: usize = 4;

/// How much of it may have left in commits that are not looked at, as hardly anything left in them, in percent.
const MAX_ASIDE: u32 = 10;

/// How much a line has to be like a text of a single line to tell anything, where it came in elsewhere, in percent.
const MIN_ALIKE_ALONE: u32 = 75;

/// The most pairs of lines that are compared.
const MAX_PAIRS: usize = 1_000_000;

/// What the commits that took a text out put in, in percent of the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PutIn {
    /// How much of it is like the lines that came in its place, where little is enough: words put into a line.
    pub(crate) in_place: u32,
    /// How much of it is like lines that came in anywhere.
    pub(crate) anywhere: u32,
    /// How many of the words that only it had came in close to each other.
    pub(crate) words: u32,
}

/// What the commits that took the text out put in.
///
/// # Errors
/// Where that cannot be said; in words.
pub(super) fn put_in(
    snapshot: &Snapshot,
    old: &OldText,
    followed: &Followed,
) -> Result<PutIn, String> {
    let mut found = PutIn::default();
    let mut pairs = MAX_PAIRS;
    let words = OwnWords::of(old);
    for (nr, commit) in commits(old, followed)? {
        let step = step(snapshot, old, nr, &commit)?;
        if !step.complete || step.changes.len() > MAX_FILES {
            return Err("one of the commits that took it out cannot be looked at".to_owned());
        }
        for change in &step.changes {
            let Some(to) = &change.to else { continue };
            let text = |at: &BlobAt| match read(snapshot, at) {
                Readable::Text(text) => Ok(Some((at.path.clone(), text))),
                Readable::Binary(source) if may_be_in(old, &source) => Err(format!(
                    "`{}` has lines of it, but is no text to compare",
                    at.path
                )),
                Readable::Binary(_) => Ok(None),
                Readable::No => Err(format!("`{}` cannot be looked at", at.path)),
            };
            let from = change.from.as_ref().map(text).transpose()?.flatten();
            let step = FileStep::new(from, text(to)?);
            found.look_at(old, &words, &step, &mut pairs)?;
        }
    }
    Ok(found)
}

/// The commits that took most of the text out, by number.
fn commits(old: &OldText, followed: &Followed) -> Result<Vec<(u32, String)>, String> {
    let mut lost: BTreeMap<u32, u32> = BTreeMap::new();
    for (at, line) in (old.lines.start..).zip(&followed.lines) {
        if line.at.is_none() {
            *lost.entry(line.when).or_default() += old.text.weight(at);
        }
    }
    let mut lost: Vec<(u32, u32)> = lost.into_iter().collect();
    lost.sort_by_key(|(nr, weight)| (std::cmp::Reverse(*weight), *nr));
    let aside: u32 = lost
        .iter()
        .skip(MAX_COMMITS)
        .map(|(_, weight)| weight)
        .sum();
    if lost.is_empty() || old.percent(aside) > MAX_ASIDE {
        return Err("it left bit by bit".to_owned());
    }
    let named = lost.into_iter().take(MAX_COMMITS).map(|(nr, _)| {
        let commit = followed.commits.get(&nr)?;
        Some((nr, commit.clone()))
    });
    let named: Option<Vec<(u32, String)>> = named.collect();
    named.ok_or_else(|| "the commits that took it out are not known".to_owned())
}

fn step(
    snapshot: &Snapshot,
    old: &OldText,
    nr: u32,
    commit: &str,
) -> Result<Arc<CommitStep>, String> {
    if commit.is_empty() {
        let step = uncommitted(snapshot).ok_or("git cannot say what is not committed")?;
        return Ok(Arc::new(step));
    }
    let step = snapshot.step_of(commit).map_err(|why| why.to_string())?;
    // Who came in by a merge was compared with that, not with what the merge went on from.
    match nr == 1 && *step.parent != *old.commit {
        true => Err("it came in by a merge that took it out".to_owned()),
        false => Ok(step),
    }
}

impl PutIn {
    /// What a commit put into one file.
    fn look_at(
        &mut self,
        old: &OldText,
        words: &OwnWords,
        step: &FileStep,
        pairs: &mut usize,
    ) -> Result<(), String> {
        let Some((_, text)) = &step.to else {
            return Ok(());
        };
        let wanted = old.part();
        let reach = wanted.lines.len() * 2 + 8;
        let is_added = |at: usize| step.is_added(at);
        let mut next = 0;
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
            *pairs = pairs.checked_sub(count).ok_or(too_much)?;
            let likeness = Alignment::of(wanted, there, is_added).share_of_one(wanted);
            if !is_chance(wanted, likeness) {
                self.anywhere = self.anywhere.max(likeness);
            }
            self.words = self.words.max(words_in(words, step, there));
        }
        for lines in places_of(old, step) {
            let there = Part { text, lines };
            let vestiges = Alignment::with_vestiges(wanted, there, is_added);
            self.in_place = self.in_place.max(vestiges.share_of_one(wanted));
        }
        Ok(())
    }
}

/// Whether something so like the text comes in with any large commit: of a single line nothing but the line itself is like it.
fn is_chance(text: Part<'_>, likeness: u32) -> bool {
    let telling = (text.lines.start..text.lines.end).filter(|at| !text.text.is_trivial(*at));
    likeness < MIN_ALIKE_ALONE && telling.take(2).count() < 2
}

/// The lines that came where lines of the text were taken out.
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

/// How many of the `words` came in with lines of `there`, in percent; those that other lines had and have are no news.
fn words_in(words: &OwnWords, step: &FileStep, there: Part<'_>) -> u32 {
    let mut found = BTreeSet::new();
    for at in (there.lines.start..there.lines.end).filter(|at| step.is_added(*at)) {
        found.extend(words.within(&there.text.bytes(at)));
    }
    if let Some((_, before)) = step
        .from
        .as_ref()
        .filter(|_| words.percent(found.len()) > 0)
    {
        for at in (0..before.len()).filter(|at| step.carried(*at).is_some()) {
            for word in words.within(&before.bytes(at)) {
                found.remove(&word);
            }
        }
    }
    words.percent(found.len())
}
