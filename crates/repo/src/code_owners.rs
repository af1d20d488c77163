//! The owners of files, by a `CODEOWNERS` file.

use owners::Rule;

/// The places of that file, of which the first that is there counts.
pub const CODE_OWNERS_FILES: [&str; 4] = [
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".gitlab/CODEOWNERS",
];

/// The rules of a `CODEOWNERS` file; the last that matches counts.
#[derive(Debug, Clone, Default)]
pub struct CodeOwners(Vec<Rule>);

impl CodeOwners {
    /// The rules in `text`. As on GitHub, a line that makes no sense does not count.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let rules = text.lines().filter_map(Rule::parse);
        Self(rules.filter_map(Result::ok).collect())
    }

    /// The owners of `path`; empty where it has none.
    #[must_use]
    pub fn of(&self, path: &str) -> &[String] {
        let mut fitting = self.0.iter().rev();
        let rule = fitting.find(|rule| rule.pattern.matches(path));
        rule.map_or(&[], |rule| &rule.owners)
    }

    /// True if `line` names somebody, be it in a rule or over several.
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
    fn the_last_rule_that_fits_counts() {
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
        fn plain_path_owns_itself_and_what_lies_below(path in "[a-z\\[\\]]{1,4}(/[a-z.]{1,4}){0,3}") {
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
