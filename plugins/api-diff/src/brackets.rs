//! Declarations in languages that use brackets for blocks.

/// A declaration, as character offsets of its head and its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) start: usize,
    /// The body's start, or the end if there's no body.
    pub(crate) head_end: usize,
    /// The range inside of `{` and `}`, if there is one.
    pub(crate) body: Option<(usize, usize)>,
    pub(crate) end: usize,
}

/// Returns the declarations in `code` between two offsets. Each ends at one of `ends`, or at the
/// closing `}` of its body.
pub(crate) fn declarations(
    code: &[char],
    (from, to): (usize, usize),
    ends: &[char],
) -> Vec<Declaration> {
    let mut found = Vec::new();
    let mut at = from;
    let mut start = from;
    while at < to {
        let c = code[at];
        if c.is_whitespace() && start == at {
            (start, at) = (at + 1, at + 1);
            continue;
        }
        match c {
            '(' | '[' => at = closing(code, at, to),
            '{' => {
                let close = closing(code, at, to);
                // `= { … }` and `use a::{b}` continue after their brackets.
                let before = code[start..at].iter().rev().find(|c| !c.is_whitespace());
                if !matches!(before, Some('=' | ':' | ',' | '<')) {
                    found.push(Declaration {
                        start,
                        head_end: at,
                        body: Some((at + 1, close)),
                        end: (close + 1).min(to),
                    });
                    start = close + 1;
                }
                at = close;
            }
            c if ends.contains(&c) => {
                if at > start {
                    found.push(Declaration {
                        start,
                        head_end: at,
                        body: None,
                        end: at,
                    });
                }
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if start < to && code[start..to].iter().any(|c| !c.is_whitespace()) {
        found.push(Declaration {
            start,
            head_end: to,
            body: None,
            end: to,
        });
    }
    found
}

/// Returns the offset of the bracket that closes the one at `open`, or `to` if none does.
pub(crate) fn closing(code: &[char], open: usize, to: usize) -> usize {
    let mut depth = 0_u32;
    for (at, c) in code.iter().enumerate().take(to).skip(open) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    to
}

/// Returns the line number of an offset, from 0.
pub(crate) fn line_of(code: &[char], at: usize) -> u32 {
    let lines = code.iter().take(at).filter(|c| **c == '\n').count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// Returns the text between two offsets.
pub(crate) fn text(source: &[char], from: usize, to: usize) -> String {
    source
        .get(from..to.min(source.len()))
        .unwrap_or_default()
        .iter()
        .collect()
}
