use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::memory_files::Files;

/// The rules from ignore files in the root of the repository and in the memory's folders.
///
/// Note that git knows more sources of rules, such as `.git/info/exclude`. We don't consider these,
/// because they only apply to a single clone.
pub(crate) struct IgnoreRules {
    /// Rules by folder, with the deepest folder first. The paths end with a `/`.
    rules: Vec<(String, Gitignore)>,
}

impl IgnoreRules {
    pub(crate) fn of(files: &Files) -> Self {
        let inner = files.inner_ignores.iter();
        let inner = inner.map(|(folder, source)| (format!("{folder}/"), source));
        let all = files.ignore.iter().map(|source| (String::new(), source));
        let all = all.chain(inner).filter_map(|(folder, source)| {
            // If the rules are too large to compile, we have no choice but to ignore them.
            let rules = rules_of(source.text())?;
            Some((folder, rules))
        });
        let mut rules: Vec<_> = all.collect();
        rules.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        Self { rules }
    }

    /// True if the file, or a folder above it, is ignored. If several ignore files have a matching
    /// rule, the deepest one decides, as in git.
    pub(crate) fn leave_out(&self, path: &str) -> bool {
        let mut said = self.rules.iter().filter_map(|(folder, rules)| {
            let inner = path.strip_prefix(folder.as_str())?;
            let said = rules.matched_path_or_any_parents(inner, false);
            (!said.is_none()).then(|| said.is_ignore())
        });
        said.next().unwrap_or(false)
    }
}

/// Compiles the rules. Returns `None` if they're too large.
fn rules_of(text: &str) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("");
    for line in text.lines() {
        // An invalid pattern matches nothing, so skip it.
        let _ = rules.add_line(None, line);
    }
    rules.build().ok()
}
