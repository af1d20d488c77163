//! Minimal text edits for a changed document. Unchanged parts keep their bytes, including
//! whitespace and comments. If an item gets completed, for instance, only its status changes, and
//! an item appended to a list copies the layout of those before it.

use std::collections::BTreeMap;
use std::ops::Range;

use windlass_tron::{Object, Text, Value};

use crate::compare::is_same;
use crate::index::Index;
use crate::{Document, Layout, Node, json};

/// Returns the text of `document` with the differences to `new` applied. We parse the result to
/// verify it. Returns `None` if that's impossible and the document has to be written again.
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
    let text = patch.applied();
    let read = Document::parse(source.name(), text.as_bytes()).ok()?;
    let is_same = read.encoding() == document.encoding() && is_same(read.value(), new);
    is_same.then_some(text)
}

/// Returns the classes that have instances in a document, by their properties.
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

/// Returns an object's class.
fn class_of(node: Node<'_>) -> Option<String> {
    node.value().as_object()?;
    let place = node.place();
    let text = place.source.text().get(place.range)?;
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
    /// Returns the text with all edits applied.
    fn applied(mut self) -> String {
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

    /// Collects edits. Documents are at most 256 levels deep, so we can recurse.
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
        // An object without brackets is the whole document.
        if range.start == 0 && old.value().as_object().is_some() && self.opens(&range) != Some('{')
        {
            return None;
        }
        // Replace the value as a whole.
        self.edits.truncate(mark);
        // We can't see the layout in an empty value.
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

    fn object(&mut self, old: Node<'a>, new: &Object<'_>) -> Option<()> {
        let parts: Vec<(&str, Node<'a>)> = old.members().collect();
        let (own_keys, new_keys) = (Index::of(old.value().as_object()), Index::of(Some(new)));
        let is_braced = self.opens(&old.place().range) == Some('{');
        let is_in_place = |((own, _), (key, _)): (&(&str, Node<'a>), (&Text<'_>, &Value<'_>))| {
            let is_renamed = || !new_keys.has(own) && !own_keys.has(key);
            *own == key.as_str() || is_braced && is_renamed()
        };
        if parts.len() == new.len() && parts.iter().zip(new.iter()).all(is_in_place) {
            for ((own, part), (key, value)) in parts.iter().zip(new.iter()) {
                if *own != key.as_str() {
                    let text = Value::String(key.clone()).to_string();
                    self.edits.push((part.key_place().range, text));
                }
                self.value(*part, value)?;
            }
            return Some(());
        }
        let place = old.place();
        if !is_braced {
            return None;
        }
        let kept: Vec<(&str, Node<'a>)> = parts
            .iter()
            .filter(|(key, _)| new_keys.has(key))
            .copied()
            .collect();
        let shared = new.iter().filter(|(key, _)| own_keys.has(key));
        let is_in_order = shared
            .zip(&kept)
            .all(|((key, _), (own, _))| key.as_str() == *own);
        if kept.is_empty() || !is_in_order {
            return None;
        }
        let spans: Vec<Range<usize>> = (parts.iter())
            .map(|(_, part)| part.key_place().range.start..part.place().range.end)
            .collect();
        self.take_out(&spans, |at| {
            parts.get(at).is_some_and(|(key, _)| new_keys.has(key))
        })?;
        let start = spans.first()?.start;
        let between = self.between(place.range.start, &spans);
        let mut after: Option<usize> = None;
        let mut kept = kept.iter().peekable();
        let mut first = String::new();
        for (key, value) in new.iter() {
            if let Some((_, part)) = kept.next_if(|(own, _)| *own == key.as_str()) {
                self.value(*part, value)?;
                after = Some(part.place().range.end);
                continue;
            }
            let at = after.unwrap_or(place.range.start);
            let member = format!(
                "{}: {}",
                Value::String(key.clone()),
                self.written(value, at, &place.range)
            );
            let member = if self.layout.indent.is_none() && !between.contains([' ', '\n']) {
                member.replacen(": ", ":", 1)
            } else {
                member
            };
            match after {
                Some(at) => self.edits.push((at..at, format!(",{between}{member}"))),
                None => first.push_str(&format!("{member},{between}")),
            }
        }
        if !first.is_empty() {
            self.edits.push((start..start, first));
        }
        Some(())
    }

    fn array(&mut self, old: Node<'a>, new: &[Value<'_>]) -> Option<()> {
        let items: Vec<Node<'a>> = old.items().collect();
        let spans: Vec<Range<usize>> = items.iter().map(|item| item.place().range).collect();
        let last = spans.last()?.clone();
        if new.len() < items.len() {
            // We only handle lists with removed items and no other changes.
            let mut rest = new.iter().peekable();
            let kept: Vec<bool> = items
                .iter()
                .map(|item| rest.next_if(|value| *value == item.value()).is_some())
                .collect();
            if new.is_empty() || rest.peek().is_some() {
                return None;
            }
            return self.take_out(&spans, |at| kept.get(at).copied().unwrap_or(false));
        }
        for (item, value) in items.iter().zip(new) {
            self.value(*item, value)?;
        }
        let between = self.between(old.place().range.start, &spans);
        let mut added = String::new();
        for value in new.iter().skip(items.len()) {
            added.extend([",", &between, &self.written(value, last.start, &last)]);
        }
        if !added.is_empty() {
            self.edits.push((last.end..last.end, added));
        }
        Some(())
    }

    /// Removes parts, each with its comma.
    fn take_out(&mut self, parts: &[Range<usize>], stays: impl Fn(usize) -> bool) -> Option<()> {
        let mut before: Option<usize> = None;
        let mut at = 0;
        while let Some(part) = parts.get(at) {
            if stays(at) {
                before = Some(part.end);
                at += 1;
                continue;
            }
            let run = (at..parts.len()).take_while(|at| !stays(*at)).count();
            let range = match parts.get(at + run) {
                Some(next) => part.start..next.start,
                None => before?..parts.last()?.end,
            };
            self.edits.push((range, String::new()));
            at += run;
        }
        Some(())
    }

    /// Returns the separator after a comma, as found between the first two parts, or before the
    /// first part after the bracket at `open`.
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
        let opening = || opening().filter(|text| text.contains('\n'));
        two.or_else(opening)
            .unwrap_or_else(|| match self.layout.indent {
                Some(_) => " ".to_owned(),
                None => String::new(),
            })
    }

    /// Formats a value to insert at `at`, in the layout of `like`.
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
        // An inserted member is one level below its object.
        text.replace('\n', &format!("{}{outer}", self.line_end))
    }

    /// Formats an object as an instance, if a class of the document has the same fields.
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

/// Joins formatted text into one line. Line ends only occur between parts and never inside a
/// string, so that's safe.
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
