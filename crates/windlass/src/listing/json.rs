//! A list of anchors for programs.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass_base::NextAction;
use windlass_pack::{Styled, redacted_json};

use super::pages::Listing;
use crate::rank::Rank;
use crate::{AnchorReport, Error};

/// `reports` as JSON Lines.
pub(super) fn lines(reports: &[AnchorReport]) -> Result<String, Error> {
    let mut text = String::new();
    for report in reports {
        text.push_str(&json_of(report)?);
        text.push('\n');
    }
    Ok(text)
}

/// An anchor in a list, and the comma after it.
pub(super) fn element(report: &AnchorReport) -> Result<Styled, Error> {
    Ok(Styled::from(format!("{},", json_of(report)?)))
}

fn json_of(value: &impl Serialize) -> Result<String, Error> {
    redacted_json(value).map_err(|error| Error::Internal(error.to_string()))
}

impl Listing<'_> {
    /// The page with `entries`.
    pub(super) fn json(
        &self,
        entries: &[Styled],
        more: Option<&NextAction>,
        actions: &[NextAction],
    ) -> Result<Styled, Error> {
        let counts: Map<String, Value> = self
            .counts
            .iter()
            .map(|(rank, count)| (rank.word().to_owned(), json!(count)))
            .collect();
        let total: usize = self.counts.values().sum();
        let fresh = self.counts.get(&Rank::Fresh).copied().unwrap_or(0);
        let list: String = entries.iter().map(Styled::plain).collect();
        let mut text = format!(
            r#"{{"total":{total},"fresh":{fresh},"counts":{},"anchors":[{}]"#,
            Value::from(counts),
            list.trim_end_matches(',')
        );
        if let Some(cursor) = more.and_then(|more| more.args.get("cursor")) {
            // Writing to a String does not fail.
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
