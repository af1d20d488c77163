use std::fmt;

/// Languages with outlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// C.
    C,
    /// C header. Unlike in [`Language::C`], a declaration without a definition is a symbol too.
    CHeader,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, including JSX.
    JavaScript,
    /// Markdown, with headings as symbols.
    Markdown,
    /// Python, including stubs.
    Python,
    /// Rust.
    Rust,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
}

impl Language {
    /// All languages.
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

    /// Determines the language of a file by its extension alone, so a C++ header named `.h` counts
    /// as C.
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

    /// The string between the parts of a symbol's path.
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
    fn of_path_uses_the_extension() {
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
