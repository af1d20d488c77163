use std::collections::BTreeSet;

use windlass_base::{Diagnostic, Place, RepoPath, Source};

use crate::check::moved_records::Moved;
use crate::draft::Draft;
use crate::index_file::{link_all, section_for};
use crate::markdown::Link;
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;
use crate::state::listed_links::{inactive, listed, targets, unlinked};
use crate::state::memory::Memory;
use crate::state::successors::{leads_to, successors};
use crate::texts::layout::{INDEX, SUMMARY, is_private};

/// Checks the links of all records, and the lists in the index and the summary.
pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let moved = Moved::of(memory);
    for record in memory.records.values() {
        broken(memory, record, &moved, found);
    }
    for (record, rule) in [
        (memory.index(), "index-link"),
        (memory.summary(), "summary-link"),
    ] {
        let Some(record) = record else {
            continue;
        };
        for path in unlinked(memory, &listed(record)) {
            let message = format!("`{}` has no link to `{path}`, which is active", record.path);
            let place = Place::new(record.source(), record.first_line());
            found.push(
                Diagnostic::error(rule, message)
                    .at(place)
                    .help("run `windlass memory index` to add the link"),
            );
        }
    }
    if let Some(summary) = memory.summary() {
        outdated(memory, summary, found);
    }
    if let Some(index) = memory.index() {
        outdated(memory, index, found);
        unlisted(memory, index, found);
        let summary = RepoPath::parse(SUMMARY).ok();
        if summary
            .is_some_and(|summary| memory.files.has(&summary) && !targets(index).contains(&summary))
        {
            let place = Place::new(index.source(), index.first_line());
            found.push(
                Diagnostic::error(
                    "index-link",
                    format!("`{INDEX}` has no link to `{SUMMARY}`"),
                )
                .at(place)
                .help("run `windlass memory index` to add the link"),
            );
        }
    }
}

fn unlisted(memory: &Memory, index: &Record, found: &mut Vec<Diagnostic>) {
    let listed = targets(index);
    let old = memory
        .records
        .values()
        .filter(|one| one.kind.is_linked() && one.status() != Status::Active);
    for one in old.filter(|one| !listed.contains(&one.path)) {
        let status = one.status().as_str();
        let message = format!("`{INDEX}` does not list `{}`, which is {status}", one.path);
        let place = Place::new(index.source(), index.first_line());
        let finding = Diagnostic::warning("unlisted-record", message).at(place);
        found.push(finding.help("run `windlass memory index` to list it"));
    }
    let Some(section) = inactive(index) else {
        return;
    };
    let mut lines = BTreeSet::new();
    for link in index.links() {
        // A second link on the same line is to the successor.
        let is_first = lines.insert(index.source().position(link.range.start).line);
        let path = index.target_of(link).and_then(Result::ok);
        let record = path.and_then(|path| memory.records.get(&path));
        let holds = record.filter(|one| one.kind.is_linked() && one.status() == Status::Active);
        if let Some(record) = holds.filter(|_| is_first && section.body.contains(&link.range.start))
        {
            let message = format!("`{}` is listed as inactive, but is active", record.path);
            let place = Place::new(index.source(), link.range.clone());
            let finding = Diagnostic::warning("outdated-link", message).at(place);
            found.push(finding.help(
                "remove the entry by hand: text written by people is never changed automatically",
            ));
        }
    }
}

/// Reports inactive records that the index or the summary lists as active.
fn outdated(memory: &Memory, index: &Record, found: &mut Vec<Diagnostic>) {
    let links = outdated_links(memory, index);
    if links.is_empty() {
        return;
    }
    // Try to fix the list, in order to tell the user if the command would help or if there's
    // something to do by hand.
    let mut draft = Draft::new(memory);
    link_all(memory, &mut draft, index);
    let text = draft.text(&index.path).unwrap_or_default();
    let source = Source::new(index.path.as_str(), text);
    let mended = Record::of(&index.path, &source);
    let left = mended
        .iter()
        .flat_map(|mended| outdated_links(memory, mended));
    let left: BTreeSet<&RepoPath> = left.map(|(_, old)| &old.path).collect();
    // Unlike the index, the summary is prose, which may mention an inactive record on purpose.
    let is_told = |old: &Record| index.kind == RecordKind::Index || !left.contains(&old.path);
    for (link, old) in links.into_iter().filter(|(_, old)| is_told(old)) {
        let status = old.status().as_str();
        let message = format!("`{}` is listed as active, but is {status}", old.path);
        let help = match left.contains(&old.path) {
            false => "run `windlass memory index` to remove the entry",
            true => {
                "remove the link by hand, or link to the successor: the entry has text of its own"
            }
        };
        let place = Place::new(index.source(), link.range.clone());
        let finding = Diagnostic::warning("outdated-link", message);
        found.push(finding.at(place).help(help));
    }
}

/// Finds links to inactive records in the active sections of `list`, which is the index or the
/// summary. It's fine if there's a link to the successor on the same line.
fn outdated_links<'m, 'l>(memory: &'m Memory, list: &'l Record) -> Vec<(&'l Link, &'m Record)> {
    let sections = [RecordKind::Decision, RecordKind::OpenLoop];
    let sections = sections.map(|kind| list.body().section(section_for(list.kind, kind)));
    let bodies: Vec<_> = sections.into_iter().flatten().map(|it| &it.body).collect();
    let links = list.links().iter().filter_map(|link| {
        let is_listed = bodies.iter().any(|body| body.contains(&link.range.start));
        let path = list.target_of(link).filter(|_| is_listed)?.ok()?;
        let line = list.source().position(link.range.start).line;
        Some((line, link, memory.records.get(&path)?))
    });
    let links: Vec<_> = links.collect();
    let newer = successors(memory);
    let is_beside_newer = |line: usize, old: &Record| {
        let mut beside = links.iter().filter(|(other, ..)| *other == line);
        beside.any(|(_, _, one)| one.path != old.path && leads_to(&newer, &old.path, &one.path))
    };
    let outdated = links.iter().filter(|(line, _, old)| {
        old.kind.is_linked() && old.status() != Status::Active && !is_beside_newer(*line, old)
    });
    outdated.map(|(_, link, old)| (*link, *old)).collect()
}

fn broken(memory: &Memory, record: &Record, moved: &Moved<'_>, found: &mut Vec<Diagnostic>) {
    for link in record.links() {
        let place = || Place::new(record.source(), link.range.clone());
        match record.target_of(link) {
            None => {}
            Some(Err(why)) => found.push(
                Diagnostic::error("link-outside", format!("invalid link: {why}"))
                    .at(place())
                    .help("link to a file of the repository, or to a web page"),
            ),
            Some(Ok(target)) if is_private(target.as_str()) => found.push(
                Diagnostic::error(
                    "link-private",
                    format!("`{target}` is private and not shared"),
                )
                .at(place())
                .help("copy the important parts here"),
            ),
            Some(Ok(target)) => {
                let is_there = memory.files.has(&target)
                    || memory.files.outside.get(&target).copied().unwrap_or(false);
                if !is_there {
                    let help = match moved.to(&target) {
                        None => "update the link, or remove it".to_owned(),
                        Some(path) => format!(
                            "the record is now at `{path}`: run `windlass memory check --fix` to update the link"
                        ),
                    };
                    found.push(
                        Diagnostic::error("broken-link", format!("`{target}` does not exist"))
                            .at(place())
                            .help(help),
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check;
    use crate::draft::Draft;
    use crate::fix::fix;
    use crate::testing::Sample;

    const INDEX: &str = "memory/index.md";
    const LINKED: &str = "- [One store owns the settings](decisions/settings-store.md)\n";

    /// Replaces the entry of a superseded decision in the index. Returns the number of findings,
    /// and the lines that are left after indexing.
    fn told(listed: &str) -> (usize, Vec<String>) {
        let newer = "---\nid: cloud\ntitle: Cloud\nstatus: active\nscope: project:demo\nsupersedes: settings-store\n---\nx\n";
        let old = "status: superseded\nsuperseded_by: cloud";
        let sample = Sample::new()
            .with("memory/decisions/cloud.md", "", newer)
            .with("memory/decisions/settings-store.md", "status: active", old)
            .with(INDEX, LINKED, listed);
        let outdated = |sample: &Sample| -> Vec<String> {
            let report = check(&sample.memory()).to_string();
            let lines = report.lines();
            let lines =
                lines.filter(|line| line.starts_with(INDEX) && line.contains("listed as active"));
            lines.map(str::to_owned).collect()
        };
        let before = outdated(&sample).len();
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        let _ = fix(&memory, &mut draft);
        let changes = draft.changes().unwrap();
        let mut mended = sample;
        for change in changes {
            mended.0.insert(change.path.to_string(), change.text);
        }
        (before, outdated(&mended))
    }

    #[test]
    fn inactive_listed_as_active_found() {
        let link = "[One store](decisions/settings-store.md)";
        for (listed, is_mended) in [
            (format!("- {link}\n"), true),
            (format!("1. {link}\n2. [Cloud](decisions/cloud.md)\n"), true),
            (format!("12) {link}: read it\n    first\n"), true),
            (format!("- [Summary](summary.md), {link}\n"), false),
            (format!("| what |\n|---|\n| {link} |\n"), false),
            (format!("Read {link} first.\n"), false),
        ] {
            let (before, after) = told(&listed);
            assert_eq!(
                (before, after.is_empty()),
                (1, is_mended),
                "{listed} {after:?}"
            );
        }
        // A link to the successor on the same line is enough.
        let beside = format!("- [Cloud](decisions/cloud.md), no longer {link}\n");
        assert_eq!(told(&beside).0, 0);
    }
}
