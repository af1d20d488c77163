//! Candidates for the shell's completion of our arguments.
//!
//! There's no place to report errors to while the user is typing. Outside of a repository, or if
//! something can't be read, we offer less or nothing.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use windlass::base::one_line;
use windlass::packs::harmless;
use windlass::{SECRETS_FILE, Workspace};

use super::typed_root;
use crate::outside::workspace;

/// Maximum length of a description, in characters. Shells show it next to the word.
const MAX_DESCRIPTION: usize = 60;

/// Completes runbooks by name. If no name matches, completes files.
pub(crate) fn runbooks() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        or_files(named(typed, runbook_names), typed, &["yaml", "yml", "json"])
    })
}

/// Like [`runbooks`], but completes all files that can be checked.
pub(crate) fn documents() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let found = named(typed, runbook_names);
        or_files(
            found,
            typed,
            &["yaml", "yml", "json", "jsonl", "toml", "tron"],
        )
    })
}

pub(crate) fn formulas() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let found = named(typed, |workspace| {
            let here = crate::outside::here();
            let formulas = workspace
                .formulas()
                .list(&here, &workspace.site().snapshot());
            let pair = |entry: windlass::FormulaEntry| {
                let summary = entry.head.map(|head| head.summary);
                (entry.name, summary.unwrap_or_default())
            };
            formulas.into_iter().map(pair).collect()
        });
        or_files(found, typed, &["toml", "json"])
    })
}

/// Like [`runbooks`], but also completes the list of secret paths, if the repository has one.
pub(crate) fn trustable() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let found = named(typed, |workspace| {
            let mut names = runbook_names(workspace);
            if workspace.site().repo().secrets().digest().is_some() {
                let what = "the repository's own list of secret paths";
                names.insert(SECRETS_FILE.to_owned(), what.to_owned());
            }
            names
        });
        or_files(found, typed, &["yaml", "yml", "json"])
    })
}

pub(crate) fn plugins() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let found = named(typed, |workspace| {
            let files = workspace.plugins().plugin_files().into_iter();
            files
                .map(|(name, place)| (name, place.to_string()))
                .collect()
        });
        or_files(found, typed, &["wasm"])
    })
}

pub(crate) fn anchors() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        named(typed, |workspace| {
            let notebook = workspace.notebook().file().read().unwrap_or_default();
            let anchors = notebook.anchors();
            anchors
                .map(|anchor| (anchor.id.to_string(), anchor.label.clone()))
                .collect()
        })
    })
}

pub(crate) fn runs() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        named(typed, |workspace| {
            let runs = workspace.runs().records().run_heads().unwrap_or_default();
            runs.into_iter()
                .map(|head| (head.id.to_string(), head.runbook.name().to_owned()))
                .collect()
        })
    })
}

pub(crate) fn schema_names() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let names = windlass::schemas()
            .into_iter()
            .map(|(name, _)| (name, String::new()));
        matching(typed, names.collect())
    })
}

pub(crate) fn folders() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| paths(&PathCompleter::dir(), typed))
}

pub(crate) fn files() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| paths(&PathCompleter::file(), typed))
}

fn runbook_names(workspace: &Workspace) -> BTreeMap<String, String> {
    let entries = workspace.runbooks().all(&workspace.site().snapshot());
    let pair = |entry: windlass::RunbookEntry| (entry.name, entry.place.to_string());
    entries.into_iter().map(pair).collect()
}

fn named(
    typed: &OsStr,
    list: impl Fn(&Workspace) -> BTreeMap<String, String>,
) -> Vec<CompletionCandidate> {
    // Our own arguments come first. The words typed so far follow after `--`, and may include the
    // `--root` of another repository.
    let words = std::env::args_os().skip_while(|word| word != "--").skip(1);
    match workspace(typed_root(words).as_deref()) {
        Ok(workspace) => matching(typed, list(&workspace)),
        Err(_) => Vec::new(),
    }
}

fn matching(typed: &OsStr, names: BTreeMap<String, String>) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else {
        return Vec::new();
    };
    let fitting = names.into_iter();
    fitting
        .filter(|(name, _)| name.starts_with(typed) && is_literal(name))
        .map(|(name, words)| {
            let words = described(&words);
            CompletionCandidate::new(name).help((!words.is_empty()).then(|| words.into()))
        })
        .collect()
}

/// Shortens a description to one line, without secret values.
fn described(words: &str) -> String {
    let words = harmless(words);
    one_line(&words).chars().take(MAX_DESCRIPTION).collect()
}

fn or_files(
    found: Vec<CompletionCandidate>,
    typed: &OsStr,
    extensions: &'static [&'static str],
) -> Vec<CompletionCandidate> {
    if !found.is_empty() {
        return found;
    }
    let wanted = move |path: &Path| {
        let extension = path.extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| extensions.contains(&extension)) && path.is_file()
    };
    paths(&PathCompleter::any().filter(wanted), typed)
}

fn paths(completer: &PathCompleter, typed: &OsStr) -> Vec<CompletionCandidate> {
    let mut found = completer.complete(typed);
    found.retain(|one| one.get_value().to_str().is_some_and(is_literal));
    found
}

/// True if every shell takes `word` literally. Bash inserts completions without quotes, so we
/// must not offer a file called `$(...)`.
fn is_literal(word: &str) -> bool {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@' | ',');
    let rest = word.strip_prefix("~/").unwrap_or(word);
    !rest.starts_with('-') && rest.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_word_is_offered() {
        for good in ["api-contracts", "a/b.yaml", "~/x", "../ü", "9.1", ""] {
            assert!(is_literal(good), "{good}");
        }
        for bad in [
            "$(x)", "a b", "a;b", "a*", "-x", "a'b", "a`b`", "a\nb", "a:b", "~a", "a\\b",
        ] {
            assert!(!is_literal(bad), "{bad}");
        }
    }

    #[test]
    fn description_is_one_short_line() {
        assert_eq!(described("a\n b\t\u{1b}[31m"), "a b \u{fffd}[31m");
        assert_eq!(described(&"x".repeat(200)).len(), MAX_DESCRIPTION);
    }
}
