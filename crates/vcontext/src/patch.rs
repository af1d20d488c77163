//! Minimal text edits for a changed document. Unchanged parts keep their bytes, including
//! whitespace and comments.
//!
//! For example, completing an item only edits its status. An item appended to a list copies the
//! layout of the previous ones. If parts of an object or list are removed or reordered, the whole
//! object or list is written again.

use std::collections::BTreeMap;
use std::ops::Range;

use windlass_tron::{Object, Value};

use crate::compare::is_same;
use crate::{Document, Layout, Node, json};

/// Edits the text of `document` so that its value becomes `new`. Returns `None` if that is
/// impossible, in which case the caller has to write the whole document again.
pub(crate) fn patched(document: &Document, new: &Value<'_>) -> Option<String> {
    let source = document.source();
    let mut patch = Patch {
        text: source.text(),
        layout: document.layout(),
        classes: classes(document.root()),
        edits: Vec::new(),
        line_end: match source.text().contains("\r\n") {
            true => "\r\n",
            false => "\n",
        },
    };
    patch.value(document.root(), new)?;
    // We've edited the text without parsing it, so make sure that it has the intended value.
    let text = patch.applied();
    let read = Document::parse(source.name(), text.as_bytes()).ok()?;
    let is_same = read.encoding() == document.encoding() && is_same(read.value(), new);
    is_same.then_some(text)
}

/// The instantiated classes of a document, by their properties.
fn classes(root: Node<'_>) -> BTreeMap<Vec<&str>, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if let Some(name) = class_of(node) {
            let keys = node.members().map(|(key, _)| key).collect();
            found.entry(keys).or_insert(name);
        }
        open.extend(node.items());
        open.extend(node.members().map(|(_, part)| part));
    }
    found
}

fn class_of(node: Node<'_>) -> Option<String> {
    node.value().as_object()?;
    let place = node.place();
    let text = place.source.text().get(place.range)?;
    // An instance looks like `Name(1, 2)`. A plain object starts with a brace, so the text before
    // its first parenthesis is no name.
    let (name, _) = text.split_once('(')?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = name.trim_end();
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

struct Patch<'a> {
    text: &'a str,
    layout: &'a Layout,
    classes: BTreeMap<Vec<&'a str>, String>,
    edits: Vec<(Range<usize>, String)>,
    line_end: &'static str,
}

impl<'a> Patch<'a> {
    fn applied(mut self) -> String {
        // Members or items inserted at the same position stay in order, because the sort is stable.
        self.edits
            .sort_by_key(|(range, _)| (range.start, range.end));
        let mut text = String::with_capacity(self.text.len());
        let mut done = 0;
        for (range, new) in self.edits {
            text.push_str(self.text.get(done..range.start).unwrap_or_default());
            text.push_str(&new);
            done = range.end.max(done);
        }
        text.push_str(self.text.get(done..).unwrap_or_default());
        text
    }

    /// Collects edits. Recursion is safe here, because the depth of documents is limited.
    fn value(&mut self, old: Node<'a>, new: &Value<'_>) -> Option<()> {
        if is_same(old.value(), new) {
            return Some(());
        }
        let mark = self.edits.len();
        let is_done = match (old.value(), new) {
            (Value::Object(_), Value::Object(new)) => self.object(old, new),
            (Value::Array(_), Value::Array(new)) => self.array(old, new),
            _ => None,
        };
        if is_done.is_some() {
            return is_done;
        }
        let range = old.place().range;
        // The outermost object may have no braces. Its replacement would have some, so leave it to
        // the caller to write the document again.
        if range.start == 0 && old.value().as_object().is_some() && self.opens(&range) != Some('{')
        {
            return None;
        }
        // We can't edit the value in part. Drop the edits of its parts, and replace it as a whole.
        self.edits.truncate(mark);
        // An empty value has no layout to copy.
        let is_empty = match old.value() {
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        let like = if is_empty {
            0..self.text.len()
        } else {
            range.clone()
        };
        let text = self.written(new, range.start, &like);
        self.edits.push((range, text));
        Some(())
    }

    fn opens(&self, range: &Range<usize>) -> Option<char> {
        self.text.get(range.clone())?.chars().next()
    }

    /// Edits an object whose members keep their order. New members come last.
    fn object(&mut self, old: Node<'a>, new: &Object<'_>) -> Option<()> {
        let parts: Vec<(&str, Node<'a>)> = old.members().collect();
        let mut kept = parts.iter().zip(new.iter());
        if parts.len() > new.len() || !kept.all(|((own, _), (key, _))| *own == key.as_str()) {
            return None;
        }
        for ((_, part), (_, value)) in parts.iter().zip(new.iter()) {
            self.value(*part, value)?;
        }
        let place = old.place().range;
        if parts.len() == new.len() {
            return Some(());
        }
        if self.opens(&place) != Some('{') {
            return None;
        }
        let spans: Vec<Range<usize>> = (parts.iter())
            .map(|(_, part)| part.key_place().range.start..part.place().range.end)
            .collect();
        let last = spans.last()?.end;
        let between = self.between(place.start, &spans);
        let is_tight = self.layout.indent.is_none() && !between.contains([' ', '\n']);
        let colon = if is_tight { ":" } else { ": " };
        for (key, value) in new.iter().skip(parts.len()) {
            let key = Value::String(key.clone());
            let value = self.written(value, last, &place);
            let member = format!(",{between}{key}{colon}{value}");
            self.edits.push((last..last, member));
        }
        Some(())
    }

    /// Edits an array. New items come last.
    fn array(&mut self, old: Node<'a>, new: &[Value<'_>]) -> Option<()> {
        let items: Vec<Node<'a>> = old.items().collect();
        let spans: Vec<Range<usize>> = items.iter().map(|item| item.place().range).collect();
        let last = spans.last()?.clone();
        if new.len() < items.len() {
            return None;
        }
        for (item, value) in items.iter().zip(new) {
            self.value(*item, value)?;
        }
        let between = self.between(old.place().range.start, &spans);
        for value in new.iter().skip(items.len()) {
            let item = format!(",{between}{}", self.written(value, last.start, &last));
            self.edits.push((last.end..last.end, item));
        }
        Some(())
    }

    /// The whitespace after a comma, copied from between the first two parts, or from between the
    /// bracket at `open` and the first part.
    fn between(&self, open: usize, parts: &[Range<usize>]) -> String {
        let blank = |text: &str| -> Option<String> {
            text.chars()
                .all(char::is_whitespace)
                .then(|| text.to_owned())
        };
        let two = parts.first().zip(parts.get(1)).and_then(|(one, two)| {
            let text = self.text.get(one.end..two.start)?;
            blank(text.trim_start().strip_prefix(',')?)
        });
        let opening = || blank(self.text.get(open + 1..parts.first()?.start)?);
        // Only copy it if it breaks the line. A space after a bracket says nothing about the space
        // after a comma.
        let opening = || opening().filter(|text| text.contains('\n'));
        two.or_else(opening)
            .unwrap_or_else(|| match self.layout.indent {
                Some(_) => " ".to_owned(),
                None => String::new(),
            })
    }

    /// Formats a value in the layout of `like`, for insertion at `at`.
    fn written(&self, value: &Value<'_>, at: usize, like: &Range<usize>) -> String {
        if let Some(instance) = self.instance(value) {
            return instance;
        }
        let has_lines = self
            .text
            .get(like.clone())
            .is_some_and(|text| text.contains('\n'));
        let Some(indent) = self.layout.indent.as_deref() else {
            return json::written(value, None);
        };
        let text = json::written(value, Some(indent));
        if !has_lines || !text.contains('\n') {
            return on_one_line(&text);
        }
        let line = self
            .text
            .get(..at)
            .map_or(0, |text| text.rfind('\n').map_or(0, |at| at + 1));
        let line = self.text.get(line..).unwrap_or_default();
        let outer: String = line
            .chars()
            .take_while(|c| matches!(c, ' ' | '\t'))
            .collect();
        // For an inserted member, `at` is the end of the previous one, so this indentation fits the
        // new member as well.
        text.replace('\n', &format!("{}{outer}", self.line_end))
    }

    /// Formats an object as an instance of a class with the same fields, if the document uses one.
    fn instance(&self, value: &Value<'_>) -> Option<String> {
        let object = value.as_object()?;
        let keys: Vec<&str> = object.iter().map(|(key, _)| key.as_str()).collect();
        let class = self.classes.get(&keys)?;
        let blank = if self.layout.indent.is_some() {
            " "
        } else {
            ""
        };
        let arguments: Vec<String> = object
            .iter()
            .map(|(_, value)| {
                let written = || on_one_line(&json::written(value, self.layout.indent.as_deref()));
                self.instance(value).unwrap_or_else(written)
            })
            .collect();
        Some(format!("{class}({})", arguments.join(&format!(",{blank}"))))
    }
}

/// Joins formatted text into one line. Line breaks only occur between parts, never inside of a
/// string.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for part in text.lines().map(str::trim_start) {
        let is_tight =
            line.is_empty() || line.ends_with(['{', '[']) || part.starts_with(['}', ']']);
        if !is_tight {
            line.push(' ');
        }
        line.push_str(part);
    }
    line
}
