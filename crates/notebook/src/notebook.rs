use windlass_base::did_you_mean;

use crate::{Anchor, NotebookError};

/// A notebook as it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notebook {
    anchors: Vec<Anchor>,
}

impl Notebook {
    pub(crate) fn new(anchors: Vec<Anchor>) -> Self {
        Self { anchors }
    }

    /// The anchors, in the order in which they were saved.
    pub fn anchors(&self) -> impl ExactSizeIterator<Item = &Anchor> {
        self.anchors.iter()
    }

    /// The anchor called `id`.
    ///
    /// # Errors
    /// When there is none; the error names the nearest.
    pub fn anchor(&self, id: &str) -> Result<&Anchor, NotebookError> {
        find(self.anchors.iter(), id).map(|(_, anchor)| anchor)
    }
}

/// The first of `anchors` that is called `id`, and which one it is, from 0.
pub(crate) fn find<'a>(
    anchors: impl Iterator<Item = &'a Anchor> + Clone,
    id: &str,
) -> Result<(usize, &'a Anchor), NotebookError> {
    let found = anchors
        .clone()
        .enumerate()
        .find(|(_, anchor)| anchor.id.as_str() == id);
    found.ok_or_else(|| NotebookError::NoSuchAnchor {
        id: id.to_owned(),
        similar: did_you_mean(id, anchors.map(|anchor| anchor.id.as_str())).map(str::to_owned),
    })
}
