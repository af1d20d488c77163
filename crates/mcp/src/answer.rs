//! The result of a tool call: text for people and agents, and the same content as data.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass::Error;
use windlass::base::{Limit, NextAction};
use windlass::packs::{Measure, Styled, ViewError, clean_value, harmless, redacted_json};
use windlass::redact::{hide_known, hide_known_in, map_texts};

use crate::shorten::{shorten_data, shortened_text};
use crate::tool_failure::Failure;

/// Limit of a result if the call doesn't give one.
pub(crate) const USUAL: Limit = Limit::Chars(8_000);

/// A tool call's result. Both text and data have to stay within the limit of the call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// The content as a JSON object, for clients that process it.
    pub(crate) data: Value,
    pub(crate) failed: bool,
}

/// An answer, or the reason for having none.
pub(crate) type Answered = Result<Answer, Failure>;

impl Answer {
    /// Creates an answer from the library's output in two formats, JSON and text.
    ///
    /// # Errors
    /// If the JSON does not parse.
    pub(crate) fn printed(json: &Styled, text: Option<&Styled>) -> Result<Self, Failure> {
        let data = serde_json::from_str(&json.plain()).map_err(Error::internal)?;
        Ok(Self {
            text: text.map(Styled::plain).unwrap_or_default(),
            data,
            failed: false,
        })
    }

    /// Returns `text` and `value` as an answer with next actions, without secret values.
    ///
    /// # Errors
    /// If the result exceeds the limit.
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

    /// Returns the answer if it fits.
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

    /// Returns a result like [`Answer::of`], shortened until it fits. Meant for data that cannot be
    /// requested again, where an error about the limit would leave the caller with nothing.
    /// Shortened fields are listed in `cut`.
    ///
    /// # Errors
    /// If even names and numbers exceed the limit.
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

    /// Returns a result like [`Answer::shortened`] for a change, with the call that reverts it.
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

    /// Appends as many notes for people as fit.
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
            if measure.weigh(&text) <= max && measure.weigh(&data.to_string()) <= max {
                (self.text, self.data) = (text, data);
            }
        }
    }

    /// Replaces all secret values detected during the call. A value recognized by its name in one
    /// file may appear without the name in another.
    pub(crate) fn without_known_secrets(self) -> Self {
        Self {
            text: hide_known(&self.text).into_owned(),
            data: hide_known_in(self.data),
            failed: self.failed,
        }
    }

    /// Converts the answer to the protocol's type.
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

/// Removes deceptive characters from `value`, since text from a repository may contain any.
pub(crate) fn cleaned(value: Value) -> Value {
    map_texts(value, &|_, text| clean_value(text))
}

/// Returns the fields of `value` without secret values.
pub(crate) fn data_of(value: &impl Serialize) -> Result<Map<String, Value>, Failure> {
    let internal = Error::internal::<serde_json::Error>;
    let text = redacted_json(value).map_err(internal)?;
    match serde_json::from_str(&text).map_err(internal)? {
        Value::Object(fields) => Ok(fields),
        other => Ok(Map::from_iter([("value".to_owned(), other)])),
    }
}

/// Returns the calls in `next` as data.
pub(crate) fn as_json(next: &[NextAction]) -> Result<Vec<Value>, Failure> {
    let values = next.iter().map(serde_json::to_value);
    let values: Result<Vec<Value>, _> = values.collect();
    values.map_err(|error| Error::internal(error).into())
}

/// Returns the calls in `next` as the last lines of a text.
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
