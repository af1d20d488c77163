//! Reads anchors from JSON Lines, with one object per line.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use windlass_base::{Diagnostic, Diagnostics, Ident, LineSpan, Place, RepoPath, Source, counted};
use windlass_plan::Document;

use crate::anchor_exchange::message_of;
use crate::transaction::line_faults;
use crate::{AnchorKind, Locator, LocatorKind};

/// Advice for a line that isn't an anchor.
const EXAMPLE: &str =
    r#"a line looks like `{"id":"errors","file":"src/error.rs","start_line":12,"end_line":31}`"#;

/// Maximum number of invalid lines reported individually.
const MAX_SHOWN: usize = 10_000;

/// An anchor to capture, as read from a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AnchorLine {
    pub id: Ident,
    /// The anchor's kind, if given.
    pub kind: Option<AnchorKind>,
    /// The anchor's title, if given.
    pub label: Option<String>,
    /// The file containing the evidence, relative to the root.
    pub file: RepoPath,
    /// The evidence's lines in the file.
    pub span: LineSpan,
    /// Locator for finding the anchor once its evidence is stale.
    pub locator: Option<Locator>,
    /// The anchor's tags, if given.
    pub tags: Option<Vec<String>>,
    /// Globs that limit later searches, if given.
    pub zone: Option<Vec<String>>,
    /// The line's position in the source, for errors.
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

/// Reads anchors from `source`, skipping empty lines.
///
/// Each line must contain `id`, `file` and `start_line`. The fields `end_line`, `label`, `kind`,
/// `symbol`, `tags` and `zone` are optional.
///
/// # Errors
/// Returns an error for each invalid line and each duplicate id. Past ten thousand invalid lines,
/// only the number of the others is reported.
pub(crate) fn read_anchor_lines(source: &Arc<Source>) -> Result<Vec<AnchorLine>, Diagnostics> {
    let (mut anchors, mut found) = (Vec::new(), Diagnostics::default());
    let mut bad_lines = 0_usize;
    let mut seen: BTreeMap<Ident, Place> = BTreeMap::new();
    for line in places(source) {
        let wrong = match read_line(&line) {
            Some(anchor) => {
                let earlier = seen.get(&anchor.id).cloned();
                seen.entry(anchor.id.clone())
                    .or_insert_with(|| line.clone());
                let wrong = earlier.map(|first| twice(&anchor, first));
                anchors.push(anchor);
                wrong.into_iter().collect()
            }
            None => explained(&line),
        };
        if wrong.is_empty() {
            continue;
        }
        bad_lines += 1;
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

/// Returns the positions of the non-empty lines of `source`, without surrounding whitespace.
fn places(source: &Arc<Source>) -> impl Iterator<Item = Place> {
    let text = source.text();
    let mut from = if text.starts_with('\u{feff}') { 3 } else { 0 };
    text[from..].split_inclusive('\n').filter_map(move |line| {
        let start = from + (line.len() - line.trim_start().len());
        from += line.len();
        let length = line.trim().len();
        (length > 0).then(|| Place::new(source, start..start + length))
    })
}

fn read_line(place: &Place) -> Option<AnchorLine> {
    let wire: Wire = serde_json::from_str(&place.source.text()[place.range.clone()]).ok()?;
    let span = LineSpan::new(wire.start_line, wire.end_line.unwrap_or(wire.start_line)).ok()?;
    Some(AnchorLine {
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

/// Explains why a line couldn't be read. Returns at least one error.
fn explained(line: &Place) -> Vec<Diagnostic> {
    let text = &line.source.text()[line.range.clone()];
    let wrong = |message: String| {
        let wrong = Diagnostic::error("anchor-line", message).at(line.clone());
        vec![wrong.help(EXAMPLE)]
    };
    if let Err(error) = serde_json::from_str::<Map<String, Value>>(text) {
        let why = message_of(&error);
        return wrong(format!("not a JSON object on one line: {why}"));
    }
    let found = match Document::parse("line.json", text.as_bytes()) {
        Ok(document) => line_faults(document.root(), EXAMPLE),
        Err(found) => found,
    };
    if found.is_empty() {
        return wrong("not an anchor".to_owned());
    }
    let start = line.range.start;
    let here = |place: Place| {
        let range = start + place.range.start..start + place.range.end;
        Place::new(&line.source, range)
    };
    let found = found.into_iter();
    found
        .map(|one| Diagnostic {
            place: one.place.clone().map(here),
            ..one
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<AnchorLine>, Diagnostics> {
        read_anchor_lines(&Source::new("a.jsonl", text))
    }

    /// Returns the column, message and advice for each error in `line`.
    fn findings(line: &str) -> Vec<String> {
        let found = read(line).unwrap_err();
        let lines = found.iter().map(|wrong| {
            let column = wrong
                .place
                .as_ref()
                .map_or(0, |place| place.position().column);
            let help = wrong.help.as_deref().unwrap_or_default();
            format!("{column}: {} | {help}", wrong.message)
        });
        lines.map(|text| text.replace(EXAMPLE, "…")).collect()
    }

    #[test]
    fn anchor_line_each_mistake_explained() {
        let no_object = "1: not a JSON object on one line: ";
        for line in ["not json", "[1]", r#"{"id":"a","#, r#"{"id":"a"} {}"#] {
            let said = findings(line);
            assert!(
                said.len() == 1 && said[0].starts_with(no_object),
                "{said:?}"
            );
        }
        for (line, wanted) in [
            (
                r#"  {"id":"é a","file":"../x","start_line":"1","lable":"x"}"#,
                &[
                    "46: an anchor does not have the field `lable` | did you mean `label`?",
                    "9: `id` cannot name an anchor: `é` is not allowed in an identifier: use letters, digits, `_`, and after \
                     the first `.` and `-` | ",
                    "22: `file` is not a file of the repository | `../x` leads upwards (`..`): give a path inside the \
                     repository",
                    "42: `start_line` is not a whole number from 1 | ",
                ][..],
            ),
            (
                r#"{"id":"a","kind":"contrakt","tags":"x","label":null,"end_line":1}"#,
                &[
                    "18: unknown anchor kind `contrakt` | did you mean `contract`?",
                    "36: `tags` is not a list of strings | ",
                    "1: `file` is missing | …",
                    "1: `start_line` is missing | …",
                ],
            ),
            (
                r#"{"id":"a","file":"x","start_line":2,"end_line":1}"#,
                &["1: the last line (1) lies before the first (2) | "],
            ),
        ] {
            assert_eq!(findings(line), wanted, "{line}");
        }
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
        assert_eq!(places, ["a.jsonl:3:1", "a.jsonl:3:1", "a.jsonl:4:3"]);
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
