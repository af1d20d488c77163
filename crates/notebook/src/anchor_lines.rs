//! Anchors in bulk, as JSON Lines: one object a line.

use serde::Deserialize;
use windlass_base::{Ident, LineSpan, RepoPath};

use crate::{AnchorKind, Locator, LocatorKind};

/// One anchor to be captured.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorLine {
    /// Its name.
    pub id: Ident,
    /// What sort of thing it is.
    pub kind: AnchorKind,
    /// What a person calls it; the id if not said.
    pub label: String,
    /// The file.
    pub file: RepoPath,
    /// The lines.
    pub span: LineSpan,
    /// How to look for it later.
    pub locator: Option<Locator>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// A line that is no anchor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LineError {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    id: Ident,
    #[serde(default)]
    kind: AnchorKind,
    label: Option<String>,
    file: RepoPath,
    start_line: u32,
    end_line: Option<u32>,
    symbol: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
}

/// Reads `text`, one object a line; empty lines are passed over.
///
/// A line holds `id`, `file`, `start_line`, and may hold `end_line`, `label`, `kind`, `symbol`, `tags`.
///
/// # Errors
/// All lines that are no anchor, and every id that stands twice.
pub fn read_anchor_lines(text: &str) -> Result<Vec<AnchorLine>, Vec<LineError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut anchors, mut errors) = (Vec::new(), Vec::new());
    let mut seen = std::collections::BTreeMap::new();
    for (at, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let line_number = at + 1;
        match read_line(line) {
            Ok(anchor) => {
                if let Some(first) = seen.insert(anchor.id.clone(), line_number) {
                    let message = format!("`{}` stands on line {first} already", anchor.id);
                    errors.push(LineError {
                        line: line_number,
                        message,
                    });
                }
                anchors.push(anchor);
            }
            Err(message) => errors.push(LineError {
                line: line_number,
                message,
            }),
        }
    }
    if errors.is_empty() {
        Ok(anchors)
    } else {
        Err(errors)
    }
}

fn read_line(line: &str) -> Result<AnchorLine, String> {
    let wire: Wire = serde_json::from_str(line).map_err(|error| {
        let column = error.column();
        let text = error.to_string();
        // The parser's own position counts from the start of this line, so its line number would mislead.
        let text = text.split(" at line ").next().unwrap_or(&text).to_owned();
        format!("{text}, at column {column}")
    })?;
    let span = LineSpan::new(wire.start_line, wire.end_line.unwrap_or(wire.start_line))
        .map_err(|error| error.to_string())?;
    Ok(AnchorLine {
        label: wire.label.unwrap_or_else(|| wire.id.to_string()),
        id: wire.id,
        kind: wire.kind,
        file: wire.file,
        span,
        locator: wire.symbol.map(|value| Locator {
            kind: LocatorKind::Symbol,
            value,
        }),
        tags: wire.tags,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_line_is_named() {
        let text = concat!(
            "{\"id\":\"a\",\"file\":\"x.rs\",\"start_line\":1}\n",
            "\n",
            "{\"id\":\"b\",\"file\":\"../x.rs\",\"start_line\":1}\n",
            "not json\n",
            "{\"id\":\"a\",\"file\":\"x.rs\",\"start_line\":2,\"end_line\":1}\n",
            "{\"id\":\"a\",\"file\":\"x.rs\",\"start_line\":2}\n",
            "{\"id\":\"c\",\"file\":\"x.rs\",\"start_line\":2,\"lable\":\"x\"}\n",
        );
        let errors = read_anchor_lines(text).unwrap_err();
        let lines: Vec<usize> = errors.iter().map(|error| error.line).collect();
        assert_eq!(lines, [3, 4, 5, 6, 7]);
        assert!(errors[3].message.contains("line 1"), "{}", errors[3]);
        assert!(errors[4].message.contains("lable"), "{}", errors[4]);
    }

    #[test]
    fn what_is_left_out_has_a_sensible_value() {
        let anchors =
            read_anchor_lines("\u{feff}{\"id\":\"a\",\"file\":\"./x.rs\",\"start_line\":7}\r\n")
                .unwrap();
        assert_eq!(anchors[0].label, "a");
        assert_eq!(anchors[0].span, LineSpan::single(7));
        assert_eq!(anchors[0].file.as_str(), "x.rs");
    }
}
