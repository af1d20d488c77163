//! What is offered where something is being typed: names and files.

mod completion_candidates;

use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use completion_candidates::{
    anchors, documents, files, folders, formulas, plugins, runbooks, runs, schema_names, trustable,
};

/// Names the shell that asks for completions.
pub(crate) const VARIABLE: &str = "WINDLASS_COMPLETE";

/// The `--root` that was typed, as the last of them counts.
fn typed_root(words: impl IntoIterator<Item = OsString>) -> Option<PathBuf> {
    let mut words = words.into_iter().peekable();
    let mut root = None;
    while let Some(word) = words.next() {
        let Some(word) = word.to_str() else { continue };
        if word == "--root" {
            // Bash makes three words of `--root=DIR`.
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

/// A path as the shell would have handed it over: words that are still being typed begin with the tilde.
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
    fn the_root_that_was_typed_is_found_however_it_was_typed() {
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
