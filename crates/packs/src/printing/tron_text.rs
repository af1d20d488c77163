//! Converts printed JSON to TRON.

use windlass_tron::{Value, WriteOptions};

use super::clean::escaped;
use crate::budget::Measure;

/// Converts compact JSON to TRON, unless that would be larger in the unit of `measure`. Since TRON
/// includes all of JSON, readers can parse the result either way.
#[must_use]
pub fn tron(json: &str, measure: Measure) -> String {
    let line = json.trim_end();
    // This is our own JSON, so it's valid. It may still exceed the parser's limits, e.g. on
    // nesting.
    let Ok(value) = Value::parse(line) else {
        return json.to_owned();
    };
    let tron = escaped(WriteOptions::default().value_to_string(&value));
    let is_lighter = match measure {
        // Classes are chosen by the number of characters they save, so TRON is never longer in this
        // unit.
        Measure::Chars => true,
        Measure::Tokens => measure.weigh(&tron) < measure.weigh(line),
    };
    if is_lighter {
        tron + &json[line.len()..]
    } else {
        json.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tron_keeps_terminal_controls_escaped() {
        let items = r#"{"identifier":"\u001b[31m","label":"\u202e"}"#;
        let json = format!("[{items},{items},{items}]\n");
        let expected = r#"A("\u001b[31m","\u202e")"#;
        let expected = format!("class A: identifier,label\n\n[{expected},{expected},{expected}]\n");
        assert_eq!(tron(&json, Measure::Chars), expected);
    }

    #[test]
    fn tron_without_savings_stays_json() {
        let json = "{\"a\":1}\n";
        assert_eq!(tron(json, Measure::Tokens), json);
        assert_eq!(tron(json, Measure::Chars), json);
    }
}
