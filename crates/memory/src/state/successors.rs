//! Successors of records and of impressions.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::RepoPath;

use super::memory::Memory;
use crate::records::impression::Impression;
use crate::records::kind::Status;
use crate::records::link_paths::resolve;
use crate::records::record::Record;
use crate::texts::json_lines::JsonLine;

/// Returns the record meant by `name` within `record`. `name` may be an id, a path from the root or
/// a path relative to `record`.
pub(crate) fn meant<'a>(memory: &'a Memory, record: &Record, name: &str) -> Option<&'a Record> {
    if let Some(by_id) = memory.record_of_id(name) {
        return Some(by_id);
    }
    if let Some(found) = memory.record(name) {
        return Some(found);
    }
    let path: RepoPath = resolve(&record.path, name)?.ok()?;
    memory.records.get(&path)
}

/// Returns the records that supersede each other in a cycle. Only an author can decide which of
/// them is active.
pub(crate) fn records_in_circles(memory: &Memory) -> BTreeSet<RepoPath> {
    let next = successors(memory);
    let cycles = cycles(&next).into_iter().flatten();
    cycles.map(|path| (*path).clone()).collect()
}

/// Returns the ids of impressions that supersede each other in a cycle.
pub(crate) fn impressions_in_circles(memory: &Memory) -> BTreeSet<String> {
    let next = impression_successors(memory);
    let cycles = cycles(&next).into_iter().flatten();
    cycles.map(|id| (*id).to_owned()).collect()
}

/// Returns the successor of the impression on `line` according to its record: the first active
/// impression of the record's successor. Returns `None` if this would close a cycle in `next`, or
/// if the record itself is in one, as listed in `circles`.
pub(crate) fn newer_by_record<'m>(
    memory: &'m Memory,
    line: &JsonLine,
    next: &BTreeMap<&str, &str>,
    circles: &BTreeSet<RepoPath>,
) -> Option<&'m Impression> {
    let id = line.text("id")?;
    let record = memory.record(line.text("record_path")?)?;
    let newer = meant(memory, record, record.text("superseded_by")?)?;
    let is_open = !circles.contains(&record.path);
    let mut newer = memory.impressions_of(&newer.path).filter(|_| is_open);
    newer.find(|one| one.status == Status::Active && !leads_to(next, one.id.as_str(), id))
}

/// Returns the successor's path for each record that states a known one.
pub(crate) fn successors(memory: &Memory) -> BTreeMap<&RepoPath, &RepoPath> {
    let records = memory.records.values();
    let next = records.filter_map(|record| {
        let newer = meant(memory, record, record.text("superseded_by")?)?;
        Some((&record.path, &newer.path))
    });
    next.collect()
}

/// Returns true if `end` is `start` itself or one of its direct or indirect successors.
pub(crate) fn leads_to<T: Ord + ?Sized>(next: &BTreeMap<&T, &T>, start: &T, end: &T) -> bool {
    let mut at = Some(&start);
    // A chain with more steps than entries must contain a cycle.
    for _ in 0..=next.len() {
        match at {
            Some(one) if *one == end => return true,
            Some(one) => at = next.get(one),
            None => return false,
        }
    }
    false
}

/// Returns the successor's id for each impression that names an existing one.
pub(crate) fn impression_successors(memory: &Memory) -> BTreeMap<&str, &str> {
    let lines = memory.impression_lines.lines.iter();
    let next = lines.filter_map(|line| {
        let newer = line.text("superseded_by")?;
        memory.impression(newer)?;
        Some((line.text("id")?, newer))
    });
    next.collect()
}

/// Returns each cycle among successors once, starting with its smallest name.
pub(crate) fn cycles<'a, T: Ord + ?Sized>(next: &'a BTreeMap<&'a T, &'a T>) -> Vec<Vec<&'a &'a T>> {
    let (mut done, mut found) = (BTreeSet::new(), Vec::new());
    for start in next.keys() {
        let (mut way, mut at) = (Vec::new(), start);
        while !done.contains(at) {
            done.insert(at);
            way.push(at);
            match next.get(at) {
                Some(after) => at = after,
                None => break,
            }
        }
        if let Some(begin) = way.iter().position(|one| *one == at)
            && next
                .get(way[way.len() - 1])
                .is_some_and(|after| *after == *at)
        {
            let mut cycle = way.split_off(begin);
            let least = (0..cycle.len())
                .min_by_key(|index| cycle[*index])
                .unwrap_or(0);
            cycle.rotate_left(least);
            found.push(cycle);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_found_once() {
        let next = BTreeMap::from([("a", "b"), ("b", "c"), ("c", "b"), ("d", "d"), ("e", "f")]);
        assert_eq!(cycles(&next), [vec![&"b", &"c"], vec![&"d"]]);
    }
}
