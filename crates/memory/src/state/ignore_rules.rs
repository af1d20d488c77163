//! The repository's ignore rules that apply to the memory.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::memory_files::Files;

/// The rules of committed ignore files: the repository's own, and those in the memory's folder.
pub(crate) struct IgnoreRules {
    /// Rules with the folder they apply to, whose path ends in `/`. The deepest folder comes first.
    rules: Vec<(String, Gitignore)>,
}

impl IgnoreRules {
    pub(crate) fn of(files: &Files) -> Self {
        let inner = files.inner_ignores.iter();
        let inner = inner.map(|(folder, source)| (format!("{folder}/"), source));
        let all = files.ignore.iter().map(|source| (String::new(), source));
        let all = all.chain(inner).filter_map(|(folder, source)| {
            // If a file's rules are too large to compile, it ignores nothing.
            let rules = rules_of(source.text())?;
            Some((folder, rules))
        });
        let mut rules: Vec<_> = all.collect();
        rules.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        Self { rules }
    }

    /// Returns true if the file or a folder above it is ignored. The deepest ignore file with a
    /// matching rule decides.
    pub(crate) fn leave_out(&self, path: &str) -> bool {
        let mut said = self.rules.iter().filter_map(|(folder, rules)| {
            let inner = path.strip_prefix(folder.as_str())?;
            let said = rules.matched_path_or_any_parents(inner, false);
            (!said.is_none()).then(|| said.is_ignore())
        });
        said.next().unwrap_or(false)
    }
}

/// Compiles the text of an ignore file, or returns `None` if the result would be too large.
fn rules_of(text: &str) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("");
    for line in text.lines() {
        // An invalid pattern ignores nothing, so we don't care about errors.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok()
}
