//! Locations of values in the source text.

use std::ops::Range;

/// Locations of all values and keys in a text, as returned by
/// [`ReadOptions::located`](crate::ReadOptions::located). Elements and members are addressed by
/// index, as in the value.
#[derive(Debug, Clone, Default)]
pub struct Places {
    nodes: Vec<Node>,
    /// Elements and members of all arrays and objects. The parts of one array or object are
    /// adjacent.
    parts: Vec<PlaceId>,
}

/// Identifier of a value in [`Places`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaceId(usize);

#[derive(Debug, Clone)]
struct Node {
    range: Range<usize>,
    key: Option<Range<usize>>,
    parts: Range<usize>,
}

impl Places {
    /// Returns the document's root value.
    #[must_use]
    pub const fn root(&self) -> PlaceId {
        PlaceId(0)
    }

    /// Returns a value's byte range. The range of an array or object includes the brackets, and for
    /// an instance the class name as well.
    #[must_use]
    pub fn range(&self, of: PlaceId) -> Range<usize> {
        self.nodes.get(of.0).map_or(0..0, |node| node.range.clone())
    }

    /// Returns the byte range of the value's key. Array elements and positional arguments have
    /// none.
    #[must_use]
    pub fn key(&self, of: PlaceId) -> Option<Range<usize>> {
        self.nodes.get(of.0)?.key.clone()
    }

    /// Moves all ranges by the number of bytes before the text, such as a byte order mark.
    #[must_use]
    pub fn moved_by(mut self, bytes: usize) -> Self {
        let move_range = |range: &mut Range<usize>| *range = range.start + bytes..range.end + bytes;
        for node in &mut self.nodes {
            move_range(&mut node.range);
            node.key.as_mut().map(move_range);
        }
        self
    }

    /// Returns the array element, or the object member's value, at index `at`.
    #[must_use]
    pub fn part(&self, of: PlaceId, at: usize) -> Option<PlaceId> {
        let parts = self.nodes.get(of.0)?.parts.clone();
        self.parts.get(parts)?.get(at).copied()
    }
}

/// Receiver of locations while a value is being read.
pub(super) trait Watch {
    fn key(&mut self, range: Range<usize>);
    /// Called at the start of a value. Without parts, `range` also includes the value's end.
    fn value(&mut self, range: Range<usize>, has_parts: bool);
    fn end(&mut self, range: Range<usize>);
}

/// Ignores all locations.
impl Watch for () {
    fn key(&mut self, _: Range<usize>) {}
    fn value(&mut self, _: Range<usize>, _: bool) {}
    fn end(&mut self, _: Range<usize>) {}
}

/// The locations collected so far.
pub(super) struct PlaceCollector<'a> {
    text: &'a str,
    places: Places,
    open: Vec<(PlaceId, Vec<PlaceId>)>,
    key: Option<Range<usize>>,
}

impl<'a> PlaceCollector<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            places: Places::default(),
            open: Vec::new(),
            key: None,
        }
    }

    pub(super) fn into_places(self) -> Places {
        self.places
    }

    /// Trims white space from the end of `range`. The event reader may have looked ahead.
    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        range.start..range.start + text.trim_end().len()
    }
}

impl Watch for PlaceCollector<'_> {
    fn key(&mut self, range: Range<usize>) {
        let text = self.text.get(range.clone()).unwrap_or_default();
        // A key's range includes its delimiter. A positional argument has no delimiter, because its
        // key isn't in the text.
        let key = text.strip_suffix([':', '=']);
        self.key = key.map(|key| range.start..range.start + key.trim_end().len());
    }

    fn value(&mut self, range: Range<usize>, has_parts: bool) {
        let id = PlaceId(self.places.nodes.len());
        self.places.nodes.push(Node {
            range: self.trimmed(range),
            key: self.key.take(),
            parts: 0..0,
        });
        if let Some((_, parts)) = self.open.last_mut() {
            parts.push(id);
        }
        if has_parts {
            self.open.push((id, Vec::new()));
        }
    }

    fn end(&mut self, range: Range<usize>) {
        let Some((id, parts)) = self.open.pop() else {
            return;
        };
        let from = self.places.parts.len();
        self.places.parts.extend(parts);
        let to = self.places.parts.len();
        let end = self.trimmed(0..range.end).end;
        if let Some(node) = self.places.nodes.get_mut(id.0) {
            node.parts = from..to;
            node.range.end = end.max(node.range.start);
        }
    }
}
