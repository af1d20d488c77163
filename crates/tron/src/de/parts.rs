//! Gives serde the elements of an array or the members of an object, one at a time.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::Deserializer;
use super::key::Key;
use crate::error::{Category, Error, Result};
use crate::events::Event;
use crate::text::Text;

/// The rest of an array or object. `left` is the number of its members, if known.
pub(super) struct Parts<'p, 'de> {
    de: &'p mut Deserializer<'de>,
    left: Option<usize>,
    ended: bool,
}

impl<'p, 'de> Parts<'p, 'de> {
    pub(super) fn new(de: &'p mut Deserializer<'de>, left: Option<usize>) -> Self {
        let ended = false;
        Self { de, left, ended }
    }

    /// Fails unless the visitor has read everything. Some types stop early, e.g. a tuple when it is
    /// full.
    pub(super) fn end(&mut self, expected: &'static str) -> Result<()> {
        if self.ended || matches!(self.de.next()?, Event::End) {
            return Ok(());
        }
        let message = format!("too many elements or members, expected {expected}");
        Err(Error::without_place(Category::Data, message))
    }
}

impl<'de> SeqAccess<'de> for Parts<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if let Event::End = self.de.peek()? {
            self.de.peeked = None;
            self.ended = true;
            return Ok(None);
        }
        seed.deserialize(&mut *self.de).map(Some)
    }
}

impl<'de> MapAccess<'de> for Parts<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        match self.de.next()? {
            event @ (Event::Key(_) | Event::OwnKey) => {
                let key = match event {
                    Event::Key(key) => Text::from(key),
                    _ => self.de.events.take(),
                };
                self.left = self.left.map(|left| left.saturating_sub(1));
                seed.deserialize(Key(key)).map(Some)
            }
            _ => {
                self.ended = true;
                Ok(None)
            }
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        seed.deserialize(&mut *self.de)
    }

    fn size_hint(&self) -> Option<usize> {
        self.left
    }
}
