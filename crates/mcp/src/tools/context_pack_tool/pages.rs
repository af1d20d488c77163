//! Pages of a pack that is too large for one result.
//!
//! A page has as many lines as fit, and a cursor for the next one.

use serde_json::{Value, json};
use windlass::base::{Limit, NextAction};
use windlass::packs::context::{BudgetReport, ContextPack};
use windlass::packs::{Measure, redacted_json};
use windlass::{Error, ListPage, PackView};

use super::super::ledger_call::action;
use super::{TEXT, internal};
use crate::answer::{Answer, Answered, USUAL, next_lines};
use crate::tool_call::Call;

/// Cursor of the first page. A call without a cursor shows the most important part of the pack,
/// which is not its beginning.
const START: &str = "start";
/// Maximum length of a line, in characters. We split longer ones, since a page cannot have less
/// than a line.
const MAX_LINE: usize = 1_000;

/// Returns a name that still means this pack after others have been built, unlike `last`.
pub(super) fn lasting(name: &str, pack: &ContextPack) -> String {
    match name {
        "last" => pack.pack_id.to_string(),
        name => name.to_owned(),
    }
}

pub(super) fn first(name: &str) -> NextAction {
    NextAction::new("pack show", "see the whole pack, page by page")
        .positional(name)
        .option("cursor", START)
}

/// The page of `pack` at `cursor`. The budget use that it reports includes all pages before.
pub(super) fn page(call: &Call<'_>, name: &str, pack: &ContextPack, cursor: String) -> Answered {
    let view = PackView {
        format: TEXT,
        limit: None,
        profile: None,
    };
    let whole = call.workspace.packs().print(pack, view, Vec::new())?.text;
    let rows = rows_of(&whole);
    let limit = call.limit.unwrap_or(USUAL);
    let page = ListPage {
        call: action(
            call,
            "context_pack",
            "show",
            &[("pack", name)],
            "see more of the pack",
        ),
        limit: Some(limit),
        cursor: Some(cursor).filter(|cursor| cursor != START),
    };
    let text = page.fit(call.workspace.site().caller(), &rows, |shown, more| {
        let lines = rows.get(shown).unwrap_or_default().join("\n");
        let more: Vec<NextAction> = more.into_iter().cloned().collect();
        Ok(format!("{lines}{}", next_lines(&more)))
    })?;
    let sizes = sizes_of(&rows, limit);
    let data = page.fit(call.workspace.site().caller(), &rows, |shown, more| {
        let mut data = json!({
            "packId": pack.pack_id,
            "budget": report(limit, &sizes, shown.end),
            "total": rows.len(),
            "lines": rows.get(shown).unwrap_or_default(),
        });
        if let Some(more) = more {
            data["next_cursor"] = more.args.get("cursor").cloned().unwrap_or_default();
        }
        data["next_actions"] = json!(more.into_iter().collect::<Vec<_>>());
        redacted_json(&data).map_err(Error::internal)
    })?;
    let data: Value = serde_json::from_str(&data.text).map_err(|error| internal(&error))?;
    Ok(Answer {
        text: text.text,
        data,
        failed: false,
    })
}

fn rows_of(text: &str) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.trim_end().lines() {
        let chars: Vec<char> = line.chars().collect();
        if chars.len() <= MAX_LINE {
            rows.push(line.to_owned());
            continue;
        }
        rows.extend(
            chars
                .chunks(MAX_LINE)
                .map(|part| part.iter().collect::<String>()),
        );
    }
    rows
}

/// For each n from 0, the size of the first n `rows`.
fn sizes_of(rows: &[String], limit: Limit) -> Vec<usize> {
    let measure = Measure::of(limit);
    let mut sum = 0;
    let sizes = rows.iter().map(|row| {
        sum += measure.weigh(&format!("{row}\n"));
        sum
    });
    [0].into_iter().chain(sizes).collect()
}

fn report(limit: Limit, sizes: &[usize], shown: usize) -> BudgetReport {
    BudgetReport {
        unit: Measure::of(limit),
        max: limit.max(),
        used: sizes.get(shown).copied().unwrap_or_default(),
        whole: sizes.last().copied().unwrap_or_default(),
        profile: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_is_split() {
        let long = "é".repeat(MAX_LINE * 2 + 1);
        let rows = rows_of(&format!("a\n\n{long}\nb\n"));
        let counts: Vec<usize> = rows.iter().map(|row| row.chars().count()).collect();
        assert_eq!(counts, [1, 0, MAX_LINE, MAX_LINE, 1, 1]);
        assert_eq!(rows.concat(), format!("a{long}b"));
        assert_eq!(
            sizes_of(&rows, Limit::Chars(9)),
            [0, 2, 3, 1_004, 2_005, 2_007, 2_009]
        );
    }
}
