//! Splits a text into events.
//!
//! The events are the same for all dialects: an instance of a class is an object, and so is a root
//! without braces. This lets the code that builds values ignore the differences. None of the code
//! in here is recursive, so nesting cannot overflow the stack.

mod instance;

use std::collections::BTreeSet;
use std::ops::Range;

use self::instance::Instance;
use crate::classes::Classes;
use crate::error::Result;
use crate::options::{DuplicateKeys, Limits, ReadOptions, too_long};
use crate::scan::{Scanner, is_reserved};
use crate::text::Text;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Event<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Text(&'a str),
    /// A string with escapes. Since that is not a slice of the text, get its value with
    /// [`Events::take`].
    OwnText,
    Array,
    /// The start of an object. For an instance, the number of members is known, and so is that its
    /// keys are distinct.
    Object(Option<usize>),
    /// The key of a member, which is followed by the events of its value.
    Key(&'a str),
    /// A key that is not a slice of the text. Get its value with [`Events::take`].
    OwnKey,
    End,
}

pub(crate) struct Events<'a> {
    scanner: Scanner<'a>,
    classes: Classes<'a>,
    limits: Limits,
    outer: Vec<Frame>,
    frame: Frame,
    state: State,
    /// A string that we have already read, but that turned out to be a positional argument. We can
    /// only tell by the text after it: with a `=`, it would have been the name of a named argument.
    held: Option<Text<'a>>,
    /// The string of the last event, if that is not a slice of the text.
    own: Text<'a>,
    /// The keys of all open objects. This is `None` if duplicates are allowed.
    keys: Option<Vec<BTreeSet<Text<'a>>>>,
    expanded: usize,
    /// Byte offset of the last event.
    start: usize,
}

enum Frame {
    /// No structure is open, i.e. before or after the value of the document.
    Document,
    Array,
    Object,
    /// The root object, written without braces.
    Root,
    Instance(Instance),
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// A value must follow.
    Value,
    /// After an opening bracket. This may be followed by an element, a member, an argument or the
    /// closing bracket.
    First,
    /// After a comma, which may also be a trailing one before a closing bracket.
    Next,
    /// After an element. A comma or the closing bracket must follow.
    After,
    Done,
}

impl<'a> Events<'a> {
    pub(crate) fn new(text: &'a str, options: &ReadOptions) -> Result<Self> {
        let limits = options.limits;
        if text.len() > limits.bytes {
            return Err(too_long(limits.bytes));
        }
        let mut scanner = Scanner::new(text);
        let classes = Classes::read(&mut scanner, &limits)?;
        Ok(Self {
            scanner,
            classes,
            limits,
            outer: Vec::new(),
            frame: Frame::Document,
            state: State::Value,
            held: None,
            own: Text::from(""),
            keys: (options.duplicate_keys == DuplicateKeys::Refuse).then(Vec::new),
            expanded: 0,
            start: 0,
        })
    }

    pub(crate) fn last(&self) -> Range<usize> {
        self.start..self.scanner.at.max(self.start)
    }

    /// Takes the string that belongs to the last [`Event::OwnText`] or [`Event::OwnKey`].
    pub(crate) fn take(&mut self) -> Text<'a> {
        std::mem::replace(&mut self.own, Text::from(""))
    }

    #[inline]
    fn text_event(&mut self, text: Text<'a>) -> Event<'a> {
        if let Some(text) = text.borrowed() {
            return Event::Text(text);
        }
        self.own = text;
        Event::OwnText
    }

    #[inline]
    fn key_event(&mut self, key: Text<'a>) -> Event<'a> {
        if let Some(key) = key.borrowed() {
            return Event::Key(key);
        }
        self.own = key;
        Event::OwnKey
    }

    pub(crate) fn text(&self) -> &'a str {
        self.scanner.text
    }

    /// Returns the next event, or `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Result<Option<Event<'a>>> {
        match self.state {
            State::Value => match self.held.take() {
                Some(text) => {
                    self.state = State::After;
                    Ok(Some(self.text_event(text)))
                }
                None => self.value().map(Some),
            },
            State::Done => Ok(None),
            State::After if matches!(self.frame, Frame::Document) => self.finish(),
            State::After => self.after().map(Some),
            State::First | State::Next => self.member().map(Some),
        }
    }

    /// Checks that nothing follows the root. A document has only one value.
    fn finish(&mut self) -> Result<Option<Event<'a>>> {
        self.scanner.separators(false);
        if self.scanner.byte().is_some() {
            let (range, found) = self.scanner.here();
            let message = format!("{found} after the end of the data");
            return Err(self.scanner.fail(range, message, Some("nothing")));
        }
        self.state = State::Done;
        Ok(None)
    }

    fn after(&mut self) -> Result<Event<'a>> {
        let close = match self.frame {
            Frame::Array => b']',
            Frame::Object => b'}',
            Frame::Instance(_) => b')',
            Frame::Document | Frame::Root => {
                self.state = State::Next;
                return self.member();
            }
        };
        match self.scanner.skip() {
            Some(b',') => {
                self.scanner.at += 1;
                self.state = State::Next;
                self.member()
            }
            Some(byte) if byte == close => match self.frame {
                Frame::Instance(_) => self.close_instance(),
                _ => self.close(),
            },
            _ => Err(self.scanner.unexpected(match close {
                b']' => "`,` or `]`",
                b'}' => "`,` or `}`",
                _ => "`,` or `)`",
            })),
        }
    }

    /// Reads the part after an opening bracket or a comma.
    fn member(&mut self) -> Result<Event<'a>> {
        match self.frame {
            Frame::Array => match self.scanner.skip() {
                Some(b']') => self.close(),
                _ => self.value(),
            },
            Frame::Object => match self.scanner.skip() {
                Some(b'}') => self.close(),
                _ => self.key(),
            },
            Frame::Instance(_) => self.argument(),
            Frame::Root => self.pair(),
            Frame::Document => self.value(),
        }
    }

    fn value(&mut self) -> Result<Event<'a>> {
        let byte = self.scanner.skip();
        self.start = self.scanner.at;
        // A document that starts with `key:` is a root without braces. This is only possible here,
        // so there's no need to look ahead anywhere else.
        if matches!(self.frame, Frame::Document) && self.is_pair() {
            return self.open(Frame::Root, None, 0);
        }
        let event = match byte {
            Some(b'"') => {
                let text = self.scanner.string()?;
                self.text_event(text)
            }
            Some(b'{') => return self.open(Frame::Object, None, 1),
            Some(b'[') => return self.open(Frame::Array, None, 1),
            Some(b'-' | b'0'..=b'9') => Event::Number(self.scanner.number()?),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => return self.word(),
            None if matches!(self.frame, Frame::Document) => {
                return Err(self
                    .scanner
                    .unexpected("data: a value, or `key: value` lines"));
            }
            _ => return Err(self.scanner.unexpected("a value")),
        };
        self.state = State::After;
        Ok(event)
    }

    fn is_pair(&self) -> bool {
        let mut ahead = self.scanner.ahead();
        let is_key = match ahead.byte() {
            Some(b'"') => ahead.string().is_ok(),
            _ => ahead.name().is_some(),
        };
        ahead.skip_spaces();
        is_key && ahead.byte() == Some(b':')
    }

    /// Reads a word: `true`, `false`, `null`, or the name of a class with its arguments.
    fn word(&mut self) -> Result<Event<'a>> {
        let name = self.scanner.name().unwrap_or_default();
        let event = match name {
            "true" => Event::Bool(true),
            "false" => Event::Bool(false),
            "null" => Event::Null,
            _ => return self.instance(name),
        };
        self.state = State::After;
        Ok(event)
    }

    /// Enters an array or object, unless that is too deep. `bytes` is the length of the opening
    /// bracket, which a root does not have.
    #[inline]
    fn open(&mut self, frame: Frame, members: Option<usize>, bytes: usize) -> Result<Event<'a>> {
        if self.outer.len() >= self.limits.depth {
            let message = format!("more than {} levels of nesting", self.limits.depth);
            return Err(self.scanner.limit(self.start..self.start + 1, message));
        }
        self.scanner.at += bytes;
        let event = match frame {
            Frame::Array => Event::Array,
            _ => Event::Object(members),
        };
        if let Some(keys) = &mut self.keys {
            keys.push(BTreeSet::new());
        }
        self.outer.push(std::mem::replace(&mut self.frame, frame));
        self.state = State::First;
        Ok(event)
    }

    /// Leaves an array or object. The scanner must be at the closing bracket.
    #[inline]
    fn close(&mut self) -> Result<Event<'a>> {
        self.start = self.scanner.at;
        self.scanner.at += 1;
        Ok(self.leave())
    }

    fn leave(&mut self) -> Event<'a> {
        self.frame = self.outer.pop().unwrap_or(Frame::Document);
        if let Some(keys) = &mut self.keys {
            keys.pop();
        }
        self.state = State::After;
        Event::End
    }

    /// Reads the key of a member, along with the colon.
    fn key(&mut self) -> Result<Event<'a>> {
        self.start = self.scanner.at;
        let key = self.bare_or_quoted()?;
        let range = self.last();
        if self.scanner.skip() != Some(b':') {
            return Err(self.scanner.unexpected("`:` after the key"));
        }
        self.scanner.at += 1;
        self.state = State::Value;
        self.note(&key, range)?;
        Ok(self.key_event(key))
    }

    fn bare_or_quoted(&mut self) -> Result<Text<'a>> {
        if self.scanner.byte() == Some(b'"') {
            return self.scanner.string();
        }
        let start = self.scanner.at;
        match self.scanner.name() {
            Some(name) if is_reserved(name) => Err(self.scanner.fail(
                start..self.scanner.at,
                format!("`{name}` is reserved"),
                Some("quotes around it, to use it as a key"),
            )),
            Some(name) => Ok(Text::from(name)),
            None => Err(self.scanner.unexpected("a key: a string or a name")),
        }
    }

    /// Records a key, and fails if it is a duplicate. If duplicates are allowed, this does nothing.
    fn note(&mut self, key: &Text<'a>, range: Range<usize>) -> Result<()> {
        let Some(keys) = self.keys.as_mut().and_then(|keys| keys.last_mut()) else {
            return Ok(());
        };
        if keys.insert(key.clone()) {
            return Ok(());
        }
        let message = format!("key `{}` is there twice", key.escape_debug());
        Err(self.scanner.fail(range, message, None))
    }

    /// Reads the next key of a root without braces. The root ends with the text.
    fn pair(&mut self) -> Result<Event<'a>> {
        let is_first = self.state == State::First;
        let blanks = self.scanner.separators(true);
        self.start = self.scanner.at;
        if blanks.commas > 1 || is_first && blanks.commas > 0 {
            return Err(self.scanner.fail(
                self.start.saturating_sub(1)..self.start,
                "a `,` with nothing before it",
                Some("`key: value`"),
            ));
        }
        if self.scanner.byte().is_none() {
            return Ok(self.leave());
        }
        if !is_first && blanks.commas + blanks.semicolons + blanks.lines == 0 {
            return Err(self
                .scanner
                .unexpected("a line end, `,` or `;` after the value"));
        }
        self.key()
    }
}
