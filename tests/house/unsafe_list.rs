//! List of all unsafe code.

use proc_macro2::{TokenStream, TokenTree};

use crate::sources::{root, rust_files, shown};

/// Files with unsafe code, and the number of times that each has the keyword.
const UNSAFE: [(&str, usize); 2] = [
    // Loads machine code that this program compiled before.
    ("crates/plugin/src/host/compiled.rs", 1),
    // Allocator of guests, which are isolated by the WebAssembly engine.
    ("plugins/sdk/src/arena.rs", 11),
];

/// Files that allow unsafe code that a macro generates.
const GENERATED: [&str; 1] = ["crates/plugin/src/v1/bindings.rs"];

fn count(tokens: TokenStream, word: &str) -> usize {
    let count = |token| match token {
        TokenTree::Group(group) => count(group.stream(), word),
        TokenTree::Ident(ident) => usize::from(ident == word),
        _ => 0,
    };
    tokens.into_iter().map(count).sum()
}

/// Files of the repository that contain the identifier `word`, with its number.
fn files_with(word: &str) -> Vec<(String, usize)> {
    let files = rust_files(&root()).into_iter();
    let found = files.filter_map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        // Most files need not be parsed.
        let tokens: TokenStream = text.contains(word).then(|| text.parse())?.unwrap();
        let count = count(tokens, word);
        (count > 0).then(|| (shown(&path), count))
    });
    found.collect()
}

#[test]
fn unsafe_code_is_listed() {
    let listed = UNSAFE.map(|(file, count)| (file.to_owned(), count));
    assert_eq!(files_with("unsafe"), listed);
    let allowed = files_with("unsafe_code").into_iter().map(|(file, _)| file);
    let workspace = allowed.filter(|file| !file.starts_with("plugins/"));
    assert_eq!(Vec::from_iter(workspace), [UNSAFE[0].0, GENERATED[0]]);
}
