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

/// The most characters of a description: shells show it beside the word.
const DESCRIPTION: usize = 60;

/// Runbooks by name; their files where no name begins like this.
pub(crate) fn runbooks() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        or_files(named(typed, runbook_names), typed, &["yaml", "yml", "json"])
    })
}

/// Runbooks by name, and files that can be checked.
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

/// Formulas by name; their files where no name begins like this.
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

/// Runbooks by name, and the list of secret paths.
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

/// Plugins by name, and their files.
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

/// Saved anchors.
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

/// Recorded runs.
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

/// Schemas, those of step kinds among them.
pub(crate) fn schema_names() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let names = windlass::schemas()
            .into_iter()
            .map(|(name, _)| (name, String::new()));
        matching(typed, names.collect())
    })
}

/// Folders.
pub(crate) fn folders() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| paths(&PathCompleter::dir(), typed))
}

/// Files.
pub(crate) fn files() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| paths(&PathCompleter::file(), typed))
}

fn runbook_names(workspace: &Workspace) -> BTreeMap<String, String> {
    let entries = workspace.runbooks().all(&workspace.site().snapshot());
    let pair = |entry: windlass::RunbookEntry| (entry.name, entry.place.to_string());
    entries.into_iter().map(pair).collect()
}

/// Names that `list` knows of the repository, with their descriptions; none where there is no repository.
fn named(
    typed: &OsStr,
    list: impl Fn(&Workspace) -> BTreeMap<String, String>,
) -> Vec<CompletionCandidate> {
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
        .filter(|(name, _)| name.starts_with(typed) && means_itself(name))
        .map(|(name, words)| {
            let words = described(&words);
            CompletionCandidate::new(name).help((!words.is_empty()).then(|| words.into()))
        })
        .collect()
}

/// A description on one short line, without secret values.
fn described(words: &str) -> String {
    let words = harmless(words);
    one_line(&words).chars().take(DESCRIPTION).collect()
}

/// `found`, or files with one of the `extensions` where nothing was found.
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
    found.retain(|one| one.get_value().to_str().is_some_and(means_itself));
    found
}

/// Whether every shell takes `word` for what it is. Bash puts what it is told on the command line unquoted,
/// so a file called `$(...)` must not be offered.
fn means_itself(word: &str) -> bool {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@' | ',');
    let rest = word.strip_prefix("~/").unwrap_or(word);
    !rest.starts_with('-') && rest.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_mean_themselves_are_offered() {
        for good in ["api-contracts", "a/b.yaml", "~/x", "../ü", "9.1", ""] {
            assert!(means_itself(good), "{good}");
        }
        for bad in [
            "$(x)", "a b", "a;b", "a*", "-x", "a'b", "a`b`", "a\nb", "a:b", "~a", "a\\b",
        ] {
            assert!(!means_itself(bad), "{bad}");
        }
    }

    #[test]
    fn descriptions_are_one_short_line() {
        assert_eq!(described("a\n b\t\u{1b}[31m"), "a b \u{fffd}[31m");
        assert_eq!(described(&"x".repeat(200)).len(), DESCRIPTION);
    }
}
