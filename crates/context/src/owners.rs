//! Who answers for which files, by a `CODEOWNERS` file.

/// The rules of a `CODEOWNERS` file; the last that fits counts.
#[derive(Debug, Clone, Default)]
pub struct Owners(Vec<(String, Vec<String>)>);

impl Owners {
    /// The rules in `text`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let rule = |line: &str| {
            let line = line.split(" #").next().unwrap_or(line).trim();
            if line.is_empty() || line.starts_with(['#', '[', '^']) {
                return None;
            }
            let mut words = line.split_whitespace();
            let pattern = words.next()?.to_owned();
            Some((pattern, words.map(str::to_owned).collect()))
        };
        Self(text.lines().filter_map(rule).collect())
    }

    /// Who answers for `path`; empty where nobody does.
    #[must_use]
    pub fn of(&self, path: &str) -> &[String] {
        let fitting = self.0.iter().rev().find(|(pattern, _)| fits(pattern, path));
        fitting.map_or(&[], |(_, owners)| owners)
    }
}

/// Whether `pattern` takes `path`, as `.gitignore` has it: from the root where there is a slash in it, and folders with all in them.
fn fits(pattern: &str, path: &str) -> bool {
    let rooted = pattern.trim_end_matches('/').contains('/');
    let folder = pattern.ends_with('/');
    let wanted: Vec<&str> = pattern.trim_matches('/').split('/').collect();
    let parts: Vec<&str> = path.split('/').collect();
    let starts = if rooted { 0..1 } else { 0..parts.len() };
    starts
        .into_iter()
        .any(|start| takes(&wanted, &parts[start..], folder))
}

/// Whether the folders and the name in `parts` are those of `wanted`; what lies in a folder that is belongs to it, unless the
/// last of `wanted` is `*`.
fn takes(wanted: &[&str], parts: &[&str], folder: bool) -> bool {
    let Some((first, rest)) = wanted.split_first() else {
        return !folder && parts.is_empty() || !parts.is_empty();
    };
    if *first == "**" {
        return (0..=parts.len()).any(|skip| takes(rest, &parts[skip..], folder));
    }
    let Some((name, after)) = parts.split_first() else {
        return false;
    };
    if !glob(first.as_bytes(), name.as_bytes()) {
        return false;
    }
    // `docs/*` takes the files in it, and nothing below.
    if rest.is_empty() && *first == "*" && wanted.len() == 1 && !folder {
        return after.is_empty() || parts.len() == 1;
    }
    takes(rest, after, folder)
}

/// Whether `name` fits `pattern`, in which `*` is any text and `?` any byte.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(b'?') => {
                p += 1;
                n += 1;
            }
            Some(c) if *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    p = at + 1;
                    n = taken + 1;
                    star = Some((at, n));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_fits_counts() {
        let owners = Owners::read(
            "# who\n* @all\n*.rs @rust # all of it\n/docs/ @writers\n/docs/*.md @editors\nsrc/**/deep @deep\napps/ @apps\n/free\n",
        );
        for (path, owner) in [
            ("a.txt", "@all"),
            ("x/y.rs", "@rust"),
            ("docs/x/y.txt", "@writers"),
            ("docs/a.md", "@editors"),
            ("src/a/b/deep/c.txt", "@deep"),
            ("x/apps/y.txt", "@apps"),
            ("other/docs/a.md", "@all"),
        ] {
            assert_eq!(owners.of(path), [owner], "{path}");
        }
        assert!(owners.of("free/x").is_empty());
        assert!(Owners::read("").of("x").is_empty());
    }

    #[test]
    fn many_stars_end_soon() {
        let pattern = format!("{}x", "*a".repeat(50));
        assert!(!glob(pattern.as_bytes(), "a".repeat(3_000).as_bytes()));
    }
}
