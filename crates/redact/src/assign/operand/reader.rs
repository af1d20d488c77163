//! Reads an expression token by token: which of its literals may be its value.

use std::ops::Range;

use super::brackets::{Bracket, Brackets};
use super::joined::Pieces;
use super::{From, Words};
use crate::assign::list_reach::Reach;
use crate::assign::literal::{End, end_of, is_quoted, span, unquoted};
use crate::name::Kind;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::Form;
use crate::words::words;

/// What was read last.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A sign, behind which an operand has to stand.
    Sign,
    Word(Range<usize>),
    Literal,
    Close,
    /// What a template filters a value by comes next.
    Pipe,
    Other,
}

/// An expression that is read.
pub(super) struct Reader<'t, 'b> {
    pub(super) text: &'t Text<'b>,
    kind: Kind,
    pub(super) from: From,
    pub(super) at: usize,
    /// How far it may be read.
    pub(super) end: usize,
    pub(super) brackets: Brackets,
    /// How a literal that stood here would be a value, if it would be one.
    pub(super) gives: Option<Form>,
    pub(super) last: Token,
    /// In a list the word or the literal that was read last, which may be the key of what follows.
    pub(super) key: Range<usize>,
    /// Whether nothing was read yet.
    is_first: bool,
    /// Whether there was a `?`, so that a colon parts two values.
    pub(super) is_choice: bool,
    /// Whether the expression may go on behind the end of a line. It may once: who asks for a line looks at no more than
    /// the one before.
    may_break: bool,
    pub(super) pieces: Pieces,
    found: Vec<Range<usize>>,
}

impl<'t, 'b> Reader<'t, 'b> {
    pub(super) fn new(text: &'t Text<'b>, kind: Kind, from: From, range: Range<usize>) -> Self {
        Self {
            text,
            kind,
            from,
            at: range.start,
            end: range.end,
            brackets: Brackets::none(),
            gives: matches!(from, From::Start { .. }).then_some(Form::Literal),
            last: match from {
                From::Name { .. } => Token::Close,
                _ => Token::Sign,
            },
            key: range.start..range.start,
            is_first: true,
            is_choice: false,
            may_break: !matches!(from, From::Start { own_line: false }),
            pieces: Pieces::none(),
            found: Vec::new(),
        }
    }

    /// Reads the expression; its secrets, and where it was read to: to its end, or where it can be none.
    pub(super) fn read(mut self) -> (Vec<Range<usize>>, usize) {
        while self.at < self.end && self.step() {}
        self.settle();
        (self.found, self.at)
    }

    /// Reads a list, as far as its `reach` goes on while it is read.
    pub(super) fn read_on(mut self, reach: &mut Reach) -> (Vec<Range<usize>>, usize) {
        while self.at < self.end && self.step() {
            self.end = reach.end(self.text, self.at, self.found.len());
        }
        self.settle();
        (self.found, self.at)
    }

    /// Keeps the literals that were put together last, if they are a secret.
    fn settle(&mut self) {
        self.pieces.settle(self.text, self.kind, &mut self.found);
    }

    /// Whether it is a list, all of whose literals may be values.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.from, From::List(_))
    }

    /// Reads on; whether the expression may go on.
    fn step(&mut self) -> bool {
        let text = self.text;
        let at = self.at;
        let Some(b) = text.get(at) else { return false };
        if is_blank(b) {
            self.at = text.blanks(at);
            return true;
        }
        if is_line_end(b) {
            return self.line_end();
        }
        let is_first = std::mem::take(&mut self.is_first);
        if b"\"'`\\".contains(&b) || is_quoted(text, at) {
            return self.literal(is_first);
        }
        if self.is_defined_or() {
            return self.sign(2, Some(self.otherwise(b"//")));
        }
        if b == b'#' || text.starts_with(at, b"//") {
            self.at = text.run(at, self.end - at, |b| !is_line_end(b));
            return true;
        }
        if text.starts_with(at, b"/*") {
            return self.comment();
        }
        if self.bare() {
            return true;
        }
        if in_word(b) {
            self.word();
            return true;
        }
        match b {
            b'(' | b'[' | b'{' => self.open(b),
            b')' | b']' | b'}' => self.close(b),
            b',' => self.comma(),
            b';' => false,
            _ => self.operator(b),
        }
    }

    /// Whether the sign `//` stands here behind a variable of Perl's, and not before a comment: `$x // "…";`.
    fn is_defined_or(&self) -> bool {
        let text = self.text;
        if !text.starts_with(self.at, b"//") {
            return false;
        }
        let is_variable = match &self.last {
            Token::Word(word) => text.get(word.start) == Some(b'$'),
            Token::Close => self.text.slice(0..self.at).trim_ascii_end().ends_with(b"}"),
            _ => false,
        };
        let ends = |end: usize| matches!(text.get(text.blanks(end)), Some(b';' | b',' | b')'));
        is_variable && span(text, text.blanks(self.at + 2)).is_some_and(|span| ends(span.end))
    }

    /// A comment between `/*` and `*/`; whether it has an end.
    fn comment(&mut self) -> bool {
        let rest = self.text.window(self.at, self.end - self.at);
        let end = memchr::memmem::find(rest, b"*/");
        self.at += end.map_or(rest.len(), |end| end + 2);
        end.is_some()
    }

    /// A word without quotes where a value of a list may stand, if there is one: it is kept if it is a secret.
    fn bare(&mut self) -> bool {
        let is_value = self.brackets.inside() == Some(Bracket::List) && self.gives.is_some();
        let at_blank = match self.from {
            From::List(Words::Parted) if is_value => false,
            From::List(Words::Blank) if is_value && self.brackets.depth() == 1 => true,
            _ => return false,
        };
        let text = self.text;
        let in_value = |b: u8| !b.is_ascii_whitespace() && !b"\"'`,;[]{}()".contains(&b);
        let end = text.run(self.at, self.end - self.at, in_value);
        let next = text.get(text.blanks(end));
        let ends = next.is_none_or(|b| is_line_end(b) || b",]})#".contains(&b));
        let is_key = text.slice(self.at..end).ends_with(b":");
        if end == self.at || is_key || !(ends || at_blank) {
            return false;
        }
        self.settle();
        let form = if at_blank { Form::Element } else { Form::Bare };
        self.found
            .extend(unquoted(text, self.at, self.kind, form, End::Next));
        self.last = Token::Word(self.at..end);
        self.gives = at_blank.then_some(Form::Element);
        self.at = end;
        true
    }

    /// The end of a line: what it ends with, or the next begins with, says whether the expression goes on.
    fn line_end(&mut self) -> bool {
        let next = self.text.white(self.at);
        if self.is_list() && self.brackets.depth() > 0 {
            // What a change adds or leaves out has a sign in front of its lines.
            let is_first = next.checked_sub(1).and_then(|at| self.text.get(at));
            let is_changed = is_first.is_some_and(is_line_end)
                && matches!(self.text.get(next), Some(b'+' | b'-'));
            let next = if is_changed {
                self.text.blanks(next + 1)
            } else {
                next
            };
            let end = self.text.run(next, 16, in_word);
            let is_statement = self.text.get(end).is_some_and(is_blank)
                && words().statements.has_bytes(self.text.slice(next..end));
            self.at = next;
            return !is_statement;
        }
        let joins = |sign: &[u8]| self.text.starts_with(next, sign);
        let goes_on = self.last == Token::Sign
            || self.brackets.depth() > 0
            || [&b"||"[..], b"??", b"?", b"+", b".", b"or ", b"else "]
                .iter()
                .any(|sign| joins(sign))
            || (self.is_choice && joins(b":"));
        self.at = next;
        goes_on && std::mem::take(&mut self.may_break)
    }

    /// A literal, which is kept if it may be the value.
    fn literal(&mut self, is_first: bool) -> bool {
        let at = self.at;
        let Some(span) = span(self.text, at) else {
            // A long one, or one that is cut: nothing can be said of what is behind it, but in a list.
            if let Some(form) = self.gives.take() {
                self.settle();
                self.pieces.push(at, form);
            }
            let end = self.is_list().then(|| end_of(self.text, at, self.end));
            self.last = Token::Literal;
            self.at = end.flatten().unwrap_or(at);
            return self.at > at;
        };
        let is_joined = self.last == Token::Sign && !self.pieces.is_empty() && self.gives.is_some();
        if let Some(form) = self.gives.take() {
            if is_first || !self.is_key_or_compared(span.end) {
                if !(is_joined && self.is_put_together()) {
                    self.settle();
                }
                self.pieces.push(at, form);
            }
        } else {
            self.settle();
        }
        self.last = Token::Literal;
        self.at = span.end;
        // Nothing may stand between the values of a list.
        if self.is_list() && self.brackets.inside() == Some(Bracket::List) {
            self.gives = Some(Form::Element);
        }
        self.key = at..span.end;
        true
    }

    /// Whether the sign before this place puts literals together.
    fn is_put_together(&self) -> bool {
        let before = self.text.run_back(self.at, 64, |b| b.is_ascii_whitespace());
        before
            .checked_sub(1)
            .and_then(|at| self.text.get(at))
            .is_some_and(|b| b"+.&".contains(&b))
    }

    /// Whether what stands at `at`, behind a literal, compares it with something or makes it the name of something.
    fn is_key_or_compared(&self, at: usize) -> bool {
        let next = self.text.blanks(at);
        const SIGNS: [&[u8]; 7] = [b"==", b"!=", b"=>", b"in ", b"not ", b".join(", b".test("];
        let mut signs = SIGNS.iter();
        signs.any(|sign| self.text.starts_with(next, sign))
            || (!self.is_choice && self.text.get(next) == Some(b':'))
            || (self.is_list() && self.text.get(next) == Some(b'='))
    }

    /// A word, which may be one that gives another value.
    fn word(&mut self) {
        let text = self.text;
        if let Some(gives) = self.gives
            && let Some(wrapper) = words()
                .wrappers
                .iter()
                .find(|word| text.starts_with(self.at, word.as_bytes()))
        {
            self.at += wrapper.len() - 1;
            self.last = Token::Close;
            self.enter(b'(', Bracket::Plain, Some(gives));
            return;
        }
        let end = self.text.run(self.at, 64, in_word);
        let word = self.text.slice(self.at..end);
        self.key = self.at..end;
        let begins = self.at == 0 || self.text.get(self.at - 1).is_none_or(|b| b != b'.');
        let begins = begins && !self.brackets.are_beside();
        self.gives = match word {
            b"or" if begins => Some(self.otherwise(word)),
            b"else" if begins => Some(Form::Literal),
            b"default" if begins && self.last == Token::Pipe => Some(Form::Literal),
            _ => None,
        };
        let is_call = self.text.get(end) == Some(b'(');
        self.last = if self.gives.is_some() && !is_call {
            Token::Sign
        } else {
            Token::Word(self.at..end)
        };
        self.at = end;
    }
}

fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b == b'@' || !b.is_ascii()
}
