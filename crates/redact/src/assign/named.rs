//! The names of secrets in a text, with their ends and their surroundings on the line.

use std::collections::BTreeMap;
use std::ops::Range;
use windlass_base::is_on;

use crate::assign::literal::line_start;
use crate::name::{kind_of, kind_of_several};
use crate::name_kind::Kind;
use crate::scanned_text::{Text, after_line, is_blank, is_line_end};
use crate::value::shape::{is_verdict, is_verdict_of_file};
use crate::words::words;

/// A name that promises a secret.
pub(crate) struct Name {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
    /// True for a plural, such as `passwords`.
    pub(crate) is_plural: bool,
}

/// Returns the name around the stem at `hit`, and the position to continue from.
pub(crate) fn name_around<'t>(
    text: &Text<'t>,
    hit: Range<usize>,
    kinds: &mut Kinds<'t>,
) -> (Option<Name>, usize) {
    let part = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    let end = text.run(hit.end, 64, part);
    let start = text.run_back(hit.start, 64, part);
    let bytes = text.slice(start..end);
    let joint = |b: &u8| b"_.-".contains(b);
    let own = start + bytes.iter().take_while(|b| joint(b)).count();
    let last = end - bytes.iter().rev().take_while(|b| joint(b)).count();
    let name = (own < last)
        .then(|| named(text, own, last, kinds))
        .flatten();
    (name, end)
}

/// The kinds of names in a text, with `true` for a plural. We cache them, since a text uses few
/// names over and over.
pub(crate) type Kinds<'t> = BTreeMap<&'t [u8], Option<(Kind, bool)>>;

/// Returns the name between `start` and `end` if it promises a secret. The name of an `API key`
/// includes the word in front.
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
    let is_key = name.eq_ignore_ascii_case(b"key") || name.eq_ignore_ascii_case(b"keys");
    if !is_key || !text.slice(0..start).ends_with(b" ") {
        return of(start);
    }
    of(text.run_back(start - 1, 16, |b| b.is_ascii_alphabetic()))
}

impl Name {
    /// Returns the end of the name after any quotes and brackets that belong to it, as in
    /// `"password"`, `['password']` and `password[32]`.
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
        if text.get(closed) == Some(b'}') && self.is_in_hash(text) {
            closed + 1
        } else {
            closed
        }
    }

    /// True for a key of a Perl hash, as in `$ENV{password}` and `$self->{password}`.
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

    /// True if `pwd` is the command (`$(pwd)`, `$(shell pwd)`) or its result (`$ENV{PWD}`,
    /// `PWD=/srv`).
    pub(crate) fn is_current_folder(&self, text: &Text<'_>) -> bool {
        if !is_on("redact.current_folder") {
            return false;
        }
        let own = text.slice(self.start..self.end);
        if own == b"PWD" && self.is_in_hash(text) {
            return true;
        }
        if own == b"PWD" || own == b"OLDPWD" {
            // In connection strings, it's the password: `UID=sa;PWD=…;`.
            let before = text.slice(0..self.start).trim_ascii_end();
            let value = text.run(self.end, 8, |b| is_blank(b) || b"\"'=:".contains(&b));
            let end = text.run(value, 256, |b| {
                !b.is_ascii_whitespace() && !b"\"'".contains(&b)
            });
            let path = text.slice(value..end);
            return matches!(path.first(), Some(b'/' | b'~'))
                && !before.ends_with(b";")
                && !path
                    .trim_ascii_end()
                    .iter()
                    .rev()
                    .skip(1)
                    .any(|b| *b == b';');
        }
        let before = text.slice(self.start.saturating_sub(8)..self.start);
        let is_called = before.ends_with(b"$(") || before.ends_with(b"$(shell ");
        is_called && text.slice(self.start..self.end) == b"pwd" && text.get(self.end) == Some(b')')
    }

    /// True if the name is part of an AWS type (`AWS::SecretsManager::Secret`) or resource
    /// (`arn:aws:…:secret:name`). These are followed by a hash or a name.
    pub(crate) fn is_of_amazon(&self, text: &Text<'_>) -> bool {
        if !is_on("redact.amazon") {
            return false;
        }
        const LONGEST: usize = 128;
        let in_name = |b: u8| b.is_ascii_alphanumeric() || b":/_-".contains(&b);
        let start = text.run_back(self.start, LONGEST, in_name);
        text.slice(start..self.start).ends_with(b":")
            && (text.starts_with(start, b"AWS::") || text.starts_with(start, b"arn:aws"))
    }

    /// True if the name is the verdict of a test, as in `--- PASS: TestLogin (0.00s)`, or
    /// `PASS: tests/login.c` on a line of its own.
    pub(crate) fn is_verdict(&self, text: &Text<'_>) -> bool {
        if !is_on("redact.verdict") {
            return false;
        }
        let before = text.slice(0..self.start);
        text.slice(self.start..self.end) == b"PASS"
            && text.get(self.end) == Some(b':')
            && (before.ends_with(b"--- ")
                || (before.last().is_none_or(|b| is_line_end(*b)) && self.is_of_tests(text)))
    }

    /// True if the line is a verdict on a file, or one of two verdicts in a row, which passwords
    /// don't come in.
    fn is_of_tests(&self, text: &Text<'_>) -> bool {
        const LINE: usize = 256;
        let line = |at: usize| text.slice(at..text.run(at, LINE, |b| !is_line_end(b)));
        let own = line(self.start);
        let below = after_line(text, self.start + own.len()).min(text.bytes.len());
        let above = text.run_back(self.start.saturating_sub(1), LINE, |b| !is_line_end(b));
        is_verdict(own)
            && (is_verdict_of_file(own)
                || is_verdict(line(below))
                || (above < self.start && is_verdict(line(above))))
    }

    pub(crate) fn is_quoted(&self, text: &Text<'_>, closed: usize) -> bool {
        let before = text.run_back(self.start, 2, |b| b == b'-');
        let quote = before.checked_sub(1).and_then(|at| text.get(at));
        closed > self.end && quote.is_some_and(|quote| b"\"'`".contains(&quote))
    }

    /// True if there's nothing before the name on its line except the start of an entry.
    pub(crate) fn has_line(&self, text: &Text<'_>) -> bool {
        text.slice(line_start(text, self.start)..self.start)
            .iter()
            .all(|b| is_blank(*b) || b"-\"'".contains(b))
    }

    /// True if the line of the name begins with a statement that has a block of code below it, such
    /// as `class Password:`.
    pub(crate) fn heads_block(&self, text: &Text<'_>) -> bool {
        let line = text.slice(line_start(text, self.start)..self.start);
        let first = line.trim_ascii_start().split(|b| is_blank(*b)).next();
        first.is_some_and(|word| words().block_statements.has_bytes(word))
    }

    /// True if the name is a variable in code. The words after a variable may be a message about a
    /// missing secret (`secret || "no such …"`), while those after a setting are its default.
    pub(crate) fn is_variable(&self, text: &Text<'_>, closed: usize) -> bool {
        let name = text.slice(self.start..self.end);
        let own = memchr::memrchr(b'.', name).map_or(0, |dot| dot + 1);
        closed == self.end && name[own..].iter().any(u8::is_ascii_lowercase)
    }
}

/// Returns a name in lower case and without underscores.
pub(crate) fn plain(name: &[u8]) -> String {
    let letters = name.iter().filter(|b| **b != b'_');
    letters
        .map(|b| char::from(b.to_ascii_lowercase()))
        .collect()
}
