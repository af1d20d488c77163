//! As much of XML as reports are written in: elements, attributes, text, CDATA. No entities but the five of XML and numbers:
//! nothing in a report can grow.

/// What stands in a document, one after the other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A start tag, with its attributes in their order; `closed` where it is its own end.
    Start {
        name: String,
        attributes: Vec<(String, String)>,
        closed: bool,
    },
    End(String),
    Text(String),
}

/// Reads `text` as events.
pub(crate) fn events(text: &str) -> Result<Vec<Event>, String> {
    let mut events = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        if !before.trim().is_empty() {
            events.push(Event::Text(unescaped(before)));
        }
        rest = if let Some(cdata) = tag.strip_prefix("<![CDATA[") {
            let (inner, rest) = cdata
                .split_once("]]>")
                .ok_or("a CDATA section has no end")?;
            events.push(Event::Text(inner.to_owned()));
            rest
        } else if let Some(comment) = tag.strip_prefix("<!--") {
            comment.split_once("-->").ok_or("a comment has no end")?.1
        } else if tag.starts_with("<!DOCTYPE") {
            return Err("a document type has no place in a report".to_owned());
        } else if let Some(end) = tag.strip_prefix("</") {
            let (name, rest) = end.split_once('>').ok_or("a tag has no end")?;
            events.push(Event::End(name.trim().to_owned()));
            rest
        } else {
            let inner = &tag[1..];
            let end = end_of_tag(inner).ok_or("a tag has no end")?;
            let (inner, rest) = (&inner[..end], &inner[end + 1..]);
            if !inner.starts_with('?') {
                events.push(start(inner)?);
            }
            rest
        };
    }
    Ok(events)
}

/// Where the `>` of a tag stands: not in the value of an attribute.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        None
    })
}

fn start(text: &str) -> Result<Event, String> {
    let closed = text.ends_with('/');
    let text = text.trim_end_matches('/').trim();
    let (name, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut attributes = Vec::new();
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
        let quote =
            quote.ok_or_else(|| format!("an attribute of `{name}` has no value in quotes"))?;
        let (value, after) = after[1..]
            .split_once(quote)
            .ok_or("the value of an attribute has no end")?;
        attributes.push((key.trim().to_owned(), unescaped(value)));
        rest = after;
    }
    Ok(Event::Start {
        name: name.to_owned(),
        attributes,
        closed,
    })
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((named(&rest[1..end])?, end))) {
            Some((c, end)) => {
                plain.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn named(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        name => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
