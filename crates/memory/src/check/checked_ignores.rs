//! Rules for ignore files: private files must be ignored, shared ones must not.

use windlass_base::{Diagnostic, Place};

use super::{first_line, whole};
use crate::state::ignore_rules::IgnoreRules;
use crate::state::memory::Memory;
use crate::texts::layout::PRIVATE;

/// Maximum number of ignored files reported by name.
const MOST_IGNORED: usize = 20;

/// Reports private files that are not ignored, and shared files that are.
pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    if memory.files.has_odd_ignore {
        let message = "`.gitignore` cannot be read, so that nobody can say what it leaves out";
        let finding = Diagnostic::error("unreadable-file", message).at(whole(".gitignore"));
        found.push(finding.help("make it a text in UTF-8"));
    }
    let missing = missing_patterns(memory);
    if !missing.is_empty() && !memory.files.has_odd_ignore {
        let named: Vec<String> = missing.iter().map(|one| format!("`{one}`")).collect();
        let message = format!(
            "no `.gitignore` leaves out {}: what is put there would be shared",
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
                .help("add these lines, which `windlass memory check --fix` does; what `.git/info/exclude` says holds in this clone alone"),
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
                let message = "all of `memory/` is left out of the repository, so that nothing in it travels with it";
                found.push(
                    Diagnostic::error("memory-ignored", message)
                        .at(place)
                        .help("leave out only what is private: `memory/private/` and the like"),
                );
            }
        }
    }
    for path in memory.files.ignored.iter().take(MOST_IGNORED) {
        let message = format!(
            "an ignore file leaves out `{path}`, so that it does not travel with the repository, and is not recalled"
        );
        found.push(Diagnostic::error("memory-ignored", message).at(whole(path.as_str())).help(
            "`git check-ignore -v` names the pattern; leave out only what is private: `memory/private/` and the like",
        ));
    }
    for path in &memory.files.tracked {
        let message = format!("`{path}` is private, and git has it");
        found.push(Diagnostic::error("exposed-private-file", message).at(whole(path.as_str())).help(
            "`git rm --cached` takes it out of the next commit; what is committed stays in the history",
        ));
    }
    // An ignore file may list a folder by its name and so cover the whole pattern.
    let rules = IgnoreRules::of(&memory.files);
    let exposed = memory.files.exposed.iter();
    let exposed = exposed.filter(|path| !memory.files.tracked.contains(path));
    for path in exposed.filter(|path| !rules.leave_out(path.as_str())) {
        let message = format!("`{path}` is private, and no ignore file leaves it out");
        found.push(Diagnostic::error("exposed-private-file", message).at(whole(path.as_str())).help(
            "add the pattern to `.gitignore`; if it is committed already, `git rm --cached` takes it out, but not out of the history",
        ));
    }
}

/// Returns the private patterns that no ignore file covers.
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
