use std::fmt;

/// A language that can be outlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// C.
    C,
    /// C, where declarations count as well: they are what a header is for.
    CHeader,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, also with JSX.
    JavaScript,
    /// Markdown: its headings.
    Markdown,
    /// Python, also stubs.
    Python,
    /// Rust.
    Rust,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::C,
        Self::CHeader,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Markdown,
        Self::Python,
        Self::Rust,
        Self::TypeScript,
        Self::Tsx,
    ];

    /// The language of the file at `path`, by the end of its name; `None` if it is none of these.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, extension) = name.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        Some(match extension.to_ascii_lowercase().as_str() {
            "c" => Self::C,
            "h" => Self::CHeader,
            "go" => Self::Go,
            "java" => Self::Java,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "md" | "markdown" => Self::Markdown,
            "py" | "pyi" => Self::Python,
            "rs" => Self::Rust,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            _ => return None,
        })
    }

    /// What stands between the parts of a qualified name.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Rust => "::",
            Self::Markdown => " > ",
            _ => ".",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::C | Self::CHeader => "C",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Markdown => "Markdown",
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::TypeScript | Self::Tsx => "TypeScript",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides() {
        for (path, language) in [
            ("src/main.rs", Some(Language::Rust)),
            ("a/b.PY", Some(Language::Python)),
            ("x.d.ts", Some(Language::TypeScript)),
            ("include/jv.h", Some(Language::CHeader)),
            ("rs", None),
            (".rs", None),
            ("a.rs/README", None),
            ("a.cc", None),
        ] {
            assert_eq!(Language::of_path(path), language, "{path}");
        }
    }
}
