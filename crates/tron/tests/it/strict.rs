//! A strict reader. It only accepts syntax that all known readers understand: each class is on one
//! line, with plain names and properties. Then comes a blank line, followed by compact JSON, in
//! which instances have exactly the arguments of their class. The root is never an instance.

use serde_json::{Map, Value};

/// Panics on anything that some known reader would refuse or misread.
pub(crate) fn read(text: &str) -> Value {
    let mut classes = Vec::new();
    let mut body = text;
    if text.starts_with("class ") {
        let (header, rest) = text.split_once("\n\n").expect("a blank line");
        body = rest;
        for line in header.lines() {
            let line = line.strip_prefix("class ").expect("a class on each line");
            let (name, properties) = line.split_once(": ").expect("a colon and a space");
            assert!(!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase()));
            let properties: Vec<&str> = properties.split(',').collect();
            assert!(properties.iter().all(|name| is_plain(name)), "{line}");
            assert!(classes.iter().all(|(other, _)| *other != name), "{line}");
            classes.push((name, properties));
        }
    }
    assert!(!body.starts_with(|c: char| c.is_ascii_uppercase()));
    let mut reader = Reader {
        classes,
        body,
        at: 0,
    };
    let value = reader.value();
    assert_eq!(reader.at, body.len(), "{text}");
    value
}

fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    chars.next().is_some_and(is_start)
        && chars.all(|c| is_start(c) || c.is_ascii_digit())
        && !["class", "true", "false", "null"].contains(&name)
}

struct Reader<'a> {
    classes: Vec<(&'a str, Vec<&'a str>)>,
    body: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, expected: char) -> bool {
        let is_here = self.body[self.at..].starts_with(expected);
        self.at += if is_here { expected.len_utf8() } else { 0 };
        is_here
    }

    fn value(&mut self) -> Value {
        if self.take('[') {
            return Value::Array(self.list(']', Self::value));
        }
        if self.take('{') {
            let member = |reader: &mut Self| {
                let key = reader.scalar();
                assert!(reader.take(':'));
                (
                    key.as_str().expect("a key in quotes").to_owned(),
                    reader.value(),
                )
            };
            return Value::Object(self.list('}', member).into_iter().collect());
        }
        let rest = &self.body[self.at..];
        let name = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_uppercase())
                .len();
        if name > 0 {
            return self.instance(&rest[..name]);
        }
        self.scalar()
    }

    fn instance(&mut self, name: &'a str) -> Value {
        self.at += name.len();
        assert!(self.take('('));
        let values = self.list(')', Self::value);
        let class = self.classes.iter().find(|(own, _)| *own == name);
        let properties = &class.expect("a class of that name").1;
        assert_eq!(properties.len(), values.len());
        let names = properties.iter().map(|name| (*name).to_owned());
        Value::Object(names.zip(values).collect::<Map<_, _>>())
    }

    fn list<T>(&mut self, close: char, mut part: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut parts = Vec::new();
        if self.take(close) {
            return parts;
        }
        loop {
            parts.push(part(self));
            if self.take(close) {
                return parts;
            }
            assert!(self.take(','), "{}", &self.body[self.at..]);
        }
    }

    fn scalar(&mut self) -> Value {
        let rest = &self.body[self.at..];
        assert!(!rest.starts_with([' ', '\n', '\t', '\r']));
        let end = match rest.strip_prefix('"') {
            Some(text) => 2 + string_end(text),
            None => rest.find([',', ':', ']', '}', ')']).unwrap_or(rest.len()),
        };
        self.at += end;
        serde_json::from_str(&rest[..end]).expect("a scalar")
    }
}

fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    let is_end = |c: char| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    };
    text.find(is_end).expect("a quote")
}
