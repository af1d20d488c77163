//! The files of a new memory. Also finds unfilled parts of them.

use windlass_base::RepoPath;

use crate::records::kind::Status;
use crate::records::record_body::NOT_SAID;
use crate::state::memory::Memory;
use crate::texts::front_matter::new_front_matter;
use crate::texts::layout::{FEEDBACK, IMPRESSIONS, INDEX, SUMMARY};

/// The files of a new memory. `day` is today, e.g. `2026-03-01`.
#[must_use]
pub fn starting_files(project: &str, day: &str) -> Vec<(RepoPath, String)> {
    let scope = format!("project:{project}");
    let front = |id: &str, title: &str| {
        let fields = [
            ("id", id),
            ("title", title),
            ("status", "active"),
            ("scope", &scope),
            ("updated", day),
        ];
        new_front_matter(&fields) + "\n"
    };
    let summary = format!(
        "{}# What this project is about\n\n## Current objective\n\n{NOT_SAID}\n\n## Key constraints\n\n{NOT_SAID}\n\n\
         ## Active priorities\n\n{NOT_SAID}\n\n## Linked decisions\n\nNone.\n\n## Linked open loops\n\nNone.\n",
        front("summary", "Summary")
    );
    let index = format!(
        "{}# Index\n\n## Current project scope\n\n`{scope}`\n\n## Active summary\n\n- [Summary](summary.md)\n\n\
         ## Active decisions\n\nNone.\n\n## Active open loops\n\nNone.\n\n## Superseded or archived records\n\nNone.\n",
        front("index", "Index")
    );
    let files = [
        (SUMMARY, summary),
        (INDEX, index),
        (IMPRESSIONS, String::new()),
        (FEEDBACK, String::new()),
    ];
    let files = files
        .into_iter()
        .filter_map(|(path, text)| Some((RepoPath::parse(path).ok()?, text)));
    files.collect()
}

/// Unfilled template sections of active records, by record.
#[must_use]
pub(crate) fn not_said(memory: &Memory) -> Vec<(&RepoPath, Vec<&str>)> {
    let active = memory
        .records
        .values()
        .filter(|record| record.status() == Status::Active);
    let open = active.map(|record| {
        let text = record.source().text();
        let sections = record.sections().iter();
        let open = sections.filter(|section| text[section.body.clone()].trim() == NOT_SAID);
        (
            &record.path,
            open.map(|section| section.title.as_str()).collect(),
        )
    });
    let open = open.filter(|(_, parts): &(_, Vec<&str>)| !parts.is_empty());
    open.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::memory_files::Files;

    #[test]
    fn new_memory_has_no_findings() {
        let texts = starting_files("web-app", "2026-03-01");
        let mut files = Files::of_texts(
            texts
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str())),
        );
        files.rules = Some(true);
        files.ignore = Some(windlass_base::Source::new(
            ".gitignore",
            crate::PRIVATE.join("\n"),
        ));
        let found = crate::check(&Memory::read(files));
        assert!(found.is_empty(), "{found}");
    }
}
