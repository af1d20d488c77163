use windlass_base::Place;

use crate::document::json_pointer;
use crate::document::{Document, Node};

/// The positions of a runbook's parts. A generated runbook has no document, and all positions are
/// `None`.
pub(super) struct Places<'a> {
    document: Option<&'a Document>,
    /// All steps, with the `finally` steps at the end, as in [`Resolution`](super::Resolution).
    steps: Vec<Node<'a>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(document: Option<&'a Document>) -> Self {
        let root = document.map(Document::root);
        let list = |name: &str| {
            root.and_then(|root| root.get(name))
                .into_iter()
                .flat_map(Node::items)
        };
        Self {
            document,
            steps: list("steps").chain(list("finally")).collect(),
        }
    }

    /// The position of the value at `path`.
    ///
    /// If there's no such value, we use the nearest parent that exists.
    pub(super) fn root(&self, path: &[&str]) -> Option<Place> {
        Some(self.document?.root().nearest(path).place())
    }

    /// Like [`root`](Self::root), but this is the position of the key.
    pub(super) fn root_key(&self, path: &[&str]) -> Option<Place> {
        Some(self.document?.root().nearest(path).key_place())
    }

    pub(super) fn step_node(&self, step: usize) -> Option<Node<'a>> {
        self.steps.get(step).copied()
    }

    /// The position of a part of a step, or of the nearest parent that exists.
    pub(super) fn step(&self, step: usize, path: &[&str]) -> Option<Place> {
        Some(self.step_node(step)?.nearest(path).place())
    }

    pub(super) fn items_of_step(
        &self,
        step: usize,
        field: &str,
    ) -> impl Iterator<Item = Place> + use<'a> {
        let list = self.step_node(step).and_then(|step| step.get(field));
        list.into_iter()
            .flat_map(Node::items)
            .map(|item| item.place())
    }

    /// Like [`step`](Self::step), but with a JSON pointer.
    pub(super) fn in_step(&self, step: usize, at: &str) -> Option<Place> {
        let path = json_pointer::tokens(at)?;
        Some(self.step_node(step)?.nearest(&path).place())
    }

    /// The position of a byte range in a string of a step.
    ///
    /// Escapes shift the range, so if the text isn't there as it is, we return the position of the
    /// whole string.
    pub(super) fn text_in_step(
        &self,
        step: usize,
        field: &str,
        text: &str,
        range: std::ops::Range<usize>,
    ) -> Option<Place> {
        let mut place = self.step(step, &[field])?;
        let written = place.source.text().get(place.range.clone())?;
        if let Some(at) = written.find(text) {
            let start = place.range.start + at;
            place.range = start + range.start..start + range.end;
        }
        Some(place)
    }

    /// The end of the document, for findings about the document as a whole.
    pub(super) fn end(&self) -> Option<Place> {
        let source = self.document?.source();
        let end = source.text().len();
        Some(Place::new(source, end..end))
    }
}
