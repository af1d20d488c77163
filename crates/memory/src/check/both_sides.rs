use windlass_base::{Diagnostic, RepoPath};

use crate::check::checked_impressions::place;
use crate::records::kind::Status;
use crate::state::memory::Memory;
use crate::state::said_by_impressions::said_by_impressions;
use crate::state::successors::{leads_to, successors};

/// Compares the status of records and impressions. Reports impressions with an inactive status or
/// another successor for an active record.
pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let file = &memory.impression_lines;
    let said = said_by_impressions(memory);
    let next = successors(memory);
    for line in file.lines.iter() {
        let path = line.text("record_path");
        let path = path.and_then(|path| RepoPath::parse(path).ok());
        let Some(path) = path else {
            continue;
        };
        // `checked_supersession` reports active records with a successor of their own.
        let is_told = memory
            .records
            .get(&path)
            .is_some_and(|one| one.text("superseded_by").is_some());
        if let Some(said) = said.get(&path).filter(|_| !is_told) {
            let status = said.status.as_str();
            let finding = Diagnostic::error(
                "inactive-impression",
                format!("`{path}` is active but has no active impression, so it is not recalled: this one is {status}"),
            )
            .at(place(file, line, "status"));
            found.push(finding.help(match (said.status, said.by) {
                (Status::Superseded, None) => "add `superseded_by` to the record, or make an impression active",
                _ => "run `windlass memory check --fix` to update the record; if the record is still valid, make an impression active first",
            }));
        }
        let newer = line
            .text("superseded_by")
            .and_then(|id| memory.impression(id));
        let newer = newer.and_then(|newer| memory.record(&newer.record_path));
        if let (Some(newer), Some(own)) = (newer, next.get(&path))
            && newer.path != path
            && !leads_to(&next, own, &newer.path)
            && !leads_to(&next, &newer.path, own)
        {
            let finding = Diagnostic::error(
                "other-successor",
                format!("this impression names `{}` as the successor of `{path}`, but the record names `{own}`", newer.path),
            )
            .at(place(file, line, "superseded_by"));
            found.push(finding.help(
                "name the same successor on both sides; until then the record takes precedence",
            ));
        }
    }
}
