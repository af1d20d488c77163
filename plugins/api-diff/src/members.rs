//! What a class of JavaScript or TypeScript lets others use.

use crate::brackets::closing;
use crate::item::word;
use crate::plain::Plain;

/// A member of a class: its name, how it is declared, and where in the text.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

const MODIFIERS: [&str; 12] = [
    "public",
    "private",
    "protected",
    "static",
    "readonly",
    "abstract",
    "override",
    "declare",
    "async",
    "get",
    "set",
    "accessor",
];

/// The members in a class's body that are not its own secret.
pub(crate) fn members(plain: &Plain, (from, to): (usize, usize)) -> Vec<Member> {
    let code = &plain.code;
    let mut members = Vec::new();
    let mut at = from;
    while at < to {
        if code[at].is_whitespace() || matches!(code[at], ';' | '}' | ',') {
            at += 1;
            continue;
        }
        if code[at] == '@' {
            at = behind_decorator(code, at, to);
            continue;
        }
        let (head_end, end) = extent(code, at, to);
        let text = plain.told(at, head_end);
        if let Some((name, text)) = declared(&text) {
            members.push(Member {
                name,
                text,
                start: at,
                end: head_end,
            });
        }
        at = end.max(at + 1);
    }
    members
}

/// Where `@name.of(…)` ends.
fn behind_decorator(code: &[char], start: usize, to: usize) -> usize {
    let is_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let end = (start + 1..to)
        .find(|at| !is_name(&code[*at]))
        .unwrap_or(to);
    match code.get(end) {
        Some('(') if end < to => closing(code, end, to) + 1,
        _ => end,
    }
}

/// Where the head of a member ends, and where the whole of it does. It need not end with a semicolon.
fn extent(code: &[char], start: usize, to: usize) -> (usize, usize) {
    let mut at = start;
    while at < to {
        let before = || code[start..at].iter().rev().filter(|c| !c.is_whitespace());
        match code[at] {
            ';' => return (at, at + 1),
            '(' | '[' => at = closing(code, at, to),
            '{' => {
                let mut last = before();
                let opens_more = match last.next() {
                    Some('>') => last.next() == Some(&'='),
                    last => matches!(last, Some('=' | ':' | ',' | '|' | '&' | '<')),
                };
                if !opens_more {
                    return (at, closing(code, at, to) + 1);
                }
                at = closing(code, at, to);
            }
            '\n' => {
                let next = code[at..to].iter().find(|c| !c.is_whitespace());
                let goes_on = matches!(
                    before().next(),
                    Some('=' | '|' | '&' | ',' | '<' | ':' | '?' | '.')
                ) || matches!(next, Some('=' | '|' | '&' | '?' | ':' | '.' | '{'));
                if !goes_on {
                    return (at, at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    (to, to)
}

/// The name that a head declares, and how; none where others cannot use it.
fn declared(head: &str) -> Option<(String, String)> {
    // A block that is run once.
    if head == "static" {
        return None;
    }
    let mut rest = head;
    loop {
        let first = word(rest);
        let behind = rest[first.len()..].trim_start();
        // By such a word a member may also be called.
        let is_name = behind.is_empty() || behind.starts_with(['(', '<', '=', ':', '?', '!', ';']);
        if !MODIFIERS.contains(&first) || is_name {
            break;
        }
        if first == "private" {
            return None;
        }
        rest = behind;
    }
    let rest = rest.trim_start_matches(['*', ' ']);
    let name = match rest.chars().next()? {
        '[' => rest.split_inclusive(']').next()?,
        quote @ ('"' | '\'') => rest[1..].split(quote).next()?,
        _ => word(rest),
    };
    if name.is_empty() {
        return None;
    }
    let behind = rest[name.len().min(rest.len())..].trim_start_matches(['"', '\'', ' ', '?', '!']);
    // A value says nothing of what others may do; what is taken where nothing is given does.
    let text = match behind.starts_with(['(', '<']) {
        true => head,
        false => head
            .split(" = ")
            .next()
            .unwrap_or(head)
            .trim_end_matches(" ="),
    };
    Some((name.to_owned(), text.trim_end().to_owned()))
}
