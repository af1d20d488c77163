//! Finds the names of secrets in a text, with their ends and their surroundings on the line.

use std::collections::BTreeMap;
use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::line_start;
use crate::name::{kind_of, kind_of_several};
use crate::name_kind::Kind;
use crate::rules::rule::is_escaped;
use crate::scanned_text::{Text, is_blank};
use crate::words::words;

/// A name that promises a secret, as a range of the text.
pub(crate) struct Name {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
    /// True for a plural, such as `passwords`.
    pub(crate) is_plural: bool,
}

/// Finds the name around the stem at `hit`, and the position for finding the next one.
pub(crate) fn name_around<'t>(
    text: &Text<'t>,
    hit: Range<usize>,
    kinds: &mut Kinds<'t>,
) -> (Option<Name>, usize) {
    let part = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    let end = text.run(hit.end, 64, part);
    let start = text.run_back(hit.start, 64, part);
    let bytes = text.slice(start..end);
    // Signs at the ends of a name don't belong to it, such as the dashes of `--password`.
    let joint = |b: &u8| b"_.-".contains(b);
    let own = start + bytes.iter().take_while(|b| joint(b)).count();
    let last = end - bytes.iter().rev().take_while(|b| joint(b)).count();
    let mut of = |own: usize| {
        (own < last)
            .then(|| named(text, own, last, kinds))
            .flatten()
    };
    // In `\npassword`, the `n` belongs to the escape rather than to the name.
    let is_escaped = is_escaped(text, &(own + 1..end));
    let name = of(own).or_else(|| is_escaped.then(|| of(own + 1)).flatten());
    (name, end)
}

/// Results of judging names, with `true` for a plural.
///
/// They're cached, because a text tends to use the same few names over and over.
pub(crate) type Kinds<'t> = BTreeMap<&'t [u8], Option<(Kind, bool)>>;

/// Checks whether the name between `start` and `end` promises a secret.
///
/// Before a last word `key`, another word may belong to the name, as in `API key`.
fn named<'t>(text: &Text<'t>, start: usize, end: usize, kinds: &mut Kinds<'t>) -> Option<Name> {
    let name = text.slice(start..end);
    let mut of = |start: usize| {
        let name = text.slice(start..end);
        let kind = kinds.entry(name).or_insert_with(|| {
            let one = kind_of(name).map(|kind| (kind, false));
            one.or_else(|| kind_of_several(name).map(|kind| (kind, true)))
        });
        let (kind, is_plural) = (*kind)?;
        Some(Name {
            start,
            end,
            kind,
            is_plural,
        })
    };
    // `key` alone can mean anything, so the word before it decides.
    let is_key = name.eq_ignore_ascii_case(b"key") || name.eq_ignore_ascii_case(b"keys");
    if !is_key || !text.slice(0..start).ends_with(b" ") {
        return of(start);
    }
    of(text.run_back(start - 1, 16, |b| b.is_ascii_alphabetic()))
}

impl Name {
    /// Returns the end of the name including its quotes and brackets, e.g. in `"password"`,
    /// `['password']` and `password[32]`.
    pub(crate) fn closed(&self, text: &Text<'_>) -> usize {
        let sized = if text.get(self.end) == Some(b'[') {
            text.run(self.end + 1, 8, |b| b.is_ascii_digit())
        } else {
            self.end
        };
        let from = if text.get(sized) == Some(b']') {
            sized
        } else {
            self.end
        };
        let closed = text.run(from, 6, |b| b"\\\"'`])".contains(&b));
        // Markdown: `**Password**: …`. HTML: `<b>Password</b>: …`.
        let marked = text.run(closed, 2, |b| b"*_".contains(&b));
        let marked = if marked > closed {
            marked
        } else {
            after_tag(text, closed)
        };
        if marked > closed && text.get(marked) == Some(b':') {
            return marked;
        }
        if text.get(closed) == Some(b'}') && self.is_in_hash(text) {
            closed + 1
        } else {
            closed
        }
    }

    /// Returns true for a key of a Perl hash, such as `$ENV{password}` and `$self->{password}`.
    fn is_in_hash(&self, text: &Text<'_>) -> bool {
        let quote = text.run_back(self.start, 1, |b| b"\"'".contains(&b));
        let Some(open) = quote
            .checked_sub(1)
            .filter(|at| text.get(*at) == Some(b'{'))
        else {
            return false;
        };
        let hash = text.run_back(open, 32, |b| b.is_ascii_alphanumeric() || b == b'_');
        match text.slice(0..hash) {
            [.., b'-', b'>'] => hash == open,
            [.., b'$'] => hash < open,
            _ => false,
        }
    }

    /// Returns true if `pwd` is the command (`$(pwd)`, `$(shell pwd)`) or its result (`$ENV{PWD}`,
    /// `PWD=/srv`).
    pub(crate) fn is_current_folder(&self, text: &Text<'_>) -> bool {
        let before = || text.slice(self.start.saturating_sub(8)..self.start);
        match text.slice(self.start..self.end) {
            _ if !is_on("redact.current_folder") => false,
            b"PWD" | b"OLDPWD" => {
                let value = text.run(self.end, 8, |b| is_blank(b) || b"\"'=:".contains(&b));
                // In a connection string, it's the password: `UID=sa;PWD=…`.
                let is_parameter = text.slice(0..self.start).ends_with(b";");
                (matches!(text.get(value), Some(b'/' | b'~')) && !is_parameter)
                    || self.is_in_hash(text)
            }
            b"pwd" => before().ends_with(b"$(") || before().ends_with(b"$(shell "),
            _ => false,
        }
    }

    pub(crate) fn is_quoted(&self, text: &Text<'_>, closed: usize) -> bool {
        let before = text.run_back(self.start, 2, |b| b == b'-');
        let quote = before.checked_sub(1).and_then(|at| text.get(at));
        closed > self.end && quote.is_some_and(|quote| b"\"'`".contains(&quote))
    }

    /// Returns true if only the start of an entry, such as a dash, precedes the name on its line.
    pub(crate) fn has_line(&self, text: &Text<'_>) -> bool {
        text.slice(line_start(text, self.start)..self.start)
            .iter()
            .all(|b| is_blank(*b) || b"-\"'".contains(b))
    }

    /// Returns true if the line of the name begins with the heading statement of a code block, such
    /// as `class Password:`.
    pub(crate) fn heads_block(&self, text: &Text<'_>) -> bool {
        let line = text.slice(line_start(text, self.start)..self.start);
        let first = line.trim_ascii_start().split(|b| is_blank(*b)).next();
        first.is_some_and(|word| words().block_statements.has_bytes(word))
    }
}

/// Skips the tag at `at` (`</b>`, `<code>`). Returns `at` itself without a tag.
pub(crate) fn after_tag(text: &Text<'_>, at: usize) -> usize {
    const TAGS: [&[u8]; 10] = [
        b"b", b"strong", b"em", b"i", b"u", b"code", b"tt", b"kbd", b"samp", b"span",
    ];
    if text.get(at) != Some(b'<') {
        return at;
    }
    let start = text.run(at + 1, 1, |b| b == b'/');
    let end = text.run(start, 8, |b| b.is_ascii_lowercase());
    let is_tag = text.get(end) == Some(b'>') && TAGS.contains(&text.slice(start..end));
    if is_tag { end + 1 } else { at }
}
