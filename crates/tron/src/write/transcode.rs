//! Converts a text without building its values in memory. We read the text twice: first for the
//! shapes of its objects, then to write it in the new form.

use super::WriteOptions;
use super::choose;
use super::forms::Forms;
use super::quote::quote;
use super::shapes::EMPTY;
use super::tape::{Node, Tape};
use crate::error::Result;
use crate::events::{Event, Events};
use crate::options::{DuplicateKeys, ReadOptions};

/// Converts `text` to compact TRON, with classes that save characters. Needs memory for the result
/// and 16 bytes per object.
///
/// # Errors
/// Returns an error if `text` is not TRON, exceeds a limit, or has a duplicate key.
pub(crate) fn to_tron(text: &str, options: &ReadOptions) -> Result<String> {
    let options = refusing_duplicates(options);
    let tape = outline(text, &options)?;
    let forms = choose::forms(&tape, &WriteOptions::default());
    written(text, &options, &tape, &forms)
}

/// Converts `text` to compact JSON. Needs memory only for the result.
///
/// # Errors
/// Returns an error like [`to_tron`].
pub(crate) fn to_json(text: &str, options: &ReadOptions) -> Result<String> {
    let options = refusing_duplicates(options);
    written(text, &options, &Tape::default(), &Forms::default())
}

fn refusing_duplicates(options: &ReadOptions) -> ReadOptions {
    ReadOptions {
        duplicate_keys: DuplicateKeys::Refuse,
        ..*options
    }
}

/// Records the shapes of all objects, in the order in which they start. The first node stands for
/// the root.
fn outline(text: &str, options: &ReadOptions) -> Result<Tape> {
    let mut events = Events::new(text, options)?;
    let mut tape = Tape::default();
    // Index and shape of each open object, and `None` for an open array.
    let mut open: Vec<Option<(usize, usize)>> = Vec::new();
    while let Some(event) = events.next()? {
        match event {
            Event::Object(_) => {
                open.push(Some((tape.nodes.len(), EMPTY)));
                tape.nodes.push(Node::Object(EMPTY));
            }
            Event::Array => {
                if tape.nodes.is_empty() {
                    tape.nodes.push(Node::Array(0));
                }
                open.push(None);
            }
            Event::Key(key) => step(&mut tape, &mut open, key),
            Event::OwnKey => {
                let key = events.take();
                step(&mut tape, &mut open, &key);
            }
            Event::End => {
                if let Some((at, shape)) = open.pop().flatten() {
                    tape.fill(at, Node::Object(shape));
                }
            }
            _ => {}
        }
    }
    Ok(tape)
}

fn step(tape: &mut Tape, open: &mut [Option<(usize, usize)>], key: &str) {
    if let Some(Some((_, shape))) = open.last_mut() {
        *shape = tape.shapes.step(*shape, key);
    }
}

/// An array, object or instance being written.
struct Open {
    close: char,
    has_keys: bool,
    is_empty: bool,
}

fn written(text: &str, options: &ReadOptions, tape: &Tape, forms: &Forms) -> Result<String> {
    let mut events = Events::new(text, options)?;
    let mut out = String::with_capacity(text.len() / 2);
    for class in &forms.classes {
        class.print(&tape.shapes, false, &mut out);
    }
    if !forms.classes.is_empty() {
        out.push('\n');
    }
    let mut objects = tape.nodes.iter().filter_map(|node| match node {
        Node::Object(shape) => Some(*shape),
        _ => None,
    });
    let mut open: Vec<Open> = Vec::new();
    while let Some(event) = events.next()? {
        match event {
            Event::End => {
                out.extend(open.pop().map(|open| open.close));
                continue;
            }
            Event::Key(_) | Event::OwnKey => {
                let own = matches!(event, Event::OwnKey).then(|| events.take());
                let key = match (&own, event) {
                    (Some(own), _) => own.as_str(),
                    (None, Event::Key(key)) => key,
                    _ => "",
                };
                if let Some(holder) = open.last_mut().filter(|holder| holder.has_keys) {
                    if !std::mem::take(&mut holder.is_empty) {
                        out.push(',');
                    }
                    quote(key, &mut out);
                    out.push(':');
                }
                continue;
            }
            _ => {}
        }
        if let Some(holder) = open.last_mut().filter(|holder| !holder.has_keys)
            && !std::mem::take(&mut holder.is_empty)
        {
            out.push(',');
        }
        match event {
            Event::Null => out.push_str("null"),
            Event::Bool(true) => out.push_str("true"),
            Event::Bool(false) => out.push_str("false"),
            Event::Number(number) => out.push_str(number),
            Event::Text(text) => quote(text, &mut out),
            Event::OwnText => quote(&events.take(), &mut out),
            Event::Array => open.push(begun(&mut out, "[", ']', false)),
            Event::Object(_) => {
                let class = objects.next().and_then(|shape| forms.class(shape));
                // Known readers require braces around the root, even if a class would fit.
                open.push(match class.filter(|_| !open.is_empty()) {
                    Some(class) => {
                        out.push_str(&class.name);
                        begun(&mut out, "(", ')', false)
                    }
                    None => begun(&mut out, "{", '}', true),
                });
            }
            Event::Key(_) | Event::OwnKey | Event::End => {}
        }
    }
    Ok(out)
}

fn begun(out: &mut String, mark: &str, close: char, has_keys: bool) -> Open {
    out.push_str(mark);
    Open {
        close,
        has_keys,
        is_empty: true,
    }
}
