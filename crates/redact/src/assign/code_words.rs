//! What functions and words in code say of the literals that they are given.

/// Functions whose arguments are what is taken where there is nothing else, in small letters and without underscores.
pub(crate) const DEFAULTS: [&str; 18] = [
    "unwrapor",
    "unwraporelse",
    "mapor",
    "or",
    "orelse",
    "orelseget",
    "getor",
    "getorelse",
    "fallback",
    "default",
    "withdefault",
    "defaultvalue",
    "defaultto",
    "valueor",
    "coalesce",
    "ifnull",
    "nvl",
    "requirenonnullelse",
];

/// Functions that are asked for something by their first argument, and given what is taken otherwise behind it.
pub(crate) const LOOKUPS: [&str; 15] = [
    "get",
    "getenv",
    "env",
    "envor",
    "environ",
    "fetch",
    "getproperty",
    "getstring",
    "getvalue",
    "getattr",
    "getordefault",
    "getconfig",
    "config",
    "lookup",
    "pop",
];

/// Functions and macros that make a list of what they are given, in small letters and without underscores.
pub(crate) const MAKERS: [&str; 18] = [
    "of",
    "aslist",
    "listof",
    "mutablelistof",
    "setof",
    "arrayof",
    "mapof",
    "list",
    "set",
    "frozenset",
    "tuple",
    "array",
    "arraylist",
    "hashset",
    "vec",
    "seq",
    "dict",
    "c",
];

/// What makes a value of the literal in its brackets.
pub(crate) const WRAPPERS: [&[u8]; 7] = [
    b"String::from(",
    b"SecretString::from(",
    b"SecretString::new(",
    b"OsString::from(",
    b"Cow::from(",
    b"SecretStr(",
    b"Some(",
];

/// Words that begin a statement: no list goes on with one.
pub(crate) const STATEMENTS: [&[u8]; 14] = [
    b"class",
    b"const",
    b"def",
    b"fn",
    b"func",
    b"function",
    b"import",
    b"let",
    b"package",
    b"private",
    b"public",
    b"return",
    b"use",
    b"var",
];

/// What an argument is called that is taken otherwise.
pub(crate) const ARGUMENTS: [&str; 3] = ["default", "defaultvalue", "fallback"];

/// A name in small letters and without underscores.
pub(crate) fn plain(name: &[u8]) -> String {
    let letters = name.iter().filter(|b| **b != b'_');
    letters
        .map(|b| char::from(b.to_ascii_lowercase()))
        .collect()
}
