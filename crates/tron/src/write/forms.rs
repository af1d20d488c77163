//! Forms in which objects are written.

use super::shapes::Shapes;

/// Form of each object: an instance of a class, or as in JSON.
#[derive(Default, Clone)]
pub(crate) struct Forms {
    pub(crate) classes: Vec<Class>,
    /// Class of each shape, as its index plus one; 0 for none.
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
    /// Prints its definition, with the line end.
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
