use windlass_base::{LineSpan, Place};
use windlass_tron::{Object, PlaceId, Value};

use crate::Document;

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

    /// Its value.
    #[must_use]
    pub fn value(&self) -> &'a Value<'static> {
        self.value
    }

    /// Its text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// Where it stands.
    #[must_use]
    pub fn place(&self) -> Place {
        self.document.place(self.at)
    }

    /// Where its key stands; its value, if it has none.
    #[must_use]
    pub fn key_place(&self) -> Place {
        self.document.key_place(self.at)
    }

    /// The lines it stands on.
    #[must_use]
    pub fn lines(&self) -> LineSpan {
        let place = self.place();
        let line = |at: usize| u32::try_from(place.source.position(at).line).unwrap_or(u32::MAX);
        let start = line(place.range.start);
        // The end is the byte after the last one.
        let end = line(place.range.end.saturating_sub(1).max(place.range.start));
        LineSpan::new(start, end).unwrap_or(LineSpan::single(start))
    }

    /// Where it begins in its first line, in bytes from 1; a byte order mark does not count.
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

    /// The member called `name`, also when it is `null`.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        let mut members = self.value.as_object()?.iter().enumerate();
        let (at, (_, value)) = members.find(|(_, (key, _))| key.as_str() == name)?;
        self.part(value, at)
    }

    /// The field called `name`; `null` is the same as none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Self> {
        self.member(name).filter(|node| !node.value.is_null())
    }

    /// The text of the field called `name`.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.text()
    }

    /// The integer of the field called `name`.
    #[must_use]
    pub fn whole_of(&self, name: &str) -> Option<i64> {
        self.get(name)?.value.as_number()?.as_i64()
    }

    /// The members of an object, `null` ones included; none of anything else.
    pub fn members(self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        let object = self.value.as_object();
        let members = object.into_iter().flat_map(Object::iter);
        members
            .enumerate()
            .filter_map(move |(at, (key, value))| Some((key.as_str(), self.part(value, at)?)))
    }

    /// The items of a list; none of anything else.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> {
        let items = self.value.as_array().map_or(&[][..], |array| &array[..]);
        (items.iter().enumerate()).filter_map(move |(at, value)| self.part(value, at))
    }

    /// The items of the list that the field called `name` is.
    pub fn items_of(self, name: &str) -> impl Iterator<Item = Node<'a>> {
        self.get(name).into_iter().flat_map(Node::items)
    }

    fn part(&self, value: &'a Value<'static>, at: usize) -> Option<Self> {
        let at = self.document.places().part(self.at, at)?;
        Some(Self::new(self.document, value, at))
    }
}
