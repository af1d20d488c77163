//! Whether what was replaced and what replaced it know of each other.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Diagnostic, RepoPath};

use super::both_sides::said_by_impressions;
use super::impressions::place;
use crate::impression::Impression;
use crate::json_lines::JsonLine;
use crate::kind::Status;
use crate::memory::Memory;
use crate::record::{Record, resolve};

/// What to do about what is in a circle: nothing but that mends it.
const CIRCLE_FIRST: &str = "it is in a circle: say first which of them holds";

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    records(memory, found);
    impressions(memory, found);
}

/// The record that `name` in `record` means: an id, a path from the root, or one from where it stands.
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

fn records(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let next = successors(memory);
    let circles = records_in_circles(memory);
    for record in memory.records.values() {
        if record.status() == Status::Superseded && record.text("superseded_by").is_none() {
            let finding = Diagnostic::error(
                "missing-successor",
                "it is superseded, and does not say by what",
            )
            .at(record.place_of("status"));
            found.push(finding.help("write `superseded_by:` and the newer record; `windlass memory supersede OLD NEW` does all of it"));
        }
        if let Some(name) = record.text("superseded_by") {
            let at = || record.place_of("superseded_by");
            match meant(memory, record, name) {
                None => {
                    found
                        .extend(unknown(memory, "unknown-successor", name).map(|one| one.at(at())));
                }
                Some(newer) if newer.path == record.path => {}
                Some(newer) => {
                    if record.status() == Status::Active {
                        let finding = Diagnostic::error(
                            "superseded-but-active",
                            format!("it is active, and superseded by `{name}`"),
                        )
                        .at(record.place_of("status"));
                        found.push(finding.help(match circles.contains(&record.path) {
                            true => CIRCLE_FIRST,
                            false => {
                                "write `status: superseded`; `windlass memory check --fix` does"
                            }
                        }));
                    }
                    let back = newer.supersedes().any(|name| {
                        meant(memory, newer, name).is_some_and(|old| old.path == record.path)
                    });
                    if !back {
                        let finding = Diagnostic::error(
                            "missing-supersedes",
                            format!("`{}` does not say that it supersedes this", newer.path),
                        )
                        .at(at());
                        let finding = finding.see(newer.place_of("supersedes"), "here");
                        found.push(finding.help(match circles.contains(&record.path) {
                            true => CIRCLE_FIRST,
                            false => {
                                "write `supersedes:` there; `windlass memory check --fix` does"
                            }
                        }));
                    }
                }
            }
        }
        for name in record.supersedes() {
            let at = || record.place_of("supersedes");
            match meant(memory, record, name) {
                None => found
                    .extend(unknown(memory, "unknown-superseded", name).map(|one| one.at(at()))),
                Some(old) if old.path == record.path => {
                    if record.text("superseded_by").is_none() {
                        let finding =
                            Diagnostic::error("supersession-cycle", "it supersedes itself")
                                .at(at());
                        found.push(finding.help("name what it supersedes, or nothing"));
                    }
                }
                Some(old) => {
                    let knows = old
                        .text("superseded_by")
                        .and_then(|name| meant(memory, old, name));
                    if knows.is_none_or(|newer| newer.path != record.path) {
                        let finding = Diagnostic::error(
                            "missing-superseded-by",
                            format!("`{}` does not say that this supersedes it", old.path),
                        )
                        .at(at());
                        found.push(finding.see(old.place_of("superseded_by"), "here").help("write `status: superseded` and `superseded_by:` there; `windlass memory check --fix` does where nothing else is said"));
                    }
                }
            }
        }
    }
    for cycle in cycles(&next) {
        let names: Vec<String> = cycle.iter().map(|path| format!("`{path}`")).collect();
        if let Some(record) = cycle.first().and_then(|path| memory.records.get(*path)) {
            let finding = Diagnostic::error(
                "supersession-cycle",
                format!(
                    "these supersede each other in a circle: {}",
                    names.join(", ")
                ),
            );
            found.push(
                finding
                    .at(record.place_of("superseded_by"))
                    .help("one of them holds now: take `superseded_by` out of that one"),
            );
        }
    }
}

/// That there is no record `name`, where that can be said.
fn unknown(memory: &Memory, rule: &'static str, name: &str) -> Option<Diagnostic> {
    let finding = Diagnostic::error(rule, format!("there is no record `{name}`"));
    let is_sure = memory.files.closed.is_empty() && memory.unreadable_record(name).is_none();
    is_sure.then(|| {
        finding.help("name a record by its id, or by its path from the root of the project")
    })
}

fn impressions(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let file = &memory.impression_lines;
    let ids: BTreeSet<&str> = memory
        .impressions
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    let next = impression_successors(memory);
    let circles = impressions_in_circles(memory);
    let of_records = records_in_circles(memory);
    for line in file.lines.iter() {
        let Some(id) = line.text("id") else {
            continue;
        };
        let is_superseded = line.text("status") == Some(Status::Superseded.as_str());
        match line.text("superseded_by") {
            None if is_superseded => {
                let finding = Diagnostic::error(
                    "missing-successor",
                    format!("the impression `{id}` is superseded, and does not say by what"),
                )
                .at(place(file, line, "status"));
                let newer = newer_by_record(memory, line, &next, &of_records);
                found.push(finding.help(match newer {
                    Some(newer) => format!(
                        "its record names what took its place: write `\"superseded_by\": \"{}\"`; `windlass memory check --fix` does",
                        newer.id
                    ),
                    None => "write the id of the newer impression as `superseded_by`".to_owned(),
                }));
            }
            None => {}
            Some(newer) if ids.contains(newer) && is_superseded => {}
            Some(newer) if ids.contains(newer) => {
                let finding = Diagnostic::error(
                    "superseded-but-active",
                    format!("the impression `{id}` is not superseded, and superseded by `{newer}`"),
                )
                .at(place(file, line, "superseded_by"));
                found.push(finding.help(match circles.contains(id) {
                    true => CIRCLE_FIRST,
                    false => {
                        "write `\"status\": \"superseded\"`; `windlass memory check --fix` does"
                    }
                }));
            }
            Some(newer) => {
                let finding = Diagnostic::error(
                    "unknown-successor",
                    format!("there is no impression `{newer}`"),
                )
                .at(place(file, line, "superseded_by"));
                found.push(finding.help("name the newer impression by its id"));
            }
        }
    }
    for cycle in cycles(&next) {
        let names: Vec<String> = cycle.iter().map(|id| format!("`{id}`")).collect();
        let line = file
            .lines
            .iter()
            .find(|line| line.text("id") == cycle.first().map(|id| **id));
        if let Some(line) = line {
            let finding = Diagnostic::error(
                "supersession-cycle",
                format!(
                    "these impressions supersede each other in a circle: {}",
                    names.join(", ")
                ),
            );
            found.push(
                finding
                    .at(place(file, line, "superseded_by"))
                    .help("one of them holds now: take `superseded_by` out of that one"),
            );
        }
    }
}

/// Records that replace each other in a circle: which of them holds has to be said by somebody.
pub(crate) fn records_in_circles(memory: &Memory) -> BTreeSet<RepoPath> {
    let next = successors(memory);
    let cycles = cycles(&next).into_iter().flatten();
    cycles.map(|path| (*path).clone()).collect()
}

/// Impressions that replace each other in a circle, by their ids.
pub(crate) fn impressions_in_circles(memory: &Memory) -> BTreeSet<String> {
    let next = impression_successors(memory);
    let cycles = cycles(&next).into_iter().flatten();
    cycles.map(|id| (*id).to_owned()).collect()
}

/// The impression that takes the place of the one on `line`, which does not say it, as its record does: of those that lead to what replaced
/// the record, the first that is active. Nothing where that would close a circle of impressions (`next`), or the record is in one (`circles`).
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

/// Which record has which one's place, by their paths.
pub(crate) fn successors(memory: &Memory) -> BTreeMap<&RepoPath, &RepoPath> {
    let records = memory.records.values();
    let next = records.filter_map(|record| {
        let newer = meant(memory, record, record.text("superseded_by")?)?;
        Some((&record.path, &newer.path))
    });
    next.collect()
}

/// Whether `end` is `start`, or has its place in the end.
pub(crate) fn leads_to<T: Ord + ?Sized>(next: &BTreeMap<&T, &T>, start: &T, end: &T) -> bool {
    let mut at = Some(&start);
    // No way is longer than there are steps, unless it goes in a circle.
    for _ in 0..=next.len() {
        match at {
            Some(one) if *one == end => return true,
            Some(one) => at = next.get(one),
            None => return false,
        }
    }
    false
}

/// The same, as far as only one of both says it, too: the newer fact counts whichever side of it somebody forgot. What would close a
/// circle is left out, since nobody knows which of them holds.
pub(crate) fn successors_said_once(memory: &Memory) -> BTreeMap<&RepoPath, &RepoPath> {
    let circles = records_in_circles(memory);
    let mut next = successors(memory);
    next.retain(|old, _| !circles.contains(*old));
    for record in memory.records.values() {
        for name in record.supersedes() {
            if let Some(old) = meant(memory, record, name)
                && !next.contains_key(&old.path)
                && !circles.contains(&old.path)
                && !leads_to(&next, &record.path, &old.path)
            {
                next.insert(&old.path, &record.path);
            }
        }
    }
    for (old, said) in said_by_impressions(memory) {
        if let Some(newer) = said.by
            && !next.contains_key(old)
            && !circles.contains(old)
            && !leads_to(&next, newer, old)
        {
            next.insert(old, newer);
        }
    }
    next
}

/// Which impression has which one's place, as far as both are there, by their ids.
pub(crate) fn impression_successors(memory: &Memory) -> BTreeMap<&str, &str> {
    let lines = memory.impression_lines.lines.iter();
    let next = lines.filter_map(|line| {
        let newer = line.text("superseded_by")?;
        memory.impression(newer)?;
        Some((line.text("id")?, newer))
    });
    next.collect()
}

/// The circles among successors, each once, beginning with the least of its names.
fn cycles<'a, T: Ord + ?Sized>(next: &'a BTreeMap<&'a T, &'a T>) -> Vec<Vec<&'a &'a T>> {
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
    fn circles_are_found_once_and_ways_into_them_are_none() {
        let next = BTreeMap::from([("a", "b"), ("b", "c"), ("c", "b"), ("d", "d"), ("e", "f")]);
        assert_eq!(cycles(&next), [vec![&"b", &"c"], vec![&"d"]]);
    }
}
