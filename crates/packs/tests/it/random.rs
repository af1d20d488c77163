//! Arbitrary packs for property tests.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_base::{Entry, Item, SourceHash};
use windlass_packs::{Pack, SectionStatus};

use crate::support::{Sandbox, observation, pack, place, seen};

/// Characters that tend to cause trouble: markup, control characters, text direction, width, and
/// escapes.
const ODD: &str =
    "[a-z `~*_<>#|&\"\\\\\t\n\u{1b}\u{7f}\u{9b}\u{202e}\u{2067}\u{61c}\u{2028}éß漢🦀-]{0,24}";

#[derive(Debug, Clone)]
pub(crate) struct RandomPack {
    files: Vec<String>,
    sections: Vec<RandomSection>,
    purpose: String,
    notes: Vec<String>,
}

#[derive(Debug, Clone)]
struct RandomSection {
    title: String,
    reason: Option<String>,
    limit: usize,
    entries: Vec<RandomEntry>,
    notes: Vec<String>,
}

#[derive(Debug, Clone)]
enum RandomEntry {
    Item {
        label: String,
        named: bool,
        context: u32,
        evidence: Vec<(usize, u32, u32, u8)>,
        fields: Vec<(String, Value)>,
    },
    Seen(Value, bool),
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z {}();]{0,40}",
        2 => ODD.prop_map(|text| text.replace('\n', " ")),
        1 => Just(String::new()),
        1 => Just("```".to_owned()),
        1 => Just("## no heading".to_owned()),
        1 => (100_usize..300).prop_map(|count| "長い ".repeat(count)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        ODD.prop_map(Value::from),
        (ODD, any::<i32>())
            .prop_map(|(text, number)| json!({"text": text, "number": number, "list": [1, "x"]})),
        (ODD, ODD).prop_map(
            |(a, b)| json!({"lines": format!("{a}\n{b}\n~~~\n```"), "nested": [{"a": a}, [b]]})
        ),
        prop::collection::vec(ODD, 0..40).prop_map(|lines| json!(lines.join("\n"))),
    ]
}

fn entry() -> impl Strategy<Value = RandomEntry> {
    let evidence = (0_usize..4, 1_u32..30, 0_u32..30, 0_u8..8);
    prop_oneof![
        3 => (ODD, any::<bool>(), 0_u32..4, prop::collection::vec(evidence, 1..4), prop::collection::vec((ODD, value()), 0..3)).prop_map(
            |(label, named, context, evidence, fields)| RandomEntry::Item { label, named, context, evidence, fields }
        ),
        1 => (value(), any::<bool>()).prop_map(|(value, again)| RandomEntry::Seen(value, again)),
    ]
}

fn section() -> impl Strategy<Value = RandomSection> {
    (
        ODD,
        prop::option::weighted(0.2, ODD),
        0_usize..15,
        prop::collection::vec(entry(), 0..12),
        prop::collection::vec(ODD, 0..2),
    )
        .prop_map(|(title, reason, limit, entries, notes)| RandomSection {
            title,
            reason,
            limit,
            entries,
            notes,
        })
}

pub(crate) fn random_pack() -> impl Strategy<Value = RandomPack> {
    (
        prop::collection::vec(prop::collection::vec(line(), 0..40), 1..4),
        prop::collection::vec(section(), 0..5),
        ODD,
        prop::collection::vec(ODD, 0..2),
    )
        .prop_map(|(files, sections, purpose, notes)| RandomPack {
            files: files.iter().map(|lines| lines.join("\n")).collect(),
            sections,
            purpose,
            notes,
        })
}

impl RandomPack {
    /// Writes the files, and verifies the evidence. The last number of each piece of evidence
    /// decides if it's valid, stale or secret.
    pub(crate) fn make(&self) -> (Sandbox, Pack) {
        let sandbox = Sandbox::with([(".env", "SECRET=1\n")]);
        for (at, text) in self.files.iter().enumerate() {
            sandbox.write(&format!("f{at}.rs"), text);
        }
        let snapshot = sandbox.snapshot();
        let mut nr = 0;
        let mut evidence = |&(file, start, more, state): &(usize, u32, u32, u8)| {
            let path = if state == 6 {
                ".env".to_owned()
            } else {
                format!("f{file}.rs")
            };
            let mut evidence = place(&path, start, start + more);
            let source = snapshot.read(&evidence.pointer.file);
            evidence.pointer.source_hash = match state {
                0..=3 => source.ok().and_then(|source| {
                    let last = source.line_count();
                    if last > 0 {
                        let start = start.min(last);
                        evidence = place(&path, start, (start + more).min(last));
                    }
                    source.span_hash(evidence.pointer.span)
                }),
                4 => Some(SourceHash::Span([nr; 32])),
                5 => Some(SourceHash::File([nr; 32])),
                _ => None,
            };
            nr = nr.wrapping_add(1);
            evidence
        };
        let mut entry = |entry: &RandomEntry, name: String| match entry {
            RandomEntry::Item {
                label,
                named,
                context,
                evidence: places,
                fields,
            } => Entry::Item(Item {
                id: named.then_some(name),
                kind: named.then(|| "contract".to_owned()),
                label: label.clone(),
                fields: fields.iter().cloned().collect(),
                fields_left_out: 0,
                context: *context,
                evidence: places.iter().map(&mut evidence).collect(),
            }),
            RandomEntry::Seen(value, true) => observation(value.clone()),
            RandomEntry::Seen(value, false) => seen(value.clone(), false),
        };
        let sections = self.sections.iter().enumerate().map(|(at, random)| {
            let entries = random.entries.iter().enumerate();
            let entries = entries
                .map(|(nr, e)| entry(e, format!("e{at}-{nr}")))
                .collect();
            let mut section = sandbox.section(&format!("s{at}"), random.limit, entries);
            section.title.clone_from(&random.title);
            section.reason.clone_from(&random.reason);
            section.notes.clone_from(&random.notes);
            if random.reason.is_some() {
                section.status = section.status.max(SectionStatus::Unknown);
            }
            section
        });
        let mut pack = pack(sections.collect());
        pack.runbook.purpose.clone_from(&self.purpose);
        pack.notes.clone_from(&self.notes);
        (sandbox, pack)
    }
}
