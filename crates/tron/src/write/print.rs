//! Prints the tape.
//!
//! This uses a stack of its own instead of recursion, so values of any depth can be printed.

use std::rc::Rc;

use super::forms::{Class, Forms};
use super::shapes::Shapes;
use super::tape::{Node, Tape};

/// Width of a line of pretty text, in characters. Values that do not fit are broken into several
/// lines.
const WIDTH: usize = 100;

struct Open<'f> {
    form: Form<'f>,
    /// Number of values that have been printed. `left` is the number of the others.
    done: usize,
    left: usize,
    /// True if each value goes on a line of its own.
    is_broken: bool,
}

enum Form<'f> {
    Array,
    Object(Keys),
    Instance,
    /// An instance that lacks some properties. This has its class, the keys it does have, and the
    /// number of properties printed so far.
    Padded(&'f Class, Keys, usize),
}

type Keys = Rc<[usize]>;

/// Prints `tape`, with objects in the form determined by `forms`.
pub(crate) fn print(tape: &Tape, forms: &Forms, is_pretty: bool) -> String {
    let mut printer = Printer {
        tape,
        out: String::with_capacity(tape.text.len() + tape.nodes.len() * 2),
        is_pretty,
        stack: Vec::new(),
    };
    printer.header(forms);
    let widths = if is_pretty {
        widths(tape, forms)
    } else {
        Vec::new()
    };
    let mut keys = KeysOfShapes::new(&tape.shapes);
    let (mut at, mut printed) = (0, 0);
    while let Some(node) = tape.nodes.get(at) {
        if printer.run(&mut at, &mut printed) {
            continue;
        }
        printer.lead();
        let is_broken = widths.get(at).is_some_and(|width| *width > WIDTH);
        let left = match node {
            Node::Scalar(end) => {
                printer.out.push_str(&tape.text[printed..*end]);
                printed = *end;
                0
            }
            Node::Array(count) => {
                printer.open("[", Form::Array, *count, is_broken);
                *count
            }
            Node::Object(shape) => {
                let count = tape.shapes.count(*shape);
                // Known readers require braces for the root.
                match forms.class(*shape).filter(|_| at > 0) {
                    Some(class) => {
                        printer.out.push_str(&class.name);
                        let form = if class.keys.len() == count {
                            Form::Instance
                        } else {
                            Form::Padded(class, keys.of(*shape), 0)
                        };
                        printer.open("(", form, count, is_broken);
                    }
                    None => printer.open("{", Form::Object(keys.of(*shape)), count, is_broken),
                }
                count
            }
        };
        if left == 0 {
            if !matches!(node, Node::Scalar(_)) {
                printer.close();
            }
            printer.value_done();
        }
        at += 1;
    }
    printer.out
}

/// Caches the keys of each shape, since many objects share one.
struct KeysOfShapes<'f> {
    shapes: &'f Shapes,
    known: Vec<Option<Keys>>,
}

impl<'f> KeysOfShapes<'f> {
    fn new(shapes: &'f Shapes) -> Self {
        let known = vec![None; shapes.len()];
        Self { shapes, known }
    }

    fn of(&mut self, shape: usize) -> Keys {
        let known = self
            .known
            .get_mut(shape)
            .map(|known| known.get_or_insert_with(|| self.shapes.keys(shape).into()));
        known.map_or_else(|| [].into(), |keys| Rc::clone(keys))
    }
}

struct Printer<'f> {
    tape: &'f Tape,
    out: String,
    is_pretty: bool,
    stack: Vec<Open<'f>>,
}

impl<'f> Printer<'f> {
    fn header(&mut self, forms: &Forms) {
        for class in &forms.classes {
            class.print(&self.tape.shapes, self.is_pretty, &mut self.out);
        }
        if !forms.classes.is_empty() {
            self.out.push('\n');
        }
    }

    fn open(&mut self, bracket: &str, form: Form<'f>, left: usize, is_broken: bool) {
        self.out.push_str(bracket);
        self.stack.push(Open {
            form,
            done: 0,
            left,
            is_broken,
        });
    }

    /// Prints all scalars up to the next array or object in one go, which is much faster than one
    /// by one. Returns true if there were any.
    fn run(&mut self, at: &mut usize, printed: &mut usize) -> bool {
        let Some(open) = self.stack.last_mut().filter(|_| !self.is_pretty) else {
            return false;
        };
        if !matches!(open.form, Form::Array | Form::Instance) {
            return false;
        }
        let first = *at;
        while let (1.., Some(Node::Scalar(end))) = (open.left, self.tape.nodes.get(*at)) {
            if open.done > 0 {
                self.out.push(',');
            }
            self.out.push_str(&self.tape.text[*printed..*end]);
            *printed = *end;
            open.done += 1;
            open.left -= 1;
            *at += 1;
        }
        let is_any = *at > first;
        if is_any {
            self.value_done();
        }
        is_any
    }

    /// Prints everything before a value: the separator and, in an object, the key.
    #[inline]
    fn lead(&mut self) {
        let indent = self.stack.len();
        let Some(open) = self.stack.last_mut() else {
            return;
        };
        let (out, is_pretty) = (&mut self.out, self.is_pretty);
        let mut is_first = open.done == 0;
        let is_broken = open.is_broken;
        let mut separate = |out: &mut String| {
            if !std::mem::take(&mut is_first) {
                out.push(',');
                if is_pretty && !is_broken {
                    out.push(' ');
                }
            }
            if is_broken {
                break_line(out, indent);
            }
        };
        match &mut open.form {
            Form::Array | Form::Instance => separate(out),
            Form::Object(keys) => {
                separate(out);
                if let Some(key) = keys.get(open.done) {
                    out.push_str(&self.tape.shapes.key(*key).quoted);
                }
                out.push_str(if is_pretty { ": " } else { ":" });
            }
            Form::Padded(class, keys, at) => {
                let own = keys.get(open.done);
                // Print `null` for the properties before the next one that the object has.
                while class.keys.get(*at).is_some_and(|key| Some(key) != own) {
                    separate(out);
                    out.push_str("null");
                    *at += 1;
                }
                separate(out);
                *at += 1;
            }
        }
        open.done += 1;
        open.left -= 1;
    }

    /// Closes all arrays and objects that end with the last value.
    #[inline]
    fn value_done(&mut self) {
        while self.stack.last().is_some_and(|open| open.left == 0) {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(open) = self.stack.pop() else {
            return;
        };
        let indent = self.stack.len();
        if let Form::Padded(class, _, at) = &open.form {
            for _ in *at..class.keys.len() {
                self.out.push(',');
                if open.is_broken {
                    break_line(&mut self.out, indent + 1);
                } else if self.is_pretty {
                    self.out.push(' ');
                }
                self.out.push_str("null");
            }
        }
        if open.is_broken && open.done > 0 {
            break_line(&mut self.out, indent);
        }
        self.out.push(match open.form {
            Form::Array => ']',
            Form::Object(_) => '}',
            Form::Instance | Form::Padded(..) => ')',
        });
    }
}

fn break_line(out: &mut String, indent: usize) {
    out.push('\n');
    // Stop indenting at some point, because the size of the text would otherwise grow with the
    // square of the depth.
    out.extend(std::iter::repeat_n("  ", indent.min(64)));
}

/// Estimates the width of each node on a single line of pretty text, in characters. It need not be
/// exact, since it only decides about line breaks.
fn widths(tape: &Tape, forms: &Forms) -> Vec<usize> {
    let mut widths = vec![0_usize; tape.nodes.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    let mut printed = 0;
    for (at, node) in tape.nodes.iter().enumerate() {
        let (own, count) = match node {
            Node::Scalar(end) => {
                let text = &tape.text[printed..*end];
                printed = *end;
                (text.chars().count(), 0)
            }
            Node::Array(count) => (2 + count * 2, *count),
            Node::Object(shape) => {
                let count = tape.shapes.count(*shape);
                let own = match forms.class(*shape).filter(|_| at > 0) {
                    Some(class) => class.name.len() + class.keys.len() * 6,
                    None => {
                        let keys = tape.shapes.keys(*shape);
                        let width = |key: &usize| tape.shapes.key(*key).quoted.len() + 4;
                        keys.iter().map(width).sum()
                    }
                };
                (own + 2, count)
            }
        };
        widths[at] = own;
        stack.push((at, count));
        while let Some((done, 0)) = stack.last().copied() {
            stack.pop();
            if let Some((parent, left)) = stack.last_mut() {
                widths[*parent] = widths[*parent].saturating_add(widths[done]);
                *left -= 1;
            }
        }
    }
    widths
}
