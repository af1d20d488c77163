//! Reads instances of classes. After `class A: x,y`, both `A(1,2)` and `A(1,y=2)` mean the object
//! `{"x":1,"y":2}`.
//!
//! Like any object, an instance is split into keys and values, so the rest of the crate cannot tell
//! the difference.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Event, Events, Frame, State};
use crate::error::{Error, Result};
use crate::text::Text;

pub(super) struct Instance {
    class: usize,
    /// Number of positional arguments so far, which is also the index of the next property.
    next: usize,
    /// The properties that were given by name. This is `None` as long as all arguments are
    /// positional.
    named: Option<BTreeSet<usize>>,
}

impl<'a> Events<'a> {
    /// Starts an instance of the class `name`. The scanner must be right after the name.
    pub(super) fn instance(&mut self, name: &'a str) -> Result<Event<'a>> {
        let range = self.last();
        self.scanner.skip_spaces();
        if self.scanner.byte() != Some(b'(') {
            return Err(self.not_a_value(name, range));
        }
        let found = self.classes.index(name);
        let Some((index, class)) = found.and_then(|at| Some((at, self.classes.get(at)?))) else {
            let known = self.classes.known_names();
            let message = format!("class `{name}` is not defined; {known}");
            return Err(self.scanner.fail(range, message, None));
        };
        let count = class.properties.len();
        self.expanded = self.expanded.saturating_add(class.size);
        if self.expanded > self.limits.expanded {
            let limit = self.limits.expanded;
            let message =
                format!("the instances expand to more than {limit} bytes of property names");
            return Err(self.scanner.limit(range, message));
        }
        let instance = Instance {
            class: index,
            next: 0,
            named: None,
        };
        self.open(Frame::Instance(instance), Some(count), 1)
    }

    #[cold]
    fn not_a_value(&self, name: &str, range: Range<usize>) -> Error {
        let expected = match name {
            "NaN" | "Infinity" | "undefined" => "a finite number, or `null`",
            "class" => "a value; classes come before the data",
            _ if self.classes.index(name).is_some() => "`(` after the name of the class",
            _ => "a value; strings need quotes",
        };
        self.scanner
            .fail(range, format!("`{name}` is not a value"), Some(expected))
    }

    /// Reads up to the value of the next argument, and returns its key. If there are no more
    /// arguments, this ends the instance.
    pub(super) fn argument(&mut self) -> Result<Event<'a>> {
        let byte = self.scanner.skip();
        self.start = self.scanner.at;
        match byte {
            Some(b')') => return self.close_instance(),
            Some(b'"') => {
                let text = self.scanner.string()?;
                let range = self.last();
                if self.scanner.skip() == Some(b'=') {
                    return self.named(text, range);
                }
                // The string was a value after all. Keep it for the next event.
                self.held = Some(text);
            }
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => {
                let name = self.scanner.name().unwrap_or_default();
                let range = self.last();
                if self.scanner.skip() == Some(b'=') {
                    return self.named(Text::from(name), range);
                }
                // It's the start of a value, such as `true` or another instance. Go back and read
                // it again.
                self.scanner.at = range.start;
            }
            _ => {}
        }
        let start = self.start;
        let Frame::Instance(instance) = &mut self.frame else {
            return self.value();
        };
        if instance.named.is_some() {
            let message = "an argument without a name after one with a name";
            return Err(self
                .scanner
                .fail(start..start + 1, message, Some("`name=value`")));
        }
        let Some(class) = self.classes.get(instance.class) else {
            return self.value();
        };
        let Some(property) = class.properties.get(instance.next) else {
            let (name, count) = (class.name, class.properties.len());
            let message = format!("too many arguments: class `{name}` has {count} properties");
            return Err(self.scanner.fail(start..start + 1, message, Some("`)`")));
        };
        instance.next += 1;
        self.state = State::Value;
        if let Some(key) = property.borrowed() {
            return Ok(Event::Key(key));
        }
        self.own = property.clone();
        Ok(Event::OwnKey)
    }

    /// Reads the rest of the key of a named argument. The scanner must be at the `=`.
    fn named(&mut self, key: Text<'a>, range: Range<usize>) -> Result<Event<'a>> {
        let Frame::Instance(instance) = &mut self.frame else {
            return self.value();
        };
        let Some(class) = self.classes.get(instance.class) else {
            return self.value();
        };
        let Some(at) = class.places.get(&key).copied() else {
            let (name, key) = (class.name, key.escape_debug());
            let message = format!("class `{name}` has no property `{key}`");
            return Err(self.scanner.fail(range, message, None));
        };
        // A property may already be given by position.
        let is_new = at >= instance.next && instance.named.get_or_insert_default().insert(at);
        if !is_new {
            let message = format!("property `{}` is given twice", key.escape_debug());
            return Err(self.scanner.fail(range, message, None));
        }
        self.scanner.at += 1;
        self.state = State::Value;
        Ok(self.key_event(key))
    }

    pub(super) fn close_instance(&mut self) -> Result<Event<'a>> {
        let Frame::Instance(instance) = &self.frame else {
            return self.close();
        };
        let Some(class) = self.classes.get(instance.class) else {
            return self.close();
        };
        let named = instance.named.as_ref().map_or(0, BTreeSet::len);
        if instance.next + named == class.properties.len() {
            return self.close();
        }
        let is_given = |at: usize| {
            at < instance.next || (instance.named.as_ref()).is_some_and(|named| named.contains(&at))
        };
        let mut each = class.properties.iter().enumerate();
        let missing = each.find(|(at, _)| !is_given(*at));
        let message = format!(
            "too few arguments: `{}` of class `{}` is missing",
            missing.map_or("", |(_, name)| name).escape_debug(),
            class.name,
        );
        let here = self.scanner.at;
        Err(self.scanner.fail(
            here..here + 1,
            message,
            Some("a value for each property, `null` where there is none"),
        ))
    }
}
