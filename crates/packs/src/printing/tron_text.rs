//! For agents: JSON in which objects that are alike share a class.

use windlass_tron::{Value, WriteOptions};

use super::clean::escaped;
use crate::budget::Measure;

/// `json`, a text of compact JSON that may be shown, as TRON that weighs no more.
#[must_use]
pub fn tron(json: &str, measure: Measure) -> String {
    let line = json.trim_end();
    // What this program printed can be read, unless it is beyond the limits: JSON is TRON.
    let Ok(value) = Value::parse(line) else {
        return json.to_owned();
    };
    let tron = escaped(WriteOptions::default().value_to_string(&value));
    let is_lighter = match measure {
        // The classes were chosen by characters.
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
    fn what_could_drive_a_terminal_stays_escaped() {
        let items = r#"{"identifier":"\u001b[31m","label":"\u202e"}"#;
        let json = format!("[{items},{items},{items}]\n");
        let expected = r#"A("\u001b[31m","\u202e")"#;
        let expected = format!("class A: identifier,label\n\n[{expected},{expected},{expected}]\n");
        assert_eq!(tron(&json, Measure::Chars), expected);
    }

    #[test]
    fn what_saves_no_tokens_stays_json() {
        let json = "{\"a\":1}\n";
        assert_eq!(tron(json, Measure::Tokens), json);
        assert_eq!(tron(json, Measure::Chars), json);
    }
}
