//! Accessible members of JavaScript and TypeScript classes.

use crate::brackets::closing;
use crate::item::word;
use crate::plain::Plain;

/// A class member: its name, its declaration, and its character offsets.
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

/// Returns the members of a class body, except private ones.
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
        let text = plain.text(at, head_end);
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

/// Returns the offset after a decorator, as in `@name.of(…)`.
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

/// Returns the ends of a member's head and of the whole member. A semicolon at its end is optional.
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

/// Returns the name in a head and the declaration, or `None` if the member is private.
fn declared(head: &str) -> Option<(String, String)> {
    // This is a block that runs once, not a member.
    if head == "static" {
        return None;
    }
    let mut rest = head;
    loop {
        let first = word(rest);
        let behind = rest[first.len()..].trim_start();
        // The word may also be the name of a member.
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
    // A field's value isn't part of its declaration, but default values of parameters are.
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
