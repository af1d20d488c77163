//! The plugin `api-diff`: public items that differ between two sets of excerpts.

mod brackets;
mod go;
mod item;
mod members;
mod plain;
mod python;
mod rust;
mod script;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_step::host::{self, Level};
use windlass_step::{Failure, Plugin, Purity, export};

use crate::item::{Item, Language};

/// Compares the public items of two sets of excerpts: added, removed and changed declarations.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Excerpts before the change.
    before: Vec<Excerpt>,
    /// Excerpts after the change.
    after: Vec<Excerpt>,
    /// Language of excerpts whose file extension does not identify it; default `rust`.
    #[serde(default)]
    language: Language,
}

/// Part of a source file: text, or a result of another step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Excerpt {
    /// Text itself.
    Text(String),
    /// Result of another step, or text with its file.
    Found {
        /// Text, for example the output of a `command` step; if missing, it is read from the file at the
        /// evidence.
        #[serde(default)]
        text: Option<String>,
        /// File; its extension identifies the language.
        #[serde(default)]
        file: Option<String>,
        /// Location in the file.
        #[serde(default)]
        evidence: Vec<Pointer>,
    },
}

/// Lines of a file.
#[derive(Debug, Deserialize, JsonSchema)]
struct Pointer {
    /// File.
    file: String,
    /// First line, from 1.
    start_line: u32,
    /// Last line.
    end_line: u32,
}

/// Differences.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Items that differ, by name.
    changes: Vec<Change>,
    /// Number of items that were added.
    added: usize,
    /// Number of items that were removed.
    removed: usize,
    /// Number of items whose declaration changed.
    changed: usize,
    /// True if users may depend on the old state: something was removed or changed.
    breaking: bool,
    /// Numbers of items found before and after.
    compared: [usize; 2],
}

/// Item that differs.
#[derive(Debug, Serialize, JsonSchema)]
struct Change {
    /// Name and kind of change.
    label: String,
    /// `added`, `removed` or `changed`.
    kind: &'static str,
    /// Name, with that of the type or class that it belongs to.
    name: String,
    /// Declarations before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    /// Declarations after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    /// Location of the declaration; of the removed one if it was read from a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Value>,
}

/// An item's declaration, and its location in the file it was read from.
struct Declared {
    text: String,
    place: Option<(String, u32, u32)>,
}

/// Declarations by name, in order.
type Api = BTreeMap<String, Vec<Declared>>;

/// Maximum number of declarations reported for one name.
const MAX_DECLARATIONS: usize = 8;

struct ApiDiff;

impl Plugin for ApiDiff {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "api-diff";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const PURPOSE: &'static str = "say which public items differ between two sets of excerpts";
    const PURITY: Purity = Purity::Reads;
    const MAIN: Option<&'static str> = Some("changes");

    fn run(input: Input) -> Result<Output, Failure> {
        let before = api(&input.before, input.language)?;
        let after = api(&input.after, input.language)?;
        let count = |api: &Api| api.values().map(Vec::len).sum();
        let compared = [count(&before), count(&after)];
        if compared == [0, 0] {
            host::log(Level::Warn, "no public items were found in the excerpts");
        }
        let none = Vec::new();
        let names = before
            .keys()
            .chain(after.keys().filter(|name| !before.contains_key(*name)));
        let mut changes: Vec<Change> = names
            .filter_map(|name| {
                let old = before.get(name).unwrap_or(&none);
                change(name, old, after.get(name).unwrap_or(&none))
            })
            .collect();
        changes.sort_by(|a, b| a.name.cmp(&b.name));
        let of_kind = |kind: &str| changes.iter().filter(|change| change.kind == kind).count();
        let (added, removed, changed) = (of_kind("added"), of_kind("removed"), of_kind("changed"));
        Ok(Output {
            changes,
            added,
            removed,
            changed,
            breaking: removed + changed > 0,
            compared,
        })
    }
}

/// Returns the public items of all excerpts.
fn api(excerpts: &[Excerpt], language: Language) -> Result<Api, Failure> {
    let mut api = Api::new();
    let mut add = |items: Vec<Item>, file: Option<&str>, start: u32| {
        for Item {
            name,
            text,
            first,
            last,
        } in items
        {
            let place = file.map(|file| (file.to_owned(), start + first, start + last));
            api.entry(name).or_default().push(Declared { text, place });
        }
    };
    for excerpt in excerpts {
        match excerpt {
            Excerpt::Text(text) => add(language.items(text), None, 0),
            Excerpt::Found {
                text: Some(text),
                file,
                evidence,
            } if evidence.is_empty() => {
                let language = Language::of_file(file.as_deref()).unwrap_or(language);
                add(language.items(text), None, 0);
            }
            Excerpt::Found { evidence, .. } if evidence.is_empty() => {
                return Err(Failure::invalid(
                    "an excerpt has a `text`, or `evidence` that says where it stands",
                ));
            }
            Excerpt::Found { evidence, .. } => {
                for pointer in evidence {
                    let file = &*pointer.file;
                    let read = host::read(file, pointer.start_line, pointer.end_line)?;
                    let lines: Vec<String> = read.lines.into_iter().map(|line| line.text).collect();
                    let language = Language::of_file(Some(file)).unwrap_or(language);
                    add(
                        language.items(&lines.join("\n")),
                        Some(file),
                        pointer.start_line,
                    );
                }
            }
        }
    }
    Ok(api)
}

/// Returns the change of the item `name`, or `None` if its declarations are the same.
fn change(name: &str, before: &[Declared], after: &[Declared]) -> Option<Change> {
    let texts = |declared: &[Declared]| {
        let mut texts: Vec<String> = declared.iter().map(|one| one.text.clone()).collect();
        texts.sort();
        texts.dedup();
        texts
    };
    let (mut old, mut new) = (texts(before), texts(after));
    if old == new {
        return None;
    }
    let (kind, shown) = match (old.is_empty(), new.is_empty()) {
        (true, _) => ("added", after),
        (_, true) => ("removed", before),
        _ => ("changed", after),
    };
    // If a name has several declarations, report only those that differ.
    let shared: Vec<String> = old
        .iter()
        .filter(|text| new.contains(text))
        .cloned()
        .collect();
    old.retain(|text| !shared.contains(text));
    new.retain(|text| !shared.contains(text));
    let of_interest = shown
        .iter()
        .filter(|one| !shared.contains(&one.text))
        .take(MAX_DECLARATIONS);
    let evidence = of_interest.filter_map(|one| {
        let (file, first, last) = one.place.as_ref()?;
        Some(host::read(file, *first, *last).ok()?.evidence)
    });
    let evidence = evidence.collect();
    old.truncate(MAX_DECLARATIONS);
    new.truncate(MAX_DECLARATIONS);
    Some(Change {
        label: format!("{name} was {kind}"),
        kind,
        name: name.to_owned(),
        before: old,
        after: new,
        evidence,
    })
}

export!(ApiDiff);
