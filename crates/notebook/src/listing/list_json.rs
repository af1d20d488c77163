//! Renders a list as JSON.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass_base::NextAction;
use windlass_packs::{Rank, Styled, redacted_json};
use windlass_site::Error;

use super::list_facts::ListFacts;
use super::list_row::Row;

pub(super) fn lines(rows: &[Row]) -> Result<String, Error> {
    let mut text = String::new();
    for row in rows {
        text.push_str(&json_of(row)?);
        text.push('\n');
    }
    Ok(text)
}

/// Renders an element of the page's list, including the comma behind it. The comma is part of the
/// entry, so that it counts for the budget.
pub(super) fn element(row: &Row) -> Result<Styled, Error> {
    Ok(Styled::from(format!("{},", json_of(row)?)))
}

/// Renders `value` as JSON. Secret values are redacted.
///
/// # Errors
/// Returns an error if serializing `value` fails.
pub(crate) fn json_of(value: &impl Serialize) -> Result<String, Error> {
    redacted_json(value).map_err(Error::internal)
}

impl ListFacts {
    /// Renders a whole page. `entries` are its rows, as returned by [`element`].
    pub(super) fn json(
        &self,
        entries: &[Styled],
        more: Option<&NextAction>,
        actions: &[NextAction],
    ) -> Result<Styled, Error> {
        let counts: Map<String, Value> = self
            .counts
            .iter()
            .map(|(rank, count)| (rank.as_str().to_owned(), json!(count)))
            .collect();
        let total: usize = self.counts.values().sum();
        let fresh = self.counts.get(&Rank::Fresh).copied().unwrap_or(0);
        let (runbooks, anchors) = entries.split_at(self.runbooks_from_here.min(entries.len()));
        let list = |entries: &[Styled]| {
            let list: String = entries.iter().map(Styled::plain).collect();
            list.trim_end_matches(',').to_owned()
        };
        // The entries are JSON already. Parsing them again for the sake of a serializer would be
        // slow, so put the page together by hand.
        let mut text = String::from("{");
        if self.is_of_notebook {
            let total: usize = self.runbooks.iter().map(|(_, count)| count).sum();
            // Writing to a `String` can't fail.
            let _ = write!(
                text,
                r#""revision":{},"runbooks_total":{total},"runbooks":[{}],"#,
                self.revision,
                list(runbooks)
            );
        }
        if self.lost > 0 {
            let _ = write!(text, r#""unusable":{},"#, self.lost);
        }
        let _ = write!(
            text,
            r#""total":{total},"fresh":{fresh},"counts":{},"anchors":[{}]"#,
            Value::from(counts),
            list(anchors)
        );
        if let Some(cursor) = more.and_then(|more| more.args.get("cursor")) {
            let _ = write!(text, r#","next_cursor":{cursor}"#);
        }
        let actions: Vec<&NextAction> = actions.iter().chain(more).collect();
        if !actions.is_empty() {
            let _ = write!(text, r#","next_actions":{}"#, json_of(&actions)?);
        }
        text.push_str("}\n");
        Ok(Styled::from(text))
    }
}
