//! Shortens a report by halving its longest part until it fits. For example, if there is a status
//! and a log of 200 lines, we cut the log to 100 lines, then to 50, and leave the status alone.

use serde_json::{Map, Value};
use windlass::base::Limit;
use windlass::packs::Measure;

/// We do not shorten a text that has at most this many characters.
const MIN_TEXT: usize = 40;

/// An object with up to this many fields counts as a record, and keeps all of them. Larger objects
/// are maps by name, from which we drop entries.
const FIELDS: usize = 24;

/// Maximum number of halvings, just to be sure that shortening ends.
const MAX_CUTS: usize = 400;

/// Shortens lists, maps and texts in `data` until it fits, and lists the names of these fields in
/// `cut`.
///
/// Half a call would be useless, so we leave next actions alone. If nothing is left to shorten, the
/// result may still be too long.
pub(crate) fn shorten_data(data: &mut Map<String, Value>, limit: Limit) {
    let (measure, max) = (Measure::of(limit), limit.max());
    let weigh = |data: &Map<String, Value>| {
        serde_json::to_string(data).map_or(usize::MAX, |text| measure.weigh(&text))
    };
    for _ in 0..MAX_CUTS {
        if weigh(data) <= max {
            return;
        }
        let own = data
            .iter_mut()
            .filter(|(name, _)| *name != "next_actions" && *name != "cut");
        let longest = own.max_by_key(|(_, value)| length(value));
        let Some(name) = longest.and_then(|(name, value)| halve(value).then(|| name.clone()))
        else {
            return;
        };
        let cut = data
            .entry("cut")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Some(names) = cut.as_array_mut()
            && !names.iter().any(|known| known == &name)
        {
            names.push(Value::from(name));
        }
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| length(item) + 1).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| name.len() + length(value) + 4)
            .sum(),
        _ => 4,
    }
}

/// Halves the longest part of `value`. Returns false if there is nothing left to shorten.
fn halve(value: &mut Value) -> bool {
    let whole = length(value);
    match value {
        Value::String(text) => halve_text(text),
        Value::Array(items) => {
            // If a single item makes up most of the list, shorten that.
            if let Some(longest) = items.iter_mut().max_by_key(|item| length(item))
                && length(longest) * 2 > whole
                && halve(longest)
            {
                return true;
            }
            let half = items.len() / 2;
            let had_any = !items.is_empty();
            items.truncate(half);
            had_any
        }
        Value::Object(fields) if fields.len() > FIELDS => {
            // It's a map by name. Like a list, it keeps the first half.
            let keep = fields.len() / 2;
            let names: Vec<String> = fields.keys().skip(keep).cloned().collect();
            for name in names {
                fields.shift_remove(&name);
            }
            true
        }
        Value::Object(fields) => {
            let mut by_length: Vec<(usize, &mut Value)> = fields
                .values_mut()
                .map(|value| (length(value), value))
                .collect();
            by_length.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
            // A record has to keep its fields, so shorten the longest one that can be shortened.
            by_length.into_iter().any(|(_, value)| halve(value))
        }
        _ => false,
    }
}

fn halve_text(text: &mut String) -> bool {
    let chars = text.chars().count();
    if chars <= MIN_TEXT {
        return false;
    }
    *text = text.chars().take(chars / 2).chain(['…']).collect();
    true
}

/// As many lines of `text` as fit before `end`. The last line says how many we left out.
pub(crate) fn shortened_text(text: &str, end: &str, limit: Limit) -> String {
    let (measure, max) = (Measure::of(limit), limit.max());
    let whole = format!("{text}{end}");
    if measure.weigh(&whole) <= max {
        return whole;
    }
    let lines: Vec<&str> = text.lines().collect();
    let print = |count: usize| {
        let left = lines.len() - count;
        let mut shown = lines[..count].join("\n");
        shown.push_str(&format!(
            "\n… {left} more lines; raise the limit to see them{end}"
        ));
        shown
    };
    // Bisect, because counting tokens for each number of lines would be slow.
    let (mut fits, mut too_many) = (0, lines.len());
    while too_many - fits > 1 {
        let middle = fits + (too_many - fits) / 2;
        match measure.weigh(&print(middle)) <= max {
            true => fits = middle,
            false => too_many = middle,
        }
    }
    let shown = print(fits);
    match measure.weigh(&shown) <= max {
        true => shown,
        // Not even the next calls fit, but the data has them as well.
        false => "…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shortened(value: Value, max: usize) -> Value {
        let Value::Object(mut fields) = value else {
            panic!("an object");
        };
        shorten_data(&mut fields, Limit::Chars(max));
        Value::Object(fields)
    }

    #[test]
    fn fitting_data_is_unchanged() {
        let value = json!({ "a": [1, 2], "b": "x" });
        assert_eq!(shortened(value.clone(), 1_000), value);
    }

    #[test]
    fn longest_part_is_cut_and_listed() {
        let many: Vec<String> = (0..500).map(|nr| format!("anchor-{nr}")).collect();
        let next = json!([{ "tool": "x", "args": { "long": "y".repeat(100) } }]);
        let value = json!({ "revision": 3, "anchors": many, "next_actions": next });
        let fits = shortened(value, 600);
        assert!(fits.to_string().len() <= 600, "{fits}");
        assert_eq!(fits["cut"], json!(["anchors"]));
        assert_eq!(
            (&fits["revision"], &fits["next_actions"]),
            (&json!(3), &next)
        );
    }

    #[test]
    fn maps_are_cut_records_keep_fields() {
        let by_name: Map<String, Value> = (0..100)
            .map(|nr| (format!("a{nr}"), json!("added")))
            .collect();
        let record = json!({ "id": "x", "text": "é".repeat(2_000) });
        let fits = shortened(json!({ "changes": by_name, "record": record }), 500);
        assert!(fits.to_string().chars().count() <= 500, "{fits}");
        assert!(fits["record"]["text"].as_str().unwrap().ends_with('…'));
        assert_eq!(fits["record"]["id"], "x");
        assert!(fits["changes"].as_object().unwrap().len() < 100);
    }

    #[test]
    fn cut_text_keeps_next_actions() {
        let text: String = (0..100).map(|nr| format!("line {nr}\n")).collect();
        let shown = shortened_text(&text, "\n\nNext\n  x", Limit::Chars(200));
        assert!(
            shown.chars().count() <= 200 && shown.ends_with("Next\n  x"),
            "{shown}"
        );
        assert!(shown.starts_with("line 0\n") && shown.contains("more lines"));
    }
}
