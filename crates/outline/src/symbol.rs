use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A range of lines: 1-based, both ends included, never empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    first: u32,
    last: u32,
}

impl Lines {
    /// Lines `first` to `last`, both included; a line 0 counts as 1, a `last` before `first` as `first`.
    #[must_use]
    pub fn new(first: u32, last: u32) -> Self {
        let first = first.max(1);
        Self {
            first,
            last: last.max(first),
        }
    }

    /// First line, from 1.
    #[must_use]
    pub fn first(self) -> u32 {
        self.first
    }

    /// Last line, included.
    #[must_use]
    pub fn last(self) -> u32 {
        self.last
    }

    /// Whether all of `other` lies inside.
    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }

    /// How many lines; at least 1.
    #[must_use]
    pub fn count(self) -> u32 {
        (self.last - self.first).saturating_add(1)
    }
}

impl fmt::Display for Lines {
    /// `7` or `7-12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

/// Something a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its own name.
    pub name: String,
    /// What sort of thing it is.
    pub kind: SymbolKind,
    /// Its name with those of what it stands in: `Type::method`, `<Type as Trait>::method`, `Class.method`,
    /// `Heading > Heading`.
    pub path: String,
    /// The whole definition, with the comments, attributes and decorators that belong to it.
    pub lines: Lines,
    /// The line its name stands on.
    pub name_line: u32,
    /// The lines of `signature`.
    pub signature_lines: Lines,
    /// What stands before the body, on one line, cut after [`Symbol::MAX_SIGNATURE`] characters.
    pub signature: String,
    /// Who may use it, where the language says.
    pub visibility: Option<Visibility>,
    /// The symbol it stands in: an index into the outline's symbols, always smaller than its own.
    pub container: Option<usize>,
    /// How many symbols it stands in.
    pub depth: u32,
    /// The parts of `path`: the bytes of each.
    pub(crate) parts: Vec<Range<usize>>,
}

/// A path of these segments, and where each stands in it.
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
    /// The parts of the path, outermost first.
    pub(crate) fn segments(&self) -> impl ExactSizeIterator<Item = &str> {
        let part = |part: &Range<usize>| self.path.get(part.clone()).unwrap_or_default();
        self.parts.iter().map(part)
    }

    /// The most characters of a signature.
    pub const MAX_SIGNATURE: usize = 240;
}

/// Sorts of symbols.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A class.
    Class,
    /// A constant.
    Constant,
    /// What makes an object of a class.
    Constructor,
    /// An enumeration.
    Enum,
    /// A function that belongs to no type.
    Function,
    /// A heading, and the section under it.
    Heading,
    /// Rust: an `impl` block.
    Implementation,
    /// An interface; in Java an annotation, too.
    Interface,
    /// A macro.
    Macro,
    /// A function of a type.
    Method,
    /// A module, a namespace.
    Module,
    /// Java: a record.
    Record,
    /// A structure.
    Struct,
    /// Rust: a trait.
    Trait,
    /// Another name for a type, or a type that is none of the others.
    Type,
    /// C, Rust: a union.
    Union,
    /// A variable of a module: a global, a static.
    Variable,
}

impl SymbolKind {
    /// Its name, in lower case.
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

/// Who may use a symbol, as its own definition says; what it stands in may be less visible.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everybody: `pub`, `export`, a capital letter in Go, no underscore in Python.
    Public,
    /// Some: `pub(crate)`, `protected`, Java's package.
    Restricted,
    /// Only what stands beside it.
    Private,
}
