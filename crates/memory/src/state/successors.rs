use std::collections::{BTreeMap, BTreeSet};

use windlass_base::RepoPath;

use super::memory::Memory;
use crate::records::impression::Impression;
use crate::records::kind::Status;
use crate::records::link_paths::resolve;
use crate::records::record::Record;
use crate::texts::json_lines::JsonLine;

/// Finds the record that `name` means in `record`. A name can be an ID, a path from the root of the
/// repository, or a path relative to `record`.
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

/// The records in a cycle of supersessions. Only an author can tell which of them should be active.
pub(crate) fn records_in_circles(memory: &Memory) -> BTreeSet<RepoPath> {
    let next = successors(memory);
    let cycles = cycles(&next).into_iter().flatten();
    cycles.map(|path| (*path).clone()).collect()
}

/// Like [`records_in_circles`], but for impressions, by ID.
pub(crate) fn impressions_in_circles(memory: &Memory) -> BTreeSet<String> {
    let next = impression_successors(memory);
    let cycles = cycles(&next).into_iter().flatten();
    cycles.map(|id| (*id).to_owned()).collect()
}

/// For an impression of a superseded record, finds the impression that supersedes it, which is the
/// first active impression of the record's successor.
///
/// This returns `None` if it would close a cycle in `next`, or if the record is in one of
/// `circles`.
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

/// The successors that the records themselves name, as far as they exist.
pub(crate) fn successors(memory: &Memory) -> BTreeMap<&RepoPath, &RepoPath> {
    let records = memory.records.values();
    let next = records.filter_map(|record| {
        let newer = meant(memory, record, record.text("superseded_by")?)?;
        Some((&record.path, &newer.path))
    });
    next.collect()
}

/// True if we get from `start` to `end` by following successors, in any number of steps.
pub(crate) fn leads_to<T: Ord + ?Sized>(next: &BTreeMap<&T, &T>, start: &T, end: &T) -> bool {
    let mut at = Some(&start);
    // With more steps than entries, we're in a cycle.
    for _ in 0..=next.len() {
        match at {
            Some(one) if *one == end => return true,
            Some(one) => at = next.get(one),
            None => return false,
        }
    }
    false
}

/// Like [`successors`], but for impressions, by ID.
pub(crate) fn impression_successors(memory: &Memory) -> BTreeMap<&str, &str> {
    let lines = memory.impression_lines.lines.iter();
    let next = lines.filter_map(|line| {
        let newer = line.text("superseded_by")?;
        memory.impression(newer)?;
        Some((line.text("id")?, newer))
    });
    next.collect()
}

/// Finds all cycles. Each is returned once, with the smallest name first.
pub(crate) fn cycles<'a, T: Ord + ?Sized>(next: &'a BTreeMap<&'a T, &'a T>) -> Vec<Vec<&'a &'a T>> {
    let (mut done, mut found) = (BTreeSet::new(), Vec::new());
    for start in next.keys() {
        let (mut way, mut at) = (Vec::new(), start);
        // Follow the successors until we get to one that we've seen. It's part of a new cycle only
        // if we've seen it on this way.
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
