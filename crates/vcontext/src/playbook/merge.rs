//! Merges two copies of a playbook. Events never change, so the result simply has the events of
//! both.

use std::collections::BTreeSet;

use windlass_tron::{Object, Value};

use super::append::playbook_of;
use super::fold::{Entry, fold};
use super::metrics::{Metrics, derived_metrics};
use super::thread::Event;
use crate::merge::merge_copies;
use crate::{AppendError, Author, Document, MergeConflict};

/// The result of merging two copies of a playbook.
#[derive(Debug, Clone)]
pub struct MergedPlaybook {
    /// The first document, with what the other one adds.
    pub value: Value<'static>,
    /// The names of the events that only the other copy has, in time order.
    pub added: Vec<String>,
    /// Events whose contents differ between the copies, and fields in conflict.
    ///
    /// The first copy wins.
    pub conflicts: Vec<MergeConflict>,
    /// The entries with new events, with their counts from both copies.
    pub changed: Vec<Entry>,
    /// The metrics of the result.
    pub metrics: Metrics,
}

/// Merges two copies of a playbook on behalf of `author`.
///
/// We get the same events and entries no matter which of the copies comes first, unless events with
/// the same name differ in their contents.
///
/// # Errors
/// Returns an error if one of the documents does not contain a playbook.
pub fn merge_playbooks(
    ours: &Document,
    theirs: &Document,
    author: &Author,
) -> Result<MergedPlaybook, AppendError> {
    let mut value = ours.value().clone();
    let mut other = theirs.value().clone();
    let playbook = playbook_of(&mut value).ok_or(AppendError::NoPlaybook)?;
    let other = playbook_of(&mut other).ok_or(AppendError::NoPlaybook)?;
    let (merged, conflicts) = merge_copies(playbook, other, author);
    let known: BTreeSet<&str> = events_of(playbook).map(|event| event.id).collect();
    let mut new: Vec<Event<'_>> = events_of(&merged)
        .filter(|event| !known.contains(event.id))
        .collect();
    new.sort_by_key(Event::rank);
    let touched: BTreeSet<&str> = new.iter().map(|event| event.target).collect();
    let items = items_of(&merged);
    let mut changed = fold(items).entries;
    changed.retain(|entry| touched.contains(entry.target_id.as_str()));
    let metrics = derived_metrics(items);
    let added = new.iter().map(|event| event.id.to_owned()).collect();
    *playbook = merged;
    Ok(MergedPlaybook {
        value,
        added,
        conflicts,
        changed,
        metrics,
    })
}

fn items_of<'v>(playbook: &'v Object<'static>) -> &'v [Value<'static>] {
    let items = playbook.get("items").and_then(Value::as_array);
    items.map_or(&[], |items| &items[..])
}

fn events_of<'v>(playbook: &'v Object<'static>) -> impl Iterator<Item = Event<'v>> {
    let items = items_of(playbook).iter().enumerate();
    items.filter_map(|(at, item)| Event::of(at, item))
}
