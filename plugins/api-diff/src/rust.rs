//! Rust: `pub` items, members of traits, and variants of enums.

use crate::brackets::{Declaration, closing, declarations, line_of};
use crate::item::{Item, word};
use crate::plain::{Plain, Syntax, plain};

const SYNTAX: Syntax = Syntax {
    line_comment: "//",
    block_comments: Some(true),
    quotes: &["\""],
    rust_quotes: true,
};

/// Words allowed between `pub` and an item's keyword.
const BEFORE: [&str; 6] = ["default", "async", "unsafe", "const", "extern", "auto"];

pub(crate) fn items(source: &str) -> Vec<Item> {
    let mut scan = Scan {
        plain: plain(source, &SYNTAX),
        items: Vec::new(),
    };
    let all = (0, scan.plain.code.len());
    scan.declarations(all, "", false);
    scan.items
}

struct Scan {
    plain: Plain,
    items: Vec<Item>,
}

impl Scan {
    /// Collects the declarations in a range that belongs to `owner`. If `public` is true, all of them are public.
    fn declarations(&mut self, part: (usize, usize), owner: &str, public: bool) {
        for declaration in declarations(&self.plain.code, part, &[';']) {
            self.declaration(declaration, owner, public);
        }
    }

    fn declaration(&mut self, declaration: Declaration, owner: &str, public: bool) {
        let (attributes, start) = self.attributes(declaration.start, declaration.head_end);
        let head = self.plain.bare(start, declaration.head_end);
        let bare = &*head;
        let (is_public, rest) = match bare.strip_prefix("pub") {
            Some(rest) if rest.starts_with(' ') => (true, rest.trim_start()),
            // It's only visible in a part of the crate.
            Some(rest) if rest.starts_with('(') => (
                false,
                rest.split_once(')')
                    .map_or("", |(_, rest)| rest.trim_start()),
            ),
            _ => (public, bare),
        };
        let mut words = rest;
        while let Some(next) = BEFORE.iter().find_map(|before| {
            let next = words.strip_prefix(before)?.strip_prefix(' ')?.trim_start();
            // `const NAME: …` declares a constant, but `const fn` a function.
            let more = [
                "fn ", "unsafe ", "extern ", "async ", "impl", "trait ", "\"",
            ];
            (*before != "const" || more.iter().any(|word| next.starts_with(word))).then_some(next)
        }) {
            // `extern "C"`
            let abi = next.strip_prefix('"').and_then(|rest| rest.split_once('"'));
            words = abi.map_or(next, |(_, rest)| rest).trim_start();
        }
        let what = word(words);
        let after = words[what.len()..].trim_start_matches(['!', ' ']);
        let name = word(after.trim_start_matches("mut "));
        let full = match owner {
            "" => name.to_owned(),
            owner => format!("{owner}::{name}"),
        };
        match (what, declaration.body) {
            ("impl", Some(body)) => {
                if let Some(owner) = implemented(words) {
                    self.declarations(body, &owner, false);
                }
            }
            ("mod", Some(body)) if is_public => self.declarations(body, &full, false),
            ("use", _) if is_public => {
                let path = self.plain.text(start, declaration.end);
                let path = path.strip_prefix("pub use ").unwrap_or(&path).to_owned();
                self.push(&declaration, path, declaration.end);
            }
            ("trait", Some(body)) if is_public => {
                self.push(&declaration, full.clone(), declaration.head_end);
                self.declarations(body, &full, true);
            }
            ("enum", Some(body)) if is_public => {
                self.push(&declaration, full.clone(), declaration.head_end);
                self.parts(body, &full, true);
            }
            ("struct" | "union", Some(body)) if is_public => {
                self.push(&declaration, full.clone(), declaration.head_end);
                self.parts(body, &full, false);
            }
            ("const" | "static", _) if is_public => {
                // The type is part of the declaration, but the value isn't.
                let value = (declaration.start..declaration.head_end).find(|at| {
                    self.plain.code[*at] == '=' && self.plain.code.get(at + 1) != Some(&'=')
                });
                self.push(&declaration, full, value.unwrap_or(declaration.head_end));
            }
            ("fn" | "struct" | "type" | "mod" | "union" | "macro", _) if is_public => {
                self.push(&declaration, full, declaration.head_end);
            }
            ("macro_rules", _)
                if attributes
                    .iter()
                    .any(|one| one.starts_with("#[macro_export")) =>
            {
                self.push(&declaration, format!("{name}!"), declaration.head_end);
            }
            _ => {}
        }
    }

    /// Collects `pub` fields, or all variants.
    fn parts(&mut self, body: (usize, usize), owner: &str, all: bool) {
        let mut start = body.0;
        for part in declarations(&self.plain.code, body, &[',']) {
            // A variant with fields in braces is followed by a separate comma.
            let part = Declaration {
                start: part.start.max(start),
                ..part
            };
            start = part.end;
            let (_, own) = self.attributes(part.start, part.end);
            let bare = self.plain.bare(own, part.end);
            let name = match bare.strip_prefix("pub ") {
                Some(field) => word(field),
                None if all => word(&bare),
                None => continue,
            };
            if !name.is_empty() {
                self.push(&part, format!("{owner}::{name}"), part.end);
            }
        }
    }

    /// Adds an item with its text, from its attributes to `end`.
    fn push(&mut self, declaration: &Declaration, name: String, end: usize) {
        let (attributes, start) = self.attributes(declaration.start, end);
        let parts = attributes.into_iter().filter(|one| matters(one));
        let parts: Vec<String> = parts.chain([self.plain.text(start, end)]).collect();
        self.items.push(Item {
            name,
            text: parts.join(" "),
            first: line_of(&self.plain.code, start),
            last: line_of(&self.plain.code, end.saturating_sub(1)),
        });
    }

    /// Returns the attributes at the start of a range, and the offset after them.
    fn attributes(&self, from: usize, to: usize) -> (Vec<String>, usize) {
        let code = &self.plain.code;
        let after_blanks = |from: usize| {
            (from..to)
                .find(|at| !code[*at].is_whitespace())
                .unwrap_or(to)
        };
        let mut attributes = Vec::new();
        let mut at = after_blanks(from);
        while at < to && code[at] == '#' {
            let open = (at + 1..to).find(|at| code[*at] == '[');
            let end = open.map_or(to, |open| (closing(code, open, to) + 1).min(to));
            attributes.push(self.plain.text(at, end));
            at = after_blanks(end);
        }
        (attributes, at)
    }
}

/// Returns true if the attribute affects users of the item.
fn matters(attribute: &str) -> bool {
    [
        "#[non_exhaustive]",
        "#[must_use",
        "#[deprecated",
        "#[cfg(",
        "#[repr(",
    ]
    .iter()
    .any(|known| attribute.starts_with(known))
}

/// Returns an inherent `impl`'s type, or `None` for a trait's `impl`, which has no `pub` members.
fn implemented(head: &str) -> Option<String> {
    let mut rest = head.strip_prefix("impl")?.trim_start();
    if rest.starts_with('<') {
        let mut depth = 0_u32;
        let end = rest.char_indices().find_map(|(at, c)| {
            match c {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (depth == 0).then_some(at + 1)
        })?;
        rest = rest[end..].trim_start();
    }
    if rest.contains(" for ") && !rest.starts_with("for") {
        return None;
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
    let path = &rest[..end.unwrap_or(rest.len())];
    let name = path.rsplit("::").next().unwrap_or(path);
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::summaries;

    #[test]
    fn public_items_with_owner() {
        let text = r#"
//! Docs { with brackets.
use std::fmt;
pub use crate::inner::{A, B};

/// A thing.
#[derive(Debug)]
#[non_exhaustive]
pub struct Thing<T> {
    /// Its name, {.
    pub name: String,
    secret: u8,
    pub more: Vec<(T, T)>,
}

pub(crate) struct Hidden { pub a: u8 }

impl<T: Clone> Thing<T> {
    pub const MAX: usize = 3 + 4;
    pub fn new(
        name: &str, // why {
    ) -> Self { Self { name: "}".into() } }
    fn own(&self) {}
    pub async unsafe fn go<'a>(&'a self) -> &'a str where T: 'a { "{" }
}

impl fmt::Display for Thing<u8> {
    fn fmt(&self) {}
}

pub trait Can { type Out; fn can(&self) -> Self::Out; fn may(&self) { } }
pub enum Kind { One, Two(u8, u8), Three { a: u8 }, Four = 4 }
pub mod inner { pub fn deep() {} fn shallow() {} }
mod private { pub fn unreachable() {} }
pub extern "C" fn c(x: i32) -> i32 { x }
pub static NAME: &str = "{;";
pub const fn four() -> [u8; 4] { [0; 4] }
pub struct Pair(pub u8, u8);
#[macro_export]
macro_rules! mac { () => {} }
pub type Alias = Thing<u8>;
"#;
        let wanted = [
            "crate::inner::{A, B}: pub use crate::inner::{A, B} (3-3)",
            "Thing: #[non_exhaustive] pub struct Thing<T> (8-8)",
            "Thing::name: pub name: String (10-10)",
            "Thing::more: pub more: Vec<(T, T)> (12-12)",
            "Thing::MAX: pub const MAX: usize (18-18)",
            "Thing::new: pub fn new(name: &str) -> Self (19-21)",
            "Thing::go: pub async unsafe fn go<'a>(&'a self) -> &'a str where T: 'a (23-23)",
            "Can: pub trait Can (30-30)",
            "Can::Out: type Out (30-30)",
            "Can::can: fn can(&self) -> Self::Out (30-30)",
            "Can::may: fn may(&self) (30-30)",
            "Kind: pub enum Kind (31-31)",
            "Kind::One: One (31-31)",
            "Kind::Two: Two(u8, u8) (31-31)",
            "Kind::Three: Three { a: u8 } (31-31)",
            "Kind::Four: Four = 4 (31-31)",
            "inner::deep: pub fn deep() (32-32)",
            "c: pub extern \"C\" fn c(x: i32) -> i32 (34-34)",
            "NAME: pub static NAME: &str (35-35)",
            "four: pub const fn four() -> [u8; 4] (36-36)",
            "Pair: pub struct Pair(pub u8, u8) (37-37)",
            "mac!: macro_rules! mac (39-39)",
            "Alias: pub type Alias = Thing<u8> (40-40)",
        ];
        assert_eq!(summaries(&items(text)), wanted);
    }

    #[test]
    fn truncated_source_does_not_panic() {
        let text = "#[a(\npub fn f(x: \"";
        for end in 0..text.len() {
            items(&text[..end]);
        }
        for text in [
            "}",
            "{",
            "pub",
            "pub ",
            "pub(",
            "impl<",
            "impl",
            "enum A {,}",
            "pub struct",
            "pub enum X { A {",
        ] {
            items(text);
        }
    }
}
