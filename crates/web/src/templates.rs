use minijinja::{Environment, HtmlEscape, UndefinedBehavior, Value};
use windlass_page::PageError;

use crate::escape::{segment, value};

const TEMPLATES: [(&str, &str); 22] = [
    ("layout.html", include_str!("templates/layout.html")),
    ("parts.html", include_str!("templates/parts.html")),
    ("problem.html", include_str!("templates/problem.html")),
    ("now.html", include_str!("templates/now.html")),
    ("runs.html", include_str!("templates/runs.html")),
    ("run.html", include_str!("templates/run.html")),
    ("compare.html", include_str!("templates/compare.html")),
    ("health.html", include_str!("templates/health.html")),
    ("citations.html", include_str!("templates/citations.html")),
    ("work.html", include_str!("templates/work.html")),
    ("board.html", include_str!("templates/board.html")),
    ("graph.html", include_str!("templates/graph.html")),
    ("molecule.html", include_str!("templates/molecule.html")),
    ("step.html", include_str!("templates/step.html")),
    ("beads.html", include_str!("templates/beads.html")),
    ("bead.html", include_str!("templates/bead.html")),
    ("mail.html", include_str!("templates/mail.html")),
    ("events.html", include_str!("templates/events.html")),
    ("memory.html", include_str!("templates/memory.html")),
    ("packs.html", include_str!("templates/packs.html")),
    ("pack.html", include_str!("templates/pack.html")),
    ("zoo.html", include_str!("templates/zoo.html")),
];

/// Sets up the templates and filters of all pages.
///
/// # Errors
/// Returns an error if one of them is invalid.
pub(crate) fn templates() -> Result<Environment<'static>, PageError> {
    let mut templates = windlass_page::environment()?;
    // Views omit absent values. Templates have to be able to test for them, but not to print them.
    templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    templates.add_filter("took", took);
    templates.add_filter("count", count);
    templates.add_filter("json", json);
    templates.add_filter("prose", prose);
    templates.add_filter("segment", segment);
    templates.add_filter("value", value);
    for (name, text) in TEMPLATES {
        templates.add_template(name, text)?;
    }
    Ok(templates)
}

/// Formats a time in microseconds, e.g. `200 ms`, `1.5 s` or `3 min 20 s`.
fn took(micros: u64) -> String {
    let seconds = micros / 1_000_000;
    match micros / 1_000 {
        millis @ 0..1_000 => format!("{millis} ms"),
        tenths @ 1_000..60_000 => format!("{}.{} s", seconds, tenths / 100 % 10),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Formats a number with its noun, e.g. `1 step` or `2 steps`.
fn count(number: usize, noun: &str) -> String {
    windlass::base::counted(number, noun)
}

/// Formats a message, with the text between backticks as code.
fn prose(text: &str) -> Value {
    let mut markup = String::new();
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        let part = HtmlEscape(part);
        match (is_code, parts.peek().is_some()) {
            (true, true) => markup.push_str(&format!("<code>{part}</code>")),
            // Without a counterpart, this backtick doesn't begin code.
            (true, false) => markup.push_str(&format!("`{part}")),
            (false, _) => markup.push_str(&part.to_string()),
        }
        is_code = !is_code;
    }
    Value::from_safe_string(markup)
}

/// Formats a value as indented JSON. A string stays as it is.
#[expect(
    clippy::needless_pass_by_value,
    reason = "a filter of a template takes values"
)]
fn json(value: Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string_pretty(&value).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded() {
        assert_eq!(took(200_900), "200 ms");
        assert_eq!(took(1_560_000), "1.5 s");
        assert_eq!(took(200_000_000), "3 min 20 s");
    }

    #[test]
    fn message_between_backticks_is_escaped_code() {
        let shown = |text: &str| prose(text).to_string();
        assert_eq!(
            shown("no `<b>` in `x`"),
            "no <code>&lt;b&gt;</code> in <code>x</code>"
        );
        assert_eq!(shown("a ` b <i>"), "a ` b &lt;i&gt;");
        assert_eq!(shown(""), "");
    }

    #[test]
    fn all_templates_are_valid() {
        templates().unwrap();
    }
}
