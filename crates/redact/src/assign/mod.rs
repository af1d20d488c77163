//! Finds secrets by their name. Each module is for one form of assignment in languages and formats:
//!
//! | module | form |
//! |---|---|
//! | `signs`, `spaced` | a sign, or only blanks, between name and value |
//! | `element` | XML |
//! | `entry` | name and value alone on a line |
//! | `pair` | name and value in two fields |
//! | `alternatives` | a default, a branch |
//! | `list`, `table` | several values below one name |
//! | `sentence` | words of a sentence |
//!
//! `named` finds the name, `place` decides whether a value may be code, and `literal` finds the end
//! of a value.

pub(crate) mod alternatives;
pub(crate) mod element;
pub(crate) mod entry;
pub(crate) mod list;
pub(crate) mod literal;
pub(crate) mod named;
pub(crate) mod pair;
pub(crate) mod place;
pub(crate) mod sentence;
pub(crate) mod signs;
pub(crate) mod spaced;
pub(crate) mod table;

use std::ops::Range;

use crate::assign::literal::{End, is_quoted, quoted, unquoted};
use crate::assign::named::Name;
use crate::assign::signs::{after_type, sign};
use crate::scanned_text::{Text, is_line_end};
use crate::value::Form;

impl Name {
    /// Finds the secret assigned to the name.
    ///
    /// An expression, a list or a table may assign several. All but the first are then added to
    /// `more`. `read` is the end of the lists and tables read so far. Otherwise, they would be read
    /// again for each name inside.
    pub(crate) fn value(
        &self,
        text: &Text<'_>,
        read: &mut usize,
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        let closed = self.closed(text);
        // E.g. `--- PASS: TestLogin`, Go's verdict on a test.
        let is_verdict = text.slice(0..self.start).ends_with(b"--- ");
        if is_verdict || self.is_current_folder(text) {
            return None;
        }
        let one = (!self.is_plural).then(|| self.one(text, closed, more));
        if let Some(value) = one.flatten() {
            return Some(value);
        }
        // The name is inside a list or table that we've already read for an earlier name.
        if self.start < *read {
            return None;
        }
        let (secrets, end) = match self.is_plural {
            true => list::secrets(text, self, text.blanks(closed)),
            false => table::secrets(text, self, closed),
        };
        *read = end;
        first_of(secrets, more)
    }

    /// Handles names of a single value, as opposed to lists and tables.
    ///
    /// The name, including its quotes and brackets, ends at `closed`.
    fn one(
        &self,
        text: &Text<'_>,
        closed: usize,
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        let at = text.blanks(closed);
        if let Some(value) = element::value(text, self) {
            return Some(value);
        }
        if let Some(sign) = sign(text, at) {
            return self.assigned(text, closed, at, sign, more);
        }
        if alternatives::has_alternative(text, closed, at) {
            let form = match text.starts_with(at, b"or") && sentence::is_word(text, self) {
                true => Form::Argument,
                false => Form::Literal,
            };
            let given = alternatives::secrets(text, at, (self.kind, form), true);
            if !given.is_empty() {
                return first_of(given, more);
            }
        }
        // E.g. `["--password", "…"]` and `define('PASSWORD', '…')`, or `setPassword("…")`.
        let is_listed = text.get(at) == Some(b',') && self.is_quoted(text, closed);
        if is_listed || (text.get(at) == Some(b'(') && at == self.end) {
            let form = match place::is_option(text, self) {
                true => Form::Literal,
                false => Form::Argument,
            };
            let value = quoted(text, text.white(at + 1), self.kind, form);
            return value.or_else(|| pair::value_beside(text, self, closed));
        }
        spaced::value(text, self, closed, at)
    }

    fn assigned(
        &self,
        text: &Text<'_>,
        closed: usize,
        at: usize,
        sign: &[u8],
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        let colon = sign.ends_with(b":");
        // AsciiDoc: `Password:: …`.
        let is_double = sign == b":" && at == closed && text.starts_with(at, b":: ");
        let after = at + sign.len() + usize::from(is_double);
        let next = text.get(after);
        // A colon can also follow a selector such as `[type="password"]:focus`. `${PASSWORD:+word}`
        // only tests for a value.
        let is_style = text.get(closed - 1) == Some(b']');
        if colon && next.is_some_and(|b| b":+".contains(&b) || (is_style && b.is_ascii_lowercase()))
        {
            return None;
        }
        let typed = colon.then(|| after_type(text, after)).flatten();
        if let Some(value) = typed.and_then(|at| literal::any(text, at, self.kind)) {
            return Some(value);
        }
        // Markdown: `**Password:** …`. HTML: `<b>Password</b>: <code>…`.
        let mark = text.run(after, 2, |b| colon && b"*_".contains(&b));
        let tag = if colon {
            named::after_tag(text, mark)
        } else {
            mark
        };
        let is_page = tag > mark || text.get(closed - 1) == Some(b'>');
        let value = match text.blanks(tag) {
            value if colon && is_page => named::after_tag(text, value),
            value => value,
        };
        // After `def f(password):` or `class Password:`, don't mistake a docstring for the value.
        let is_list = colon && text.slice(self.end..closed).contains(&b')');
        let broken = text.get(value).is_some_and(is_line_end);
        if broken && (is_list || (colon && closed == self.end && self.heads_block(text))) {
            return None;
        }
        let value = if broken { text.white(value) } else { value };
        let mut given = || {
            let mut secrets = match text.get(value) {
                Some(b'[') => list::literals(text, value, self.kind),
                _ => Vec::new(),
            };
            if secrets.is_empty() {
                secrets = alternatives::secrets(text, value, (self.kind, Form::Literal), !broken);
            }
            first_of(secrets, more)
        };
        if is_quoted(text, value) || text.get(value) == Some(b'[') {
            let value = given();
            if value.is_some() || !broken {
                return value;
            }
        }
        if !colon {
            let word = (!broken).then(|| self.behind_equals(text, closed, at..after, value));
            return word.flatten().or_else(given);
        }
        // The text below a colon may be a block of code.
        if broken {
            return None;
        }
        // A colon at the end of its line belongs to a function, without an expression to read.
        let is_there = text.get(value).is_some_and(|b| !is_line_end(b));
        let end = if is_page { End::Tag } else { End::Next };
        let word = self.behind_colon(text, after, value, end);
        word.or_else(|| is_there.then(given).flatten())
    }

    /// Handles unquoted values after a `sign` that does not end with a colon.
    fn behind_equals(
        &self,
        text: &Text<'_>,
        closed: usize,
        sign: Range<usize>,
        value: usize,
    ) -> Option<Range<usize>> {
        let is_tight = sign.start == self.end && value == sign.end;
        let tight = text.slice(sign) == b"=" && is_tight;
        let (form, end) = place::behind_sign(text, self, closed, tight);
        let is_entry = tight && self.has_line(text);
        let word = unquoted(text, value, self.kind, form, end);
        if !is_entry {
            return word;
        }
        let whole = entry::to_line_end(text, self, value, form, word);
        whole.or_else(|| entry::word(text, self, value))
    }

    /// Handles unquoted values after a colon. `sign` is its end.
    fn behind_colon(
        &self,
        text: &Text<'_>,
        sign: usize,
        value: usize,
        end: End,
    ) -> Option<Range<usize>> {
        if let Some(block) = literal::block(text, self.start, value, self.kind) {
            return Some(block);
        }
        let word = unquoted(text, value, self.kind, Form::Bare, end);
        if value == sign || !self.has_line(text) {
            return word;
        }
        let whole = entry::to_line_end(text, self, value, Form::Bare, word);
        whole.or_else(|| entry::word(text, self, value))
    }
}

fn first_of(secrets: Vec<Range<usize>>, more: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
    let mut secrets = secrets.into_iter();
    let first = secrets.next();
    more.extend(secrets);
    first
}
