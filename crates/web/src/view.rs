use std::collections::BTreeMap;

use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;
use windlass::{Error, Workspace};
use windlass_page::PageError;

use crate::app::{App, escaped_path};
use crate::paging::Query;

/// Data of an address: a page for people, JSON for programs.
pub(crate) trait View: Serialize {
    /// Name of the template of the page.
    const TEMPLATE: &'static str;
    /// Kinds of stored data that the page shows, separated by spaces; the page follows their changes.
    const FOLLOWS: &'static str;

    /// Returns the title of the page.
    fn title(&self) -> String;

    /// Returns the parts of the page that are markup already, by name: drawings and packs.
    fn parts(&self) -> BTreeMap<&'static str, &str> {
        BTreeMap::new()
    }
}

/// Request for a view.
pub(crate) struct Visit<'a> {
    pub(crate) app: &'a App,
    pub(crate) workspace: Workspace,
    pub(crate) query: Query,
    /// Variable parts of the path, by name.
    pub(crate) names: BTreeMap<String, String>,
}

impl Visit<'_> {
    /// Returns a variable part of the path.
    pub(crate) fn name(&self, name: &str) -> &str {
        self.names.get(name).map_or("", String::as_str)
    }

    /// Returns the actor of the visit: a server that changes nothing has none, because the ledger writes due events for
    /// an actor.
    pub(crate) fn actor(&self) -> Option<&str> {
        let settings = &self.app.settings;
        settings.actor.as_deref().filter(|_| settings.allow_actions)
    }
}

/// Function that loads a view.
pub(crate) type Load<V> = fn(&Visit<'_>) -> Result<V, Error>;

/// Templates of pages, by name.
const TEMPLATES: [(&str, &str); 20] = [
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

/// Returns the templates of all pages.
///
/// # Errors
/// If one is invalid.
pub(crate) fn templates() -> Result<Environment<'static>, PageError> {
    let mut templates = windlass_page::environment()?;
    // Data omits what it does not have.
    templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    templates.add_filter("took", took);
    templates.add_filter("count", count);
    templates.add_filter("json", json);
    templates.add_filter("segment", segment);
    templates.add_filter("value", value);
    for (name, text) in TEMPLATES {
        templates.add_template(name, text)?;
    }
    Ok(templates)
}

/// Formats microseconds: `200 ms`, `1.5 s`, `3 min 20 s`.
fn took(micros: u64) -> String {
    let seconds = micros / 1_000_000;
    match micros / 1_000 {
        millis @ 0..1_000 => format!("{millis} ms"),
        tenths @ 1_000..60_000 => format!("{}.{} s", seconds, tenths / 100 % 10),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Formats a number with its noun: `1 step`, `2 steps`.
fn count(number: usize, noun: &str) -> String {
    windlass::base::counted(number, noun)
}

/// Formats a value as JSON on several lines; a text as it is.
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

/// Escapes a text for one part of the path of an address.
fn segment(text: &str) -> String {
    escaped_path(text).replace('/', "%2F")
}

/// Escapes a text for a value of an address, after its `?`.
fn value(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
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
    fn all_templates_are_valid() {
        templates().unwrap();
    }
}
