//! Reads the owners of files from `CODEOWNERS`.

use owners::Rule;

/// Possible locations of `CODEOWNERS`. As on GitHub and GitLab, only the first one that exists
/// counts.
pub const CODE_OWNERS_FILES: [&str; 4] = [
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".gitlab/CODEOWNERS",
];

/// The rules of a `CODEOWNERS` file. The last matching rule wins.
#[derive(Debug, Clone, Default)]
pub struct CodeOwners(Vec<Rule>);

impl CodeOwners {
    /// Parses the rules in `text`. Invalid lines are skipped, as GitHub does.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let rules = text.lines().filter_map(Rule::parse);
        Self(rules.filter_map(Result::ok).collect())
    }

    /// Returns the owners of `path` according to the last rule that matches. There are none if no
    /// rule matches, or if that rule has no owners (which is how a folder is exempted).
    #[must_use]
    pub fn of(&self, path: &str) -> &[String] {
        let mut fitting = self.0.iter().rev();
        let rule = fitting.find(|rule| rule.pattern.matches(path));
        rule.map_or(&[], |rule| &rule.owners)
    }

    /// Returns true if `line` seems to name an owner, either in a rule or as the default of a
    /// section. We only look for an `@`.
    #[must_use]
    pub fn names_somebody(line: &str) -> bool {
        let line = line.trim();
        !line.starts_with('#') && line.contains('@')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_several_rules_last_match_wins() {
        let owners = CodeOwners::read(
            "# who\n* @all\n*.rs @rust # all of it\n/docs/ @writers\n/docs/*.md @editors\n/free\n/one/* @one\n/web/[id].ts @ids\n*.rs nobody\n",
        );
        for (path, owner) in [
            ("a.txt", "@all"),
            ("x/y.rs", "@rust"),
            ("docs/x/y.txt", "@writers"),
            ("docs/a.md", "@editors"),
            ("one/a.txt", "@one"),
            ("one/two/a.txt", "@all"),
            ("web/[id].ts", "@ids"),
            ("web/i.ts", "@all"),
        ] {
            assert_eq!(owners.of(path), [owner], "{path}");
        }
        assert!(owners.of("free/x").is_empty());
        assert!(CodeOwners::read("").of("x").is_empty());
    }
    proptest::proptest! {
        #[test]
        fn plain_path_covers_itself_and_below(path in "[a-z\\[\\]]{1,4}(/[a-z.]{1,4}){0,3}") {
            let owners = CodeOwners::read(&format!("/{path} @x"));
            for (file, is_owned) in [
                (path.clone(), true),
                (format!("{path}/x"), true),
                (format!("{path}x"), false),
                (format!("0/{path}"), false),
            ] {
                proptest::prop_assert_eq!(!owners.of(&file).is_empty(), is_owned, "{}", file);
            }
        }
    }
}
