//! Tests building and renewing an index.

use super::{decision, project};
use crate::recall::index::renew_within;
use crate::recall::{Query, RecallIndex, Renewed, base_of, build_index, renew_index};
use crate::state::memory::Memory;
use crate::testing::Sample;

#[test]
fn index_is_deterministic_and_survives_damage() {
    let memory = project().memory();
    let shown = |record: &crate::Record| record.source().text().to_owned();
    let bytes = build_index(&memory, &shown, 1);
    assert_eq!(bytes, build_index(&memory, &shown, 8));
    let asked = Query::of("settings release database");
    for at in 0..bytes.len().min(4_000) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        if let Some(index) = RecallIndex::open(damaged) {
            let _ = index.recall(&asked, 3);
        }
        assert!(RecallIndex::open(bytes[..at].to_vec()).is_none());
    }
}

/// Applies a change to a record, an impression or the feedback.
fn changed(sample: Sample, (what, which, word): &(u8, u8, String)) -> Sample {
    let id = format!("r{which}");
    let path = format!("memory/decisions/{id}.md");
    let mut sample = sample;
    match what % 6 {
        0 => {
            sample.0.remove(&path);
            decision(
                sample,
                &id,
                &format!("Title {word}"),
                &format!("{word} is kept by {id}."),
            )
        }
        1 => {
            sample.0.remove(&path);
            sample
        }
        4 | 5 => {
            sample.0.remove(&path);
            let other = format!("r{}", (which + 1) % 5);
            let of = match what % 6 {
                4 => format!("status: superseded\nsuperseded_by: {other}"),
                _ => format!("status: active\nsupersedes: {other}"),
            };
            let text =
                format!("---\nid: {id}\ntitle: Was {word}\n{of}\n---\n\n{word} was stored.\n");
            sample.with(&path, "", &text)
        }
        2 => {
            let line = format!(
                "{{\"schema_version\":1,\"id\":\"{id}-{word}\",\"scope\":\"project:demo\",\"title\":\"{word}\",\"keywords\":[\"{word}\"],\"record_path\":\"{path}\",\"updated\":\"2026-02-01\"}}\n"
            );
            sample.with("memory/impressions.jsonl", "", &line)
        }
        _ => {
            let line = format!(
                "{{\"schema_version\":1,\"query\":\"{word}\",\"outcome\":\"helpful\",\"matched_id\":\"{id}\",\"created\":\"2026-02-01\"}}\n"
            );
            sample.with("memory/recall-feedback.jsonl", "", &line)
        }
    }
}

/// A stored index with its changes.
struct Stored {
    base: Vec<u8>,
    changes: Option<Vec<u8>>,
}

impl Stored {
    fn of(memory: &Memory) -> Self {
        Self {
            base: build_index(memory, &as_it_is, 1),
            changes: None,
        }
    }

    fn open(&self) -> RecallIndex {
        let base = self.base.clone();
        match &self.changes {
            None => RecallIndex::open(base).unwrap(),
            Some(changes) => {
                let digest = windlass_base::Digest::of_bytes(&base).hex();
                assert_eq!(base_of(changes), Some(digest));
                RecallIndex::open_changed(base, changes).unwrap()
            }
        }
    }

    fn take(&mut self, renewed: Renewed) {
        match renewed {
            Renewed::Whole(bytes) => (self.base, self.changes) = (bytes, None),
            Renewed::Changes(bytes) => self.changes = Some(bytes),
        }
    }
}

fn as_it_is(record: &crate::Record) -> String {
    record.source().text().to_owned()
}

proptest::proptest! {
    #[test]
    fn renewed_index_answers_like_new_one(
        changes in proptest::collection::vec((0u8..12, 0u8..5, "[a-z]{3,6}"), 1..12),
        every in 1usize..4,
        most in 0usize..9,
    ) {
        let taken = std::sync::atomic::AtomicUsize::new(0);
        let shown = |record: &crate::Record| {
            taken.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            as_it_is(record)
        };
        let mut sample = project();
        let mut stored = Stored::of(&sample.memory());
        for (at, change) in changes.iter().enumerate() {
            sample = changed(sample, change);
            if at % every > 0 {
                continue;
            }
            let memory = sample.memory();
            let renewed = renew_within(most, &stored.open(), &memory, &shown, 2);
            let made = build_index(&memory, &as_it_is, 2);
            if let Renewed::Whole(bytes) = &renewed {
                proptest::prop_assert_eq!(bytes, &made);
            }
            stored.take(renewed);
            let (index, made) = (stored.open(), RecallIndex::open(made).unwrap());
            proptest::prop_assert_eq!(index.unreadable(), made.unreadable());
            let words: Vec<&str> = changes.iter().map(|(.., word)| word.as_str()).collect();
            for question in [words.join(" ").as_str(), words[0], "settings release database kept title", "r1 r2 r3"] {
                let query = Query::of(question);
                proptest::prop_assert_eq!(index.recall(&query, 20), made.recall(&query, 20), "{}", question);
            }
            // If nothing has changed, no record is indexed again.
            taken.store(0, std::sync::atomic::Ordering::Relaxed);
            let same = renew_within(most, &index, &memory, &shown, 2);
            proptest::prop_assert_eq!(taken.load(std::sync::atomic::Ordering::Relaxed), 0);
            if let (Renewed::Changes(same), Some(before)) = (same, &stored.changes) {
                proptest::prop_assert_eq!(&same, before);
            }
        }
    }
}

#[test]
fn only_changed_record_is_indexed_again() {
    let stored = Stored::of(&project().memory());
    let path = "memory/decisions/no-database.md";
    let sample = project().with(path, "no database is used", "a database is never used");
    let taken = std::sync::Mutex::new(Vec::new());
    let shown = |record: &crate::Record| {
        taken.lock().unwrap().push(record.path.to_string());
        as_it_is(record)
    };
    let renewed = renew_index(&stored.open(), &sample.memory(), &shown, 1);
    assert_eq!(*taken.lock().unwrap(), [path]);
    let Renewed::Changes(bytes) = renewed else {
        panic!("the whole index was built again");
    };
    assert!(bytes.len() < stored.base.len() / 3, "{}", bytes.len());
}

#[test]
fn damaged_changes_are_ignored() {
    let mut stored = Stored::of(&project().memory());
    let sample = changed(project(), &(0, 1, "word".to_owned()));
    stored.take(renew_index(&stored.open(), &sample.memory(), &as_it_is, 1));
    let bytes = stored.changes.clone().unwrap();
    let asked = Query::of("settings release database word");
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        if let Some(index) = RecallIndex::open_changed(stored.base.clone(), &damaged) {
            let _ = index.recall(&asked, 3);
        }
        assert!(RecallIndex::open_changed(stored.base.clone(), &bytes[..at]).is_none());
    }
    assert!(RecallIndex::open(bytes).is_none());
    assert_eq!(base_of(&stored.base), None);
}
