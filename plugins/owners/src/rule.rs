use crate::Pattern;

/// A pattern with the owners of matching files. For each file, the last matching rule counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The pattern for the files covered by the rule.
    pub pattern: Pattern,
    /// The owners: users, teams and mail addresses. If empty, the files have no owner.
    pub owners: Vec<String>,
}

impl Rule {
    /// Parses a line of the file; `None` for an empty line, a comment, or a section heading (GitLab).
    ///
    /// # Errors
    /// The reason why the line is invalid.
    #[must_use]
    pub fn parse(line: &str) -> Option<Result<Self, String>> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || is_heading(line) {
            return None;
        }
        let (pattern, rest) = split(line);
        let owners = rest
            .split_whitespace()
            .take_while(|word| !word.starts_with('#'));
        let owners: Vec<String> = owners.map(str::to_owned).collect();
        if let Some(word) = owners.iter().find(|owner| !owner.contains('@')) {
            return Some(Err(format!(
                "`{word}` is no owner: write `@user`, `@organisation/team` or a mail address"
            )));
        }
        let parsed = Pattern::parse(pattern).map_err(|why| format!("`{pattern}`: {why}"));
        Some(parsed.map(|pattern| Self { pattern, owners }))
    }
}

/// Returns true for `[Section]` and `^[Section][2] @owner`, but false for a path that begins with brackets: `[id]/page.ts`.
fn is_heading(line: &str) -> bool {
    let line = line.strip_prefix('^').unwrap_or(line);
    let after = line.strip_prefix('[').and_then(|line| line.split_once(']'));
    after.is_some_and(|(_, after)| {
        after.is_empty() || after.starts_with(|c: char| c.is_whitespace() || c == '[')
    })
}

/// Returns the pattern, up to the first blank without a `\` before it, and the rest of the line.
fn split(line: &str) -> (&str, &str) {
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        if c.is_whitespace() && !is_escaped {
            return line.split_at(at);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    (line, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_has_pattern_and_owners() {
        for (line, path, owners) in [
            ("* @all", "a/b", &["@all"][..]),
            (
                "*.rs @rust a@example.com # all of it",
                "x.rs",
                &["@rust", "a@example.com"],
            ),
            ("/free", "free/x", &[]),
            ("with\\ blank/ @x", "with blank/a", &["@x"]),
            ("[id]/page.ts @next", "[id]/page.ts", &["@next"]),
        ] {
            let rule = Rule::parse(line).unwrap().unwrap();
            assert!(rule.pattern.matches(path), "{line}");
            assert_eq!(rule.owners, owners, "{line}");
        }
    }

    #[test]
    fn line_without_rule() {
        for line in [
            "",
            "  ",
            "# a",
            "[Section]",
            "^[Section] @x",
            "[Section][2] @x",
        ] {
            assert_eq!(Rule::parse(line), None, "{line}");
        }
        for line in ["!a @x", "*.js js-team", "/ @x", "\\#a not-an-owner"] {
            assert!(Rule::parse(line).unwrap().is_err(), "{line}");
        }
    }
}
