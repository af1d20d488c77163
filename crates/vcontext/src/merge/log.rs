//! Merges two change logs. The result has the entries of both in the order of their times.

use std::collections::BTreeSet;

use windlass_tron::{Object, Value};

use super::matched::canonical;
use crate::time::moment;

/// Merges two logs.
///
/// The entries that both have in common come first, unless a side has removed them. The additions
/// of both sides follow, with the earliest first. Numbers must increase, so we change the number of
/// an addition if it is not higher than the one before.
pub(super) fn merged(
    base: &[Value<'static>],
    ours: &[Value<'static>],
    theirs: &[Value<'static>],
) -> Vec<Value<'static>> {
    // Entries have no name, so compare them as text.
    let canonical_set =
        |log: &[Value<'static>]| -> BTreeSet<String> { log.iter().map(canonical).collect() };
    let (in_base, in_ours, in_theirs) = (
        canonical_set(base),
        canonical_set(ours),
        canonical_set(theirs),
    );
    let (mut log, mut added) = (Vec::new(), Vec::new());
    for one in ours {
        let key = canonical(one);
        match in_base.contains(&key) {
            true if in_theirs.contains(&key) => log.push(one.clone()),
            true => {}
            false => added.push(one.clone()),
        }
    }
    let new = theirs.iter().filter(|one| {
        let key = canonical(one);
        !in_base.contains(&key) && !in_ours.contains(&key)
    });
    added.extend(new.cloned());
    // The sort is stable, so changes without a time keep the order of their side.
    added.sort_by_key(time_of);
    let mut last = log.iter().filter_map(sequence).max();
    for mut one in added {
        let number = sequence(&one);
        if let (Some(most), Some(number), Value::Object(one)) = (last, number, &mut one)
            && number <= most
        {
            one.insert("sequence", most.saturating_add(1));
        }
        last = last.max(sequence(&one));
        log.push(one);
    }
    log
}

pub(super) fn last(container: &Object<'static>) -> Option<u64> {
    let log = container.get("changeLog").and_then(Value::as_array)?;
    log.iter().filter_map(sequence).max()
}

pub(super) fn last_time(container: &Object<'static>) -> Option<jiff::Timestamp> {
    let log = container.get("changeLog").and_then(Value::as_array)?;
    log.iter().filter_map(time_of).max()
}

fn time_of(change: &Value<'static>) -> Option<jiff::Timestamp> {
    change
        .get("timestamp")
        .and_then(Value::as_str)
        .and_then(moment)
}

fn sequence(change: &Value<'static>) -> Option<u64> {
    number(change.get("sequence")?)
}

pub(super) fn number(value: &Value<'static>) -> Option<u64> {
    value.as_number()?.as_u64()
}
