use windlass_base::{LineSpan, Place};
use windlass_tron::{Object, PlaceId, Value};

use crate::{Document, Version};

/// A part of a document: a value and its location.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    value: &'a Value<'static>,
    at: PlaceId,
}

impl<'a> Node<'a> {
    pub(crate) fn new(document: &'a Document, value: &'a Value<'static>, at: PlaceId) -> Self {
        Self {
            document,
            value,
            at,
        }
    }

    /// The version of the whole document.
    #[must_use]
    pub fn version(&self) -> &'static Version {
        self.document.version()
    }

    /// The value, which may be `null`.
    #[must_use]
    pub fn value(&self) -> &'a Value<'static> {
        self.value
    }

    /// The values of the list `name`. Without such a list, there are none.
    #[must_use]
    pub fn list(&self, name: &str) -> &'a [Value<'static>] {
        let list = self.get(name).and_then(|list| list.value().as_array());
        list.map_or(&[], |list| &list[..])
    }

    /// The string, or `None` if the value is anything else.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// The location of the value.
    #[must_use]
    pub fn place(&self) -> Place {
        self.document.place(self.at)
    }

    /// The location of the key. A node without a key has the location of its value instead.
    #[must_use]
    pub fn key_place(&self) -> Place {
        self.document.key_place(self.at)
    }

    /// The lines of the value.
    #[must_use]
    pub fn lines(&self) -> LineSpan {
        let place = self.place();
        let line = |at: usize| u32::try_from(place.source.position(at).line).unwrap_or(u32::MAX);
        let start = line(place.range.start);
        // The end of the range is after the last byte, and may be on the next line.
        let end = line(place.range.end.saturating_sub(1).max(place.range.start));
        LineSpan::new(start, end).unwrap_or(LineSpan::single(start))
    }

    /// The column at which the value starts, in bytes from 1. A byte order mark does not count.
    #[must_use]
    pub fn column(&self) -> u32 {
        let place = self.place();
        let line = place.source.line_range(self.lines().start() as usize);
        let before = place.source.text().get(line.start..place.range.start);
        let before = before.unwrap_or_default().trim_start_matches('\u{feff}');
        u32::try_from(before.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1)
    }

    /// Like [`get`](Self::get), but this also returns a `null` member.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        let mut members = self.value.as_object()?.iter().enumerate();
        let (at, (_, value)) = members.find(|(_, (key, _))| key.as_str() == name)?;
        self.part(value, at)
    }

    /// Looks up a field. A `null` field counts as absent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Self> {
        self.member(name).filter(|node| !node.value.is_null())
    }

    /// The string in the field `name`.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.text()
    }

    /// The integer in the field `name`. It is `None` for `1.5` or a string.
    #[must_use]
    pub fn whole_of(&self, name: &str) -> Option<i64> {
        self.get(name)?.value.as_number()?.as_i64()
    }

    /// The members of an object, including `null` ones. There are none for other values.
    pub fn members(self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        let object = self.value.as_object();
        let members = object.into_iter().flat_map(Object::iter);
        members
            .enumerate()
            .filter_map(move |(at, (key, value))| Some((key.as_str(), self.part(value, at)?)))
    }

    /// The items of a list. There are none for other values.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> {
        let items = self.value.as_array().map_or(&[][..], |array| &array[..]);
        (items.iter().enumerate()).filter_map(move |(at, value)| self.part(value, at))
    }

    /// The items of the list in the field `name`.
    pub fn items_of(self, name: &str) -> impl Iterator<Item = Node<'a>> {
        self.get(name).into_iter().flat_map(Node::items)
    }

    fn part(&self, value: &'a Value<'static>, at: usize) -> Option<Self> {
        let at = self.document.places().part(self.at, at)?;
        Some(Self::new(self.document, value, at))
    }
}
