//! Paged lists from the ledger and from documents.
//!
//! A page has as many rows as fit, and a cursor for the next page.

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass::base::NextAction;
use windlass::packs::{harmless, redacted_json};
use windlass::{Error, ListPage};

use crate::answer::{Answer, Answered, USUAL, next_lines};
use crate::tool_call::Call;

pub(crate) struct Rows<'a, Row> {
    pub(crate) key: &'static str,
    /// The rows as data, one for each of `lines`.
    pub(crate) rows: &'a [Row],
    /// The rows as text, each of one or more lines.
    pub(crate) lines: &'a [String],
    pub(crate) none: &'a str,
    /// Further fields of the result, which are the same on every page.
    pub(crate) head: Map<String, Value>,
    /// Next actions for the first page.
    pub(crate) next: Vec<NextAction>,
}

impl<Row: Serialize> Rows<'_, Row> {
    /// Returns the page at `cursor`, or the first one.
    ///
    /// # Errors
    /// Returns an error if the limit is too small for one row, or the cursor belongs to another
    /// list.
    pub(crate) fn page(&self, call: &Call<'_>, tool: &str, cursor: Option<String>) -> Answered {
        // The next page has the same arguments apart from the cursor.
        let mut again = call.arguments.clone();
        again.shift_remove("cursor");
        call.keep_root(&mut again);
        let page = ListPage {
            call: NextAction::of_tool(tool, again, "see more of the list"),
            limit: Some(call.limit.unwrap_or(USUAL)),
            cursor,
        };
        // Text and data have to fit the limit independently. One of them may have room for more
        // rows, so each comes with a cursor of its own.
        let text = page.fit(call.workspace.site().caller(), self.rows, |shown, more| {
            let lines = self.lines.get(shown.clone()).unwrap_or_default();
            let mut text = lines
                .iter()
                .map(|line| line.trim_end())
                .collect::<Vec<_>>()
                .join("\n");
            if self.rows.is_empty() {
                text.push_str(self.none);
            }
            let next = self.next(shown.start == 0, more);
            Ok(format!("{}{}", harmless(&text), next_lines(&next)))
        })?;
        let data = page.fit(call.workspace.site().caller(), self.rows, |shown, more| {
            let mut data = json!({ "total": self.rows.len() });
            data[self.key] = json!(self.rows.get(shown.clone()).unwrap_or_default());
            for (name, value) in &self.head {
                data[name] = value.clone();
            }
            if let Some(more) = more {
                data["next_cursor"] = more.args.get("cursor").cloned().unwrap_or_default();
            }
            data["next_actions"] = json!(self.next(shown.start == 0, more));
            redacted_json(&data).map_err(Error::internal)
        })?;
        let data = serde_json::from_str(&data.text);
        Ok(Answer {
            text: text.text,
            data: data.map_err(Error::internal)?,
            failed: false,
        })
    }

    fn next(&self, is_first: bool, more: Option<&NextAction>) -> Vec<NextAction> {
        let own = self.next.iter().filter(|_| is_first);
        own.chain(more).cloned().collect()
    }
}
