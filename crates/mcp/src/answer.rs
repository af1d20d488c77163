//! Results of tool calls: text to read, and the same content as data.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass::Error;
use windlass::base::{Limit, NextAction};
use windlass::packs::{Measure, Styled, ViewError, clean_value, harmless, redacted_json};
use windlass::redact::{hide_known, hide_known_in, map_texts};

use crate::shorten::{shorten_data, shortened_text};
use crate::tool_failure::Failure;

/// Limit for calls that do not give one. The instructions for clients mention it as well.
pub(crate) const USUAL: Limit = Limit::Chars(8_000);

/// A tool call's result. Text and data each have to stay within the call's limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// The same content as a JSON object, for clients that process it.
    pub(crate) data: Value,
    pub(crate) failed: bool,
}

pub(crate) type Answered = Result<Answer, Failure>;

impl Answer {
    /// Makes an answer from what the library printed in two formats, JSON and text.
    ///
    /// # Errors
    /// Returns an error if the JSON does not parse.
    pub(crate) fn printed(json: &Styled, text: Option<&Styled>) -> Result<Self, Failure> {
        let data = serde_json::from_str(&json.plain()).map_err(Error::internal)?;
        Ok(Self {
            text: text.map(Styled::plain).unwrap_or_default(),
            data,
            failed: false,
        })
    }

    /// Makes an answer from `text` and `value`, without secret values, and adds the calls in
    /// `next`.
    ///
    /// # Errors
    /// Returns an error if the result exceeds the limit. It says which limit would be enough.
    pub(crate) fn of(
        text: &str,
        value: &impl Serialize,
        next: &[NextAction],
        limit: Option<Limit>,
    ) -> Result<Self, Failure> {
        let mut data = data_of(value)?;
        if !next.is_empty() {
            data.insert("next_actions".to_owned(), Value::from(as_json(next)?));
        }
        let mut text = harmless(text.trim_end());
        text.push_str(&next_lines(next));
        Self {
            text,
            data: Value::Object(data),
            failed: false,
        }
        .within(limit)
    }

    fn within(self, limit: Option<Limit>) -> Result<Self, Failure> {
        let limit = limit.unwrap_or(USUAL);
        let (measure, given) = (Measure::of(limit), limit.max());
        let json = self.data.to_string();
        let least = measure.weigh(&self.text).max(measure.weigh(&json));
        match least <= given {
            true => Ok(self),
            false => Err(Error::from(ViewError::TooSmall { given, least }).into()),
        }
    }

    /// Like [`Answer::of`], but shortens the result until it fits, and lists the shortened fields
    /// in `cut`.
    ///
    /// This is for data that the caller cannot request again, since an error about the limit would
    /// leave it with nothing.
    ///
    /// # Errors
    /// Returns an error if even names and numbers exceed the limit.
    pub(crate) fn shortened(
        text: &str,
        value: &impl Serialize,
        next: &[NextAction],
        limit: Option<Limit>,
    ) -> Result<Self, Failure> {
        let room = limit.unwrap_or(USUAL);
        let mut data = data_of(value)?;
        data.insert("next_actions".to_owned(), Value::from(as_json(next)?));
        shorten_data(&mut data, room);
        Self {
            text: shortened_text(&harmless(text.trim_end()), &next_lines(next), room),
            data: Value::Object(data),
            failed: false,
        }
        .within(limit)
    }

    /// Like [`Answer::shortened`], for a change. Adds the call that reverts it.
    ///
    /// # Errors
    /// See [`Answer::shortened`].
    pub(crate) fn changed(
        text: &str,
        value: &impl Serialize,
        next: &[NextAction],
        undo: Option<&NextAction>,
        limit: Option<Limit>,
    ) -> Result<Self, Failure> {
        let Some(undo) = undo else {
            return Self::shortened(text, value, next, limit);
        };
        let line = format!("\nundo: {}", undo.written_out());
        let as_data = json!({ "tool": undo.tool, "args": undo.args });
        // Both the text and the data get the call that reverts the change. Reserve enough room for
        // the longer of the two.
        let measure = Measure::of(limit.unwrap_or(USUAL));
        let more = measure
            .weigh(&line)
            .max(measure.weigh(&json!({ "undo": as_data }).to_string()));
        let less = match limit.unwrap_or(USUAL) {
            Limit::Chars(max) => Limit::Chars(max.saturating_sub(more)),
            Limit::Tokens(max) => Limit::Tokens(max.saturating_sub(more)),
        };
        let mut answer = Self::shortened(text, value, next, Some(less))?;
        answer.text.push_str(&line);
        answer.data["undo"] = as_data;
        answer.within(limit)
    }

    /// Appends each of `notes` that still fits, both to the text and to the data.
    pub(crate) fn note(&mut self, notes: impl IntoIterator<Item = String>, limit: Option<Limit>) {
        let limit = limit.unwrap_or(USUAL);
        let (measure, max) = (Measure::of(limit), limit.max());
        for note in notes {
            let note = harmless(&note);
            let text = format!("{}\nnote: {note}", self.text.trim_end());
            let mut data = self.data.clone();
            match data.get_mut("notes").and_then(Value::as_array_mut) {
                Some(notes) => notes.push(Value::from(note)),
                None => data["notes"] = Value::from(vec![note]),
            }
            // The answer itself is more important, so drop a note that doesn't fit.
            if measure.weigh(&text) <= max && measure.weigh(&data.to_string()) <= max {
                (self.text, self.data) = (text, data);
            }
        }
    }

    /// Replaces every secret value that the call has detected anywhere. One file may give a value
    /// away by its name, while another has it without that name.
    pub(crate) fn without_known_secrets(self) -> Self {
        Self {
            text: hide_known(&self.text).into_owned(),
            data: hide_known_in(self.data),
            failed: self.failed,
        }
    }

    /// Converts the answer to the protocol's type. We remove deceptive characters at the very end,
    /// so that none can slip in afterwards.
    pub(crate) fn into_result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(clean_value(self.text))];
        let mut result = match self.failed {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        };
        result.structured_content = Some(cleaned(self.data));
        result
    }
}

/// Removes deceptive characters from `value`, since text from a repository may have some.
pub(crate) fn cleaned(value: Value) -> Value {
    map_texts(value, &|_, text| clean_value(text))
}

/// The fields of `value`, without secret values. If it is not an object, it becomes the field
/// `value`.
pub(crate) fn data_of(value: &impl Serialize) -> Result<Map<String, Value>, Failure> {
    let internal = Error::internal::<serde_json::Error>;
    let text = redacted_json(value).map_err(internal)?;
    match serde_json::from_str(&text).map_err(internal)? {
        Value::Object(fields) => Ok(fields),
        other => Ok(Map::from_iter([("value".to_owned(), other)])),
    }
}

pub(crate) fn as_json(next: &[NextAction]) -> Result<Vec<Value>, Failure> {
    let values = next.iter().map(serde_json::to_value);
    let values: Result<Vec<Value>, _> = values.collect();
    values.map_err(|error| Error::internal(error).into())
}

pub(crate) fn next_lines(next: &[NextAction]) -> String {
    let mut lines = String::new();
    for action in next {
        let heading = if lines.is_empty() { "\n\nNext" } else { "" };
        lines.push_str(heading);
        lines.push_str(&format!(
            "\n  {}  # {}",
            action.written_out(),
            action.reason
        ));
    }
    lines
}
