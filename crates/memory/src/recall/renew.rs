//! What of an earlier index still holds: records that did not change are not taken apart again, nor written again.

use std::borrow::Cow;

use super::build::whole;
use super::encode::{Built, Counted, encode};
use super::layers::{NewChanges, RecallIndex};
use super::sources::{Thing, Things};
use super::tuning::Tuning;
use crate::records::record::Record;
use crate::state::memory::Memory;

/// So many changes are kept apart in any case.
const FEW: usize = 64;
/// Beyond that, one of so many entries may be one: looking through them costs a question as much as the base does.
const SHARE: usize = 8;

/// An index as it is to be now.
#[derive(Debug, PartialEq, Eq)]
pub enum Renewed {
    /// All of it, as [`build_index`](super::build_index) makes it.
    Whole(Vec<u8>),
    /// What changed since the base of the earlier one was made.
    Changes(Vec<u8>),
}

/// What answers as [`build_index`](super::build_index) would have it; what did not change since `before` was made is not taken apart
/// again. `before` has to be made with the same `shown`.
#[must_use]
pub fn renew_index(
    before: &RecallIndex,
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Renewed {
    let most = FEW.max(before.base.len() / SHARE);
    renew_within(most, before, memory, shown, threads)
}

/// The same, with at most so many changes apart.
pub(super) fn renew_within(
    most: usize,
    before: &RecallIndex,
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Renewed {
    let things = Things::of(memory, threads);
    let known = Known::of(before, &things);
    let base = u32::try_from(before.base.len()).unwrap_or(u32::MAX);
    let is_in_base = |number: &Option<u32>| number.is_some_and(|number| number < base);
    let kept = known.0.iter().filter(|number| is_in_base(number)).count();
    let (changed, gone) = (things.all.len() - kept, before.base.len() - kept);
    if changed.max(gone) > most {
        let built = known.built(before, &things, &|_| true, shown, threads);
        return Renewed::Whole(whole(&things, built));
    }
    let is_new = |at: usize| !is_in_base(&known.0[at]);
    let built = known.built(before, &things, &is_new, shown, threads);
    let changes = NewChanges {
        gone: known.gone(base),
        successors: known.successors(base, &things),
        segment: encode(
            &built,
            &Tuning::learn(&things.feedback()),
            &memory.unreadable(),
        ),
    };
    Renewed::Changes(changes.encode(&before.base_digest()))
}

/// Which entry of an earlier index each thing is, if it is the same still.
struct Known(Vec<Option<u32>>);

impl Known {
    fn of(before: &RecallIndex, things: &Things<'_>) -> Self {
        let mut numbers: Vec<(&str, u32)> = before
            .numbers()
            .filter_map(|number| Some((before.entry(number)?.path, number)))
            .collect();
        numbers.sort_unstable();
        let mut numbers = numbers.into_iter().peekable();
        let known = things.all.iter().map(|thing| {
            while numbers.next_if(|(path, _)| *path < thing.path).is_some() {}
            let (_, number) = numbers.next_if(|(path, _)| *path == thing.path)?;
            (before.stamp(number) == Some(&thing.stamp)).then_some(number)
        });
        Self(known.collect())
    }

    /// Those of the things that are `wanted`, taken apart.
    fn built<'a>(
        &self,
        before: &'a RecallIndex,
        things: &Things<'_>,
        wanted: &dyn Fn(usize) -> bool,
        shown: &(dyn Fn(&Record) -> String + Sync),
        threads: usize,
    ) -> Vec<Built<'a>> {
        let wanted: Vec<usize> = (0..things.all.len()).filter(|at| wanted(*at)).collect();
        let mut places = vec![None; before.most_number()];
        for (at, thing) in wanted.iter().enumerate() {
            if let Some(number) = self.0[*thing]
                && let Some(place) = places.get_mut(number as usize)
            {
                *place = Some(at);
            }
        }
        let mut counts: Vec<Vec<Counted<'a>>> = vec![Vec::new(); wanted.len()];
        let is_known = |at: &usize| self.0[*at].is_some();
        if wanted.iter().any(is_known) {
            let above = wanted
                .iter()
                .filter_map(|at| self.0[*at])
                .min()
                .unwrap_or(0);
            before.each_posting(above, &mut |term, posting| {
                if let Some(at) = places.get(posting.entry as usize).copied().flatten() {
                    let spread = posting.spread.clone();
                    counts[at].push((Cow::Borrowed(term), posting.counts, spread));
                }
            });
        }
        let jobs: Vec<(&Thing<'_>, Option<u32>, Vec<_>)> = wanted
            .iter()
            .zip(counts)
            .map(|(at, counts)| (&things.all[*at], self.0[*at], counts))
            .collect();
        let pieces = windlass_base::in_parallel(&jobs, threads, 32, |jobs| {
            let built = jobs.iter().map(|(thing, number, counts)| {
                match number.and_then(|number| before.entry(number)) {
                    Some(entry) => thing.as_known(&entry, counts.clone()),
                    None => thing.taken_apart(shown),
                }
            });
            built.collect::<Vec<_>>()
        });
        pieces.into_iter().flatten().collect()
    }

    /// The entries of the base that do not hold any longer; it has so many.
    fn gone(&self, base: u32) -> Vec<u32> {
        let mut holds = vec![false; base as usize];
        for number in self.0.iter().flatten() {
            if let Some(holds) = holds.get_mut(*number as usize) {
                *holds = true;
            }
        }
        (0..base)
            .filter(|number| !holds[*number as usize])
            .collect()
    }

    /// What took the place of what was replaced, by the numbers that entries are to have.
    fn successors(&self, base: u32, things: &Things<'_>) -> Vec<(u32, u32)> {
        let mut above = base;
        let numbers: Vec<u32> = self
            .0
            .iter()
            .map(|number| match number {
                Some(number) if *number < base => *number,
                _ => {
                    above += 1;
                    above - 1
                }
            })
            .collect();
        let successors = things.successors().into_iter();
        successors
            .map(|(old, newer)| (numbers[old], numbers[newer]))
            .collect()
    }
}
