//! The deserializer for serde, which reads the stream of events.

mod key;
mod parts;
mod variant;

use serde::Deserialize;
use serde::de::{Expected, Unexpected, Visitor};

use self::key::Unit;
use self::parts::Parts;
use self::variant::{NumberText, Variant};
use crate::error::{Category, Error, Result};
use crate::events::{Event, Events};
use crate::number::{Kind, finite, kind};
use crate::options::MAX_RECURSION;
use crate::text::Text;
use crate::value::VALUE;

pub(crate) struct Deserializer<'de> {
    events: Events<'de>,
    peeked: Option<Event<'de>>,
    depth: usize,
}

impl<'de> Deserializer<'de> {
    pub(crate) fn new(events: Events<'de>) -> Self {
        Self {
            events,
            peeked: None,
            depth: 0,
        }
    }

    pub(crate) fn whole<T: Deserialize<'de>>(mut self) -> Result<T> {
        let value = T::deserialize(&mut self).and_then(|value| self.events.next().map(|_| value));
        value.map_err(|error| error.or_at(self.events.text(), self.events.last()))
    }

    #[inline]
    fn next(&mut self) -> Result<Event<'de>> {
        match self.peeked.take() {
            Some(event) => Ok(event),
            None => self.advance(),
        }
    }

    #[inline]
    fn advance(&mut self) -> Result<Event<'de>> {
        let event = self.events.next()?;
        event.ok_or_else(|| Error::without_place(Category::Data, "a value is missing"))
    }

    #[inline]
    fn peek(&mut self) -> Result<Event<'de>> {
        let event = match self.peeked.take() {
            Some(event) => event,
            None => self.advance()?,
        };
        self.peeked = Some(event);
        Ok(event)
    }

    #[cold]
    fn wrong(&self, event: &Event<'de>, expected: &dyn Expected) -> Error {
        let found = match event {
            Event::Null | Event::End => Unexpected::Unit,
            Event::Bool(value) => Unexpected::Bool(*value),
            Event::Number(text) => match kind(text) {
                Kind::Unsigned(number) => Unexpected::Unsigned(number),
                Kind::Signed(number) => Unexpected::Signed(number),
                Kind::Float(number) => Unexpected::Float(number),
                Kind::Beyond => Unexpected::Other("a number beyond every double"),
            },
            Event::Text(text) | Event::Key(text) => Unexpected::Str(text),
            Event::OwnText | Event::OwnKey => Unexpected::Other("string"),
            Event::Array => Unexpected::Seq,
            Event::Object(_) => Unexpected::Map,
        };
        serde::de::Error::invalid_type(found, expected)
    }

    /// Runs `inside` one level deeper. Fails if that is too deep for serde, which is recursive.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_RECURSION {
            let message = format!("more than {MAX_RECURSION} levels of nesting");
            return Err(Error::without_place(Category::Limit, message));
        }
        self.depth += 1;
        let value = inside(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn seq<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.nested(|de| {
            let mut parts = Parts::new(de, None);
            let value = visitor.visit_seq(&mut parts)?;
            parts.end("fewer elements")?;
            Ok(value)
        })
    }

    fn map<V: Visitor<'de>>(&mut self, members: Option<usize>, visitor: V) -> Result<V::Value> {
        self.nested(|de| {
            let mut parts = Parts::new(de, members);
            let value = visitor.visit_map(&mut parts)?;
            parts.end("fewer members")?;
            Ok(value)
        })
    }

    /// Skips a value of any depth. This is not recursive, so it works even where deserializing the
    /// value would not.
    fn skip_value(&mut self) -> Result<()> {
        let mut depth = 0_usize;
        loop {
            match self.next()? {
                Event::Array | Event::Object(_) => depth += 1,
                Event::End => depth = depth.saturating_sub(1),
                Event::Key(_) | Event::OwnKey => continue,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn visit_number<V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value> {
        match kind(text) {
            Kind::Unsigned(number) => visitor.visit_u64(number),
            Kind::Signed(number) => visitor.visit_i64(number),
            Kind::Float(number) => visitor.visit_f64(number),
            Kind::Beyond => Err(beyond(text)),
        }
    }
}

#[cold]
fn beyond(text: &str) -> Error {
    let shown: String = text.chars().take(40).collect();
    Error::without_place(
        Category::Data,
        format!("`{shown}` exceeds every number type"),
    )
}

#[inline]
fn visit_text<'de, V: Visitor<'de>>(text: &Text<'de>, visitor: V) -> Result<V::Value> {
    match text.borrowed() {
        Some(text) => visitor.visit_borrowed_str(text),
        None => visitor.visit_str(text),
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.next()? {
                Event::Number(text) => Deserializer::visit_number(text, visitor),
                event => Err(self.wrong(&event, &visitor)),
            }
        }
    )*};
}

/// Like `numbers`, for integers of 128 bits. Other notations than that of an integer go through the
/// usual path.
macro_rules! wide_numbers {
    ($($method:ident $visit:ident $type:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.next()? {
                Event::Number(text) => match text.parse::<$type>() {
                    Ok(number) => visitor.$visit(number),
                    Err(_) => Deserializer::visit_number(text, visitor),
                },
                event => Err(self.wrong(&event, &visitor)),
            }
        }
    )*};
}

macro_rules! texts {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.next()? {
                Event::Text(text) => visitor.visit_borrowed_str(text),
                Event::OwnText => visitor.visit_str(&self.events.take()),
                event => Err(self.wrong(&event, &visitor)),
            }
        }
    )*};
}

impl<'de> serde::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Null => visitor.visit_unit(),
            Event::Bool(value) => visitor.visit_bool(value),
            Event::Number(text) => Deserializer::visit_number(text, visitor),
            Event::Text(text) => visitor.visit_borrowed_str(text),
            Event::OwnText => visitor.visit_str(&self.events.take()),
            Event::Array => self.seq(visitor),
            Event::Object(members) => self.map(members, visitor),
            event @ (Event::Key(_) | Event::OwnKey | Event::End) => {
                Err(self.wrong(&event, &visitor))
            }
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Bool(value) => visitor.visit_bool(value),
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    wide_numbers! {
        deserialize_i128 visit_i128 i128,
        deserialize_u128 visit_u128 u128,
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Number(text) => match text.parse::<f32>().ok().filter(|n| n.is_finite()) {
                Some(number) => visitor.visit_f32(number),
                None => Err(beyond(text)),
            },
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Number(text) => match finite(text) {
                Some(number) => visitor.visit_f64(number),
                None => Err(beyond(text)),
            },
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    texts! { deserialize_char deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Text(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            Event::OwnText => visitor.visit_bytes(self.events.take().as_bytes()),
            Event::Array => self.seq(visitor),
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Event::Null = self.peek()? {
            self.peeked = None;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Null => visitor.visit_unit(),
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name != VALUE {
            return visitor.visit_newtype_struct(self);
        }
        // This is a `Value`, so pass on the text of the number.
        if let Event::Number(text) = self.peek()? {
            self.peeked = None;
            return visitor.visit_enum(NumberText(text));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Array => self.seq(visitor),
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Object(members) => self.map(members, visitor),
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.next()? {
            Event::Object(members) => self.map(members, visitor),
            Event::Array => self.seq(visitor),
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.next()? {
            Event::Text(name) => visitor.visit_enum(Unit(name.into())),
            Event::OwnText => visitor.visit_enum(Unit(self.events.take())),
            Event::Object(_) => self.nested(|de| {
                let value = visitor.visit_enum(Variant { de: &mut *de })?;
                match de.next()? {
                    Event::End => Ok(value),
                    _ => Err(serde::de::Error::custom("more than one variant is named")),
                }
            }),
            event => Err(self.wrong(&event, &visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip_value()?;
        visitor.visit_unit()
    }
}
