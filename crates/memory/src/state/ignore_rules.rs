//! What the ignore files of the repository leave out.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::memory_files::Files;

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
