//! The forms of objects: as in JSON, or as an instance of a class.

use super::shapes::Shapes;

/// The chosen classes, and the shapes that use them.
#[derive(Default, Clone)]
pub(crate) struct Forms {
    pub(crate) classes: Vec<Class>,
    /// For each shape, the index of its class plus one. 0 means that its objects are written as in
    /// JSON.
    pub(super) of_shape: Vec<usize>,
}

#[derive(Clone)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) keys: Vec<usize>,
}

impl Forms {
    #[inline]
    pub(crate) fn class(&self, shape: usize) -> Option<&Class> {
        let class = self.of_shape.get(shape)?.checked_sub(1)?;
        self.classes.get(class)
    }
}

impl Class {
    pub(crate) fn print(&self, shapes: &Shapes, is_pretty: bool, out: &mut String) {
        out.push_str("class ");
        out.push_str(&self.name);
        for (nr, key) in self.keys.iter().enumerate() {
            out.push_str(match (nr, is_pretty) {
                (0, _) => ": ",
                (_, true) => ", ",
                (_, false) => ",",
            });
            let key = shapes.key(*key);
            out.push_str(if key.is_plain { &key.raw } else { &key.quoted });
        }
        out.push('\n');
    }
}
