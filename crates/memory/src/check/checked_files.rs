//! Checks for missing, unreadable and overlong files.

use std::sync::Arc;

use windlass_base::{Diagnostic, Place, RepoPath, Source};
use windlass_redact::redact_text;

use super::{checked_ignores, first_line, whole};
use crate::state::memory::Memory;
use crate::state::memory_files::Contents;
use crate::texts::conflict_marks::conflict_lines;
use crate::texts::layout::{FEEDBACK, IMPRESSIONS, SUMMARY};

/// Maximum length of the summary, in characters. A recall may add the summary to any answer, so it
/// should be short.
const MAX_SUMMARY: usize = 12_000;
/// Maximum length of any other file, in characters. A longer one is usually an archive, and would
/// better be split into records.
const MAX_FILE: usize = 20_000;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    required(memory, found);
    for path in memory.leftovers() {
        let message = format!("`{path}` was left by an interrupted write");
        found.push(Diagnostic::warning("leftover-file", message).at(whole(path.as_str())).help(
            "run `windlass memory check --fix` to remove it; the next write to the memory removes it as well",
        ));
    }
    for (path, contents) in &memory.files.files {
        match contents {
            Contents::NoText(why) => {
                let message = format!("`{path}` cannot be read: {why}");
                let finding =
                    Diagnostic::error("unreadable-file", message).at(whole(path.as_str()));
                found.push(finding.help("convert it to UTF-8, or move it out of `memory/`"));
            }
            Contents::Text(source) => {
                conflicts(source, found);
                let chars = source.text().chars().count();
                let (rule, most) = match path.as_str() {
                    SUMMARY => ("long-summary", MAX_SUMMARY),
                    IMPRESSIONS | FEEDBACK => continue,
                    _ => ("long-file", MAX_FILE),
                };
                if chars > most {
                    let message = format!("`{path}` has {chars} characters, more than {most}");
                    let finding = Diagnostic::warning(rule, message).at(first_line(source));
                    found.push(
                        finding.help("keep the facts worth remembering, and link to the rest"),
                    );
                }
            }
        }
    }
    closed(memory, found);
    for path in &memory.files.unnamed {
        // Don't repeat the secret in the finding about it.
        let (shown, _) = redact_text(path.as_str());
        let finding = Diagnostic::error("secret", "the name of this file holds a secret value");
        found.push(finding.at(whole(shown.as_str())).help(
            "rename the file and revoke the secret; until then the file is neither read nor linked",
        ));
    }
    for (path, what) in &memory.files.odd {
        let message = format!("`{path}` is {what}, so it is neither recalled nor written");
        found.push(
            Diagnostic::error("no-file", message)
                .at(whole(path.as_str()))
                .help("replace it by a regular file, or move it out of `memory/`; until then links to it stay unchanged"),
        );
    }
    if memory.files.rules == Some(false) {
        let message = "no file with rules for agents (such as `AGENTS.md`) mentions `memory/`";
        found.push(Diagnostic::warning("rules-without-memory", message).help(
            "add to it: before work `windlass memory recall \"…\"`, after it `windlass memory remember …`",
        ));
    } else if memory.files.rules.is_none() {
        let message = "no file with rules for agents, such as `AGENTS.md`";
        found.push(Diagnostic::warning("missing-rules", message).help(
            "create one with: before work `windlass memory recall \"…\"`, after it `windlass memory remember …`",
        ));
    }
    checked_ignores::check(memory, found);
}

/// Reports unreadable folders. The other checks take their files for missing.
pub(super) fn closed(memory: &Memory, found: &mut Vec<Diagnostic>) {
    for path in &memory.files.closed {
        let message =
            format!("`{path}` cannot be listed: its files are neither recalled nor checked");
        found.push(Diagnostic::error("unreadable-folder", message).at(whole(path.as_str())).help(
            "make the folder readable; until then nothing is fixed or remembered, because links into it would be lost",
        ));
    }
}

fn required(memory: &Memory, found: &mut Vec<Diagnostic>) {
    for (rule, path) in [
        ("missing-summary", SUMMARY),
        ("missing-impressions", IMPRESSIONS),
    ] {
        let is_missing =
            |path: RepoPath| !memory.files.has(&path) && !memory.files.odd.contains_key(&path);
        if RepoPath::parse(path).is_ok_and(is_missing) {
            let finding = Diagnostic::error(rule, format!("`{path}` is missing"));
            found.push(finding.at(whole(path)).help(
                "run `windlass memory init` to add missing files; existing files stay unchanged",
            ));
        }
    }
}

fn conflicts(source: &Arc<Source>, found: &mut Vec<Diagnostic>) {
    for line in conflict_lines(source.text()) {
        let finding = Diagnostic::error("conflict-marker", "unresolved merge conflict")
            .at(Place::new(source, line));
        found.push(finding.help("keep one side or both, and delete the conflict markers"));
    }
}
