//! Whether what is never to be shared is kept out of the repository, and what is to be shared is not.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_base::{Diagnostic, Place};

use super::{first_line, whole};
use crate::files::Files;
use crate::layout::PRIVATE;
use crate::memory::Memory;

/// How many files that are left out are named.
const MOST_IGNORED: usize = 20;

/// Whether what is never to be shared is kept out of the repository.
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
    // Who lists a folder by its name is not told that a pattern leaves out all of it.
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

/// What the repository's ignore files say that travel with it: its own, and those in the folder of the memory.
pub(crate) struct IgnoreRules {
    /// Each with the path of its folder, with a `/` at its end, the deepest first.
    rules: Vec<(String, Gitignore)>,
}

impl IgnoreRules {
    pub(crate) fn of(files: &Files) -> Self {
        let inner = files.inner_ignores.iter();
        let inner = inner.map(|(folder, source)| (format!("{folder}/"), source));
        let all = files.ignore.iter().map(|source| (String::new(), source));
        let all = all.chain(inner).filter_map(|(folder, source)| {
            // What is too much leaves nothing out.
            let rules = rules_of(source.text())?;
            Some((folder, rules))
        });
        let mut rules: Vec<_> = all.collect();
        rules.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        Self { rules }
    }

    /// Whether a file is left out, or a folder above it: the deepest file that says something of it decides.
    pub(crate) fn leave_out(&self, path: &str) -> bool {
        let mut said = self.rules.iter().filter_map(|(folder, rules)| {
            let inner = path.strip_prefix(folder.as_str())?;
            let said = rules.matched_path_or_any_parents(inner, false);
            (!said.is_none()).then(|| said.is_ignore())
        });
        said.next().unwrap_or(false)
    }
}

/// What an ignore file says; nothing where it is too much.
fn rules_of(text: &str) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("");
    for line in text.lines() {
        // A line that is no pattern leaves nothing out.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok()
}

/// The patterns that the ignore files lack: what they name would be shared.
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
