//! Making an index of a memory, or of what is to be recalled as if it were one.

use super::encode::{Built, Entry, encode};
use super::sources::Things;
use super::stamp::Stamp;
use super::tuning::Tuning;
use crate::recall::counted_parts::count;
use crate::records::impression::USUAL_WEIGHT;
use crate::records::kind::RecordKind;
use crate::records::record::Record;
use crate::state::memory::Memory;

/// The index of `memory`, as bytes. `shown` gives the text of a record as it may be shown: what is a secret is not indexed.
#[must_use]
pub fn build_index(
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Vec<u8> {
    let things = Things::of(memory, threads);
    let pieces = windlass_base::in_parallel(&things.all, threads, 32, |things| {
        let built = things.iter().map(|thing| thing.taken_apart(shown));
        built.collect::<Vec<_>>()
    });
    whole(&things, pieces.into_iter().flatten().collect())
}

/// The bytes of an index that has all `things`, which are `built` already.
pub(super) fn whole(things: &Things<'_>, mut built: Vec<Built<'_>>) -> Vec<u8> {
    for (old, newer) in things.successors() {
        if let Some(old) = built.get_mut(old) {
            old.entry.successor = u32::try_from(newer + 1).unwrap_or(0);
        }
    }
    let tuning = Tuning::learn(&things.feedback());
    encode(&built, &tuning, &things.memory.unreadable())
}

/// Something that is no part of a memory, and is to be recalled as if it were.
#[derive(Debug, Clone, Default)]
pub struct Recallable {
    /// Its name: hits give it as their path, too.
    pub id: String,
    /// What a person calls it.
    pub title: String,
    /// Words that lead to it.
    pub keywords: Vec<String>,
    /// What else it goes by.
    pub aliases: Vec<String>,
    /// What it says.
    pub body: String,
}

/// An index of other things than records.
#[must_use]
pub(crate) fn build_other_index(things: &[Recallable]) -> Vec<u8> {
    let mut built: Vec<Built<'_>> = things
        .iter()
        .map(|thing| {
            let mut entry = Entry {
                path: thing.id.clone(),
                id: thing.id.clone(),
                title: thing.title.clone(),
                kind: RecordKind::Note as u8,
                weight: USUAL_WEIGHT,
                ..Entry::default()
            };
            let texts = [
                vec![thing.title.clone()],
                thing.keywords.clone(),
                thing.aliases.clone(),
                vec![thing.id.clone()],
                vec![thing.body.clone()],
            ];
            let counts = count(&mut entry, &texts);
            Built {
                entry,
                counts,
                stamp: Stamp::default(),
            }
        })
        .collect();
    built.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    encode(&built, &Tuning::default(), &[])
}
