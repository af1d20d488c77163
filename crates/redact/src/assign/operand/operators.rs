//! What signs and brackets say of an expression: whether a literal behind them gives its value, and how.

use super::brackets::Bracket;
use super::reader::{Reader, Token};
use super::{EXPRESSION, From};
use crate::assign::named::plain;
use crate::name::tells_of_secret;
use crate::scanned_text::is_line_end;
use crate::value::Form;
use crate::words::words;

impl Reader<'_, '_> {
    /// How a literal is a value that stands in a list.
    pub(super) fn element(&self) -> Form {
        if self.is_list() {
            Form::Element
        } else {
            Form::Argument
        }
    }

    /// How a literal is one behind a key of a list, if that does not say that there is something about a secret.
    fn behind_key(&self) -> Option<Form> {
        let is_about = self.is_list() && tells_of_secret(self.text.slice(self.key.clone()));
        (!is_about).then(|| self.element())
    }

    /// How a literal would be a value that stands behind `sign`, to be taken where there is nothing else.
    pub(super) fn otherwise(&self, sign: &[u8]) -> Form {
        match self.from {
            From::Name {
                is_word,
                is_variable,
            } => match (is_word && sign == b"or", is_variable) {
                (true, _) => Form::Argument,
                (false, true) => Form::Fallback,
                (false, false) => Form::Literal,
            },
            _ => Form::Literal,
        }
    }

    /// A bracket that opens: what stands before says what is in it.
    pub(super) fn open(&mut self, bracket: u8) -> bool {
        let callee = match &self.last {
            Token::Word(word) => Some(plain(self.text.slice(word.clone()))),
            _ => None,
        };
        // What stands in a list without a function in front is a part of it: `[("bob", "…")]`.
        let is_list = self.is_list()
            && callee.is_none()
            && match self.brackets.inside() {
                None => self.last == Token::Sign,
                around => around == Some(Bracket::List) && self.last != Token::Close,
            };
        let branch = bracket == b'{' && self.gives.is_some();
        let (kind, gives) = match (bracket, callee) {
            _ if is_list => (Bracket::List, Some(Form::Element)),
            (b'[', None) if self.last == Token::Sign => (Bracket::List, Some(self.element())),
            (b'(' | b'{', Some(name)) if words().defaults.has(&name) => {
                (Bracket::Default, Some(Form::Literal))
            }
            (b'(', Some(name)) if words().lookups.has(&name) => (Bracket::Lookup, None),
            (b'(', _) => (Bracket::Plain, None),
            (b'{', Some(_)) => (Bracket::Plain, Some(Form::Literal)),
            (b'{', None) if branch || self.last == Token::Close => {
                (Bracket::Plain, Some(Form::Literal))
            }
            _ => (Bracket::Other, None),
        };
        self.enter(bracket, kind, gives)
    }

    /// Goes on in brackets; whether that can be followed.
    pub(super) fn enter(&mut self, sign: u8, what: Bracket, gives: Option<Form>) -> bool {
        self.brackets.enter(sign, what) && self.sign(1, gives)
    }

    /// A bracket that closes.
    pub(super) fn close(&mut self, bracket: u8) -> bool {
        let Some(opened) = self.brackets.leave() else {
            return false;
        };
        let opens = match bracket {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        if self.is_list() && opened != opens {
            return false;
        }
        self.gives = None;
        self.last = Token::Close;
        self.at += 1;
        if self.is_list() && self.brackets.depth() == 0 {
            self.end = self.end.min(self.at + EXPRESSION);
        }
        true
    }

    /// A comma, which ends an expression that no brackets are around.
    pub(super) fn comma(&mut self) -> bool {
        let Some(inside) = self.brackets.part() else {
            return false;
        };
        let gives = match inside {
            Bracket::List => Some(self.element()),
            Bracket::Default | Bracket::Lookup => Some(Form::Argument),
            Bracket::Plain | Bracket::Rest | Bracket::Other => None,
        };
        self.is_choice = false;
        self.sign(1, gives)
    }

    /// A sign that is no bracket.
    pub(super) fn operator(&mut self, b: u8) -> bool {
        let text = self.text;
        let inside = self.brackets.inside();
        let is_sign = |sign: &[u8]| text.starts_with(self.at, sign);
        if is_sign(b"||") || is_sign(b"??") || is_sign(b"?:") {
            return self.sign(2, Some(self.otherwise(b"||")));
        }
        if is_sign(b"?.") || is_sign(b"::") {
            return self.sign(2, None);
        }
        if is_sign(b"=>") || is_sign(b"->") {
            let is_body = self.last == Token::Close || inside == Some(Bracket::Default);
            let gives = match inside {
                Some(Bracket::List) => self.behind_key(),
                _ => is_body.then_some(Form::Literal),
            };
            return self.sign(2, gives);
        }
        if is_sign(b"==") || is_sign(b"!=") || is_sign(b"<=") || is_sign(b">=") {
            return self.sign(2, None);
        }
        match b {
            // The parameters of a closure.
            b'|' if inside == Some(Bracket::Default) && self.gives.is_some() => {
                let end = text.run(self.at + 1, 24, |b| b != b'|' && !is_line_end(b));
                self.sign(end + 1 - self.at, self.gives)
            }
            b'|' => {
                self.gives = None;
                self.last = Token::Pipe;
                self.at += 1;
                true
            }
            b'?' => {
                self.is_choice = true;
                self.sign(1, Some(Form::Literal))
            }
            b':' if self.is_choice => self.sign(1, Some(Form::Literal)),
            b':' if inside == Some(Bracket::List) => self.sign(1, self.behind_key()),
            b'=' if self.is_list() && inside == Some(Bracket::List) => {
                self.sign(1, self.behind_key())
            }
            b':' | b'=' => {
                let is_default = match &self.last {
                    Token::Word(word) => words().arguments.has(&plain(text.slice(word.clone()))),
                    _ => false,
                };
                let is_known = !self.brackets.are_around(Bracket::Other);
                self.sign(1, None);
                self.gives = (is_default && is_known).then_some(Form::Argument);
                true
            }
            b'+' | b'.' | b'&' if self.last == Token::Literal && !self.pieces.is_empty() => {
                self.sign(1, Some(self.pieces.form()))
            }
            _ => {
                self.gives = None;
                self.last = Token::Other;
                self.at += 1;
                true
            }
        }
    }

    /// Goes on behind a sign of some bytes.
    pub(super) fn sign(&mut self, length: usize, gives: Option<Form>) -> bool {
        self.gives = gives.filter(|_| !self.brackets.are_beside());
        self.last = Token::Sign;
        self.at += length;
        true
    }
}
