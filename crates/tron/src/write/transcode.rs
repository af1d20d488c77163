//! Converts a text without loading its values into memory. Instead, we read the text twice: first
//! to find the shapes of its objects, and then to write it.

use super::WriteOptions;
use super::choose;
use super::forms::Forms;
use super::quote::quote;
use super::shapes::EMPTY;
use super::tape::{Node, Tape};
use crate::error::Result;
use crate::events::{Event, Events};
use crate::options::{DuplicateKeys, ReadOptions};

/// Converts `text` to compact TRON, using classes where they save characters. Apart from the
/// result, this needs 16 bytes per object.
///
/// # Errors
/// Returns an error if `text` is not valid TRON, exceeds a limit, or contains a duplicate key.
pub(crate) fn to_tron(text: &str, options: &ReadOptions) -> Result<String> {
    let options = refusing_duplicates(options);
    let tape = outline(text, &options)?;
    let forms = choose::forms(&tape, &WriteOptions::default());
    written(text, &options, &tape, &forms)
}

/// Converts `text` to compact JSON, with the same errors as [`to_tron`]. This only needs memory for
/// the result.
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

/// Records the shapes of all objects, in the order in which they start. The first node is the root,
/// even if that is not an object, because the first node never uses a class.
fn outline(text: &str, options: &ReadOptions) -> Result<Tape> {
    let mut events = Events::new(text, options)?;
    let mut tape = Tape::default();
    // Index and shape of each open object. An open array is `None`.
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
                // Known readers require braces for the root, even if a class would fit.
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
