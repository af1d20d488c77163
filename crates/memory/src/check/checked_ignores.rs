//! Checks that ignore files exclude all private files, and none of the shared ones.

use windlass_base::{Diagnostic, Place};

use super::{first_line, whole};
use crate::state::ignore_rules::IgnoreRules;
use crate::state::memory::Memory;
use crate::texts::layout::PRIVATE;

/// Maximum number of ignored files that we report one by one. One bad pattern can exclude a whole
/// folder.
const MOST_IGNORED: usize = 20;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    if memory.files.has_odd_ignore {
        let message = "`.gitignore` cannot be read, so the ignored files are unknown";
        let finding = Diagnostic::error("unreadable-file", message).at(whole(".gitignore"));
        found.push(finding.help("convert it to UTF-8"));
    }
    let missing = missing_patterns(memory);
    if !missing.is_empty() && !memory.files.has_odd_ignore {
        let named: Vec<String> = missing.iter().map(|one| format!("`{one}`")).collect();
        let message = format!(
            "no `.gitignore` excludes {}: files there would be shared",
            named.join(", ")
        );
        let place = memory
            .files
            .ignore
            .as_ref()
            .map_or_else(|| whole(".gitignore"), first_line);
        found.push(
            Diagnostic::warning("missing-ignore", message)
                .at(place)
                .help("run `windlass memory check --fix` to add these patterns; `.git/info/exclude` applies to this clone only"),
        );
    }
    if let Some(ignore) = &memory.files.ignore {
        let mut at = 0;
        for line in ignore.text().split_inclusive('\n') {
            let start = at;
            at += line.len();
            let content = line.trim();
            if matches!(
                content,
                "memory" | "memory/" | "/memory" | "/memory/" | "memory/**" | "memory/*"
            ) {
                let place = Place::new(ignore, start..start + line.trim_end().len());
                let message = "this pattern excludes all of `memory/`, so nothing in it is shared";
                found.push(
                    Diagnostic::error("memory-ignored", message)
                        .at(place)
                        .help("exclude only private folders, such as `memory/private/`"),
                );
            }
        }
    }
    for path in memory.files.ignored.iter().take(MOST_IGNORED) {
        let message =
            format!("an ignore file excludes `{path}`, so it is neither shared nor recalled");
        found.push(Diagnostic::error("memory-ignored", message).at(whole(path.as_str())).help(
            "run `git check-ignore -v` on it to find the pattern; exclude only private folders, such as `memory/private/`",
        ));
    }
    for path in &memory.files.tracked {
        let message = format!("`{path}` is private, but tracked by git");
        found.push(
            Diagnostic::error("exposed-private-file", message)
                .at(whole(path.as_str()))
                .help("run `git rm --cached` on it; earlier commits still contain it"),
        );
    }
    // A broader pattern of the user, e.g. `raw`, may already cover these files.
    let rules = IgnoreRules::of(&memory.files);
    let exposed = memory.files.exposed.iter();
    let exposed = exposed.filter(|path| !memory.files.tracked.contains(path));
    for path in exposed.filter(|path| !rules.leave_out(path.as_str())) {
        let message = format!("`{path}` is private, but no ignore file excludes it");
        found.push(Diagnostic::error("exposed-private-file", message).at(whole(path.as_str())).help(
            "add its pattern to `.gitignore`; if it is committed already, run `git rm --cached` on it (earlier commits still contain it)",
        ));
    }
}

/// Finds the private patterns that no ignore file covers.
///
/// The user may have written them differently, so we do not look for the pattern itself. Instead,
/// we make up a few paths for each pattern, and check that all of them are excluded.
pub(crate) fn missing_patterns(memory: &Memory) -> Vec<&'static str> {
    let rules = IgnoreRules::of(&memory.files);
    let leave_out = |pattern: &&str| {
        let probes = match pattern.strip_suffix('/') {
            Some(folder) => [format!("{folder}/a.md"), format!("{folder}/b/c.txt")],
            None => ["memory/a.secret.md", "memory/b/c.secret.txt"].map(str::to_owned),
        };
        probes.iter().all(|probe| rules.leave_out(probe))
    };
    PRIVATE
        .into_iter()
        .filter(|pattern| !leave_out(pattern))
        .collect()
}
