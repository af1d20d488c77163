//! Merges two copies of a playbook into the union of their events, which never change.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass_tron::{Object, Value};

use super::append::{playbook_of, refresh, refresh_metrics};
use super::fold::{Entry, fold};
use super::metrics::{Metrics, derived_metrics};
use super::thread::Event;
use crate::time::moment;
use crate::{AppendError, Document};

/// The result of merging two copies of a playbook.
#[derive(Debug, Clone)]
pub struct MergedPlaybook {
    /// The first document, with the additions of the other.
    pub value: Value<'static>,
    /// Events that were only in the other copy, in time order.
    pub added: Vec<String>,
    /// Events whose contents differ between the copies, and conflicting fields. The first copy
    /// counts.
    pub conflicts: Vec<EventConflict>,
    /// The resulting state of entries with new events, with the counts of both copies.
    pub changed: Vec<Entry>,
    /// The result's metrics.
    pub metrics: Metrics,
}

/// A difference between two copies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventConflict {
    /// The name of an event, or of a field of the playbook.
    pub at: String,
    /// Value in the first copy.
    pub ours: Value<'static>,
    /// Value in the other copy.
    pub theirs: Value<'static>,
}

/// Merges two copies of a playbook. Either order gives the same events and entries, unless the
/// copies have events with the same name and different contents.
///
/// # Errors
/// Returns an error if one of them has no playbook.
pub fn merge_playbooks(ours: &Document, theirs: &Document) -> Result<MergedPlaybook, AppendError> {
    let mut value = ours.value().clone();
    let mut other = theirs.value().clone();
    let playbook = playbook_of(&mut value).ok_or(AppendError::NoPlaybook)?;
    let other = playbook_of(&mut other).ok_or(AppendError::NoPlaybook)?;
    let before = playbook.get("metrics").cloned();
    let mut conflicts = Vec::new();
    let added = events(playbook, other, &mut conflicts);
    fields(playbook, other, &mut conflicts);
    if !added.is_empty() {
        let last = other
            .get("updated")
            .and_then(Value::as_str)
            .map(str::to_owned);
        refresh(playbook, last.as_deref());
    } else if playbook.get("metrics") != before.as_ref() {
        refresh_metrics(playbook);
    }
    let items = playbook.get("items").and_then(Value::as_array);
    let items = items.map_or(&[][..], |items| &items[..]);
    let new: BTreeSet<&str> = added.iter().map(String::as_str).collect();
    let touched: BTreeSet<&str> = items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| Event::of(at, item))
        .filter(|event| new.contains(event.id))
        .map(|event| event.target)
        .collect();
    let metrics = derived_metrics(items);
    let mut changed = fold(items).entries;
    changed.retain(|entry| touched.contains(entry.target_id.as_str()));
    Ok(MergedPlaybook {
        changed,
        metrics,
        value,
        added,
        conflicts,
    })
}

/// Adds the events that are only in `other`.
fn events(
    playbook: &mut Object<'static>,
    other: &Object<'static>,
    conflicts: &mut Vec<EventConflict>,
) -> Vec<String> {
    let listed = |playbook: &Object<'static>| {
        playbook
            .get("items")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let (mut own, theirs) = (listed(playbook), listed(other));
    let name = |item: &Value<'static>| {
        item.get("eventId")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let known: BTreeMap<String, Value<'static>> = own
        .iter()
        .filter_map(|item| Some((name(item)?, item.clone())))
        .collect();
    let nameless: BTreeSet<String> = own
        .iter()
        .filter(|item| name(item).is_none())
        .map(ToString::to_string)
        .collect();
    let mut new: Vec<(usize, &Value<'static>)> = Vec::new();
    for (at, item) in theirs.iter().enumerate() {
        let name = name(item);
        match name.as_ref().and_then(|name| known.get_key_value(name)) {
            Some((_, same)) if same == item => {}
            Some((name, ours)) => conflicts.push(EventConflict {
                at: name.clone(),
                ours: ours.clone(),
                theirs: item.clone(),
            }),
            None if name.is_none() && nameless.contains(&item.to_string()) => {}
            None => new.push((at, item)),
        }
    }
    new.sort_by_key(|(at, item)| {
        let event = Event::of(*at, item);
        event.map(|event| (event.moment, event.id.to_owned()))
    });
    let added = new
        .iter()
        .map(|(_, item)| name(item).unwrap_or_default())
        .collect();
    own.extend(new.into_iter().map(|(_, item)| item.clone()));
    playbook.insert("items", own);
    added
}

/// Merges the playbooks' own fields.
fn fields(
    playbook: &mut Object<'static>,
    other: &Object<'static>,
    conflicts: &mut Vec<EventConflict>,
) {
    for (key, theirs) in other.iter() {
        let time = |value: &Value<'static>| value.as_str().and_then(moment);
        let Some(ours) = playbook.get(key).filter(|value| !value.is_null()) else {
            playbook.insert(key.clone(), theirs.clone());
            continue;
        };
        let takes_theirs = match key.as_str() {
            "items" | "metrics" => false,
            "version" => {
                let number = |value: &Value<'static>| {
                    value.as_number().and_then(windlass_tron::Number::as_u64)
                };
                number(theirs) > number(ours)
            }
            "created" => time(theirs).is_some() && time(theirs) < time(ours),
            "updated" => time(theirs) > time(ours),
            _ if theirs.is_null() || ours == theirs => false,
            _ => {
                conflicts.push(EventConflict {
                    at: key.to_string(),
                    ours: ours.clone(),
                    theirs: theirs.clone(),
                });
                false
            }
        };
        if takes_theirs {
            playbook.insert(key.clone(), theirs.clone());
        }
    }
}
