//! Logs of changes: what both sides wrote down, in the order of time.

use windlass_tron::{Object, Value};

use crate::time::moment;

/// The log of two versions: what neither took out of what both come from, then what each added, earlier changes first.
/// The added ones are numbered anew where the numbers would go back.
pub(super) fn merged(
    base: &[Value<'static>],
    ours: &[Value<'static>],
    theirs: &[Value<'static>],
) -> Vec<Value<'static>> {
    let old = ours
        .iter()
        .filter(|one| base.contains(one) && theirs.contains(one));
    let own = ours.iter().filter(|one| !base.contains(one));
    let other = theirs
        .iter()
        .filter(|one| !base.contains(one) && !ours.contains(one));
    let mut added: Vec<Value<'static>> = own.chain(other).cloned().collect();
    // In the order in which each side has them where they do not say when they were made.
    added.sort_by_key(|one| {
        one.get("timestamp")
            .and_then(Value::as_str)
            .and_then(moment)
    });
    let mut log: Vec<Value<'static>> = old.cloned().collect();
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

/// Lets the sequence of a list or plan not stay behind the last of its changes.
pub(super) fn keep_up(container: &mut Object<'static>) {
    let log = container.get("changeLog").and_then(Value::as_array);
    let last = log
        .into_iter()
        .flat_map(|log| log.iter())
        .filter_map(sequence)
        .max();
    let own = container.get("sequence").and_then(number);
    if let (Some(last), Some(own)) = (last, own)
        && own < last
    {
        container.insert("sequence", last);
    }
}

fn sequence(change: &Value<'static>) -> Option<u64> {
    number(change.get("sequence")?)
}

pub(super) fn number(value: &Value<'static>) -> Option<u64> {
    value.as_number()?.as_u64()
}
