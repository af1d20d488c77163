use windlass_base::Place;

use crate::document::json_pointer;
use crate::document::{Document, Node};

/// Positions of a runbook's parts. A generated runbook has none.
pub(super) struct Places<'a> {
    document: Option<&'a Document>,
    /// The steps' nodes. The `finally` steps come last.
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

    /// Returns the position of the value at `path`, or else of its nearest existing parent.
    pub(super) fn root(&self, path: &[&str]) -> Option<Place> {
        Some(self.document?.root().nearest(path).place())
    }

    /// Returns the position of the key at `path`, or else of its nearest existing parent.
    pub(super) fn root_key(&self, path: &[&str]) -> Option<Place> {
        Some(self.document?.root().nearest(path).key_place())
    }

    /// Returns a step's node.
    pub(super) fn step_node(&self, step: usize) -> Option<Node<'a>> {
        self.steps.get(step).copied()
    }

    /// Returns the position of a part of a step.
    pub(super) fn step(&self, step: usize, path: &[&str]) -> Option<Place> {
        Some(self.step_node(step)?.nearest(path).place())
    }

    /// Returns the positions of the items of a list in a step.
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

    /// Returns the position of the value at a JSON pointer within a step.
    pub(super) fn in_step(&self, step: usize, at: &str) -> Option<Place> {
        let path = json_pointer::tokens(at)?;
        Some(self.step_node(step)?.nearest(&path).place())
    }

    /// Returns the position of the byte range `range` of a string in a step. Returns `None` if the
    /// string is written with escapes, because they shift the positions.
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

    /// Returns the end of the document.
    pub(super) fn end(&self) -> Option<Place> {
        let source = self.document?.source();
        let end = source.text().len();
        Some(Place::new(source, end..end))
    }
}
