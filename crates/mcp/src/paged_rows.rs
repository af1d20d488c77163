//! Lists of the ledger and of documents: as many rows as fit, and where to go on.

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass::base::NextAction;
use windlass::packs::{harmless, redacted_json};
use windlass::{Error, ListPage};

use crate::answer::{Answer, Answered, USUAL, next_lines};
use crate::tool_call::Call;

/// Rows of a list of which one page is returned.
pub(crate) struct Rows<'a, Row> {
    /// Field name of the rows.
    pub(crate) key: &'static str,
    /// Rows as data.
    pub(crate) rows: &'a [Row],
    /// The same as text, each of one or more lines.
    pub(crate) lines: &'a [String],
    /// Message for an empty list.
    pub(crate) none: &'a str,
    /// Further fields of the result.
    pub(crate) head: Map<String, Value>,
    /// Next actions, on the first page.
    pub(crate) next: Vec<NextAction>,
}

impl<Row: Serialize> Rows<'_, Row> {
    /// Returns the page of the list at `cursor`, or the first one.
    ///
    /// # Errors
    /// If the limit is too small for one row, or the cursor belongs to another list.
    pub(crate) fn page(&self, call: &Call<'_>, tool: &str, cursor: Option<String>) -> Answered {
        let mut again = call.arguments.clone();
        again.shift_remove("cursor");
        if let Some(root) = call
            .workspace
            .site()
            .caller()
            .and_then(|caller| caller.root())
        {
            again.insert("root".to_owned(), Value::from(root));
        }
        let page = ListPage {
            call: NextAction::of_tool(tool, again, "see more of the list"),
            limit: Some(call.limit.unwrap_or(USUAL)),
            cursor,
        };
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
