//! The repository's anchor file, `.windlass/anchors.json`.
//!
//! People edit and merge this file, so reading it is strict: rather than guessing, we report every
//! error with its position. Writing it keeps diffs small.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use windlass_base::{Diagnostics, Ident, Source};

use super::SCHEMA_VERSION;
use super::json_tree::{MAX_FIELDS, Tree, fields_in_order};
use super::shared_anchor::SharedAnchor;
use super::shared_faults::{Faults, message_of, offset_of, unfinished_merge};
use crate::Anchor;
use crate::storage::notebook_document::id_of;
use crate::storage::notebook_limits::MAX_ANCHORS;

const CORRECT: &str = "fix the file, or restore it from git; nothing was changed";

/// The contents of `.windlass/anchors.json`, including unknown fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SharedAnchors {
    anchors: BTreeMap<Ident, SharedAnchor>,
    /// Unknown top-level fields, sorted by name and written back unchanged.
    others: Vec<(String, Tree)>,
    /// True to end lines with CRLF, because the file had them.
    has_crlf: bool,
}

/// A repository's shared anchors: `.windlass/anchors.json`.
#[derive(schemars::JsonSchema)]
pub struct SharedAnchorsDocument {
    /// The format's version.
    #[expect(
        dead_code,
        reason = "read and written field by field, to keep what is not known"
    )]
    #[schemars(range(min = 1, max = 1))]
    schema_version: u32,
    /// Anchors, sorted by `id`.
    #[expect(dead_code, reason = "as above")]
    anchors: Vec<Anchor>,
}

impl SharedAnchors {
    /// Reads the file `name`. Any style of line endings is fine, and so is a byte order mark.
    ///
    /// # Errors
    /// Returns up to one hundred errors with their positions, and the number of others.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Diagnostics> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return Err(not_utf8(name, bytes, error.valid_up_to())),
        };
        let source = Source::new(name, text);
        let mut faults = Faults::new(&source);
        let read = read(source.text(), &mut faults);
        match read {
            Some(shared) if faults.is_empty() => Ok(shared),
            _ => Err(faults.finish()),
        }
    }

    /// The file's text. Equal anchors result in equal text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let anchors = self.anchors.values().map(|anchor| anchor.tree().clone());
        let mut fields = vec![(
            "schema_version".to_owned(),
            Tree::Plain(SCHEMA_VERSION.to_string()),
        )];
        fields.extend(self.others.iter().cloned());
        fields.push(("anchors".to_owned(), Tree::List(anchors.collect())));
        let mut text = String::new();
        // Each field goes on a line of its own, so that diffs are small and merges rarely conflict.
        // A capture stays on a single line, because nobody reads it.
        let is_open = |key: &str| matches!(key, "anchors" | "evidence");
        Tree::Object(fields).write_open(0, &is_open, &mut text);
        text.push('\n');
        if self.has_crlf {
            text = text.replace('\n', "\r\n");
        }
        text
    }

    /// All anchors, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &SharedAnchor> {
        self.anchors.values()
    }

    /// Looks up an anchor by its name.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&SharedAnchor> {
        self.anchors.get(id)
    }

    /// Adds `anchor`, or replaces the one with the same name.
    pub fn put(&mut self, anchor: SharedAnchor) {
        self.anchors.insert(anchor.id().clone(), anchor);
    }

    /// Removes the anchor `id`, if present.
    pub fn remove(&mut self, id: &str) {
        self.anchors.remove(id);
    }
}

fn not_utf8(name: &str, bytes: &[u8], at: usize) -> Diagnostics {
    let source = Source::new(name, String::from_utf8_lossy(bytes));
    let mut faults = Faults::new(&source);
    let help = "save the file as UTF-8, or restore it from git; nothing was changed";
    faults.push(at..at, "this is not UTF-8 from here on", help);
    faults.finish()
}

fn read(whole: &str, faults: &mut Faults<'_>) -> Option<SharedAnchors> {
    // The markers would lead to a confusing syntax error, so look for them first.
    if let Some((first, last)) = unfinished_merge(whole) {
        let message = "unresolved merge conflict markers";
        let help = "resolve the conflict, then check the file with `windlass check .windlass/anchors.json` \
                    that it is whole; nothing was changed";
        faults.push_with(first, message, help, (last, "the last marker"));
        return None;
    }
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let top: Top<'_> = match serde_json::from_str(text) {
        Ok(top) => top,
        Err(error) => {
            // The offset is relative to the text after the byte order mark.
            let at = whole.len() - text.len() + offset_of(&error, text);
            let message = format!("not an anchor document: {}", message_of(&error));
            faults.push(at..at, message, CORRECT);
            return None;
        }
    };
    // Raw values borrow from `whole`, so their addresses give us their positions.
    let range = |value: &RawValue| {
        let start = value.get().as_ptr().addr() - whole.as_ptr().addr();
        start..start + value.get().len()
    };
    check_version(&top, whole, &range, faults)?;
    let Some(list) = top.get("anchors") else {
        faults.push(0..0, "the field `anchors` is missing", CORRECT);
        return None;
    };
    let list: Vec<&RawValue> = match serde_json::from_str(list.get()) {
        Ok(list) => list,
        Err(_) => {
            faults.push(range(list), "`anchors` must be a list", CORRECT);
            return None;
        }
    };
    // Check the length before parsing any of the anchors, which could take a while for a huge list.
    if list.len() > MAX_ANCHORS {
        let message = format!(
            "{} anchors are more than the {MAX_ANCHORS} that a notebook holds",
            list.len()
        );
        faults.push(0..0, message, "remove anchors that are no longer needed");
        return None;
    }
    let mut shared = SharedAnchors {
        has_crlf: text.contains("\r\n"),
        ..SharedAnchors::default()
    };
    let mut places: BTreeMap<Ident, Range<usize>> = BTreeMap::new();
    for text in list {
        let place = range(text);
        let Some(anchor) = read_anchor(text, place.start, faults) else {
            continue;
        };
        let start = place.start..place.start + 1;
        if let Some(first) = places.insert(anchor.id().clone(), start.clone()) {
            let message = format!("duplicate anchor `{}`", anchor.id());
            let help = "keep one of them, or give one a different `id`";
            faults.push_with(start, message, help, (first, "the first one"));
        }
        shared.put(anchor);
    }
    for (key, value) in &top.0 {
        if !matches!(key.as_str(), "schema_version" | "anchors") {
            match Tree::of(value) {
                Ok(tree) => shared.others.push((key.clone(), tree)),
                Err(error) => {
                    let message = format!("`{key}`: {}", message_of(&error));
                    faults.push(range(value), message, CORRECT);
                }
            }
        }
    }
    shared.others.sort_by(|a, b| a.0.cmp(&b.0));
    Some(shared)
}

fn read_anchor(text: &RawValue, start: usize, faults: &mut Faults<'_>) -> Option<SharedAnchor> {
    match SharedAnchor::read(text) {
        Ok(anchor) => Some(anchor),
        Err(error) => {
            let name =
                id_of(text).map(|id| format!(" `{}`", id.chars().take(60).collect::<String>()));
            let message = format!("anchor{}: {}", name.unwrap_or_default(), message_of(&error));
            // Serde reports line 0 if a field is missing. There's no better position than the start
            // of the anchor.
            let at = match error.line() {
                0 => start,
                _ => start + offset_of(&error, text.get()),
            };
            faults.push(at..at, message, CORRECT);
            None
        }
    }
}

fn check_version(
    top: &Top<'_>,
    whole: &str,
    range: &dyn Fn(&RawValue) -> Range<usize>,
    faults: &mut Faults<'_>,
) -> Option<()> {
    let Some(version) = top.get("schema_version") else {
        let start = whole.find('{').unwrap_or(0);
        faults.push(
            start..start + 1,
            "the field `schema_version` is missing",
            "give it the version that this file was written in: 1",
        );
        return None;
    };
    match version.get().parse::<u64>() {
        Ok(1..=SCHEMA_VERSION) => Some(()),
        Ok(found) if found > SCHEMA_VERSION => {
            let message = format!(
                "this file has schema_version {found}; this program reads versions up to {SCHEMA_VERSION}"
            );
            faults.push(
                range(version),
                message,
                "update windlass; nothing was changed",
            );
            None
        }
        _ => {
            faults.push(
                range(version),
                "`schema_version` must be a whole number from 1",
                CORRECT,
            );
            None
        }
    }
}

struct Top<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Top<'a> {
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        let field = self.0.iter().find(|(key, _)| key == name);
        field.map(|(_, value)| *value)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Top<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(fields_in_order(deserializer, MAX_FIELDS)?))
    }
}
