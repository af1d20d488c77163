//! Reads anchors from JSON Lines, i.e. one object per line.
//!
//! This is the bulk form of `anchor add`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use windlass_base::{Diagnostic, Diagnostics, Ident, LineSpan, Place, RepoPath, Source, counted};

use crate::anchor_exchange::message_of;
use crate::{AnchorKind, Locator, LocatorKind};

const EXAMPLE: &str =
    r#"a line looks like `{"id":"errors","file":"src/error.rs","start_line":12,"end_line":31}`"#;

/// Maximum number of invalid lines to report one by one. If there are more, the file is probably
/// something else altogether, and we only count the rest.
const MAX_SHOWN: usize = 10_000;

/// A request to capture an anchor, read from one line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnchorLine {
    pub id: Ident,
    pub kind: Option<AnchorKind>,
    pub label: Option<String>,
    pub file: RepoPath,
    pub span: LineSpan,
    /// Finds the anchor once its evidence is stale. It comes from the field `symbol`.
    pub locator: Option<Locator>,
    pub tags: Option<Vec<String>>,
    pub zone: Option<Vec<String>>,
    /// Position of the line in the source, for errors.
    pub place: Place,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    id: Ident,
    kind: Option<AnchorKind>,
    label: Option<String>,
    file: RepoPath,
    start_line: u32,
    end_line: Option<u32>,
    symbol: Option<String>,
    tags: Option<Vec<String>>,
    zone: Option<Vec<String>>,
}

/// Reads anchors from `source`. Empty lines are skipped.
///
/// Each line must have `id`, `file` and `start_line`. `end_line`, `label`, `kind`, `symbol`, `tags`
/// and `zone` are optional.
///
/// # Errors
/// Returns an error for each invalid line and each duplicate ID. After [`MAX_SHOWN`] invalid lines,
/// we only count the others.
pub(crate) fn read_anchor_lines(source: &Arc<Source>) -> Result<Vec<AnchorLine>, Diagnostics> {
    let (mut anchors, mut found) = (Vec::new(), Diagnostics::default());
    let mut bad_lines = 0_usize;
    let mut seen: BTreeMap<Ident, Place> = BTreeMap::new();
    for line in places(source) {
        let wrong = match read_line(&line) {
            Ok(anchor) => {
                let earlier = seen.get(&anchor.id).cloned();
                seen.entry(anchor.id.clone())
                    .or_insert_with(|| line.clone());
                let wrong = earlier.map(|first| twice(&anchor, first));
                anchors.push(anchor);
                wrong
            }
            Err(wrong) => Some(wrong),
        };
        bad_lines += usize::from(wrong.is_some());
        if bad_lines <= MAX_SHOWN {
            found.extend(wrong);
        }
    }
    if bad_lines > MAX_SHOWN {
        let more = counted(bad_lines - MAX_SHOWN, "more line");
        found.push(Diagnostic::error(
            "anchor-line",
            format!("{more} cannot be used"),
        ));
    }
    if found.is_empty() {
        Ok(anchors)
    } else {
        Err(found)
    }
}

/// Finds the non-empty lines of `source`. Their places do not include surrounding whitespace.
fn places(source: &Arc<Source>) -> impl Iterator<Item = Place> {
    let text = source.text();
    // Windows tools like to add a byte order mark.
    let mut from = if text.starts_with('\u{feff}') { 3 } else { 0 };
    text[from..].split_inclusive('\n').filter_map(move |line| {
        let start = from + (line.len() - line.trim_start().len());
        from += line.len();
        let length = line.trim().len();
        (length > 0).then(|| Place::new(source, start..start + length))
    })
}

fn read_line(place: &Place) -> Result<AnchorLine, Diagnostic> {
    let text = &place.source.text()[place.range.clone()];
    let wire: Wire = serde_json::from_str(text).map_err(|error| {
        let (rule, what) = match error.is_data() {
            true => ("anchor-field", "not an anchor"),
            false => ("anchor-line", "not a JSON object on one line"),
        };
        // Serde's column is a byte offset within the line, and it may point past the last
        // character.
        let end = text.floor_char_boundary(error.column());
        let start = place.range.start + text.floor_char_boundary(end.saturating_sub(1));
        let at = Place::new(&place.source, start..place.range.start + end);
        let message = format!("{what}: {}", message_of(&error));
        Diagnostic::error(rule, message).at(at).help(EXAMPLE)
    })?;
    let span = LineSpan::new(wire.start_line, wire.end_line.unwrap_or(wire.start_line));
    let span = span
        .map_err(|error| Diagnostic::error("anchor-field", error.to_string()).at(place.clone()))?;
    Ok(AnchorLine {
        label: wire.label,
        id: wire.id,
        kind: wire.kind,
        file: wire.file,
        span,
        locator: wire.symbol.map(|value| Locator {
            kind: LocatorKind::Symbol,
            value,
        }),
        tags: wire.tags,
        zone: wire.zone,
        place: place.clone(),
    })
}

fn twice(anchor: &AnchorLine, first: Place) -> Diagnostic {
    let message = format!("duplicate anchor `{}`", anchor.id);
    Diagnostic::error("anchor-twice", message)
        .at(anchor.place.clone())
        .see(first, "the first one")
        .help("give one of them a different `id`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<AnchorLine>, Diagnostics> {
        read_anchor_lines(&Source::new("a.jsonl", text))
    }

    #[test]
    fn anchor_line_mistake_explained() {
        for (line, rule, message) in [
            ("not json", "anchor-line", "not a JSON object on one line: "),
            (
                r#"{"id":"a","#,
                "anchor-line",
                "not a JSON object on one line: ",
            ),
            (
                r#"{"id":"a"} {}"#,
                "anchor-field",
                "not an anchor: missing field `file`",
            ),
            ("[1]", "anchor-field", "not an anchor: invalid "),
            (
                r#"{"id":"é a"}"#,
                "anchor-field",
                "not an anchor: `é` is not allowed",
            ),
            (
                r#"{"id":"a","file":"../x"}"#,
                "anchor-field",
                "not an anchor: `../x` leads upwards (`..`)",
            ),
            (
                r#"{"id":"a","start_line":"1"}"#,
                "anchor-field",
                "not an anchor: invalid type: string \"1\", expected u32",
            ),
            (
                r#"{"id":"a","lable":"x"}"#,
                "anchor-field",
                "not an anchor: unknown field `lable`, expected one of `id`, ",
            ),
            (
                r#"{"id":"a","kind":"contrakt"}"#,
                "anchor-field",
                "not an anchor: unknown variant `contrakt`, expected one of ",
            ),
            (
                r#"{"id":"a","file":"x","start_line":2,"end_line":1}"#,
                "anchor-field",
                "the last line (1) lies before the first (2)",
            ),
        ] {
            let found = read(line).unwrap_err();
            let found: Vec<_> = found.iter().collect();
            assert_eq!(found.len(), 1, "{line}");
            assert_eq!(found[0].rule, rule, "{line}");
            assert!(
                found[0].message.starts_with(message),
                "{}",
                found[0].message
            );
        }
        let found = read("  {\"id\":\"a\",\"lable\":\"x\"}").unwrap_err();
        let place = found.iter().next().and_then(|one| one.place.clone());
        // The column counts the leading spaces.
        assert_eq!(place.unwrap().to_string(), "a.jsonl:1:19");
    }

    #[test]
    fn anchor_lines_every_bad_line_named() {
        let text = concat!(
            "{\"id\":\"a\",\"file\":\"x.rs\",\"start_line\":1}\n",
            "\n",
            "{\"id\":\"b\"}\r\n",
            "  {\"id\":\"a\",\"file\":\"x.rs\",\"start_line\":2}\n",
        );
        let found = read(text).unwrap_err();
        let places: Vec<String> = found
            .iter()
            .map(|wrong| wrong.place.as_ref().unwrap().to_string())
            .collect();
        assert_eq!(places, ["a.jsonl:3:10", "a.jsonl:4:3"]);
        let twice = found.iter().last().unwrap();
        assert_eq!(twice.related[0].0.to_string(), "a.jsonl:1:1");

        let found = read(&"x\n".repeat(10_003)).unwrap_err();
        assert_eq!(found.iter().count(), 10_001);
        let last = found.iter().last().unwrap();
        assert_eq!(last.message, "3 more lines cannot be used");
    }

    #[test]
    fn anchor_line_absent_fields_none() {
        let anchors =
            read("\u{feff}{\"id\":\"a\",\"file\":\"./x.rs\",\"start_line\":7}\r\n").unwrap();
        let AnchorLine {
            label,
            kind,
            tags,
            zone,
            ..
        } = &anchors[0];
        assert_eq!((label, kind, tags, zone), (&None, &None, &None, &None));
        assert_eq!(anchors[0].span, LineSpan::single(7));
        assert_eq!(anchors[0].file.as_str(), "x.rs");
    }
}
