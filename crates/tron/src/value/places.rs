//! Locations of values in the source text, e.g. for error messages about a document's contents.

use std::ops::Range;

/// The locations of all values and keys in a text, see
/// [`ReadOptions::located`](crate::ReadOptions::located).
///
/// Elements and members have the same indices here as in the value.
#[derive(Debug, Clone, Default)]
pub struct Places {
    nodes: Vec<Node>,
    /// The parts of each array and object, in one list. Each node has its own range of it.
    parts: Vec<PlaceId>,
}

/// A value in [`Places`]. It is only valid for the `Places` that returned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaceId(usize);

#[derive(Debug, Clone)]
struct Node {
    range: Range<usize>,
    key: Option<Range<usize>>,
    parts: Range<usize>,
}

impl Places {
    /// The value of the whole document.
    #[must_use]
    pub const fn root(&self) -> PlaceId {
        PlaceId(0)
    }

    /// The byte range of a value. For an array or object, this includes the brackets, and for an
    /// instance also the name of the class.
    #[must_use]
    pub fn range(&self, of: PlaceId) -> Range<usize> {
        self.nodes.get(of.0).map_or(0..0, |node| node.range.clone())
    }

    /// The byte range of the key. Returns `None` for an element or a positional argument, which
    /// do not have a key in the text.
    #[must_use]
    pub fn key(&self, of: PlaceId) -> Option<Range<usize>> {
        self.nodes.get(of.0)?.key.clone()
    }

    /// Moves all ranges by a number of bytes. Use this if the start of the text was cut off before
    /// parsing, e.g. a byte order mark.
    #[must_use]
    pub fn moved_by(mut self, bytes: usize) -> Self {
        let move_range = |range: &mut Range<usize>| *range = range.start + bytes..range.end + bytes;
        for node in &mut self.nodes {
            move_range(&mut node.range);
            node.key.as_mut().map(move_range);
        }
        self
    }

    /// The element with index `at`, or the value of the member with that index.
    #[must_use]
    pub fn part(&self, of: PlaceId, at: usize) -> Option<PlaceId> {
        let parts = self.nodes.get(of.0)?.parts.clone();
        self.parts.get(parts)?.get(at).copied()
    }
}

/// Receives locations while a value is read. The implementation for `()` ignores them, so reading
/// without locations costs nothing extra.
pub(super) trait Watch {
    fn key(&mut self, range: Range<usize>);
    /// The start of a value. If it cannot have parts, `range` covers all of it.
    fn value(&mut self, range: Range<usize>, has_parts: bool);
    fn end(&mut self, range: Range<usize>);
}

impl Watch for () {
    fn key(&mut self, _: Range<usize>) {}
    fn value(&mut self, _: Range<usize>, _: bool) {}
    fn end(&mut self, _: Range<usize>) {}
}

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

    /// Removes whitespace from the end of `range`. The event reader sometimes skips it before we
    /// get the range, because it has to look ahead.
    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        range.start..range.start + text.trim_end().len()
    }
}

impl Watch for PlaceCollector<'_> {
    fn key(&mut self, range: Range<usize>) {
        let text = self.text.get(range.clone()).unwrap_or_default();
        // The range of a key goes up to its `:` or `=`. A positional argument gets its key from the
        // class, so neither of the two is in the text.
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
