//! A tape that records the output in order: printed scalars, and the number of parts in each array
//! and object.

use super::quote::quote;
use super::shapes::Shapes;
use crate::value::{Object, Value};

#[derive(Default)]
pub(crate) struct Tape {
    pub(crate) nodes: Vec<Node>,
    /// Printed scalars, concatenated without separators.
    pub(crate) text: String,
    pub(crate) shapes: Shapes,
}

#[derive(Clone, Copy)]
pub(crate) enum Node {
    /// A scalar that ends at this byte offset of the text.
    Scalar(usize),
    /// An array with this number of elements. Their nodes follow.
    Array(usize),
    /// An object of this shape. The nodes of its values follow.
    Object(usize),
}

impl Tape {
    /// Appends a scalar in printed form.
    #[inline]
    pub(crate) fn scalar(&mut self, text: &str) {
        self.text.push_str(text);
        self.nodes.push(Node::Scalar(self.text.len()));
    }

    #[inline]
    pub(crate) fn string(&mut self, text: &str) {
        quote(text, &mut self.text);
        self.nodes.push(Node::Scalar(self.text.len()));
    }

    /// Appends a placeholder for an array or object of unknown size, and returns its index.
    pub(crate) fn reserve(&mut self) -> usize {
        self.nodes.push(Node::Array(0));
        self.nodes.len() - 1
    }

    pub(crate) fn fill(&mut self, at: usize, node: Node) {
        if let Some(own) = self.nodes.get_mut(at) {
            *own = node;
        }
    }

    fn shape(&mut self, object: &Object<'_>) -> usize {
        let keys = object.iter().map(|(key, _)| key);
        keys.fold(super::shapes::EMPTY, |shape, key| {
            self.shapes.step(shape, key)
        })
    }

    /// Appends a value of any depth.
    pub(crate) fn value(&mut self, value: &Value<'_>) {
        let mut stack: Vec<Box<dyn Iterator<Item = &Value<'_>> + '_>> = Vec::new();
        let mut next = Some(value);
        loop {
            match next {
                Some(Value::Null) => self.scalar("null"),
                Some(Value::Bool(true)) => self.scalar("true"),
                Some(Value::Bool(false)) => self.scalar("false"),
                Some(Value::Number(number)) => self.scalar(number.as_str()),
                Some(Value::String(text)) => self.string(text),
                Some(Value::Array(array)) => {
                    self.nodes.push(Node::Array(array.len()));
                    stack.push(Box::new(array.iter()));
                }
                Some(Value::Object(object)) => {
                    let shape = self.shape(object);
                    self.nodes.push(Node::Object(shape));
                    stack.push(Box::new(object.iter().map(|(_, value)| value)));
                }
                None => {
                    stack.pop();
                }
            }
            match stack.last_mut() {
                Some(values) => next = values.next(),
                None => return,
            }
        }
    }
}
