//! Which files there are, and whether they can be read at all.

use std::ops::Range;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_base::{Diagnostic, Place, RepoPath, Source};
use windlass_repo::redact_text;

use super::{first_line, whole};
use crate::files::Contents;
use crate::layout::{FEEDBACK, IMPRESSIONS, PRIVATE, SUMMARY};
use crate::memory::Memory;

/// The longest summary that is read at each recall without harm, in characters.
const MAX_SUMMARY: usize = 12_000;
/// How many files that are left out are named.
const MOST_IGNORED: usize = 20;
/// The longest file that is a record and not an archive, in characters.
const MAX_FILE: usize = 20_000;

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    required(memory, found);
    for path in memory.leftovers() {
        let message = format!("`{path}` was left by a writer that was stopped");
        found.push(Diagnostic::warning("leftover-file", message).at(whole(path.as_str())).help(
            "`windlass memory check --fix` removes it, and so does whatever writes into the memory next",
        ));
    }
    for (path, contents) in &memory.files.files {
        match contents {
            Contents::NoText(why) => {
                let message = format!("`{path}` cannot be read: {why}");
                let finding =
                    Diagnostic::error("unreadable-file", message).at(whole(path.as_str()));
                found.push(finding.help("a memory is made of text in UTF-8; move what is something else out of `memory/`"));
            }
            Contents::Text(text) => {
                let source = text.source();
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
                    found.push(finding.help("keep what is to be remembered, and leave the rest to the files it came from"));
                }
            }
        }
    }
    closed(memory, found);
    for path in &memory.files.unnamed {
        let (shown, _) = redact_text(path.as_str());
        let finding = Diagnostic::error("secret", "the name of this file holds a secret value");
        found.push(finding.at(whole(shown.as_str())).help(
            "give it another name, and make the value worthless where it is used; until then the file is neither read nor linked",
        ));
    }
    for (path, what) in &memory.files.odd {
        let message = format!("`{path}` is {what}: it is neither recalled nor written to");
        found.push(
            Diagnostic::error("no-file", message)
                .at(whole(path.as_str()))
                .help("put a file with the text there, or take it out of `memory/`; until then links to it stay as they are"),
        );
    }
    if memory.files.rules == Some(false) {
        let message = "no file of rules for agents (`AGENTS.md` or the like) speaks of `memory/`";
        found.push(Diagnostic::warning("rules-without-memory", message).help(
            "say there: before work `windlass memory recall \"…\"`, after it `windlass memory remember …`",
        ));
    } else if memory.files.rules.is_none() {
        let message = "there is no file of rules for agents, such as `AGENTS.md`";
        found.push(Diagnostic::warning("missing-rules", message).help(
            "write one that says: before work `windlass memory recall \"…\"`, after it `windlass memory remember …`",
        ));
    }
    ignored(memory, found);
}

/// Folders of which nobody knows what lies there.
pub(super) fn closed(memory: &Memory, found: &mut Vec<Diagnostic>) {
    for path in &memory.files.closed {
        let message = format!(
            "`{path}` cannot be looked into: what lies there is neither recalled nor checked"
        );
        found.push(Diagnostic::error("unreadable-folder", message).at(whole(path.as_str())).help(
            "get the right to read it; until then nothing is mended or remembered, since links to what lies there would be lost",
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
                "`windlass memory init` writes what is missing, and leaves the rest as it is",
            ));
        }
    }
}

/// The lines that a merge left behind, told.
fn conflicts(source: &Arc<Source>, found: &mut Vec<Diagnostic>) {
    for line in conflict_lines(source.text()) {
        let finding =
            Diagnostic::error("conflict-marker", "a merge was not brought to an end here")
                .at(Place::new(source, line));
        found.push(finding.help("keep one side, or both, and delete the three lines of marks"));
    }
}

/// The lines that a merge left behind, and that are told as such.
pub(crate) fn conflict_lines(text: &str) -> Vec<Range<usize>> {
    let (mut lines, mut at, mut inside) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_end();
        let begins = content.starts_with("<<<<<<< ") || content == "<<<<<<<";
        let ends = content.starts_with(">>>>>>> ") || content == ">>>>>>>";
        if begins || ends || (inside && content == "=======") {
            inside = !ends;
            lines.push(start..start + content.len());
        }
    }
    lines
}

/// Whether a merge of `text` was not brought to an end.
#[must_use]
pub fn has_conflict_marks(text: &str) -> bool {
    !conflict_lines(text).is_empty()
}

/// Whether what is never to be shared is kept out of the repository.
fn ignored(memory: &Memory, found: &mut Vec<Diagnostic>) {
    if memory.files.has_odd_ignore {
        let message = "`.gitignore` cannot be read, so that nobody can say what it leaves out";
        let finding = Diagnostic::error("unreadable-file", message).at(whole(".gitignore"));
        found.push(finding.help("make it a text in UTF-8"));
    }
    let missing = missing_patterns(memory);
    if !missing.is_empty() && !memory.files.has_odd_ignore {
        let named: Vec<String> = missing.iter().map(|one| format!("`{one}`")).collect();
        let message = format!(
            "`.gitignore` leaves out no {}: what is put there would be shared",
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
                .help("add these lines; `windlass memory check --fix` does"),
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
    let rules = memory.files.ignore.as_ref();
    let rules = rules.and_then(|ignore| rules_of(ignore.text()));
    let is_left_out = |path: &RepoPath| {
        let rules = rules.as_ref();
        rules.is_some_and(|rules| leave_out(rules, path.as_str()))
    };
    let exposed = memory.files.exposed.iter();
    let exposed = exposed.filter(|path| !memory.files.tracked.contains(path));
    for path in exposed.filter(|path| !is_left_out(path)) {
        let message = format!("`{path}` is private, and no ignore file leaves it out");
        found.push(Diagnostic::error("exposed-private-file", message).at(whole(path.as_str())).help(
            "add the pattern to `.gitignore`; if it is committed already, `git rm --cached` takes it out, but not out of the history",
        ));
    }
}

/// Whether the repository's ignore file leaves out the file at `path`.
pub(crate) fn leaves_out(ignore: &Source, path: &RepoPath) -> bool {
    let rules = rules_of(ignore.text());
    rules.is_some_and(|rules| leave_out(&rules, path.as_str()))
}

/// Whether a file is left out by these rules, or by what they say of a folder above it.
fn leave_out(rules: &Gitignore, path: &str) -> bool {
    rules.matched_path_or_any_parents(path, false).is_ignore()
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

/// The patterns that the ignore file lacks: what they name would be shared.
pub(crate) fn missing_patterns(memory: &Memory) -> Vec<&'static str> {
    let text = memory.files.ignore.as_ref().map(|source| source.text());
    let Some(rules) = rules_of(text.unwrap_or_default()) else {
        return PRIVATE.to_vec();
    };
    let leaves_out = |pattern: &&str| {
        let probes = match pattern.strip_suffix('/') {
            Some(folder) => [format!("{folder}/a.md"), format!("{folder}/b/c.txt")],
            None => ["memory/a.secret.md", "memory/b/c.secret.txt"].map(str::to_owned),
        };
        probes.iter().all(|probe| leave_out(&rules, probe))
    };
    PRIVATE
        .into_iter()
        .filter(|pattern| !leaves_out(pattern))
        .collect()
}
