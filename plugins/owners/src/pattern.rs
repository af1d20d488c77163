/// A pattern of `CODEOWNERS`: like `.gitignore`, but without `!` and `\#`, and with literal brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    segments: Vec<String>,
    /// True if it refers to a folder's contents rather than to a file of that name.
    is_folder: bool,
    /// True if it ends with `/*`: a folder's own files, but not those in its subfolders.
    is_flat: bool,
}

impl Pattern {
    /// Parses a pattern; `\ ` is a blank.
    ///
    /// # Errors
    /// The reason why the pattern is invalid.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('!') {
            return Err("`!` has no meaning in CODEOWNERS".to_owned());
        }
        let text = text.replace("\\ ", " ");
        let is_folder = text.ends_with('/');
        let inner = text.trim_end_matches('/');
        // A slash anywhere but at the end anchors the pattern to the root.
        let is_anchored = inner.contains('/');
        let mut segments: Vec<String> = Vec::new();
        if !is_anchored {
            segments.push("**".to_owned());
        }
        let parts = inner.split('/').filter(|part| !part.is_empty());
        segments.extend(parts.map(str::to_owned));
        if inner.is_empty() {
            return Err("it names no file".to_owned());
        }
        let ends_flat = segments.last().is_some_and(|last| last == "*");
        Ok(Self {
            segments,
            is_folder,
            is_flat: is_anchored && ends_flat && !is_folder,
        })
    }

    /// Returns true if the pattern matches the file at `path`, which is relative to the root.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').collect();
        // Numbers of path segments matched by the pattern so far.
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for (at, segment) in self.segments.iter().enumerate() {
            let is_last = at + 1 == self.segments.len();
            let first = reached.iter().position(|reached| *reached);
            let Some(first) = first else { return false };
            let mut next = vec![false; path.len() + 1];
            if segment == "**" {
                let from = first + usize::from(is_last);
                next.iter_mut()
                    .skip(from)
                    .for_each(|reached| *reached = true);
            } else {
                for (at, name) in path.iter().enumerate() {
                    next[at + 1] = reached[at] && glob(segment, name);
                }
            }
            reached = next;
        }
        // Files below a match also match.
        let is_below = reached[..path.len()].contains(&true) && !self.is_flat;
        is_below || reached[path.len()] && !self.is_folder
    }
}

/// Returns true if `name` matches a pattern of one segment, with `*` and `?`.
fn glob(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut in_name) = (0, 0);
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[in_name] => {
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
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_like_github() {
        for (pattern, path, expected) in [
            ("*", "a/b.c", true),
            ("/*", "a", true),
            ("/*", "a/b", false),
            ("/*/", "a", false),
            ("/*/", "a/b/c", true),
            ("*.js", "a/b.js", true),
            ("*.js", "a/b.jsx", false),
            ("/build/logs/", "build/logs/a/b", true),
            ("/build/logs/", "x/build/logs/a", false),
            ("docs/*", "docs/a.md", true),
            ("docs/*", "docs/build/a.md", false),
            ("docs/*", "x/docs/a.md", false),
            ("docs/*/", "docs/build/a.md", true),
            ("docs/*/", "docs/a.md", false),
            ("docs/**/*", "docs/a/b.md", true),
            ("**/*", "a/b", true),
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
            ("a/**/", "a/x", false),
            ("a/**/", "a/x/y", true),
            ("file?.txt", "x/file1.txt", true),
            ("file?.txt", "fileä.txt", true),
            ("file?.txt", "file12.txt", false),
            ("with\\ space/", "with space/a", true),
            ("Makefile", "sub/Makefile", true),
            ("makefile", "Makefile", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("/apps/[id]/p.ts", "apps/[id]/p.ts", true),
            ("/apps/[id]/p.ts", "apps/i/p.ts", false),
            ("[...slug].tsx", "pages/[...slug].tsx", true),
            ("a{b,c}", "ab", false),
        ] {
            let matches = Pattern::parse(pattern).unwrap().matches(path);
            assert_eq!(matches, expected, "{pattern} {path}");
        }
    }

    #[test]
    fn many_stars_match_in_time() {
        let pattern = Pattern::parse(&"**/a/".repeat(200)).unwrap();
        assert!(!pattern.matches(&"a/".repeat(150)));
        let pattern = Pattern::parse(&"*a".repeat(200)).unwrap();
        assert!(!pattern.matches(&"a".repeat(150)));
    }

    #[test]
    fn invalid_pattern_refused() {
        for pattern in ["!a", "/", "//", ""] {
            assert!(Pattern::parse(pattern).is_err(), "{pattern}");
        }
    }
}
