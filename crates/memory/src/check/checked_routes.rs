//! Checks routes, which are the paths of records in impressions. A route must lead to an existing
//! file, and each active record needs an impression that leads to it.

use windlass_base::{Diagnostic, RepoPath};
use windlass_redact::redact_text;

use super::whole;
use crate::check::checked_impressions::place;
use crate::check::moved_records::Moved;
use crate::records::impression::Impression;
use crate::records::kind::Status;
use crate::state::memory::Memory;
use crate::texts::day::is_date;
use crate::texts::layout::{FOLDER, is_private};

/// We only suggest a similar path for this many broken routes, because that takes a look at all
/// records each time.
const MOST_NEAR: usize = 20;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let moved = Moved::of(memory);
    let mut missing = 0;
    for line in memory.impression_lines.lines.iter() {
        if let Some(impression) = Impression::of(line) {
            let looks = missing < MOST_NEAR;
            let at = || place(&memory.impression_lines, line, "record_path");
            let finding = route(memory, &impression, &moved, looks);
            missing += usize::from(finding.is_some());
            found.extend(finding.map(|finding| finding.at(at())));
        }
    }
    unrouted(memory, found);
}

/// Returns the first problem with a route. Once a route is broken, there is no point in checking
/// the record.
fn route(
    memory: &Memory,
    impression: &Impression,
    moved: &Moved<'_>,
    looks: bool,
) -> Option<Diagnostic> {
    let written = &impression.record_path;
    let inside = "write the path from the root of the project, such as `memory/decisions/x.md`";
    let path = match RepoPath::parse(written) {
        Ok(path) if !written.contains('\\') => path,
        Ok(_) => {
            let finding = Diagnostic::error(
                "route-outside",
                format!("`{written}` has backslashes, which do not work on other systems"),
            );
            return Some(finding.help(inside));
        }
        Err(error) => {
            let finding = Diagnostic::error(
                "route-outside",
                format!("the route leads out of the project: {error}"),
            );
            return Some(finding.help(inside));
        }
    };
    if is_private(path.as_str()) {
        let finding = Diagnostic::error(
            "route-private",
            format!("`{path}` is private and not shared"),
        );
        return Some(finding.help("lead to a shared file"));
    }
    let is_there = memory.files.has(&path) || memory.files.outside.get(&path) == Some(&true);
    if !is_there {
        // If the record has moved and has another impression by now, updating this route would give
        // it two.
        if let Some(path) = moved.to(&path)
            && memory.impressions_of(path).next().is_none()
        {
            let finding = Diagnostic::error("route-missing", format!("`{written}` does not exist"));
            return Some(finding.help(format!(
                "the record is now at `{path}`: run `windlass memory check --fix` to update the route"
            )));
        }
        let near = looks.then(|| near(memory, &path)).flatten();
        let near = windlass_base::similar_hint(near);
        let finding = Diagnostic::error("route-missing", format!("`{path}` does not exist{near}"));
        return Some(finding.help("write the record, lead to another one, or delete the line"));
    }
    let record = memory.records.get(&path)?;
    if let Some(scope) = record.text("scope")
        && !impression.scope.is_empty()
        && scope != impression.scope
    {
        let finding = Diagnostic::error(
            "route-scope",
            format!(
                "`{path}` has the scope `{scope}`, but this impression has `{}`",
                impression.scope
            ),
        );
        return Some(finding.help("give both the scope of the project"));
    }
    let status = record.status();
    if impression.status == Status::Active && status != Status::Active {
        let finding = Diagnostic::error(
            "active-impression",
            format!(
                "this impression is active, but `{path}` is {}",
                status.as_str()
            ),
        );
        let newer = record.text("superseded_by");
        let is_known = newer
            .is_some_and(|name| crate::state::successors::meant(memory, record, name).is_some());
        return Some(finding.help(match status == Status::Archived || is_known {
            true => "run `windlass memory check --fix` to copy the status of the record",
            false => "copy the status of the record, and name the successor impression in `superseded_by`",
        }));
    }
    None
}

fn near<'a>(memory: &'a Memory, path: &RepoPath) -> Option<&'a str> {
    let same_name = |other: &&RepoPath| other.file_name() == path.file_name();
    if let Some(moved) = memory.records.keys().find(same_name) {
        return Some(moved.as_str());
    }
    windlass_base::did_you_mean(path.as_str(), memory.records.keys().map(RepoPath::as_str))
}

fn unrouted(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let scope = memory.scope();
    for record in memory.unrouted() {
        let place = windlass_base::Place::new(record.source(), record.first_line());
        let finding = Diagnostic::error(
            "unrouted-record",
            format!("no impression leads to `{}`", record.path),
        )
        .at(place);
        // `--fix` skips these records, so tell the user what to do before that.
        let is_secret = !redact_text(record.source().text()).1.is_empty();
        let has_day = ["updated", "date", "opened"]
            .iter()
            .any(|field| record.text(field).is_some_and(is_date));
        let is_own = record
            .text("scope")
            .is_none_or(|own| scope.is_none_or(|scope| own == scope));
        found.push(finding.help(match is_secret {
            _ if !is_own => "the record has the scope of another project: correct it or move the record, then run `windlass memory check --fix` to add an impression",
            _ if !has_day => "add the day of its last change as `updated`, then run `windlass memory check --fix` to add an impression",
            true => "remove the secret value, then run `windlass memory check --fix` to add an impression",
            false => {
                "run `windlass memory check --fix` to add an impression, and review its suggested keywords"
            }
        }));
    }
    if memory.impression_lines.source.is_none() && memory.records.is_empty() {
        found.push(
            Diagnostic::warning("empty-memory", format!("`{FOLDER}/` has no records yet"))
                .at(whole(FOLDER)),
        );
    }
}
