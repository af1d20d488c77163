//! Values that are secret by the name they are given to: the name, what can stand between it and the value
//! in the common languages and formats, and the value.

use std::ops::Range;

use super::language::is_script;
use super::list::Lists;
use super::literal::{self, End, JUDGED, element_text, is_quoted, line_start, quoted, unquoted};
use super::name::{Kind, does_something, kind_of, kind_of_several};
use super::operand::{self, From};
use super::text::{Text, is_blank, is_line_end};
use super::value::Form;
use super::{entry, pair, place, prose};

/// Signs that give a name a value or compare it with one, longer ones before those they begin with.
pub(super) const SIGNS: &[&[u8]] = &[
    b":::=", b"::=", b".=", b"===", b"!==", b"||=", b"??=", b"==", b"!=", b"=>", b":=", b"?=",
    b"+=", b"?:", b"!:", b":-", b"=", b":",
];

/// A name that promises a secret.
pub(super) struct Name {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
    /// Whether it is that of several secrets: `passwords`.
    pub(super) is_plural: bool,
}

/// What is called by a word and its value on a line, with no sign between them: in the configuration of servers.
const DIRECTIVES: [&[u8]; 4] = [b"requirepass", b"masterauth", b"bindpw", b"rootpw"];

/// The name around `hit`, a word that names of secrets have, and where to go on with the search for names.
pub(super) fn name_around(text: &Text<'_>, hit: Range<usize>) -> (Option<Name>, usize) {
    let part = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    let end = text.run(hit.end, 64, part);
    let start = text.run_back(hit.start, 64, part);
    let bytes = text.slice(start..end);
    let joint = |b: &u8| b"_.-".contains(b);
    let own = start + bytes.iter().take_while(|b| joint(b)).count();
    let last = end - bytes.iter().rev().take_while(|b| joint(b)).count();
    let name = (own < last).then(|| named(text, own, last)).flatten();
    (name, end)
}

/// The name between `start` and `end`, if it promises a secret; of an `API key` with the word in front of it.
fn named(text: &Text<'_>, start: usize, end: usize) -> Option<Name> {
    let name = text.slice(start..end);
    let of = |start: usize| {
        let name = text.slice(start..end);
        let one = kind_of(name);
        let kind = one.or_else(|| kind_of_several(name))?;
        let is_plural = one.is_none();
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
    /// The secret that is given to it. Where an expression, a list or a table may give one of several, `more` are those
    /// behind it.
    pub(super) fn value(
        &self,
        text: &Text<'_>,
        lists: &mut Lists,
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        let closed = self.closed(text);
        if self.is_current_folder(text) {
            return None;
        }
        if self.is_plural {
            let secrets = lists.secrets(text, self, text.blanks(closed));
            return first_of(secrets, more);
        }
        let value = self.one(text, closed, more);
        let is_of_name = |value: &Range<usize>| !self.is_told_what_to_do(text, value);
        value
            .filter(is_of_name)
            .or_else(|| first_of(lists.tables.secrets(text, self, closed), more))
            .or_else(|| first_of(lists.inserts.secrets(text, self), more))
    }

    /// The secret that is given to it as its one value, where it ends at `closed`.
    fn one(
        &self,
        text: &Text<'_>,
        closed: usize,
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        let at = text.blanks(closed);
        if text.starts_with(at, b"</") {
            return self.in_next_element(text, at);
        }
        if text.get(at) == Some(b'>') || (at > self.end && self.is_tag(text)) {
            return self.in_element(text, at);
        }
        if at > closed
            && self.is_key(text)
            && let Some(value) = self.in_element(text, at)
        {
            return Some(value);
        }
        if let Some(sign) = SIGNS.iter().find(|sign| text.starts_with(at, sign)) {
            return self.assigned(text, closed, at, sign, more);
        }
        if operand::goes_on(text, closed, at) {
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
            let form = if place::is_option(text, self) || self.is_being_defined(text) {
                Form::Literal
            } else {
                Form::Argument
            };
            let value = quoted(text, text.white(at + 1), self.kind, form);
            return value.or_else(|| pair::value_beside(text, self, closed));
        }
        if text.get(at) == Some(b'(') && at == self.end && self.is_setter(text) {
            return quoted(text, text.white(at + 1), self.kind, Form::Argument);
        }
        self.spaced(text, closed, at)
    }

    /// The first of the secrets that an expression gives; the others are `more`.
    fn given(
        &self,
        text: &Text<'_>,
        at: usize,
        from: From,
        more: &mut Vec<Range<usize>>,
    ) -> Option<Range<usize>> {
        first_of(operand::secrets(text, at, self.kind, from), more)
    }

    /// Whether the name begins with what is done with a secret (`get_secret`, `RESET_PASSWORD`) and its value says how: that
    /// is no secret.
    fn is_told_what_to_do(&self, text: &Text<'_>, value: &Range<usize>) -> bool {
        let value = &text.slice(value.clone())[..value.len().min(JUDGED)];
        value.iter().any(u8::is_ascii_whitespace)
            && does_something(text.slice(self.start..self.end))
            && is_script(&literal::judged(value))
    }

    /// `$(pwd)`, `$(shell pwd)`: the command; `$ENV{PWD}`: what it says.
    fn is_current_folder(&self, text: &Text<'_>) -> bool {
        if text.slice(self.start..self.end) == b"PWD" && self.is_in_hash(text) {
            return true;
        }
        let before = text.slice(self.start.saturating_sub(8)..self.start);
        let is_called = before.ends_with(b"$(") || before.ends_with(b"$(shell ");
        is_called && text.slice(self.start..self.end) == b"pwd" && text.get(self.end) == Some(b')')
    }

    /// `setPassword`, `with_password`, `.password`: what is called so is given the secret, and does not ask for it.
    fn is_setter(&self, text: &Text<'_>) -> bool {
        let name = text.slice(self.start..self.end);
        let own = memchr::memrchr(b'.', name).map_or(0, |dot| dot + 1);
        let called = &name[own..];
        let built = own > 0 || (self.start > 0 && text.get(self.start - 1) == Some(b'.'));
        let word = |word: &[u8]| {
            called.len() > word.len()
                && called[..word.len()].eq_ignore_ascii_case(word)
                && !called[word.len()].is_ascii_lowercase()
        };
        word(b"set") || word(b"with") || (built && called.iter().all(u8::is_ascii_lowercase))
    }

    /// The first argument of what sets a variable: `define('DB_PASSWORD', …)`, `os.Setenv("DB_PASSWORD", …)`.
    fn is_being_defined(&self, text: &Text<'_>) -> bool {
        const FUNCTIONS: [&[u8]; 7] = [
            b"define",
            b"setenv",
            b"putenv",
            b"set_var",
            b"setdefault",
            b"setproperty",
            b"set_env",
        ];
        let before = text.slice(self.start.saturating_sub(16)..self.start);
        let Some(called) = before
            .strip_suffix(b"\"")
            .or_else(|| before.strip_suffix(b"'"))
            .and_then(|before| before.trim_ascii_end().strip_suffix(b"("))
        else {
            return false;
        };
        let name = called
            .rsplit(|b| !b.is_ascii_alphanumeric() && *b != b'_')
            .next()
            .unwrap_or_default();
        FUNCTIONS
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    }

    /// After quotes and brackets that belong to the name: `"password"`, `['password']`, `password[32]`.
    fn closed(&self, text: &Text<'_>) -> usize {
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

    /// Whether it is what a hash of Perl's is asked for: `$ENV{password}`, `$self->{password}`.
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

    fn is_quoted(&self, text: &Text<'_>, closed: usize) -> bool {
        let before = text.run_back(self.start, 2, |b| b == b'-');
        let quote = before.checked_sub(1).and_then(|at| text.get(at));
        closed > self.end && quote.is_some_and(|quote| b"\"'`".contains(&quote))
    }

    /// `<password`, `<db:password`.
    fn is_tag(&self, text: &Text<'_>) -> bool {
        let prefix = text.run_back(self.start, 32, |b| b.is_ascii_alphanumeric() || b == b':');
        let prefixed = prefix == self.start || text.get(self.start - 1) == Some(b':');
        prefixed && prefix > 0 && text.get(prefix - 1) == Some(b'<')
    }

    /// `<entry key="password"`.
    fn is_key(&self, text: &Text<'_>) -> bool {
        let before = text.slice(self.start.saturating_sub(6)..self.start);
        let before = before
            .strip_suffix(b"\"")
            .or_else(|| before.strip_suffix(b"'"));
        before.is_some_and(|before| before.ends_with(b"key=") || before.ends_with(b"name="))
    }

    /// The value behind a sign.
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
        // `[type="password"]:focus`
        if colon
            && text.get(closed - 1) == Some(b']')
            && text.get(after).is_some_and(|b| b.is_ascii_lowercase())
        {
            return None;
        }
        // `${PASSWORD:+word}` says whether there is one.
        if colon && matches!(text.get(after), Some(b':' | b'+')) {
            return None;
        }
        if colon && let Some(value) = after_type(text, after).and_then(|at| self.literal(text, at))
        {
            return Some(value);
        }
        let value = text.blanks(after);
        // Behind a colon a docstring may follow: `def f(password):`, `class Password:`.
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
            let below = || {
                let is_entry = broken && sign == b":" && self.has_line(text);
                is_entry.then(|| entry::below(text, self, value)).flatten()
            };
            // What stands below a colon may be a block of code.
            if colon && !is_quoted(text, value) {
                return below();
            }
            return self.given(text, value, expression, more);
        }
        if !colon {
            let tight = sign == b"=" && at == self.end && value == after;
            let (form, end) = place::behind_sign(text, self, closed, tight);
            let word = unquoted(text, value, self.kind, form, end);
            let word = if tight && self.has_line(text) {
                entry::to_line_end(text, self, value, form, word)
            } else {
                word
            };
            return word.or_else(|| self.given(text, value, expression, more));
        }
        if matches!(text.get(value), Some(b'|' | b'>'))
            && let Some(block) = literal::block(text, self.start, value, self.kind)
        {
            return Some(block);
        }
        self.phrase(text, after, value)
            .or_else(|| unquoted(text, value, self.kind, Form::Bare, End::Next))
            .or_else(|| {
                (value > after && self.has_line(text))
                    .then(|| entry::word(text, self, value))
                    .flatten()
            })
            .or_else(|| self.of_person(text, value))
            .or_else(|| {
                // Nothing stands behind the colon of a function.
                let is_there = text.get(value).is_some_and(|b| !is_line_end(b));
                is_there
                    .then(|| self.given(text, value, expression, more))
                    .flatten()
            })
    }

    /// Whether a statement begins the line of the name that has a block of code below it: `class Password:`.
    fn heads_block(&self, text: &Text<'_>) -> bool {
        const STATEMENTS: [&[u8]; 11] = [
            b"class", b"except", b"def", b"if", b"elif", b"while", b"for", b"with", b"case",
            b"match", b"async",
        ];
        let line = text.slice(line_start(text, self.start)..self.start);
        let first = line.trim_ascii_start().split(|b| is_blank(*b)).next();
        first.is_some_and(|word| STATEMENTS.contains(&word))
    }

    /// Whether it is a variable of code, behind which words may stand for it that tell that there is none: `secret || "no such …"`.
    /// Settings have a default there.
    fn is_variable(&self, text: &Text<'_>, closed: usize) -> bool {
        let name = text.slice(self.start..self.end);
        let own = memchr::memrchr(b'.', name).map_or(0, |dot| dot + 1);
        closed == self.end && name[own..].iter().any(u8::is_ascii_lowercase)
    }

    /// `credentials: bob / …`, `credentials: bob:…`: what stands behind whose it is.
    fn of_person(&self, text: &Text<'_>, value: usize) -> Option<Range<usize>> {
        let name = text.slice(self.start..self.end);
        let name = name.strip_suffix(b"s").unwrap_or(name);
        let word = |b: u8| b.is_ascii_alphanumeric() || b"_.@-".contains(&b);
        let person = text.run(value, 64, word);
        let password = if text.starts_with(person, b" / ") {
            person + 3
        } else if text.get(person) == Some(b':') {
            person + 1
        } else {
            return None;
        };
        let is_pair = person > value && name.to_ascii_lowercase().ends_with(b"credential");
        let form = Form::Told { last: false };
        is_pair
            .then(|| unquoted(text, password, Kind::Password, form, End::Next))
            .flatten()
    }

    /// Whether nothing but what opens an entry stands before the name on its line.
    pub(super) fn has_line(&self, text: &Text<'_>) -> bool {
        text.slice(line_start(text, self.start)..self.start)
            .iter()
            .all(|b| is_blank(*b) || b"-\"'".contains(b))
    }

    /// Words to the end of the line, if the name has the line for itself: `password: correct h0rse …`.
    pub(super) fn phrase(
        &self,
        text: &Text<'_>,
        sign: usize,
        value: usize,
    ) -> Option<Range<usize>> {
        (value > sign && self.has_line(text))
            .then(|| literal::phrase(text, value, self.kind))
            .flatten()
    }

    /// A literal at `at`, quoted or not.
    fn literal(&self, text: &Text<'_>, at: usize) -> Option<Range<usize>> {
        if is_quoted(text, at) {
            quoted(text, at, self.kind, Form::Literal)
        } else {
            unquoted(text, at, self.kind, Form::Bare, End::Next)
        }
    }

    /// The value behind blanks: of an option, of a command that takes a name and a value, in the language Go.
    fn spaced(&self, text: &Text<'_>, closed: usize, at: usize) -> Option<Range<usize>> {
        const COMMANDS: [(&[u8], Form); 6] = [
            (b"ENV", Form::Config),
            (b"setenv", Form::Config),
            (b"setx", Form::Config),
            (b"#define", Form::Plain),
            (b"define", Form::Plain),
            (b"-x", Form::Plain),
        ];
        if at > closed && place::is_option(text, self) {
            return self.literal(text, at);
        }
        if at > self.end && closed == self.end {
            const GO: &[u8] = b"string";
            if text.starts_with(at, GO) {
                let sign = text.blanks(at + GO.len());
                return (text.get(sign) == Some(b'='))
                    .then(|| quoted(text, text.blanks(sign + 1), self.kind, Form::Literal))
                    .flatten();
            }
            let line = text.slice(line_start(text, self.start)..self.start);
            let word = last_word(line.trim_ascii());
            if let Some((_, form)) = COMMANDS.iter().find(|(command, _)| word == *command) {
                // `#define PASSWORD ((int) …)`
                let is_code = word.ends_with(b"define") && text.get(at) == Some(b'(');
                if is_code {
                    return None;
                }
                return quoted(text, at, self.kind, Form::Literal)
                    .or_else(|| unquoted(text, at, self.kind, *form, End::Blank));
            }
        }
        if at > self.end
            && closed == self.end
            && let Some(value) = self.directive(text, at)
        {
            return Some(value);
        }
        pair::value_beside(text, self, closed)
            .or_else(|| prose::told(text, self, closed, at))
            .or_else(|| prose::of_machine(text, self, closed))
    }

    /// The value of a line in the configuration of a server, or of what sets it: `requirepass …`, `config set requirepass …`.
    fn directive(&self, text: &Text<'_>, at: usize) -> Option<Range<usize>> {
        let name = text.slice(self.start..self.end);
        let line = text.slice(line_start(text, self.start)..self.start);
        let before = last_word(line.trim_ascii());
        let is_known = DIRECTIVES
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known));
        let begins = before.iter().all(|b| *b == b'#') || before.eq_ignore_ascii_case(b"set");
        if !is_known || !begins {
            return None;
        }
        let value = quoted(text, at, self.kind, Form::Literal)
            .or_else(|| unquoted(text, at, self.kind, Form::Plain, End::Blank))?;
        let closed = text.run(value.end, 2, |b| b"\"'".contains(&b));
        let rest = text.blanks(closed);
        text.get(rest).is_none_or(is_line_end).then_some(value)
    }

    /// The text of the element that the name opens, or that has it as its key: `at` is where the tag goes on.
    fn in_element(&self, text: &Text<'_>, at: usize) -> Option<Range<usize>> {
        let end = text.run(at, JUST_A_TAG, |b| b != b'>' && b != b'<');
        if text.get(end) != Some(b'>')
            || text.get(end - 1) == Some(b'/')
            || !(self.is_tag(text) || self.is_key(text))
        {
            return None;
        }
        element_text(text, end + 1, self.kind)
    }

    /// The text of the element behind the one whose text the name is: `<key>Password</key><string>…`.
    fn in_next_element(&self, text: &Text<'_>, at: usize) -> Option<Range<usize>> {
        let end = text.run(at + 2, 32, |b| b.is_ascii_alphanumeric() || b == b':');
        let next = text.white(end + 1);
        if text.get(end) != Some(b'>') || text.get(next) != Some(b'<') {
            return None;
        }
        let tag = text.run(next + 1, 32, |b| b.is_ascii_alphanumeric() || b == b':');
        let known = [&b"string"[..], b"value", b"data"]
            .iter()
            .any(|name| text.slice(next + 1..tag).eq_ignore_ascii_case(name));
        (known && text.get(tag) == Some(b'>'))
            .then(|| element_text(text, tag + 1, self.kind))
            .flatten()
    }
}

/// How long a tag may be, in bytes.
const JUST_A_TAG: usize = 256;

/// Where the value is behind a type and a sign: `: &str = "…"`. What looks like a type may be the value,
/// base64 that ends with `=`.
pub(super) fn after_type(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = text.blanks(at);
    let of_type = |b: u8| b.is_ascii_alphanumeric() || b"_<>[]&' ?.|".contains(&b);
    let sign = text.run(start, 64, of_type);
    let single = text.get(sign) == Some(b'=') && sign > start && text.get(sign + 1) != Some(b'=');
    let value = text.blanks(sign + 1);
    (single && (text.get(sign - 1) == Some(b' ') || is_quoted(text, value))).then_some(value)
}

/// The first of some secrets; the others are `more`.
fn first_of(secrets: Vec<Range<usize>>, more: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
    let mut secrets = secrets.into_iter();
    let first = secrets.next();
    more.extend(secrets);
    first
}

fn last_word(line: &[u8]) -> &[u8] {
    line.rsplit(|b| is_blank(*b)).next().unwrap_or(line)
}
