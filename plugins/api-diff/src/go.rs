//! Go: identifiers at package level that begin with a capital letter.

use crate::brackets::{closing, line_of};
use crate::item::{Item, word};
use crate::plain::{Plain, Syntax, plain};

const SYNTAX: Syntax = Syntax {
    line_comment: "//",
    block_comments: Some(false),
    quotes: &["\"", "`"],
    rust_quotes: false,
};

pub(crate) fn items(source: &str) -> Vec<Item> {
    let plain = plain(source, &SYNTAX);
    let mut items = Vec::new();
    for part in statements(&plain.code, (0, plain.code.len()), &['\n']) {
        let head = plain.text(part.start, part.head_end);
        let (what, rest) = head.split_once(' ').unwrap_or((&head, ""));
        let what = what.split('(').next().unwrap_or(what);
        match what {
            "func" => items.extend(function(&plain, &part, rest)),
            "type" | "var" | "const" => match group(&plain.code, &part, what) {
                Some(group) => {
                    for part in statements(&plain.code, group, &['\n', ';']) {
                        declared(&plain, &part, what, &mut items);
                    }
                }
                None => {
                    let start = part.start + what.len();
                    declared(&plain, &Statement { start, ..part }, what, &mut items);
                }
            },
            _ => {}
        }
    }
    items
}

/// Returns a function's or method's item.
fn function(plain: &Plain, part: &Statement, rest: &str) -> Option<Item> {
    let name = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        // The receiver's type owns the method, even through a pointer, if that type is exported.
        Some((receiver, rest)) => {
            // Type parameters aren't part of the owner, as in `m *Map[K, V]`, even without a name.
            let kind = receiver.split('[').next().unwrap_or(receiver).trim_end();
            let owner = word(kind.rsplit([' ', '*']).next().unwrap_or_default());
            let name = word(rest.trim_start());
            (is_exported(owner) && is_exported(name)).then(|| format!("{owner}.{name}"))
        }
        None => Some(word(rest))
            .filter(|name| is_exported(name))
            .map(str::to_owned),
    };
    let text = plain.text(part.start, part.head_end);
    Some(part.item(plain, name?, text, part.head_end))
}

/// Returns the range inside of the brackets of `const ( … )` and similar groups.
fn group(code: &[char], part: &Statement, what: &str) -> Option<(usize, usize)> {
    let behind = part.start + what.len();
    let open = (behind..part.end).find(|at| !code[*at].is_whitespace())?;
    (code[open] == '(').then(|| (open + 1, closing(code, open, part.end)))
}

/// Adds a declaration's exported names, as in `A, B = 1, 2`, `A int` or `T struct { … }`. `what` is
/// its keyword, which may precede a whole group of declarations.
fn declared(plain: &Plain, part: &Statement, what: &str, items: &mut Vec<Item>) {
    if what == "type" {
        let text = plain.text(part.start, part.end);
        let name = word(&text);
        if is_exported(name) {
            items.push(part.item(plain, name.to_owned(), format!("type {text}"), part.end));
        }
        return;
    }
    let head = plain.text(part.start, part.head_end);
    let signature = head.split('=').next().unwrap_or(&head).trim_end();
    // The names come before the type.
    let mut names = Vec::new();
    let mut rest = signature;
    loop {
        let name = word(rest);
        names.push(name);
        rest = rest[name.len()..].trim_start();
        match rest.strip_prefix(',') {
            Some(more) if !name.is_empty() => rest = more.trim_start(),
            _ => break,
        }
    }
    for name in names.into_iter().filter(|name| is_exported(name)) {
        let text = match rest {
            "" => format!("{what} {name}"),
            kind => format!("{what} {name} {kind}"),
        };
        items.push(part.item(plain, name.to_owned(), text, part.head_end));
    }
}

fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// A statement, as offsets of its start, of its body (or its end if it has none), and of its end.
#[derive(Debug, Clone, Copy)]
struct Statement {
    start: usize,
    head_end: usize,
    end: usize,
}

impl Statement {
    fn item(&self, plain: &Plain, name: String, text: String, end: usize) -> Item {
        Item {
            name,
            text,
            first: line_of(&plain.code, self.start),
            last: line_of(&plain.code, end.saturating_sub(1)),
        }
    }
}

/// Returns the statements in a range of `code`. Each ends at one of `ends`.
fn statements(code: &[char], (from, to): (usize, usize), ends: &[char]) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        if code[at].is_whitespace() || ends.contains(&code[at]) {
            at += 1;
            continue;
        }
        let start = at;
        let mut head = None;
        while at < to && !ends.contains(&code[at]) {
            if code[at] == '{' {
                head.get_or_insert(at);
            }
            if matches!(code[at], '(' | '[' | '{') {
                at = closing(code, at, to);
            }
            at += 1;
        }
        let end = at.min(to);
        let head_end = head.unwrap_or(end).min(end);
        found.push(Statement {
            start,
            head_end,
            end,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::summaries;

    #[test]
    fn exported_names_with_receiver() {
        let text = "package a\n\n// Func is.\nfunc Func(a int,\n\tb string) (int, error) {\n\treturn 0, nil\n}\nfunc own() {}\nfunc (t *Thing) Go() error { return nil }\nfunc (t thing) No() {}\ntype Thing struct {\n\tName string // its name\n}\nvar ErrX = errors.New(\"x\")\nconst Max int = 3\n";
        let wanted = [
            "Func: func Func(a int, b string) (int, error) (3-4)",
            "Thing.Go: func (t *Thing) Go() error (8-8)",
            "Thing: type Thing struct { Name string } (10-12)",
            "ErrX: var ErrX (13-13)",
            "Max: const Max int (14-14)",
        ];
        assert_eq!(summaries(&items(text)), wanted);
        for end in 0..text.len() {
            items(&text[..end]);
        }
    }

    #[test]
    fn groups_and_generics_found() {
        let text = "package a\nconst (\n\tMax = 1 // most\n\tA, B int = 2, 3\n\town = 4; C\n)\nvar(\n\tErrX error\n\tF = func() {\n\t\treturn\n\t}\n)\ntype (\n\tID string\n\tThing struct {\n\t\tName string\n\t}\n\tno int\n)\ntype Map[K comparable, V any] struct{}\nfunc (m *Map[K, V]) Load(key K) V { return m.m[key] }\nfunc (Map[K, V]) Keys() []K { return nil }\nfunc (*list[T]) Len() int { return 0 }\nvar X, Y = 1, 2\n";
        let wanted = [
            "Max: const Max (2-2)",
            "A: const A int (3-3)",
            "B: const B int (3-3)",
            "C: const C (4-4)",
            "ErrX: var ErrX error (7-7)",
            "F: var F (8-8)",
            "ID: type ID string (13-13)",
            "Thing: type Thing struct { Name string } (14-16)",
            "Map: type Map[K comparable, V any] struct{} (19-19)",
            "Map.Load: func (m *Map[K, V]) Load(key K) V (20-20)",
            "Map.Keys: func (Map[K, V]) Keys() []K (21-21)",
            "X: var X (23-23)",
            "Y: var Y (23-23)",
        ];
        assert_eq!(summaries(&items(text)), wanted);
        for end in 0..text.len() {
            items(&text[..end]);
        }
    }
}
