use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A non-empty range of lines, counted from 1, including the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    first: u32,
    last: u32,
}

impl Lines {
    /// Creates the range from `first` to `last`.
    ///
    /// Invalid values are corrected: line 0 becomes line 1, and a `last` before `first` becomes
    /// `first`.
    #[must_use]
    pub fn new(first: u32, last: u32) -> Self {
        let first = first.max(1);
        Self {
            first,
            last: last.max(first),
        }
    }

    /// The first line, at least 1.
    #[must_use]
    pub fn first(self) -> u32 {
        self.first
    }

    /// The last line, which is included.
    #[must_use]
    pub fn last(self) -> u32 {
        self.last
    }

    /// Returns true if all lines of `other` are in this range.
    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// The number of lines, at least 1.
    #[must_use]
    pub fn count(self) -> u32 {
        (self.last - self.first).saturating_add(1)
    }
}

impl fmt::Display for Lines {
    /// Formats the range, e.g. `7` or `7-12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

/// A named definition in a file, e.g. a function or a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name, without those of the enclosing scopes.
    pub name: String,
    /// The sort of definition. Rules for each language map it to one of these.
    pub kind: SymbolKind,
    /// The name with all scopes: `Type::method`, `<Type as Trait>::method`, `Class.method` or
    /// `Heading > Heading`. Several symbols of a file can share a path.
    pub path: String,
    /// Lines of the definition, including its comments, attributes and decorators.
    pub lines: Lines,
    /// Line of the name, from 1.
    pub name_line: u32,
    /// Lines of the `signature`.
    pub signature_lines: Lines,
    /// The text before the body, on one line, truncated after [`Symbol::MAX_SIGNATURE`] characters.
    pub signature: String,
    /// `None` if the language defines no visibility for such a symbol.
    pub visibility: Option<Visibility>,
    /// Index of the enclosing symbol in [`crate::Outline::symbols`], always smaller than this
    /// symbol's own index.
    pub container: Option<usize>,
    /// Number of enclosing symbols, 0 for a top-level one.
    pub depth: u32,
    /// Byte ranges of the names in `path`.
    pub(crate) parts: Vec<Range<usize>>,
}

/// Joins `segments` to a path, and finds the byte range of each segment in it.
pub(crate) fn joined<S: AsRef<str>>(
    segments: &[S],
    separator: &str,
) -> (String, Vec<Range<usize>>) {
    let mut path = String::new();
    let mut parts = Vec::with_capacity(segments.len());
    for (at, segment) in segments.iter().map(AsRef::as_ref).enumerate() {
        if at > 0 {
            path.push_str(separator);
        }
        let start = path.len();
        path.push_str(segment);
        parts.push(start..path.len());
    }
    (path, parts)
}

impl Symbol {
    /// The names in the path, outermost first.
    pub(crate) fn segments(&self) -> impl ExactSizeIterator<Item = &str> {
        let part = |part: &Range<usize>| self.path.get(part.clone()).unwrap_or_default();
        self.parts.iter().map(part)
    }

    /// Maximum length of a signature, in characters.
    pub const MAX_SIGNATURE: usize = 240;
}

/// Kinds of symbols.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// Class.
    Class,
    /// Constant.
    Constant,
    /// Constructor of a class.
    Constructor,
    /// Enumeration.
    Enum,
    /// Function outside of types.
    Function,
    /// Heading, with its section.
    Heading,
    /// Rust: `impl` block.
    Implementation,
    /// Interface, or annotation in Java.
    Interface,
    /// Macro.
    Macro,
    /// Function of a type.
    Method,
    /// Module or namespace.
    Module,
    /// Java: record.
    Record,
    /// Structure.
    Struct,
    /// Rust: trait.
    Trait,
    /// Type alias, or a type of another kind.
    Type,
    /// C, Rust: union.
    Union,
    /// Variable of a module: global or static.
    Variable,
}

impl SymbolKind {
    /// The name used in JSON, e.g. `function`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Constant => "constant",
            Self::Constructor => "constructor",
            Self::Enum => "enum",
            Self::Function => "function",
            Self::Heading => "heading",
            Self::Implementation => "implementation",
            Self::Interface => "interface",
            Self::Macro => "macro",
            Self::Method => "method",
            Self::Module => "module",
            Self::Record => "record",
            Self::Struct => "struct",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Union => "union",
            Self::Variable => "variable",
        }
    }
}

/// Visibility of a symbol by its own definition. Its container may be less visible.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Visible everywhere: `pub`, `export`, a capital letter in Go, no underscore in Python.
    Public,
    /// Visible in part: `pub(crate)`, `protected`, package-private in Java.
    Restricted,
    /// Visible in its container only.
    Private,
}
