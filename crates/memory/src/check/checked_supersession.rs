use std::collections::BTreeSet;

use windlass_base::Diagnostic;

use crate::check::checked_impressions::place;
use crate::records::kind::Status;
use crate::state::memory::Memory;
use crate::state::successors::{
    cycles, impression_successors, impressions_in_circles, meant, newer_by_record,
    records_in_circles, successors,
};

/// The help for other findings in a cycle, because the cycle has to be fixed first.
const CIRCLE_FIRST: &str = "resolve the supersession cycle first";

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    records(memory, found);
    impressions(memory, found);
}

fn records(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let next = successors(memory);
    let circles = records_in_circles(memory);
    for record in memory.records.values() {
        if record.status() == Status::Superseded && record.text("superseded_by").is_none() {
            let finding = Diagnostic::error(
                "missing-successor",
                "the record is superseded, but has no `superseded_by`",
            )
            .at(record.place_of("status"));
            found.push(finding.help("run `windlass memory supersede OLD NEW`"));
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
                            format!("the record is active, but superseded by `{name}`"),
                        )
                        .at(record.place_of("status"));
                        found.push(finding.help(match circles.contains(&record.path) {
                            true => CIRCLE_FIRST,
                            false => {
                                "run `windlass memory check --fix` to write `status: superseded`"
                            }
                        }));
                    }
                    let back = newer.supersedes().any(|name| {
                        meant(memory, newer, name).is_some_and(|old| old.path == record.path)
                    });
                    if !back {
                        let finding = Diagnostic::error(
                            "missing-supersedes",
                            format!("`{}` does not name this record in `supersedes`", newer.path),
                        )
                        .at(at());
                        let finding = finding.see(newer.place_of("supersedes"), "here");
                        found.push(finding.help(match circles.contains(&record.path) {
                            true => CIRCLE_FIRST,
                            false => "run `windlass memory check --fix` to add it",
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
                            Diagnostic::error("supersession-cycle", "the record supersedes itself")
                                .at(at());
                        found.push(
                            finding
                                .help("name another record in `supersedes`, or remove the field"),
                        );
                    }
                }
                Some(old) => {
                    let knows = old
                        .text("superseded_by")
                        .and_then(|name| meant(memory, old, name));
                    if knows.is_none_or(|newer| newer.path != record.path) {
                        let finding = Diagnostic::error(
                            "missing-superseded-by",
                            format!(
                                "`{}` does not name this record in `superseded_by`",
                                old.path
                            ),
                        )
                        .at(at());
                        found.push(finding.see(old.place_of("superseded_by"), "here").help("write `status: superseded` and `superseded_by:` there, or run `windlass memory check --fix` if the record names no other successor"));
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
                    "these records supersede each other in a cycle: {}",
                    names.join(", ")
                ),
            );
            found.push(
                finding
                    .at(record.place_of("superseded_by"))
                    .help("remove `superseded_by` from the one that is valid now"),
            );
        }
    }
}

/// Reports `name` as unknown. Returns `None` if an unreadable file may be the record.
fn unknown(memory: &Memory, rule: &'static str, name: &str) -> Option<Diagnostic> {
    let finding = Diagnostic::error(rule, format!("unknown record `{name}`"));
    let is_sure = memory.files.closed.is_empty() && memory.unreadable_record(name).is_none();
    is_sure
        .then(|| finding.help("use the id of a record, or its path from the root of the project"))
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
                    format!("the impression `{id}` is superseded, but has no `superseded_by`"),
                )
                .at(place(file, line, "status"));
                let newer = newer_by_record(memory, line, &next, &of_records);
                found.push(finding.help(match newer {
                    Some(newer) => format!(
                        "run `windlass memory check --fix` to write `\"superseded_by\": \"{}\"`, as in its record",
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
                    format!("the impression `{id}` has the successor `{newer}`, but its status is not `superseded`"),
                )
                .at(place(file, line, "superseded_by"));
                found.push(finding.help(match circles.contains(id) {
                    true => CIRCLE_FIRST,
                    false => {
                        "run `windlass memory check --fix` to write `\"status\": \"superseded\"`"
                    }
                }));
            }
            Some(newer) => {
                let finding =
                    Diagnostic::error("unknown-successor", format!("unknown impression `{newer}`"))
                        .at(place(file, line, "superseded_by"));
                found.push(finding.help("use the id of the newer impression"));
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
                    "these impressions supersede each other in a cycle: {}",
                    names.join(", ")
                ),
            );
            found.push(
                finding
                    .at(place(file, line, "superseded_by"))
                    .help("remove `superseded_by` from the one that is valid now"),
            );
        }
    }
}
