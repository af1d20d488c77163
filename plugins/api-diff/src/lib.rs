//! Public items that differ between two sets of excerpts.

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

/// Compares the public items of two sets of excerpts: what came, what went, and what is declared otherwise.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The excerpts as they were.
    before: Vec<Excerpt>,
    /// The excerpts as they are.
    after: Vec<Excerpt>,
    /// The language of excerpts whose file does not tell; `rust` if not said.
    #[serde(default)]
    language: Language,
}

/// A part of a source file: text, or what another step found.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Excerpt {
    /// The text itself.
    Text(String),
    /// Something that was found, or text with its file.
    Found {
        /// The text, such as a `command` step printed; without, it is read where the evidence points to.
        #[serde(default)]
        text: Option<String>,
        /// The file: its ending tells the language.
        #[serde(default)]
        file: Option<String>,
        /// Where it stands.
        #[serde(default)]
        evidence: Vec<Pointer>,
    },
}

/// Lines of a file.
#[derive(Debug, Deserialize, JsonSchema)]
struct Pointer {
    /// The file.
    file: String,
    /// The first line, from 1.
    start_line: u32,
    /// The last line.
    end_line: u32,
}

/// What differs.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The items that differ, by name.
    changes: Vec<Change>,
    /// How many are there now that were not.
    added: usize,
    /// How many were there and are no more.
    removed: usize,
    /// How many are declared otherwise.
    changed: usize,
    /// Whether somebody may rely on what is no more as it was: something was removed or changed.
    breaking: bool,
    /// How many items were found before, and how many after.
    compared: [usize; 2],
}

/// An item that differs.
#[derive(Debug, Serialize, JsonSchema)]
struct Change {
    /// What became of it.
    label: String,
    /// `added`, `removed` or `changed`.
    kind: &'static str,
    /// Its name, with that of the type or class it belongs to.
    name: String,
    /// How it was declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    /// How it is declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    /// Where it is declared; where it was, if that was read from a file and it is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Value>,
}

/// An item, and where its declaration stands in a file that was read.
struct Declared {
    text: String,
    place: Option<(String, u32, u32)>,
}

/// All that is declared by a name, in order.
type Api = BTreeMap<String, Vec<Declared>>;

/// The most declarations that are told of one name.
const MAX_TOLD: usize = 8;

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

/// The public items of excerpts.
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

/// What became of the item `name`; nothing where it is as it was.
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
    // Of several declarations of a name, those that differ.
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
        .take(MAX_TOLD);
    let evidence = of_interest.filter_map(|one| {
        let (file, first, last) = one.place.as_ref()?;
        Some(host::read(file, *first, *last).ok()?.evidence)
    });
    let evidence = evidence.collect();
    old.truncate(MAX_TOLD);
    new.truncate(MAX_TOLD);
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
