//! XML parser for reports: elements, attributes, text, CDATA. Only the five predefined entities and
//! character references are supported, so that a document can't expand.

/// Part of a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A start tag with its attributes.
    Start {
        name: String,
        attributes: Vec<(String, String)>,
        /// True if the element is empty, as in `<a/>`.
        closed: bool,
    },
    /// The element's end tag.
    End(String),
    /// Text that isn't blank.
    Text(String),
}

/// Returns the attribute `name`'s value.
pub(crate) fn attribute<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| &**value)
}

/// Parses `text` into events.
///
/// # Errors
/// The text is not valid XML, or declares entities.
pub(crate) fn events(text: &str) -> Result<Vec<Event>, String> {
    let mut events = Vec::new();
    let mut open: Vec<String> = Vec::new();
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
        } else if let Some(name) = tag.strip_prefix("<!DOCTYPE ") {
            let (inner, rest) = name.split_once('>').ok_or("a tag has no end")?;
            if inner.contains('[') {
                return Err("a report declares no entities".to_owned());
            }
            rest
        } else if let Some(end) = tag.strip_prefix("</") {
            let (name, rest) = end.split_once('>').ok_or("a tag has no end")?;
            let name = name.trim().to_owned();
            match open.pop() {
                Some(opened) if opened == name => {}
                Some(opened) => return Err(format!("`{opened}` ends as `{name}`")),
                None => return Err(format!("`{name}` ends and never began")),
            }
            events.push(Event::End(name));
            rest
        } else {
            let inner = &tag[1..];
            let end = end_of_tag(inner).ok_or("a tag has no end")?;
            let (inner, rest) = (&inner[..end], &inner[end + 1..]);
            if !inner.starts_with('?') {
                let start = start(inner)?;
                if let Event::Start {
                    name,
                    closed: false,
                    ..
                } = &start
                {
                    open.push(name.clone());
                }
                events.push(start);
            }
            rest
        };
    }
    match open.pop() {
        Some(name) => Err(format!("`{name}` has no end: the report is not whole")),
        None => Ok(events),
    }
}

/// Returns the offset of the `>` that ends a tag, skipping those inside of attribute values.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_text_parsed() {
        let text = "<?xml version='1.0'?><a b=\"x > &lt;&#33;\"><!-- c --><d/>e &amp; f<![CDATA[<g>]]></a>";
        let start = |name: &str, attributes: &[(&str, &str)], closed| Event::Start {
            name: name.to_owned(),
            attributes: attributes
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            closed,
        };
        let wanted = [
            start("a", &[("b", "x > <!")], false),
            start("d", &[], true),
            Event::Text("e & f".to_owned()),
            Event::Text("<g>".to_owned()),
            Event::End("a".to_owned()),
        ];
        assert_eq!(events(text).unwrap(), wanted);
        for text in [
            "<!DOCTYPE a [",
            "<a",
            "<a b=1/>",
            "<a b=\"1/>",
            "<!-- a",
            "<a><b/>",
            "<a><b></a></b>",
            "<a/></a>",
        ] {
            assert!(events(text).is_err(), "{text}");
        }
    }

    #[test]
    fn plain_doctype_ignored() {
        let text = "<!DOCTYPE coverage SYSTEM 'http://cobertura.sourceforge.net/xml/coverage-04.dtd'>\n<coverage/>";
        assert_eq!(events(text).unwrap().len(), 1);
        assert!(events("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>").is_err());
    }
}
