//! Reads a single field without parsing the whole document.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::scalar::{Scalar, resolve};
use super::{BOM, MAX_BYTES};

/// Finds the string in the top-level `field` without parsing the text that follows it.
///
/// Returns `None` if there is no such string, or if we would have to read the whole document to
/// find it.
pub(crate) fn text_of_field(bytes: &[u8], field: &str) -> Option<String> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let mut parser = Parser::new_from_str(text.strip_prefix(BOM).unwrap_or(text));
    let (mut depth, mut at_key, mut is_it) = (0_usize, false, false);
    loop {
        let (event, _) = parser.next_event()?.ok()?;
        let ends_a_node = match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_root = depth == 0;
                // The field isn't a string, or the document isn't a mapping.
                if is_it && depth == 1 || is_root && matches!(event, Event::SequenceStart(..)) {
                    return None;
                }
                depth += 1;
                at_key = is_root;
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.checked_sub(1)?;
                depth == 1
            }
            Event::Scalar(text, style, _, tag) if depth == 1 => {
                if is_it {
                    let is_text = style != ScalarStyle::Plain || resolve(&text) == Scalar::Text;
                    return (is_text && tag.is_none()).then(|| text.into_owned());
                }
                is_it = at_key && text == field;
                true
            }
            Event::Alias(_) if depth == 1 => {
                if is_it {
                    return None;
                }
                true
            }
            Event::DocumentEnd | Event::StreamEnd => return None,
            _ => false,
        };
        // The nodes directly in the mapping alternate between keys and values.
        if ends_a_node {
            at_key = !at_key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn peek_equals_full_parse() {
        for text in [
            "schema_version: 1\nid: a\n",
            "steps:\n- id: no\n  with: { id: no, x: [id, no] }\nid: yes-it-is\n",
            "\u{feff}{\"x\": {\"id\": \"no\"}, \"id\": \"a b\"}",
            "x: id\nid: 'it''s'\n",
            "x: [id]\ny: no\nid: z\n",
            "a: &a no\nb: *a\nid: z # why\n",
            "id: 7\n",
            "id: null\n",
            "id: [a]\n",
            "id: {id: no}\n",
            "ID: a\n",
            "- id: a\n",
            "id\n",
            "",
        ] {
            let whole = Document::parse("d.yaml", text.as_bytes()).ok();
            let whole = whole.and_then(|whole| Some(whole.value().get("id")?.as_str()?.to_owned()));
            assert_eq!(text_of_field(text.as_bytes(), "id"), whole, "{text}");
        }
    }

    #[test]
    fn peek_rest_not_parsed() {
        let found = text_of_field(b"id: a\nx: [\n", "id");
        assert_eq!(found.as_deref(), Some("a"));
        assert_eq!(text_of_field(b"x: [\nid: a\n", "id"), None);
        assert_eq!(text_of_field(b"id: \xff\n", "id"), None);
    }
}
