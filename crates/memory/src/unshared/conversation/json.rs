//! Messages in JSON, as found in agent sessions and training data.

use serde_json::Value;

use super::Speaker;

/// Returns true if `text` may contain messages, which saves most texts from being parsed as JSON.
pub(crate) fn may_have_messages(text: &str) -> bool {
    text.contains("\"role\"") && text.contains("\"content\"")
}

/// Returns the JSON object or array beginning with `line` at byte `start` of `text`, and the end of
/// its last line. Returns `None` if other text follows on that line.
pub(crate) fn value_at(text: &str, start: usize, line: &str) -> Option<(Value, usize)> {
    if !line.starts_with(['{', '[']) {
        return None;
    }
    // Inside a quotation, the value must end on the same line. Nested values are parsed again from
    // each of their lines, but serde_json's depth limit bounds the cost.
    if let Ok(value) = serde_json::from_str(line.trim_end_matches(',')) {
        return Some((value, start + line.len()));
    }
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let end = start + values.byte_offset();
    let rest = text[end..].split_inclusive('\n').next().unwrap_or_default();
    matches!(rest.trim(), "" | ",").then_some((value, end + rest.len()))
}

/// Returns the speakers and texts in `value`: a message, an array of messages, or an object with
/// such an array.
pub(crate) fn messages(value: &Value) -> Vec<(Speaker, String)> {
    let within = value.get("messages").unwrap_or(value);
    let listed = within.as_array().into_iter().flatten();
    listed.chain([value]).filter_map(message).collect()
}

/// Returns the speaker and text of one message, which may be wrapped in another object.
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
