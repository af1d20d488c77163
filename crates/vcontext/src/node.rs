use windlass_base::{LineSpan, Place};
use windlass_tron::{Object, PlaceId, Value};

use crate::{Document, Version};

/// A part of a document.
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

    /// Returns the version of its document.
    #[must_use]
    pub fn version(&self) -> &'static Version {
        self.document.version()
    }

    /// Returns its value.
    #[must_use]
    pub fn value(&self) -> &'a Value<'static> {
        self.value
    }

    /// Returns its text if it's a string.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// Returns its location.
    #[must_use]
    pub fn place(&self) -> Place {
        self.document.place(self.at)
    }

    /// Returns the location of its key, or of its value if it has no key.
    #[must_use]
    pub fn key_place(&self) -> Place {
        self.document.key_place(self.at)
    }

    /// Returns the lines it covers.
    #[must_use]
    pub fn lines(&self) -> LineSpan {
        let place = self.place();
        let line = |at: usize| u32::try_from(place.source.position(at).line).unwrap_or(u32::MAX);
        let start = line(place.range.start);
        // The range ends behind the last byte.
        let end = line(place.range.end.saturating_sub(1).max(place.range.start));
        LineSpan::new(start, end).unwrap_or(LineSpan::single(start))
    }

    /// Returns the column of its start in bytes, from 1 and without a byte order mark.
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

    /// Returns the member `name`, even if it's `null`.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        let mut members = self.value.as_object()?.iter().enumerate();
        let (at, (_, value)) = members.find(|(_, (key, _))| key.as_str() == name)?;
        self.part(value, at)
    }

    /// Returns the field `name`, where `null` counts as absent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Self> {
        self.member(name).filter(|node| !node.value.is_null())
    }

    /// Returns the text in the field `name`.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.text()
    }

    /// Returns the integer in the field `name`.
    #[must_use]
    pub fn whole_of(&self, name: &str) -> Option<i64> {
        self.get(name)?.value.as_number()?.as_i64()
    }

    /// Returns an object's members, including `null` ones, or nothing for other values.
    pub fn members(self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        let object = self.value.as_object();
        let members = object.into_iter().flat_map(Object::iter);
        members
            .enumerate()
            .filter_map(move |(at, (key, value))| Some((key.as_str(), self.part(value, at)?)))
    }

    /// Returns a list's items, or nothing for other values.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> {
        let items = self.value.as_array().map_or(&[][..], |array| &array[..]);
        (items.iter().enumerate()).filter_map(move |(at, value)| self.part(value, at))
    }

    /// Returns the items of the list in the field `name`.
    pub fn items_of(self, name: &str) -> impl Iterator<Item = Node<'a>> {
        self.get(name).into_iter().flat_map(Node::items)
    }

    fn part(&self, value: &'a Value<'static>, at: usize) -> Option<Self> {
        let at = self.document.places().part(self.at, at)?;
        Some(Self::new(self.document, value, at))
    }
}
