//! Values given by an expression among others. These are defaults (`env.X || "…"`, `get("X", "…")`,
//! `.unwrap_or("…")`), branches (`a ? "…" : "…"`, `x if y else "…"`), and concatenated literals
//! (`"…" + "…"`). Lists are read in the same way, but further.
//!
//! We read an expression token by token, and only enough of it to know which of its literals may be
//! its value. Those follow a sign or a word that introduces another value. A literal that something
//! is compared with or looked up by isn't a value: in `mode == "prod" ? "…" : ""`, `"prod"` stays.

use std::ops::Range;
use windlass_base::is_on;

use crate::assign::list_reach::Reach;
use crate::assign::literal::{End, end_of, is_quoted, quoted, span, unquoted};
use crate::assign::named::plain;
use crate::name::describes_secret;
use crate::name_kind::Kind;
use crate::scanned_text::{Text, is_blank, is_line_end};
use crate::value::Form;
use crate::words::words;

/// Maximum length of an expression, in bytes.
const EXPRESSION: usize = 256;

/// Maximum depth of brackets.
const DEPTH: usize = 8;

/// The notation of unquoted values in a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// Unquoted words aren't values.
    Quoted,
    /// Between commas or on lines of their own, as in YAML.
    Parted,
    /// Between blanks, as in a shell or in `qw(…)`.
    Blank,
}

/// The place where we start to read an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// At the start of the expression. `own_line` is true if it's on the same line as the name it's
    /// assigned to.
    Start { own_line: bool },
    /// At the first bracket of a list, with the notation of its values.
    List(Words),
    /// Behind the name of a secret, which is the first operand. The name may be a word that also
    /// occurs in sentences, or a variable that may be followed by a message about a missing secret.
    Name { is_word: bool, is_variable: bool },
}

/// Returns the secrets that the expression at `at` may evaluate to.
pub(crate) fn secrets(text: &Text<'_>, at: usize, kind: Kind, from: From) -> Vec<Range<usize>> {
    if !is_on("redact.expression") {
        return Vec::new();
    }
    let end = text.bytes.len().min(at.saturating_add(EXPRESSION));
    // Most of them have no literal at all.
    if memchr::memchr3(b'"', b'\'', b'`', &text.bytes[at.min(end)..end]).is_none() {
        return Vec::new();
    }
    Reader::new(text, kind, from, at..end).read(None).0
}

/// Returns the secrets in the list whose bracket opens at `at`, each judged by itself. Also returns
/// how far we've read: to the end of the list, or to where it can't be one.
pub(crate) fn listed(
    text: &Text<'_>,
    at: usize,
    kind: Kind,
    words: Words,
) -> (Vec<Range<usize>>, usize) {
    let mut reach = Reach::from(text, at);
    let end = reach.end(text, at, 0);
    Reader::new(text, kind, From::List(words), at..end).read(Some(reach))
}

/// True if the text at `at` introduces an alternative value, such as `||`, `or`, a method or a
/// template filter. It's behind the name of a secret that ends at `closed`.
pub(crate) fn has_alternative(text: &Text<'_>, closed: usize, at: usize) -> bool {
    text.starts_with(at, b"||")
        || text.starts_with(at, b"??")
        || (text.starts_with(at, b"//") && at > closed && is_quoted(text, text.blanks(at + 2)))
        || (text.starts_with(at, b"or") && text.get(at + 2).is_some_and(is_blank) && at > closed)
        || (text.get(at) == Some(b'.') && at == closed)
        || (text.get(at) == Some(b'|') && text.get(at + 1).is_some_and(is_blank) && at > closed)
}

/// The contents of brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// The values of a list, and the names of those values.
    List,
    /// Arguments used in place of a missing value.
    Default,
    /// Arguments of a lookup, which are a key and a default.
    Lookup,
    /// An expression, the arguments of some function, or a branch.
    Plain,
    /// Arguments after the first, one of which may be named as the default.
    Rest,
    /// An index or an object.
    Other,
}

/// The token read last.
#[derive(Clone, PartialEq, Eq)]
enum Token {
    /// A sign, which needs an operand behind it.
    Sign,
    Word(Range<usize>),
    Literal,
    Close,
    /// The pipe sign of a template, followed by the name of a filter.
    Pipe,
    Other,
}

/// The state of reading an expression.
struct Reader<'t, 'b> {
    text: &'t Text<'b>,
    kind: Kind,
    from: From,
    at: usize,
    /// End of the readable range.
    end: usize,
    /// The brackets around this place with their signs, outermost first.
    brackets: Vec<(u8, Bracket)>,
    /// The form of a literal at this place, or `None` if it wouldn't be a value.
    gives: Option<Form>,
    last: Token,
    /// In a list, the word or literal read last, which may be the key of whatever follows.
    key: Range<usize>,
    /// True until we've read the first token.
    is_first: bool,
    /// True after a `?`, since a colon separates two values then.
    is_choice: bool,
    /// True if the expression may continue after the end of a line. We allow this once, since
    /// callers that scan a line check at most the line before it.
    may_break: bool,
    /// The form of the literal read last.
    form: Form,
    found: Vec<Range<usize>>,
}

impl<'t, 'b> Reader<'t, 'b> {
    fn new(text: &'t Text<'b>, kind: Kind, from: From, range: Range<usize>) -> Self {
        Self {
            text,
            kind,
            from,
            at: range.start,
            end: range.end,
            brackets: Vec::new(),
            gives: matches!(from, From::Start { .. }).then_some(Form::Literal),
            last: match from {
                From::Name { .. } => Token::Close,
                _ => Token::Sign,
            },
            key: range.start..range.start,
            is_first: true,
            is_choice: false,
            may_break: !matches!(from, From::Start { own_line: false }),
            form: Form::Literal,
            found: Vec::new(),
        }
    }

    /// Reads the expression, or a list as far as its `reach` extends. Returns its secrets and how
    /// far we've read.
    fn read(mut self, mut reach: Option<Reach>) -> (Vec<Range<usize>>, usize) {
        while self.at < self.end && self.step() {
            if let Some(reach) = &mut reach {
                self.end = reach.end(self.text, self.at, self.found.len());
            }
        }
        (self.found, self.at)
    }

    /// Adds the literal at `at` if it's a secret.
    fn push(&mut self, at: usize, form: Form) {
        self.form = form;
        self.found.extend(quoted(self.text, at, self.kind, form));
    }

    /// Returns the contents of the innermost brackets.
    fn inside(&self) -> Option<Bracket> {
        self.brackets.last().map(|(_, inside)| *inside)
    }

    /// True if any of the brackets around this place have these `contents`.
    fn is_in(&self, contents: Bracket) -> bool {
        self.brackets.iter().any(|(_, inside)| *inside == contents)
    }

    /// True for a list, where each literal may be a value.
    fn is_list(&self) -> bool {
        matches!(self.from, From::List(_))
    }

    /// Reads the next token, and returns true if the expression may continue.
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

    /// True if the `//` at this place follows a Perl variable, as in `$x // "…";`. It's an operator
    /// then rather than a comment.
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

    /// Reads a comment between `/*` and `*/`, and returns true if it has an end.
    fn comment(&mut self) -> bool {
        let rest = self.text.window(self.at, self.end - self.at);
        let end = memchr::memmem::find(rest, b"*/");
        self.at += end.map_or(rest.len(), |end| end + 2);
        end.is_some()
    }

    /// Reads an unquoted list element, if there's one here, and adds it if it's a secret.
    fn bare(&mut self) -> bool {
        let is_value = self.inside() == Some(Bracket::List) && self.gives.is_some();
        let at_blank = match self.from {
            From::List(Words::Parted) if is_value => false,
            From::List(Words::Blank) if is_value && self.brackets.len() == 1 => true,
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
        let form = if at_blank { Form::Element } else { Form::Bare };
        self.found
            .extend(unquoted(text, self.at, self.kind, form, End::Next));
        self.last = Token::Word(self.at..end);
        self.gives = at_blank.then_some(Form::Element);
        self.at = end;
        true
    }

    /// Reads the end of a line. Returns true if the last token or the next line continues the
    /// expression.
    fn line_end(&mut self) -> bool {
        let next = self.text.white(self.at);
        if self.is_list() && !self.brackets.is_empty() {
            // Skip the signs at the start of lines in a diff.
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
            || !self.brackets.is_empty()
            || [&b"||"[..], b"??", b"?", b"+", b".", b"or ", b"else "]
                .iter()
                .any(|sign| joins(sign))
            || (self.is_choice && joins(b":"));
        self.at = next;
        goes_on && std::mem::take(&mut self.may_break)
    }

    /// Reads a literal, and adds it if it may be the value.
    fn literal(&mut self, is_first: bool) -> bool {
        let at = self.at;
        let Some(span) = span(self.text, at) else {
            // We can only read on behind a long or cut literal in a list.
            if let Some(form) = self.gives.take() {
                self.push(at, form);
            }
            let end = self.is_list().then(|| end_of(self.text, at, self.end));
            self.last = Token::Literal;
            self.at = end.flatten().unwrap_or(at);
            return self.at > at;
        };
        if let Some(form) = self.gives.take()
            && (is_first || !self.is_key_or_compared(span.end))
        {
            self.push(at, form);
        }
        self.last = Token::Literal;
        self.at = span.end;
        // Values of a list may follow each other directly.
        if self.is_list() && self.inside() == Some(Bracket::List) {
            self.gives = Some(Form::Element);
        }
        self.key = at..span.end;
        true
    }

    /// True if the sign at `at`, after a literal, compares the literal or makes it a key.
    fn is_key_or_compared(&self, at: usize) -> bool {
        let next = self.text.blanks(at);
        const SIGNS: [&[u8]; 7] = [b"==", b"!=", b"=>", b"in ", b"not ", b".join(", b".test("];
        let mut signs = SIGNS.iter();
        signs.any(|sign| self.text.starts_with(next, sign))
            || (!self.is_choice && self.text.get(next) == Some(b':'))
            || (self.is_list() && self.text.get(next) == Some(b'='))
    }

    /// Reads a word, which may introduce another value.
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
        let begins = begins && !(self.is_in(Bracket::Other) || self.is_in(Bracket::Rest));
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

    /// Returns the form of a literal that's an element of a list.
    fn element(&self) -> Form {
        if self.is_list() {
            Form::Element
        } else {
            Form::Argument
        }
    }

    /// Returns the form of a literal after the key of a list, or `None` if the key describes a
    /// secret instead of naming one.
    fn behind_key(&self) -> Option<Form> {
        let is_about = self.is_list() && describes_secret(self.text.slice(self.key.clone()));
        (!is_about).then(|| self.element())
    }

    /// Returns the form of a literal after `sign`, which introduces a default value.
    fn otherwise(&self, sign: &[u8]) -> Form {
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

    /// Opens a bracket. The text before it determines its contents.
    fn open(&mut self, bracket: u8) -> bool {
        let callee = match &self.last {
            Token::Word(word) => Some(plain(self.text.slice(word.clone()))),
            _ => None,
        };
        // In a list, a bracket without a function before it is an element, as in `[("bob", "…")]`.
        let is_list = self.is_list()
            && callee.is_none()
            && match self.inside() {
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

    /// Continues inside brackets. Returns true if we can follow them.
    fn enter(&mut self, sign: u8, what: Bracket, gives: Option<Form>) -> bool {
        self.brackets.push((sign, what));
        self.brackets.len() <= DEPTH && self.sign(1, gives)
    }

    /// Reads a closing bracket.
    fn close(&mut self, bracket: u8) -> bool {
        let Some((opened, _)) = self.brackets.pop() else {
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
        true
    }

    /// Reads a comma, which ends an expression outside brackets.
    fn comma(&mut self) -> bool {
        let Some((sign, contents)) = self.brackets.last_mut() else {
            return false;
        };
        let inside = *contents;
        if inside == Bracket::Plain {
            // The first argument of such a function is the source of its value.
            *contents = match sign {
                b'(' => Bracket::Rest,
                _ => Bracket::Other,
            };
        }
        let gives = match inside {
            Bracket::List => Some(self.element()),
            Bracket::Default | Bracket::Lookup => Some(Form::Argument),
            Bracket::Plain | Bracket::Rest | Bracket::Other => None,
        };
        self.is_choice = false;
        self.sign(1, gives)
    }

    /// Reads a sign that isn't a bracket.
    fn operator(&mut self, b: u8) -> bool {
        let text = self.text;
        let inside = self.inside();
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
            // These are the parameters of a closure.
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
                let is_known = !self.is_in(Bracket::Other);
                self.sign(1, None);
                self.gives = (is_default && is_known).then_some(Form::Argument);
                true
            }
            b'+' | b'.' | b'&' if self.last == Token::Literal => self.sign(1, Some(self.form)),
            _ => {
                self.gives = None;
                self.last = Token::Other;
                self.at += 1;
                true
            }
        }
    }

    /// Continues behind a sign of `length` bytes.
    fn sign(&mut self, length: usize, gives: Option<Form>) -> bool {
        self.gives = gives.filter(|_| !(self.is_in(Bracket::Other) || self.is_in(Bracket::Rest)));
        self.last = Token::Sign;
        self.at += length;
        true
    }
}

fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b == b'@' || !b.is_ascii()
}
