//! Reads `commands.txt`.
//!
//! Lines have four forms: `# NAME` begins a section, `@ SCRIPT` is a preparation, `//` begins a
//! comment, and any other line is a command.

use std::collections::BTreeMap;

use crate::Error;

/// Commands that share a folder, so that each sees the changes made by the previous ones.
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) lines: Vec<Line>,
}

/// A line, which `sh` runs.
pub(super) enum Line {
    /// A preparation that has to succeed. Its output isn't recorded.
    Setup(String),
    /// A command, whose output and exit code are recorded in the file `name`.
    Command { script: String, name: String },
}

/// Longest file name, without its extension. Names are made of commands, which can be longer than a
/// file system allows.
const MAX_NAME: usize = 90;

pub(super) fn sections() -> Result<Vec<Section<'static>>, Error> {
    let mut all: Vec<Section<'static>> = Vec::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for line in include_str!("commands.txt").lines().map(str::trim) {
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if let Some(name) = line.strip_prefix("# ") {
            names.clear();
            all.push(Section {
                name,
                lines: Vec::new(),
            });
            continue;
        }
        let Some(section) = all.last_mut() else {
            return Err(format!("no section before `{line}`").into());
        };
        if let Some(script) = line.strip_prefix("@ ") {
            section.lines.push(Line::Setup(script.to_owned()));
            continue;
        }
        for script in in_each_format(line) {
            let name = file_name(&script);
            let times = names.entry(name.clone()).or_default();
            *times += 1;
            let name = match times {
                1 => name,
                times => format!("{name}~{times}"),
            };
            section.lines.push(Line::Command { script, name });
        }
    }
    Ok(all)
}

/// Repeats a line with `--format {json,text}` for each of the formats.
fn in_each_format(line: &str) -> Vec<String> {
    let parts = line
        .split_once("--format {")
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (formats, after))) => formats
            .split(',')
            .map(|format| format!("{before}--format {format}{after}"))
            .collect(),
        None => vec![line.to_owned()],
    }
}

fn file_name(script: &str) -> String {
    let script = script.strip_prefix("windlass ").unwrap_or(script);
    let words = script.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(MAX_NAME).collect()
}
