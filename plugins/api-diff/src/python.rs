//! Python: names at module level and in classes, except those that begin with `_`.

use crate::brackets::{closing, line_of, text};
use crate::item::{Item, word};
use crate::plain::{Syntax, plain};

const SYNTAX: Syntax = Syntax {
    line_comment: "#",
    block_comments: None,
    quotes: &["\"\"\"", "'''", "\"", "'"],
    rust_quotes: false,
};

pub(crate) fn items(source: &str) -> Vec<Item> {
    let plain = plain(source, &SYNTAX);
    let code = &plain.code;
    let mut items = Vec::new();
    // The enclosing classes, each with its indentation. `None` stands for one that isn't public.
    let mut around: Vec<(usize, Option<String>)> = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let end = end_of_statement(code, at);
        let line = text(code, at, end);
        let statement = line.trim();
        if !statement.is_empty() {
            let indent = line.chars().take_while(|c| matches!(c, ' ' | '\t')).count();
            around.retain(|(depth, _)| *depth < indent);
            let is_public = around.iter().all(|(_, owner)| owner.is_some());
            let owner = around.last().and_then(|(_, owner)| owner.clone());
            let is_inside = !around.is_empty() || indent == 0;
            if let Some((name, length, opens)) = declared(statement) {
                let full = match &owner {
                    Some(owner) => format!("{owner}.{name}"),
                    None => name.to_owned(),
                };
                let shown = is_public && is_inside && is_exported(name);
                if shown {
                    let start = at + line.chars().take_while(|c| c.is_whitespace()).count();
                    items.push(Item {
                        name: full.clone(),
                        text: plain.text(start, start + length),
                        first: line_of(code, start),
                        last: line_of(code, end.saturating_sub(1)),
                    });
                }
                match opens {
                    Opens::Class => around.push((indent, shown.then_some(full))),
                    // Names inside of a function are local.
                    Opens::Function => around.push((indent, None)),
                    Opens::Nothing => {}
                }
            }
        }
        at = end + 1;
    }
    items
}

fn is_exported(name: &str) -> bool {
    !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"))
}

enum Opens {
    Class,
    Function,
    Nothing,
}

/// Returns the name declared by a statement, the declaration's length in characters, and the block
/// that it opens.
fn declared(statement: &str) -> Option<(&str, usize, Opens)> {
    let async_too = statement.strip_prefix("async ").unwrap_or(statement);
    if let Some(rest) = async_too.trim_start().strip_prefix("def ") {
        // A body on the same line isn't part of the declaration.
        return Some((
            word(rest.trim_start()),
            up_to_body(statement),
            Opens::Function,
        ));
    }
    if let Some(rest) = statement.strip_prefix("class ") {
        return Some((word(rest.trim_start()), up_to_body(statement), Opens::Class));
    }
    let name = word(statement);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = statement[name.len()..].trim_start();
    let value = statement.find('=').unwrap_or(statement.len());
    let up_to_value = statement[..value].chars().count();
    if let Some(annotated) = rest.strip_prefix(':') {
        let words = ["else", "try", "finally", "lambda", "match", "case"];
        let is_bare = annotated
            .split('=')
            .next()
            .unwrap_or_default()
            .trim()
            .is_empty();
        return (!words.contains(&name) && !is_bare).then_some((name, up_to_value, Opens::Nothing));
    }
    // Constant.
    let is_constant = !name.chars().any(char::is_lowercase);
    let is_set = rest.starts_with('=') && !rest.starts_with("==");
    (is_constant && is_set).then_some((name, up_to_value, Opens::Nothing))
}

/// Returns the number of characters before the colon that ends a declaration.
fn up_to_body(statement: &str) -> usize {
    let mut depth = 0_u32;
    let end = statement.chars().position(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ':' && depth == 0
    });
    end.unwrap_or_else(|| statement.chars().count())
}

/// Returns the end of the statement that begins at `at`: the end of its line, once all brackets are closed.
fn end_of_statement(code: &[char], mut at: usize) -> usize {
    while at < code.len() && code[at] != '\n' {
        if matches!(code[at], '(' | '[' | '{') {
            at = closing(code, at, code.len());
        }
        at += 1;
    }
    at.min(code.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::summaries;

    #[test]
    fn public_names_with_class() {
        let text = "\"\"\"Docs: def no(): pass\"\"\"\nimport os\n\nMAX = 3  # most\nlimit: int = 5\nsmall = 1\n_own = 2\n\ndef f(\n    a: int,\n    b: str = \"(\",\n) -> dict[str, int]:\n    def inner(): pass\n    X = 1\n    return {}\n\nasync def g(): return 1\n\nclass Thing(Base):\n    size: int\n    def __init__(self, a): pass\n    def m(self): pass\n    def _p(self): pass\n    class Sub:\n        def n(self): pass\n\nclass _Own:\n    def q(self): pass\n\ndef last(): pass\n";
        let wanted = [
            "MAX: MAX (3-3)",
            "limit: limit: int (4-4)",
            "f: def f(a: int, b: str = \"(\") -> dict[str, int] (8-11)",
            "g: async def g() (16-16)",
            "Thing: class Thing(Base) (18-18)",
            "Thing.size: size: int (19-19)",
            "Thing.__init__: def __init__(self, a) (20-20)",
            "Thing.m: def m(self) (21-21)",
            "Thing.Sub: class Sub (23-23)",
            "Thing.Sub.n: def n(self) (24-24)",
            "last: def last() (29-29)",
        ];
        assert_eq!(summaries(&items(text)), wanted);
        for end in 0..text.len() {
            items(&text[..end]);
        }
    }
}
