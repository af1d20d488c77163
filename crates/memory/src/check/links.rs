//! Where the index, the summary and records lead to.

use std::collections::BTreeSet;

use windlass_base::{Diagnostic, Place, RepoPath};

use crate::kind::Status;
use crate::layout::{INDEX, SUMMARY, is_private};
use crate::memory::Memory;
use crate::record::Record;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    for record in memory.records.values() {
        broken(memory, record, found);
    }
    for (record, rule) in [
        (memory.index(), "index-link"),
        (memory.summary(), "summary-link"),
    ] {
        let Some(record) = record else {
            continue;
        };
        for path in unlinked(memory, &targets(record)) {
            let message = format!(
                "`{}` does not lead to `{path}`, which is active",
                record.path
            );
            let place = Place::new(record.source(), record.first_line());
            found.push(
                Diagnostic::error(rule, message)
                    .at(place)
                    .help("link it; `windlass memory index` does"),
            );
        }
    }
    if let Some(index) = memory.index() {
        let summary = RepoPath::parse(SUMMARY).ok();
        if summary
            .is_some_and(|summary| memory.files.has(&summary) && !targets(index).contains(&summary))
        {
            let place = Place::new(index.source(), index.first_line());
            found.push(
                Diagnostic::error(
                    "index-link",
                    format!("`{INDEX}` does not lead to `{SUMMARY}`"),
                )
                .at(place)
                .help("link it; `windlass memory index` does"),
            );
        }
    }
}

/// The files a record leads to.
pub(crate) fn targets(record: &Record) -> BTreeSet<RepoPath> {
    let links = record
        .links()
        .iter()
        .filter_map(|link| record.target_of(link)?.ok());
    // A path in code leads there as well: `memory/decisions/x.md`.
    let text = record.source().text();
    let words = text
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | '<' | '>' | '"' | ','));
    let named = words
        .filter(|word| word.starts_with("memory/"))
        .filter_map(|word| RepoPath::parse(word.trim_end_matches(['.', ';', ':'])).ok());
    links.chain(named).collect()
}

/// Active decisions and open loops that are none of `targets`.
pub(crate) fn unlinked<'a>(memory: &'a Memory, targets: &BTreeSet<RepoPath>) -> Vec<&'a RepoPath> {
    let active = memory
        .records
        .values()
        .filter(|one| one.kind.is_linked() && one.status() == Status::Active);
    active
        .map(|one| &one.path)
        .filter(|path| !targets.contains(path))
        .collect()
}

fn broken(memory: &Memory, record: &Record, found: &mut Vec<Diagnostic>) {
    for link in record.links() {
        let place = || Place::new(record.source(), link.range.clone());
        match record.target_of(link) {
            None => {}
            Some(Err(why)) => found.push(
                Diagnostic::error(
                    "link-outside",
                    format!("this link leads nowhere in this repository: {why}"),
                )
                .at(place())
                .help("link to a file of the repository, or to the web"),
            ),
            Some(Ok(target)) if is_private(target.as_str()) => found.push(
                Diagnostic::error(
                    "link-private",
                    format!("`{target}` is private, and does not travel with the repository"),
                )
                .at(place())
                .help("say what matters of it here"),
            ),
            Some(Ok(target)) => {
                let is_there = memory.files.has(&target)
                    || memory.files.outside.get(&target).copied().unwrap_or(false);
                if !is_there {
                    found.push(
                        Diagnostic::error("broken-link", format!("there is no `{target}`"))
                            .at(place())
                            .help("link to where it lies now, or take the link out"),
                    );
                }
            }
        }
    }
}
