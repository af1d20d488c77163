//! JavaScript and TypeScript: a module's exports.

use crate::brackets::{declarations, line_of, text};
use crate::item::{Item, word};
use crate::members::members;
use crate::plain::{Syntax, plain};

const SYNTAX: Syntax = Syntax {
    line_comment: "//",
    block_comments: Some(false),
    quotes: &["\"", "'", "`"],
    rust_quotes: false,
};

pub(crate) fn items(source: &str) -> Vec<Item> {
    let plain = plain(source, &SYNTAX);
    let code = &plain.code;
    let mut items = Vec::new();
    // Semicolons are optional, so each `export` at the start of a line begins a statement.
    let text_of = |from, to| plain.text(from, to);
    let starts: Vec<usize> = (0..code.len())
        .filter(|at| {
            let at_start = *at == 0 || code[at - 1] == '\n';
            at_start && text(code, *at, at + 7) == "export "
        })
        .collect();
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(code.len());
        let Some(declaration) = declarations(code, (*start, end), &[';']).into_iter().next() else {
            continue;
        };
        let line = |at| line_of(code, at);
        let mut push = |name: &str, text: String, end: usize| {
            if !name.is_empty() {
                items.push(Item {
                    name: name.to_owned(),
                    text,
                    first: line(*start),
                    last: line(end.saturating_sub(1)),
                });
            }
        };
        let head = text_of(*start, declaration.head_end);
        let rest = head.strip_prefix("export").unwrap_or_default().trim_start();
        if rest.is_empty() {
            // `export { a, b as c } from "d"`
            let (from, to) = declaration.body.unwrap_or_default();
            for part in text_of(from, to).split(',') {
                let name = part.rsplit(" as ").next().unwrap_or(part).trim();
                push(
                    name,
                    format!("export {{ {} }}", part.trim()),
                    declaration.end,
                );
            }
            continue;
        }
        let mut words = rest;
        for before in ["declare ", "default ", "abstract ", "async "] {
            words = words.strip_prefix(before).unwrap_or(words);
        }
        let what = word(words);
        let after = words[what.len()..].trim_start_matches(['*', ' ']);
        let default = rest.starts_with("default ");
        let name = if default { "default" } else { word(after) };
        match what {
            "interface" | "enum" | "namespace" => {
                push(name, text_of(*start, declaration.end), declaration.end);
            }
            "type" => push(
                name,
                text_of(*start, first_end(code, *start, end)),
                first_end(code, *start, end),
            ),
            "const" | "let" | "var" => {
                // Leave out the value. In `const enum`, another word precedes the name.
                let name = if name == "enum" {
                    word(after["enum".len()..].trim_start())
                } else {
                    name
                };
                let signature = head.split(" = ").next().unwrap_or(&head);
                push(
                    name,
                    signature.trim_end_matches(" =").to_owned(),
                    declaration.head_end,
                );
            }
            "function" => push(name, head.clone(), declaration.head_end),
            "class" => {
                push(name, head.clone(), declaration.head_end);
                for member in declaration
                    .body
                    .iter()
                    .flat_map(|body| members(&plain, *body))
                {
                    items.push(Item {
                        name: format!("{name}.{}", member.name),
                        text: member.text,
                        first: line(member.start),
                        last: line(member.end.saturating_sub(1)),
                    });
                }
            }
            _ if default => push(name, "export default".to_owned(), *start + 1),
            _ => push(rest, head.clone(), declaration.head_end),
        }
    }
    items
}

/// Returns the end of a type: a semicolon, an empty line, or the next statement.
fn first_end(code: &[char], start: usize, end: usize) -> usize {
    let mut depth = 0_u32;
    for at in start..end {
        match code[at] {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return at,
            '\n' if depth == 0 => {
                let next = code[at + 1..end].iter().collect::<String>();
                if !next
                    .trim_start_matches(' ')
                    .starts_with(['|', '&', '?', ':', '='])
                    && !ends_open(code, start, at)
                {
                    return at;
                }
            }
            _ => {}
        }
    }
    end
}

/// Returns true if the text before `at` is incomplete.
fn ends_open(code: &[char], start: usize, at: usize) -> bool {
    let last = code[start..at].iter().rev().find(|c| !c.is_whitespace());
    matches!(last, Some('=' | '|' | '&' | ',' | '<'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::summaries;

    #[test]
    fn exports_found() {
        let text = "import a from \"b\";\n// export function no()\nexport function f(a: string, b?: number): Promise<void> {\n  return `{`;\n}\nfunction own() {}\nexport default class Thing extends Base {\n  m() {}\n}\nexport const MAX: number = 3\nexport type Id =\n  | string\n  | number;\nexport interface Shape {\n  a: string; // why\n  b(): void;\n}\nexport { x, y as z };\nexport * from \"./other\";\nexport async function* g() {}\n";
        let wanted = [
            "f: export function f(a: string, b?: number): Promise<void> (2-2)",
            "default: export default class Thing extends Base (6-6)",
            "default.m: m() (7-7)",
            "MAX: export const MAX: number (9-9)",
            "Id: export type Id = | string | number (10-12)",
            "Shape: export interface Shape { a: string; b(): void; } (13-16)",
            "x: export { x } (17-17)",
            "z: export { y as z } (17-17)",
            "* from \"./other\": export * from \"./other\" (18-18)",
            "g: export async function* g() (19-19)",
        ];
        assert_eq!(summaries(&items(text)), wanted);
        for end in 0..text.len() {
            items(&text[..end]);
        }
    }

    #[test]
    fn class_members_without_private() {
        let text = "export abstract class Box<T> extends Base<{ a: T }> {\n  static readonly MAX = 3;\n  private secret = 1;\n  #own = 2;\n  name: string = \"x\"\n  items?: Array<{ id: number }>\n  get: () => void = () => {\n    return;\n  };\n  constructor(private a: string, b = 1) { super(); }\n  @memo({ of: 1 }) async load<U = T>(key: U): Promise<void> {\n    this.x = { y: 1 };\n  }\n  get size(): number { return 1; }\n  protected abstract area(): { w: number };\n  *[Symbol.iterator]() {}\n  over(a: string): void;\n  over(a: number): void;\n  private no() {}\n  static { x(); }\n}\nclass Own { m() {} }\n";
        let wanted = [
            "Box: export abstract class Box<T> extends Base<{ a: T }> (0-0)",
            "Box.MAX: static readonly MAX (1-1)",
            "Box.name: name: string (4-4)",
            "Box.items: items?: Array<{ id: number }> (5-5)",
            "Box.get: get: () => void (6-8)",
            "Box.constructor: constructor(private a: string, b = 1) (9-9)",
            "Box.load: async load<U = T>(key: U): Promise<void> (10-10)",
            "Box.size: get size(): number (13-13)",
            "Box.area: protected abstract area(): { w: number } (14-14)",
            "Box.[Symbol.iterator]: *[Symbol.iterator]() (15-15)",
            "Box.over: over(a: string): void (16-16)",
            "Box.over: over(a: number): void (17-17)",
        ];
        assert_eq!(summaries(&items(text)), wanted);
        for end in 0..text.len() {
            items(&text[..end]);
        }
    }
}
