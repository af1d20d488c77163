//! Go: what begins with a capital letter at the top of a package.

use crate::brackets::{closing, line_of};
use crate::item::{Item, word};
use crate::plain::{Syntax, plain};

const SYNTAX: Syntax = Syntax {
    line_comment: "//",
    block_comments: Some(false),
    quotes: &["\"", "`"],
    rust_quotes: false,
};

pub(crate) fn items(source: &str) -> Vec<Item> {
    let plain = plain(source, &SYNTAX);
    let code = &plain.code;
    let mut items = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let (head_end, end) = statement(code, at);
        let head = plain.told(at, head_end);
        let whole = || plain.told(at, end);
        let mut push = |name: String, told: String, last: usize| {
            let exported = name
                .rsplit('.')
                .next()
                .is_some_and(|name| name.starts_with(char::is_uppercase));
            if exported {
                items.push(Item {
                    name,
                    text: told,
                    first: line_of(code, at),
                    last: line_of(code, last.saturating_sub(1)),
                });
            }
        };
        let (what, rest) = head.split_once(' ').unwrap_or((&head, ""));
        match what {
            "func" => match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
                // The receiver: what it points to owns the method, if others can name it.
                Some((receiver, rest)) => {
                    let owner = receiver.rsplit([' ', '*']).next().unwrap_or_default();
                    let owner = word(owner);
                    let name = word(rest.trim_start());
                    if owner.starts_with(char::is_uppercase) {
                        push(format!("{owner}.{name}"), head.clone(), head_end);
                    }
                }
                None => push(word(rest).to_owned(), head.clone(), head_end),
            },
            "type" => push(word(rest).to_owned(), whole(), end),
            "var" | "const" => {
                let told = head
                    .split('=')
                    .next()
                    .unwrap_or(&head)
                    .trim_end()
                    .to_owned();
                push(word(rest).to_owned(), told, head_end);
            }
            _ => {}
        }
        at = end + 1;
    }
    items
}

/// Where the head of the statement at `at` ends, and where it does.
fn statement(code: &[char], start: usize) -> (usize, usize) {
    let mut at = start;
    let mut head = None;
    while at < code.len() && code[at] != '\n' {
        if code[at] == '{' {
            head.get_or_insert(at);
        }
        if matches!(code[at], '(' | '[' | '{') {
            at = closing(code, at, code.len());
        }
        at += 1;
    }
    let end = at.min(code.len());
    (head.unwrap_or(end).min(end), end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::told;

    #[test]
    fn what_is_exported_is_found_with_its_receiver() {
        let text = "package a\n\n// Func is.\nfunc Func(a int,\n\tb string) (int, error) {\n\treturn 0, nil\n}\nfunc own() {}\nfunc (t *Thing) Go() error { return nil }\nfunc (t thing) No() {}\ntype Thing struct {\n\tName string // its name\n}\nvar ErrX = errors.New(\"x\")\nconst Max int = 3\n";
        let wanted = [
            "Func: func Func(a int, b string) (int, error) (3-4)",
            "Thing.Go: func (t *Thing) Go() error (8-8)",
            "Thing: type Thing struct { Name string } (10-12)",
            "ErrX: var ErrX (13-13)",
            "Max: const Max int (14-14)",
        ];
        assert_eq!(told(&items(text)), wanted);
        for end in 0..text.len() {
            items(&text[..end]);
        }
    }
}
