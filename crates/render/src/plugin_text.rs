//! Text output for plugins.

use std::path::Path;

use windlass::base::counted;
use windlass::packs::harmless_line;
use windlass::plugin::Import;
use windlass::{ExampleState, PluginReport, TestedExample};

/// Reports the path, digest and size of a built plugin.
#[must_use]
pub fn built_plugin_line(report: &PluginReport, out: &Path) -> String {
    format!(
        "plugin:{}@{}  {}  {} bytes  {}\n",
        report.card.name,
        report.card.major(),
        report.digest,
        report.bytes,
        out.display()
    )
}

/// Formats a plugin on one line, followed by any requested permissions.
#[must_use]
pub fn plugin_line(plugin: &PluginReport) -> String {
    let card = &plugin.card;
    format!(
        "{}  {}  {}  {}{}\n",
        harmless_line(plugin.uses.as_deref().unwrap_or(&card.name)),
        card.version,
        harmless_line(&plugin.file.to_string()),
        harmless_line(&card.purpose),
        asks(&plugin.imports)
    )
}

/// Describes a plugin with all of its schemas and permissions.
#[must_use]
pub fn plugin_text(report: &PluginReport) -> String {
    let card = &report.card;
    let mut text = format!(
        "{} {}: {}\n",
        card.name,
        card.version,
        harmless_line(&card.purpose)
    );
    let file = harmless_line(&report.file.to_string());
    text.push_str(&format!(
        "  file     {file}, {}\n",
        counted(report.bytes, "byte")
    ));
    text.push_str(&format!("  digest   {}\n", report.digest));
    if let Some(uses) = &report.uses {
        text.push_str(&format!("  uses     {}\n", harmless_line(uses)));
    }
    text.push_str(&format!("  purity   {}\n", card.purity.as_str()));
    if report.imports.is_empty() {
        text.push_str("  imports  nothing\n");
    }
    for import in &report.imports {
        let why = match import.needs {
            Some(needs) => format!("requests to {}: `{needs}`", needs.allows()),
            None => "available to every plugin".to_owned(),
        };
        text.push_str(&format!(
            "  imports  {}  {why}\n",
            harmless_line(&import.name)
        ));
    }
    for (what, schema) in [
        ("input", &card.input_schema),
        ("output", &card.output_schema),
    ] {
        let schema = serde_json::to_string_pretty(schema).unwrap_or_default();
        let lines = schema
            .lines()
            .map(|line| format!("  {}\n", harmless_line(line)));
        text.push_str(&format!("{what}\n{}", lines.collect::<String>()));
    }
    text
}

/// The requested permissions, for the end of a line. Most plugins request none.
fn asks(imports: &[Import]) -> String {
    let needs: Vec<&str> = imports
        .iter()
        .filter_map(|import| Some(import.needs?.as_str()))
        .collect();
    match needs.is_empty() {
        true => String::new(),
        false => format!("  (requests: {})", needs.join(", ")),
    }
}

/// Formats the result of an example, including the reason for a failure.
#[must_use]
pub fn tested_line(example: &TestedExample) -> String {
    let (word, more) = match &example.state {
        ExampleState::Passed => ("ok", String::new()),
        ExampleState::Failed(why) => ("FAILED", format!(": {}", harmless_line(why))),
    };
    format!("{word}  {}{more}\n", harmless_line(&example.name))
}
