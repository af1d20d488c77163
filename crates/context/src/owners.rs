//! Who answers for which files, by a `CODEOWNERS` file.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The rules of a `CODEOWNERS` file; the last that fits counts.
#[derive(Debug, Clone, Default)]
pub struct Owners(Vec<Rule>);

#[derive(Debug, Clone)]
struct Rule {
    files: Gitignore,
    /// Whether what lies below a folder that fits belongs to it: not so for `docs/*`, other than in a `.gitignore`.
    with_all_below: bool,
    owners: Vec<String>,
}

impl Rule {
    fn read(line: &str) -> Option<Self> {
        let line = line.split(" #").next().unwrap_or(line).trim();
        if line.is_empty() || line.starts_with(['#', '[', '^', '!']) {
            return None;
        }
        let mut words = line.split_whitespace();
        let pattern = words.next()?;
        let mut files = GitignoreBuilder::new("");
        // No rule of a `CODEOWNERS` file has classes of letters.
        let plain = pattern.replace('[', "\\[").replace(']', "\\]");
        files.add_line(None, &plain).ok()?;
        Some(Self {
            files: files.build().ok()?,
            with_all_below: !pattern.ends_with("/*"),
            owners: words.map(str::to_owned).collect(),
        })
    }

    fn takes(&self, path: &str) -> bool {
        let found = match self.with_all_below {
            true => self.files.matched_path_or_any_parents(path, false),
            false => self.files.matched(path, false),
        };
        found.is_ignore()
    }
}

impl Owners {
    /// The rules in `text`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self(text.lines().filter_map(Rule::read).collect())
    }

    /// Who answers for `path`; empty where nobody does.
    #[must_use]
    pub fn of(&self, path: &str) -> &[String] {
        let fitting = self.0.iter().rev().find(|rule| rule.takes(path));
        fitting.map_or(&[], |rule| &rule.owners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_fits_counts() {
        let owners = Owners::read(
            "# who\n* @all\n*.rs @rust # all of it\n/docs/ @writers\n/docs/*.md @editors\nsrc/**/deep @deep\napps/ @apps\n/free\n/one/* @one\n/web/[id].ts @ids\n",
        );
        for (path, owner) in [
            ("a.txt", "@all"),
            ("x/y.rs", "@rust"),
            ("docs/x/y.txt", "@writers"),
            ("docs/a.md", "@editors"),
            ("src/a/b/deep/c.txt", "@deep"),
            ("x/apps/y.txt", "@apps"),
            ("other/docs/a.md", "@all"),
            ("one/a.txt", "@one"),
            ("one/two/a.txt", "@all"),
            ("web/[id].ts", "@ids"),
            ("web/i.ts", "@all"),
        ] {
            assert_eq!(owners.of(path), [owner], "{path}");
        }
        assert!(owners.of("free/x").is_empty());
        assert!(Owners::read("").of("x").is_empty());
    }
}
