use std::fmt;

/// A line of a file, as named in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Place {
    /// Parses `src/a.rs:5`, `src/a.rs:5:9` or `a.py:12: AssertionError`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("file://").unwrap_or(text);
        let mut parts = text.split(':');
        let file = parts
            .next()
            .filter(|file| !file.is_empty() && !file.contains(char::is_whitespace))?;
        let line = parts.next()?.trim().parse().ok().filter(|line| *line > 0)?;
        let file = file.strip_prefix("./").unwrap_or(file).replace('\\', "/");
        Some(Self { file, line })
    }

    /// Returns the file relative to the root, for reports with paths relative to `base`. Returns
    /// `None` if the path is absolute or leads outside.
    pub(crate) fn file_below(&self, base: &str) -> Option<String> {
        if self.file.starts_with('/') {
            return None;
        }
        let mut parts: Vec<&str> = base
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        for part in self.file.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_inside_root() {
        let place = |text| Place::parse(text).map(|place| place.to_string());
        assert_eq!(place("src/a.rs:5:9"), Some("src/a.rs:5".to_owned()));
        assert_eq!(
            place("./a.py:12: AssertionError"),
            Some("a.py:12".to_owned())
        );
        assert_eq!(place("E   assert 1"), None);
        assert_eq!(place("a.py:0"), None);
        assert_eq!(place("file:///w/a.js:3:29"), Some("/w/a.js:3".to_owned()));
        let below = |file: &str, base| {
            Place {
                file: file.to_owned(),
                line: 1,
            }
            .file_below(base)
        };
        assert_eq!(
            below("../b/c.rs", "crates/a"),
            Some("crates/b/c.rs".to_owned())
        );
        assert_eq!(below("../../../c.rs", "crates/a"), None);
        assert_eq!(below("/etc/passwd", ""), None);
    }
}
