//! Values that are secret because of their name. Each module has one of the forms in which
//! languages and formats assign a value:
//!
//! | module | form |
//! |---|---|
//! | `signs`, `spaced` | a sign, or only blanks, between name and value |
//! | `label` | a name with markup: `**Password:** …` |
//! | `call` | arguments of a function: `setPassword("…")` |
//! | `element` | XML |
//! | `entry` | name and value alone on a line |
//! | `pair` | name and value in two fields |
//! | `expression` | a default, a branch |
//! | `list`, `table` | several values below one name |
//! | `prose` | words of a sentence |
//!
//! `named` finds the name, `place` decides if there can be code at a place, and `literal` finds the
//! end of a value.

pub(crate) mod call;
pub(crate) mod element;
pub(crate) mod entry;
pub(crate) mod expression;
pub(crate) mod label;
pub(crate) mod list;
pub(crate) mod list_reach;
pub(crate) mod literal;
pub(crate) mod named;
pub(crate) mod pair;
pub(crate) mod place;
pub(crate) mod prose;
pub(crate) mod signs;
pub(crate) mod spaced;
pub(crate) mod table;

use std::ops::Range;

use crate::assign::expression::From;
use crate::assign::list::Lists;
use crate::assign::literal::{End, is_quoted, quoted, unquoted};
use crate::assign::named::Name;
use crate::assign::signs::{after_type, sign};
use crate::scanned_text::{Text, is_line_end};
use crate::value::Form;

impl Name {
    /// Returns the secret given to the name. If an expression, list or table may give one of
    /// several, any others go to `more`.
    pub(crate) fn value(
        &self,
        text: &Text<'_>,
        lists: &mut Lists,
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        let closed = self.closed(text);
        if self.is_current_folder(text) || self.is_verdict(text) || self.is_of_amazon(text) {
            return None;
        }
        if self.is_plural {
            let secrets = lists.secrets(text, self, text.blanks(closed));
            return first_of(secrets, more);
        }
        let value = self.one(text, closed, more);
        value.or_else(|| first_of(lists.tables.secrets(text, self, closed), more))
    }

    /// Returns the secret given to the name as its only value, behind the end of the name at
    /// `closed`.
    fn one(
        &self,
        text: &Text<'_>,
        closed: usize,
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        let at = text.blanks(closed);
        if let Some(value) = label::value(text, self, closed) {
            return Some(value);
        }
        if text.starts_with(at, b"</") {
            return element::behind(text, self, at);
        }
        if text.get(at) == Some(b'>') || (at > self.end && element::is_tag(text, self)) {
            return element::of_name(text, self, at);
        }
        if at > closed
            && element::is_key(text, self)
            && let Some(value) = element::of_name(text, self, at)
        {
            return Some(value);
        }
        if let Some(sign) = sign(text, at) {
            return self.assigned(text, closed, at, sign, more);
        }
        if expression::has_alternative(text, closed, at) {
            let from = From::Name {
                is_word: prose::is_word(text, self),
                is_variable: self.is_variable(text, closed),
            };
            let value = self.given(text, at, from, more);
            if value.is_some() {
                return value;
            }
        }
        if text.get(at) == Some(b',') && self.is_quoted(text, closed) {
            let form = if place::is_option(text, self) || call::is_being_defined(text, self) {
                Form::Literal
            } else if call::is_given(text, self) {
                Form::Given
            } else {
                Form::Argument
            };
            let value = quoted(text, text.white(at + 1), self.kind, form);
            return value.or_else(|| pair::value_beside(text, self, closed));
        }
        if text.get(at) == Some(b'(') && at == self.end && call::is_setter(text, self) {
            return quoted(text, text.white(at + 1), self.kind, Form::Given);
        }
        spaced::value(text, self, closed, at)
    }

    /// Returns the first of the secrets given by an expression, and adds the others to `more`.
    fn given(
        &self,
        text: &Text<'_>,
        at: usize,
        from: From,
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        first_of(expression::secrets(text, at, self.kind, from), more)
    }

    /// Returns the value behind a sign.
    fn assigned(
        &self,
        text: &Text<'_>,
        closed: usize,
        at: usize,
        sign: &[u8],
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        let after = at + sign.len();
        let colon = sign.ends_with(b":");
        // As in `[type="password"]:focus`.
        if colon
            && text.get(closed - 1) == Some(b']')
            && text.get(after).is_some_and(|b| b.is_ascii_lowercase())
        {
            return None;
        }
        // As in AsciiDoc's `Password:: …`.
        if colon
            && text.get(after) == Some(b':')
            && text.get(after + 1) == Some(b' ')
            && self.has_line(text)
        {
            return self.behind_colon(text, after + 1, text.blanks(after + 1));
        }
        // `${PASSWORD:+word}` only tests if there's a value.
        if colon && matches!(text.get(after), Some(b':' | b'+')) {
            return None;
        }
        if colon
            && let Some(value) =
                after_type(text, after).and_then(|at| literal::any(text, at, self.kind))
        {
            return Some(value);
        }
        let value = text.blanks(after);
        // A docstring may follow the colon, as in `def f(password):` or `class Password:`.
        let is_list = colon && text.slice(self.end..closed).contains(&b')');
        let broken = text.get(value).is_some_and(is_line_end);
        if broken && (is_list || (colon && closed == self.end && self.heads_block(text))) {
            return None;
        }
        let value = if broken { text.white(value) } else { value };
        if let Some(inside) = literal::bracketed(text, value, self.kind) {
            return Some(inside);
        }
        let expression = From::Start { own_line: !broken };
        if broken || is_quoted(text, value) {
            // The lines below a colon may be a block of code.
            if colon && !is_quoted(text, value) {
                let is_entry = broken && sign == b":" && self.has_line(text);
                return is_entry.then(|| entry::below(text, self, value)).flatten();
            }
            return self.given(text, value, expression, more);
        }
        let given = |more| self.given(text, value, expression, more);
        if !colon {
            let word = self.behind_equals(text, closed, at..after, value);
            return word.or_else(|| given(more));
        }
        self.behind_colon(text, after, value).or_else(|| {
            // The colon of a function ends its line.
            let is_there = text.get(value).is_some_and(|b| !is_line_end(b));
            is_there.then(|| given(more)).flatten()
        })
    }

    /// Returns the unquoted value at `value`, behind a `sign` other than a colon.
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
        let word = unquoted(text, value, self.kind, form, end);
        if !self.has_line(text) {
            word
        } else if tight {
            entry::to_line_end(text, self, value, form, word)
        } else {
            word
        }
    }

    /// Returns the unquoted value at `value`, behind a colon that ends at `sign`.
    fn behind_colon(&self, text: &Text<'_>, sign: usize, value: usize) -> Option<Range<usize>> {
        if matches!(text.get(value), Some(b'|' | b'>'))
            && let Some(block) = literal::block(text, self.start, value, self.kind)
        {
            return Some(block);
        }
        entry::phrase(text, self, sign, value)
            .or_else(|| unquoted(text, value, self.kind, Form::Bare, End::Next))
            .or_else(|| {
                (value > sign && self.has_line(text))
                    .then(|| entry::word(text, self, value))
                    .flatten()
            })
    }
}

/// Returns the first of several secrets, and adds the others to `more`.
fn first_of(secrets: Vec<Range<usize>>, more: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
    let mut secrets = secrets.into_iter();
    let first = secrets.next();
    more.extend(secrets);
    first
}
