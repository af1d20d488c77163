//! The index of a memory: made, renewed, and asked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_search::{
    BODY, COMMON_VALUE, Document, FIELD_NAMES, FoundDocument, Passage, Query, Search, SearchIndex,
    Tier, WordMatch, confidence, encode_index, thousandths,
};

use super::entry_head::{EntryHead, Stamp};
use super::ranking::{Hit, Ranking, TermShare};
use super::things::Things;
use super::tuning::Tuning;
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;
use crate::state::memory::Memory;

/// Maximum number of records that are loaded.
const MAX_LOADED: usize = 3;

/// What an index keeps beside its entries.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Beside {
    tuning: Tuning,
    unreadable: Vec<(String, String)>,
}

/// Index of a memory.
#[derive(Debug)]
pub struct RecallIndex {
    search: SearchIndex,
    kept: Beside,
    /// Number of entries of what is asked beside it.
    beside: usize,
}

/// Makes the index of `memory`, as bytes. `shown` gives the text of a record without its secret values.
#[must_use]
pub fn build_index(
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Vec<u8> {
    renewed(None, memory, shown, threads)
}

/// Makes the index of `memory` again; of entries that did not change since `before` was made with the same `shown`, the terms are
/// taken over.
#[must_use]
pub fn renew_index(
    before: &RecallIndex,
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Vec<u8> {
    renewed(Some(before), memory, shown, threads)
}

fn renewed(
    before: Option<&RecallIndex>,
    memory: &Memory,
    shown: &(dyn Fn(&Record) -> String + Sync),
    threads: usize,
) -> Vec<u8> {
    let things = Things::of(memory, threads);
    let mut known = before.map_or_else(BTreeMap::new, RecallIndex::known);
    let with_known = things
        .all
        .iter()
        .map(|thing| (thing, known.remove(&thing.stamp)));
    let with_known: Vec<_> = with_known.collect();
    let passages = windlass_base::in_parallel(&with_known, threads, 32, |things| {
        let passages = things.iter().map(|(thing, known)| match known {
            Some(known) => known.clone(),
            None => thing.passages(shown),
        });
        passages.collect::<Vec<_>>()
    });
    let mut successors: BTreeMap<usize, usize> = things.successors().into_iter().collect();
    let documents = things.all.iter().zip(passages.into_iter().flatten());
    let documents = documents.enumerate().map(|(at, (thing, passages))| {
        let head = thing.head();
        let found_as = match head.status {
            Status::Active => Some(at),
            _ => successors.remove(&at),
        };
        Document {
            payload: head.encode(&thing.stamp),
            boost: thing.boost(),
            found_as: found_as.and_then(|at| u32::try_from(at).ok()),
            passages,
        }
    });
    let kept = Beside {
        tuning: Tuning::learn(&things.feedback()),
        unreadable: memory.unreadable(),
    };
    let kept = serde_json::to_vec(&kept).unwrap_or_default();
    encode_index(&documents.collect::<Vec<_>>(), &kept)
}

/// Something that is no part of a memory, and is recalled as if it were.
#[derive(Debug, Clone, Default)]
pub struct Recallable {
    /// Its name, which hits give as their path, too.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Words that lead to it.
    pub keywords: Vec<String>,
    /// Other names of it.
    pub aliases: Vec<String>,
    /// Its text.
    pub body: String,
}

/// Makes the index of other things than records.
#[must_use]
pub(crate) fn build_other_index(things: &[Recallable]) -> Vec<u8> {
    let mut things: Vec<&Recallable> = things.iter().collect();
    things.sort_by(|one, other| one.id.cmp(&other.id));
    let documents = (0u32..).zip(things).map(|(at, thing)| {
        let head = EntryHead {
            id: thing.id.clone(),
            path: thing.id.clone(),
            title: thing.title.clone(),
            updated: String::new(),
            kind: RecordKind::Note,
            status: Status::Active,
        };
        let one = |text: &String| vec![text.clone()];
        let (title, id, body) = (one(&thing.title), one(&thing.id), one(&thing.body));
        Document {
            payload: head.encode(&Stamp::default()),
            boost: 1_000,
            found_as: Some(at),
            passages: vec![Passage::of([
                &title,
                &thing.keywords,
                &thing.aliases,
                &id,
                &body,
            ])],
        }
    });
    let kept = serde_json::to_vec(&Beside::default()).unwrap_or_default();
    encode_index(&documents.collect::<Vec<_>>(), &kept)
}

impl RecallIndex {
    /// Opens an index; none if the bytes are damaged or of another version.
    #[must_use]
    pub fn open(bytes: Vec<u8>) -> Option<Self> {
        let search = SearchIndex::open(bytes)?;
        Some(Self {
            kept: serde_json::from_slice(search.extra()).ok()?,
            search,
            beside: 0,
        })
    }

    /// The bytes of the index.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.search.bytes()
    }

    /// Names of what could not be read when the index was made, with the reasons.
    #[must_use]
    pub fn unreadable(&self) -> &[(String, String)] {
        &self.kept.unreadable
    }

    /// What was learned from feedback.
    #[must_use]
    pub fn tuning(&self) -> &Tuning {
        &self.kept.tuning
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.search.len()
    }

    /// True if there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.search.is_empty()
    }

    /// The same index where so many entries of another source are asked as well: confidences compare then.
    #[must_use]
    pub fn beside(mut self, entries: usize) -> Self {
        self.beside = entries;
        self
    }

    /// Returns `query` with its misspelt words corrected.
    #[must_use]
    pub fn corrected<'q>(&self, query: &'q Query) -> std::borrow::Cow<'q, Query> {
        self.search.corrected(query)
    }

    /// Passages by the stamps of their entries.
    fn known(&self) -> BTreeMap<Stamp, Vec<Passage<'_>>> {
        let passages = (0u32..).zip(self.search.passages());
        let known = passages.filter_map(|(number, passages)| {
            let stamp = EntryHead::stamp_in(self.search.payload(number)?)?;
            Some((*stamp, passages))
        });
        known.collect()
    }

    /// Numbers of the entries that bear one of these ids.
    pub(super) fn entries_called<'a>(
        &'a self,
        is_wanted: &'a dyn Fn(&str) -> bool,
    ) -> impl Iterator<Item = (u32, &'a str)> {
        let all = u32::try_from(self.search.len()).unwrap_or(u32::MAX);
        (0..all).filter_map(move |number| {
            let id = EntryHead::id_in(self.search.payload(number)?)?;
            is_wanted(id).then_some((number, id))
        })
    }

    /// Weight of a word among those of a question, in nats.
    pub(super) fn value_of(&self, stem: &str, is_common: bool) -> f64 {
        let rarity = self
            .search
            .rarity(self.search.documents_with(stem), is_common);
        rarity * if is_common { COMMON_VALUE } else { 1.0 }
    }

    fn head(&self, number: u32) -> Option<EntryHead> {
        EntryHead::decode(self.search.payload(number)?)
    }

    /// Recalls what the memory has to say to `query`, at most `limit` entries, the best first.
    #[must_use]
    pub fn recall(&self, query: &Query, limit: usize) -> Ranking {
        let mut search = self.search.search(query);
        let total = search.total;
        self.tuning().apply(self, query, &mut search);
        let updated = |number: u32| self.head(number).map(|head| head.updated);
        let best = search.ranked(limit.max(2), updated);
        let first = best.first().map_or(0.0, |first| first.score);
        let second = best.get(1).map_or(0.0, |second| second.score);
        let hits = best.iter().enumerate().filter_map(|(rank, found)| {
            let ahead = found.score - if rank == 0 { second } else { first };
            self.hit(&search, found, ahead)
        });
        let mut hits: Vec<Hit> = hits.collect();
        // The tier is that of the first: no other is surer.
        let most = hits.first().map_or(0, |hit| hit.confidence);
        for hit in &mut hits {
            hit.confidence = hit.confidence.min(most);
        }
        hits.truncate(limit.max(1));
        let bounds = self.tuning().bounds();
        let tier = Tier::within(bounds, most);
        Ranking {
            level: tier,
            confidence: most,
            reason: self.reason(&search.query, tier, hits.first(), total),
            total,
            searched: self.len(),
            bounds,
            most_records: MAX_LOADED
                .min(limit.max(1))
                .saturating_sub(self.tuning().fewer_records)
                .max(1),
            hits,
        }
    }

    fn hit(&self, search: &Search<'_>, found: &FoundDocument, ahead: f64) -> Option<Hit> {
        let head = self.head(found.document)?;
        let matches = search.matches(found);
        let mut features = search.features(found, &matches, ahead, self.beside);
        // Of two events of a month neither is what has a word of each.
        let lacks = |at: usize| matches.iter().all(|one| one.word != at);
        let is_elsewhere = |at: usize| search.documents_with(at).contains(&found.source);
        let mut telling = search.query.words.iter().enumerate();
        features.lacks_exact |= head.kind == RecordKind::Event
            && telling.any(|(at, word)| word.is_telling() && lacks(at) && is_elsewhere(at));
        let words = || matches.iter().map(|one| &search.query.words[one.word]);
        let asked = words().filter(|word| word.is_asked());
        let (near, matched): (Vec<_>, Vec<_>) = asked.partition(|word| word.corrected.is_some());
        let replaced = (found.source != found.document).then(|| self.head(found.source));
        #[expect(clippy::cast_possible_truncation, reason = "from -1000 to 1000")]
        let learned = (found.learned * 1000.0).round() as i32;
        Some(Hit {
            id: head.id,
            title: head.title,
            kind: head.kind,
            status: head.status,
            path: head.path,
            updated: head.updated,
            score: thousandths(found.score),
            confidence: thousandths(confidence(&features)),
            matched: matched.iter().map(|word| word.reported()).collect(),
            near: near.iter().map(|word| word.reported()).collect(),
            instead_of: replaced.flatten().map(|old| old.id),
            explained: matches.iter().map(|one| share(search, one)).collect(),
            learned,
            features,
        })
    }

    fn reason(&self, query: &Query, tier: Tier, best: Option<&Hit>, total: usize) -> String {
        let Some(hit) = best else {
            let reason = match () {
                () if query.words.is_empty() => "no word of it says what it is about",
                () if self.is_empty() => "nothing is remembered yet",
                () if total > 0 => {
                    "its words stand in nothing that holds: what has them was superseded or archived"
                }
                () => "none of its words stands in the memory",
            };
            return reason.to_owned();
        };
        let (id, has) = (&hit.id, hit.has());
        match (&hit.instead_of, tier) {
            (_, Tier::None) => "too little of it stands in any one record".to_owned(),
            (Some(old), _) => format!("`{id}` replaced `{old}`, which has: {has}"),
            _ if has.is_empty() => format!("feedback leads from a question like it to `{id}`"),
            (None, Tier::Weak) => format!("a part of it stands in `{id}`: {has}"),
            (None, Tier::Strong) => format!("`{id}` has: {has}"),
        }
    }
}

/// What a word of the question adds to the score of a hit.
fn share(search: &Search<'_>, one: &WordMatch) -> TermShare {
    let word = &search.query.words[one.word];
    let (entries, rarity) = search.rarity_of(one.word);
    let places = (0..=BODY).filter(|field| one.counts[*field] > 0);
    TermShare {
        word: word.word.clone(),
        stem: word.stem.clone(),
        is_spelt_otherwise: word.corrected.is_some(),
        entries,
        tells: thousandths(rarity),
        places: places
            .map(|field| (FIELD_NAMES[field], u32::from(one.counts[field])))
            .collect(),
        score: thousandths(one.score),
    }
}
