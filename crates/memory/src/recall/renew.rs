//! What of an earlier index still holds: the terms of records that did not change.

use std::borrow::Cow;

use windlass_base::Digest;

use super::FIELDS;
use super::encode::Counts;
use super::index::RecallIndex;
use crate::impression::Impression;
use crate::record::Record;

/// How many bytes of a digest tell records apart.
pub(super) const STAMP: usize = 16;

/// What tells that a record, and the cues that lead to it, are still the same. All zero where that does not matter.
pub(super) type Stamp = [u8; STAMP];

/// The stamp of a record and its cues: of all that its terms are made of.
pub(super) fn stamp_of(record: &Record, cues: &[&Impression]) -> Stamp {
    let mut bytes = Vec::with_capacity(record.source.text().len() + 256);
    let mut put = |text: &str| {
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    };
    put(record.path.as_str());
    put(record.source.text());
    for cue in cues {
        put(&cue.title);
        for words in [&cue.keywords, &cue.aliases] {
            put(&words.len().to_string());
            words.iter().for_each(|word| put(word));
        }
    }
    let mut stamp = Stamp::default();
    stamp.copy_from_slice(&Digest::of_bytes(&bytes).as_bytes()[..STAMP]);
    stamp
}

/// How long the parts of a record are, and its terms, sorted.
type Terms<'a> = ([u32; FIELDS], Vec<(Cow<'a, str>, Counts)>);

/// What is known of a record before it is taken apart.
pub(super) struct KnownRecord<'a> {
    pub(super) stamp: Stamp,
    /// Nothing where it is new or changed.
    pub(super) counts: Option<Terms<'a>>,
}

/// What is known of each of some records.
pub(super) struct Known<'a>(pub(super) Vec<KnownRecord<'a>>);

impl<'a> Known<'a> {
    /// What `before` has of `records`, whose stamps now are `stamps`.
    pub(super) fn of(
        before: Option<&'a RecallIndex>,
        records: &[(&Record, &Vec<&Impression>)],
        stamps: &[Stamp],
    ) -> Self {
        let mut known: Vec<KnownRecord<'a>> = stamps
            .iter()
            .map(|stamp| KnownRecord {
                stamp: *stamp,
                counts: None,
            })
            .collect();
        let Some(before) = before else {
            return Self(known);
        };
        // Which record each entry of the index is, if it is the same still.
        let mut places: Vec<Option<usize>> = vec![None; before.len()];
        let mut number = 0u32;
        for (at, ((record, _), stamp)) in records.iter().zip(stamps).enumerate() {
            // Both are sorted by their paths.
            while let Some(entry) = before.entry(number)
                && entry.path < record.path.as_str()
            {
                number += 1;
            }
            let same = before
                .entry(number)
                .filter(|entry| entry.path == record.path.as_str())
                .filter(|_| before.stamp(number) == Some(stamp));
            if let (Some(entry), Some(place)) = (same, places.get_mut(number as usize)) {
                *place = Some(at);
                known[at].counts = Some((entry.lengths, Vec::new()));
            }
        }
        before.each_posting(&mut |term, posting| {
            let at = places.get(posting.entry as usize).copied().flatten();
            if let Some((_, counts)) = at.and_then(|at| known[at].counts.as_mut()) {
                counts.push((Cow::Borrowed(term), posting.counts));
            }
        });
        Self(known)
    }
}
