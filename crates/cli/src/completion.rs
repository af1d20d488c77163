//! Completes names and files on the command line.

mod completion_candidates;

use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use completion_candidates::{
    anchors, documents, files, folders, formulas, plugins, runbooks, runs, schema_names, trustable,
};

/// Environment variable that names the shell which asks for completions.
pub(crate) const VARIABLE: &str = "WINDLASS_COMPLETE";

/// Returns the value of `--root`. Of several, the last one counts.
fn typed_root(words: impl IntoIterator<Item = OsString>) -> Option<PathBuf> {
    let mut words = words.into_iter().peekable();
    let mut root = None;
    while let Some(word) = words.next() {
        let Some(word) = word.to_str() else { continue };
        if word == "--root" {
            // Bash splits `--root=DIR` into three words.
            let value = words.next();
            root = match value {
                Some(sign) if sign == "=" => words.next(),
                value => value,
            };
        } else if let Some(value) = word.strip_prefix("--root=") {
            root = Some(value.into());
        }
    }
    root.map(|root| expand_home(root.into()))
}

/// Expands a leading tilde. Shells leave it in words that are still being typed.
fn expand_home(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(words: &[&str]) -> Option<PathBuf> {
        typed_root(words.iter().map(OsString::from))
    }

    #[test]
    fn typed_root_any_spelling_is_found() {
        for words in [
            &["windlass", "--root", "/a", "run", ""][..],
            &["windlass", "run", "--root=/a", ""],
            &["windlass", "--root", "=", "/a", "run"],
            &["windlass", "--root", "/b", "--root", "/a"],
        ] {
            assert_eq!(root(words), Some(PathBuf::from("/a")), "{words:?}");
        }
        assert_eq!(root(&["windlass", "run", "root"]), None);
        assert_eq!(root(&["windlass", "--root"]), None);
    }
}
