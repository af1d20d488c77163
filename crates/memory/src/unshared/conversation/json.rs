//! Messages in JSON, as agents keep their sessions, and as they are handed over to be learnt from.

use serde_json::Value;

use super::Speaker;

/// Whether messages may stand anywhere in `text`.
pub(crate) fn may_have_messages(text: &str) -> bool {
    text.contains("\"role\"") && text.contains("\"content\"")
}

/// The object or array that begins with `line`, at byte `start` of `text`, and where its last line ends; nothing else stands on that one.
pub(crate) fn value_at(text: &str, start: usize, line: &str) -> Option<(Value, usize)> {
    if !line.starts_with(['{', '[']) {
        return None;
    }
    // In a quotation it has to end on the line. Values within each other are read anew from each of them, which serde_json bounds.
    if let Ok(value) = serde_json::from_str(line.trim_end_matches(',')) {
        return Some((value, start + line.len()));
    }
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let end = start + values.byte_offset();
    let rest = text[end..].split_inclusive('\n').next().unwrap_or_default();
    matches!(rest.trim(), "" | ",").then_some((value, end + rest.len()))
}

/// Who says what in `value`: a message, an array of them, or an object with such an array.
pub(crate) fn messages(value: &Value) -> Vec<(Speaker, String)> {
    let within = value.get("messages").unwrap_or(value);
    let listed = within.as_array().into_iter().flatten();
    listed.chain([value]).filter_map(message).collect()
}

/// Who says what in one message; it may lie in an object around it.
fn message(value: &Value) -> Option<(Speaker, String)> {
    let within = [Some(value), value.get("message"), value.get("payload")];
    within.into_iter().flatten().find_map(|one| {
        let speaker = Speaker::of(one.get("role")?.as_str()?)?;
        let said = match one.get("content")? {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                texts.collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        };
        Some((speaker, said))
    })
}
