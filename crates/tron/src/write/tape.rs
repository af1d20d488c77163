//! The tape: a list of all values in the order of the output. Scalars are already in their printed
//! form.

use super::quote::quote;
use super::shapes::Shapes;
use crate::value::{Object, Value};

#[derive(Default)]
pub(crate) struct Tape {
    pub(crate) nodes: Vec<Node>,
    pub(crate) text: String,
    pub(crate) shapes: Shapes,
}

#[derive(Clone, Copy)]
pub(crate) enum Node {
    /// A scalar. Its text goes from the end of the previous one to this offset in `Tape::text`.
    Scalar(usize),
    /// An array with this many elements, which come next.
    Array(usize),
    /// An object with this shape. The values of its members come next.
    Object(usize),
}

impl Tape {
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

    /// Appends a node for an array or object of unknown size, and returns its index. The caller has
    /// to fill in the node later.
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

    /// Appends a value of any depth, without recursion.
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
