//! Converts JSON to TRON, in which objects with the same fields share a class.

use windlass_tron::{Value, WriteOptions};

use super::clean::escaped;
use crate::budget::Measure;

/// Converts compact `json` to TRON, or returns `json` unchanged if TRON would be larger in the unit
/// `measure`.
#[must_use]
pub fn tron(json: &str, measure: Measure) -> String {
    let line = json.trim_end();
    // We only get our own valid JSON here. It fails to parse only if it exceeds the parser's
    // limits.
    let Ok(value) = Value::parse(line) else {
        return json.to_owned();
    };
    let tron = escaped(WriteOptions::default().value_to_string(&value));
    let is_lighter = match measure {
        // TRON chooses its classes by the number of characters, so it's never longer in that unit.
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
