//! Deduplicates entries. The oldest of several equal entries stays, and the others are deprecated
//! after their counts were added to it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass_base::Digest;
use windlass_tron::{Number, Object, Value};

use super::append::{playbook_of, refresh};
use super::fold::{Entry, fold};
use crate::time::moment;
use crate::{AppendError, Document, Operation, PlaybookStatus};

/// A playbook without duplicate active entries.
#[derive(Debug, Clone)]
pub struct Deduplicated {
    /// The document after the change.
    pub value: Value<'static>,
    /// The appended events, in order.
    pub events: Vec<Value<'static>>,
    /// The entries that were deprecated.
    pub duplicates: Vec<Duplicate>,
    /// Duplicates that we left alone because of concurrent events, which have to be resolved first.
    pub left: Vec<String>,
}

/// A duplicate of an older entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Duplicate {
    /// The entry's name.
    pub target_id: String,
    /// The older entry, which is still active.
    pub duplicate_of: String,
    /// True if the texts are identical. Otherwise, they differ in case, white space or punctuation
    /// at the end.
    pub exact: bool,
    /// The helpful count that was added to the other entry.
    pub helpful_count: i64,
    /// The harmful count that was added to the other entry.
    pub harmful_count: i64,
}

/// Deprecates every duplicate of an older entry with `duplicateOf`, and adds its counts, tags and
/// evidence to the older one.
///
/// Duplicates have the same `kind`, `title` and `narrative`. With `only_exact`, these must be
/// identical. Otherwise, differences in white space, punctuation at the end, and case outside of ``
/// `code` `` do not matter.
///
/// The events only depend on the log, and that includes their names and times. If two copies are
/// deduplicated separately and then merged, there is no conflict, and nothing is counted twice.
///
/// # Errors
/// Returns an error if the document does not contain a playbook.
pub fn deduplicate(document: &Document, only_exact: bool) -> Result<Deduplicated, AppendError> {
    let mut value = document.value().clone();
    let playbook = playbook_of(&mut value).ok_or(AppendError::NoPlaybook)?;
    let folded = match playbook.get("items").and_then(Value::as_array) {
        Some(items) => fold(items),
        None => fold(&[]),
    };
    let mut groups: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for entry in &folded.entries {
        if entry.status == PlaybookStatus::Active
            && let Some(says) = says(entry, only_exact)
        {
            groups.entry(says).or_default().push(entry);
        }
    }
    let mut events = Vec::new();
    let (mut duplicates, mut left) = (Vec::new(), Vec::new());
    for mut group in groups.into_values().filter(|group| group.len() > 1) {
        let forked = group.iter().filter(|entry| !entry.heads.is_empty());
        left.extend(forked.map(|entry| entry.target_id.clone()));
        group.retain(|entry| entry.heads.is_empty());
        // Prefer an entry that isn't marked as a duplicate already, and then the oldest.
        group.sort_by_key(|entry| {
            let follows = entry.text("duplicateOf").is_some();
            (follows, moment(&entry.created_at), entry.target_id.as_str())
        });
        if let Some((kept, others)) = group.split_first().filter(|(_, rest)| !rest.is_empty()) {
            ended(kept, others, &mut events, &mut duplicates);
        }
    }
    left.sort();
    duplicates.sort_by(|one, other| one.target_id.cmp(&other.target_id));
    if let Some(Value::Array(items)) = playbook.get_mut("items") {
        items.extend(events.iter().cloned());
    }
    if !events.is_empty() {
        let times = events
            .iter()
            .filter_map(|event| event.get("createdAt")?.as_str());
        let last = times.max_by_key(|time| moment(time)).map(str::to_owned);
        refresh(playbook, last.as_deref());
    }
    Ok(Deduplicated {
        value,
        events,
        duplicates,
        left,
    })
}

/// Creates the events that deprecate `others`, and the event that adds their data to `kept`.
fn ended(
    kept: &Entry,
    others: &[&Entry],
    events: &mut Vec<Value<'static>>,
    duplicates: &mut Vec<Duplicate>,
) {
    let all = || std::iter::once(&kept).chain(others);
    let times = all().map(|entry| entry.updated_at.as_str());
    let time = times.max_by_key(|time| moment(time)).unwrap_or_default();
    let heads: Vec<&str> = all().map(|entry| entry.head.as_str()).collect();
    let is_exact = |other: &Entry| says(kept, true) == says(other, true);
    let (mut helpful, mut harmful) = (0_i64, 0_i64);
    for other in others {
        let mut event = begun(Operation::Deprecate, other, &[&other.head, &kept.head]);
        event.insert("status", PlaybookStatus::Deprecated.as_str());
        let reason = format!("duplicate of `{}`", kept.target_id);
        event.insert("deprecatedReason", reason);
        event.insert("duplicateOf", kept.target_id.clone());
        // The counts move to the other entry. The total over both must stay the same.
        let taken = (
            other.helpful_count.saturating_neg(),
            other.harmful_count.saturating_neg(),
        );
        put_delta(&mut event, taken);
        event.insert("createdAt", time.to_owned());
        events.push(event.into());
        helpful = helpful.saturating_add(other.helpful_count);
        harmful = harmful.saturating_add(other.harmful_count);
        duplicates.push(Duplicate {
            target_id: other.target_id.clone(),
            duplicate_of: kept.target_id.clone(),
            exact: is_exact(other),
            helpful_count: other.helpful_count,
            harmful_count: other.harmful_count,
        });
    }
    let mut event = begun(Operation::Update, kept, &heads);
    let mut gives = put_delta(&mut event, (helpful, harmful));
    for name in ["tags", "evidence"] {
        let own = texts(kept, name);
        let mut joined = own.clone();
        let mut known: BTreeSet<String> = own.iter().cloned().collect();
        for text in others.iter().flat_map(|other| texts(other, name)) {
            if known.insert(text.clone()) {
                joined.push(text);
            }
        }
        // Don't repeat the list if there's nothing new in it.
        if joined.len() > own.len() {
            let joined: Vec<Value<'static>> = joined.into_iter().map(Value::from).collect();
            event.insert(name, joined);
            gives = true;
        }
    }
    if gives {
        event.insert("reason", "duplicate entries were deprecated".to_owned());
        event.insert("createdAt", time.to_owned());
        events.push(event.into());
    }
}

/// Starts an event after the head of `entry`.
///
/// Its name is derived from `heads`, so another copy of the playbook gets an event of the same
/// name.
fn begun(operation: Operation, entry: &Entry, heads: &[&str]) -> Object<'static> {
    let made_of = format!(
        "{}\n{}\n{}",
        operation.as_str(),
        entry.target_id,
        heads.join("\n")
    );
    let hex = Digest::of_bytes(made_of.as_bytes()).hex();
    let mut event = Object::new();
    event.insert(
        "eventId",
        format!("evt-dedupe-{}", hex.get(..16).unwrap_or(&hex)),
    );
    event.insert("targetId", entry.target_id.clone());
    event.insert("operation", operation.as_str());
    event.insert("prevEventId", entry.head.clone());
    event
}

/// Adds the counts that are not zero to an event. Returns false if both are.
fn put_delta(event: &mut Object<'static>, (helpful, harmful): (i64, i64)) -> bool {
    let mut delta = Object::new();
    for (name, count) in [("helpfulCount", helpful), ("harmfulCount", harmful)] {
        if count != 0
            && let Ok(number) = Number::new(count.to_string())
        {
            delta.insert(name, number.into_owned());
        }
    }
    let has_counts = !delta.is_empty();
    if has_counts {
        event.insert("delta", delta);
    }
    has_counts
}

fn texts(entry: &Entry, name: &str) -> Vec<String> {
    let list = entry.fields.get(name).and_then(Value::as_array);
    let list = list.map_or(&[][..], |list| &list[..]);
    let texts = list.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// Returns the text to compare. It is `None` for an entry that says nothing, since all of those
/// would be duplicates of each other.
fn says(entry: &Entry, is_exact: bool) -> Option<String> {
    let form = |text: &str| match is_exact {
        true => text.to_owned(),
        false => normal(text),
    };
    let narrative = entry.fields.get("narrative")?.as_object()?;
    let mut titles: Vec<(String, String)> = narrative
        .iter()
        .filter_map(|(title, text)| Some((form(title), form(text.as_str()?))))
        .collect();
    titles.sort();
    if titles.iter().all(|(_, text)| text.trim().is_empty()) {
        return None;
    }
    let kind = entry.text("kind").unwrap_or_default();
    let title = form(entry.text("title").unwrap_or_default());
    Some(format!("{:?}", (kind, title, titles)))
}

/// Normalizes a text. Case matters in code, where `-v` and `-V` are not the same.
fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut is_code = false;
    for word in text.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        for letter in word.chars() {
            is_code ^= letter == '`';
            match is_code {
                true => normal.push(letter),
                false => normal.extend(letter.to_lowercase()),
            }
        }
    }
    let end = normal
        .trim_end_matches(['.', '!', ';', ',', ':', '…', ' '])
        .len();
    normal.truncate(end);
    normal
}
