/// A pattern of `CODEOWNERS`: those of `.gitignore`, without `!`, `[]` and `\#`.
///
/// Source: <https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners>
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    segments: Vec<String>,
    /// It stands for what is in a folder, not for a file of that name.
    folder: bool,
}

impl Pattern {
    /// Reads a pattern, `\ ` for a space in it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('!') {
            return Err("`!` has no meaning in CODEOWNERS".to_owned());
        }
        if text.contains('[') {
            return Err("`[` has no meaning in CODEOWNERS".to_owned());
        }
        let text = text.replace("\\ ", " ");
        let folder = text.ends_with('/');
        let inner = text.trim_end_matches('/');
        // A slash anywhere but at the end ties it to the root.
        let anchored = inner.contains('/');
        let mut segments: Vec<String> = Vec::new();
        if !anchored {
            segments.push("**".to_owned());
        }
        let parts = inner.split('/').filter(|part| !part.is_empty());
        segments.extend(parts.map(str::to_owned));
        Ok(Self { segments, folder })
    }

    pub(crate) fn matches(&self, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').collect();
        self.from(&self.segments, &path)
    }

    fn from(&self, segments: &[String], path: &[&str]) -> bool {
        let Some((first, rest)) = segments.split_first() else {
            // What is in a folder that matches belongs to it. `docs/*` means the files of `docs` alone.
            let only_files = self.segments.len() > 1
                && self.segments.last().is_some_and(|last| last == "*")
                && self.segments.first().is_some_and(|first| first != "**")
                && !self.folder;
            return match path.len() {
                0 => !self.folder,
                _ => !only_files,
            };
        };
        if first == "**" {
            if rest.is_empty() {
                return !path.is_empty();
            }
            return (0..=path.len()).any(|skipped| self.from(rest, &path[skipped..]));
        }
        path.split_first().is_some_and(|(name, path)| {
            glob(first.as_bytes(), name.as_bytes()) && self.from(rest, path)
        })
    }
}

/// Whether `name` matches a pattern with `*` and `?`, within one segment.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(&c) if c == b'?' || c == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((back, from)) = star else {
                    return false;
                };
                star = Some((back, from + 1));
                at = back + 1;
                in_name = from + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_github_says() {
        for (pattern, path, expected) in [
            ("*", "a/b.c", true),
            ("*.js", "a/b.js", true),
            ("*.js", "a/b.jsx", false),
            ("/build/logs/", "build/logs/a/b", true),
            ("/build/logs/", "x/build/logs/a", false),
            ("docs/*", "docs/a.md", true),
            ("docs/*", "docs/build/a.md", false),
            ("docs/*", "x/docs/a.md", false),
            ("apps/", "x/apps/y/z", true),
            ("apps/", "apps", false),
            ("/docs/", "docs/a", true),
            ("/scripts", "scripts/a", true),
            ("/scripts", "scripts", true),
            ("**/logs", "build/logs/a", true),
            ("**/logs", "deeply/nested/logs", true),
            ("/apps/github", "apps/github/x", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**", "a/x/y", true),
            ("a/**", "a", false),
            ("file?.txt", "x/file1.txt", true),
            ("file?.txt", "file12.txt", false),
            ("with\\ space/", "with space/a", true),
            ("Makefile", "sub/Makefile", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
        ] {
            assert_eq!(
                Pattern::parse(pattern).unwrap().matches(path),
                expected,
                "{pattern} {path}"
            );
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert!(Pattern::parse("!a").is_err());
        assert!(Pattern::parse("a[bc]").is_err());
    }
}
