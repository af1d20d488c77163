//! Migrates playbooks from lists of editable entries to logs of events.
//!
//! Copies of a playbook may be migrated on several machines before they are merged. The same entry
//! must therefore get the same names and times everywhere, which rules out random names and the
//! current time.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::Digest;
use windlass_tron::{Array, Object, Value};

use super::narrative::NarrativeMigration;
use super::{MigrationLog, NO_TIME, rename, text_of};
use crate::ItemKind;
use crate::time::moment;

/// The lists of version 0.1, and the kind that their entries get.
const LISTS: [(&str, ItemKind); 3] = [
    ("strategies", ItemKind::Strategy),
    ("learnings", ItemKind::Learning),
    ("reflections", ItemKind::Note),
];

pub(super) struct PlaybookMigration<'m> {
    log: &'m mut MigrationLog,
    times: &'m [String],
}

impl<'m> PlaybookMigration<'m> {
    pub(super) fn new(log: &'m mut MigrationLog, times: &'m [String]) -> Self {
        Self { log, times }
    }

    pub(super) fn playbook(&mut self, playbook: &mut Object<'static>, at: &str) {
        let mut from = "items";
        if rename(playbook, "entries", "items") {
            from = "entries";
            self.log
                .breaking(format!("{at}/entries"), "`entries` becomes `items`");
        } else {
            self.log.beside(playbook, "entries", "items", at);
        }
        self.lists(playbook, at);
        let time = self.time_of(playbook);
        if let Some(Value::Array(items)) = playbook.get_mut("items") {
            let mut names = Names::of(items);
            for (number, item) in items.iter_mut().enumerate() {
                if let Value::Object(event) = item {
                    self.event(event, &format!("{at}/{from}/{number}"), &mut names, &time);
                }
            }
        } else {
            return;
        }
        self.head(playbook, at, &time);
    }

    /// Merges the lists of version 0.1 into one.
    fn lists(&mut self, playbook: &mut Object<'static>, at: &str) {
        for (name, kind) in LISTS {
            let Some(Value::Array(entries)) = playbook.get(name) else {
                continue;
            };
            let entries: Vec<Value<'static>> = entries
                .iter()
                .map(|entry| {
                    let mut entry = entry.clone();
                    match &mut entry {
                        Value::Object(entry) if !entry.contains_key("kind") => {
                            entry.insert("kind", kind.as_str());
                        }
                        // An entry may also be just a text.
                        Value::String(text) => {
                            let mut made = Object::new();
                            made.insert("kind", kind.as_str());
                            made.insert("text", text.to_string());
                            return made.into();
                        }
                        _ => {}
                    }
                    entry
                })
                .collect();
            playbook.remove(name);
            match playbook.get_mut("items") {
                Some(Value::Array(items)) => items.extend(entries),
                _ => drop(playbook.insert("items", entries)),
            }
            self.log.breaking(
                format!("{at}/{name}"),
                format!("`{name}` become events of `items`"),
            );
        }
    }

    /// Returns the time for entries that have none.
    ///
    /// We prefer the time of creation, because it is the same in all copies, no matter how they
    /// were changed since.
    fn time_of(&self, playbook: &Object<'static>) -> String {
        let own = |name: &str| text_of(playbook, name).filter(|time| moment(time).is_some());
        own("created")
            .or_else(|| self.times.first().cloned())
            .or_else(|| own("updated"))
            .unwrap_or_else(|| NO_TIME.to_owned())
    }

    /// Converts an entry to an event, or updates an event of an older form.
    fn event(&mut self, event: &mut Object<'static>, at: &str, names: &mut Names, time: &str) {
        let is_event = event.contains_key("eventId") || event.contains_key("operation");
        if !is_event && is_entry(event) {
            self.made_event(event, at, names, time);
        }
        for name in ["text", "content"] {
            let Some(text) = text_of(event, name) else {
                continue;
            };
            if event.get("narrative").is_none_or(Value::is_null) {
                let mut titles = Object::new();
                titles.insert("Overview", text);
                event.insert(name, titles);
                event.remove("narrative");
                rename(event, name, "narrative");
                self.log.breaking(
                    format!("{at}/{name}"),
                    format!("`{name}` becomes the narrative `Overview`"),
                );
            } else if is_event {
                self.log.beside(event, name, "narrative", at);
            }
        }
        NarrativeMigration::new(self.log).narrative(event, at);
    }

    fn made_event(&mut self, entry: &mut Object<'static>, at: &str, names: &mut Names, time: &str) {
        let own_time = ["createdAt", "created", "timestamp"]
            .iter()
            .find_map(|name| text_of(entry, name))
            .filter(|time| moment(time).is_some());
        let id = text_of(entry, "targetId").or_else(|| text_of(entry, "id"));
        let is_id = id.is_some();
        let wanted = id.or_else(|| text_of(entry, "title")).unwrap_or_default();
        let kind = ["kind", "type", "category"]
            .iter()
            .find_map(|name| ItemKind::from_word(text_of(entry, name)?.as_str()));
        let digest = digest(entry);
        let mut made = Object::new();
        made.insert("eventId", names.free(&format!("evt-{digest}")));
        made.insert("targetId", names.target(&wanted, is_id, &digest));
        made.insert("operation", "append");
        made.insert("kind", kind.unwrap_or(ItemKind::Note).as_str());
        made.insert("createdAt", own_time.unwrap_or_else(|| time.to_owned()));
        // Keep all other fields, including unknown ones.
        for (key, value) in std::mem::take(entry).into_members() {
            if !made.contains_key(&key) {
                made.insert(key, value);
            }
        }
        self.counts(&mut made, at);
        let is_guess = made.get("createdAt").and_then(Value::as_str) == Some(NO_TIME);
        *entry = made;
        let what = "an entry becomes an event with an `eventId`, a `targetId` and an `operation`";
        match is_guess {
            true => self.log.breaking(
                at,
                format!("{what}; without a known time, it gets {NO_TIME}"),
            ),
            false => self.log.breaking(at, what),
        }
    }

    /// Converts the counts of an entry (how often it was helpful or harmful) from totals to
    /// increments, as events have them.
    fn counts(&mut self, event: &mut Object<'static>, at: &str) {
        if event.get("delta").is_some_and(|delta| !delta.is_null()) {
            return;
        }
        let mut delta = Object::new();
        for name in ["helpfulCount", "harmfulCount"] {
            let count = event.get(name).and_then(Value::as_number);
            if let Some(count) = count.filter(|count| count.as_i64().is_some()).cloned() {
                delta.insert(name, count);
                event.remove(name);
                let what = format!("`{name}` becomes an increment in `delta`");
                self.log.renaming(format!("{at}/{name}"), what);
            }
        }
        if !delta.is_empty() {
            event.insert("delta", delta);
        }
    }

    fn head(&mut self, playbook: &mut Object<'static>, at: &str, time: &str) {
        // If `updated` is missing, it gets the latest time that we can find.
        let mut last = time.to_owned();
        for other in self.times {
            if moment(other) > moment(&last) {
                last = other.clone();
            }
        }
        if let Some(Value::Array(items)) = playbook.get("items") {
            let times = items
                .iter()
                .filter_map(|item| item.get("createdAt")?.as_str());
            for other in times {
                if moment(other) > moment(&last) {
                    last = other.to_owned();
                }
            }
        }
        let is_missing =
            |playbook: &Object<'static>, name: &str| playbook.get(name).is_none_or(Value::is_null);
        for (name, value) in [
            ("version", Value::from(1)),
            ("created", Value::from(time.to_owned())),
            ("updated", Value::from(last)),
        ] {
            if is_missing(playbook, name) {
                playbook.insert(name, value);
                self.log.breaking(at, format!("a playbook needs `{name}`"));
            }
        }
    }
}

/// True for an entry from the time before playbooks had events.
fn is_entry(object: &Object<'static>) -> bool {
    ["text", "content", "narrative", "description", "title"]
        .iter()
        .any(|name| object.get(name).is_some_and(|value| !value.is_null()))
}

/// A digest of an entry's contents. It does not depend on the order of fields, and is the same in
/// all copies of a playbook.
fn digest(entry: &Object<'static>) -> String {
    let value = Value::from(entry.clone());
    let digest =
        Digest::of_json(&value).unwrap_or_else(|_| Digest::of_bytes(value.to_string().as_bytes()));
    digest.hex().chars().take(16).collect()
}

/// Invents names for events and entries.
struct Names {
    taken: BTreeSet<String>,
    asked: BTreeMap<String, u32>,
}

impl Names {
    fn of(items: &Array<'static>) -> Self {
        let taken = items.iter().flat_map(|item| {
            let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
            ["eventId", "targetId"].map(text)
        });
        Self {
            taken: taken.flatten().collect(),
            asked: BTreeMap::new(),
        }
    }

    /// Returns `name`, with a number if we have returned it before. Two entries may be equal.
    fn free(&mut self, name: &str) -> String {
        loop {
            let asked = self.asked.entry(name.to_owned()).or_default();
            *asked += 1;
            let numbered = match *asked {
                1 => name.to_owned(),
                number => format!("{name}-{number}"),
            };
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }

    /// Makes a name from words, e.g. `entry-run-migrations-first`.
    ///
    /// Unless the words are an `id`, we append the start of the digest, since an entry with the
    /// same title in another playbook is not the same entry.
    fn target(&mut self, wanted: &str, is_id: bool, digest: &str) -> String {
        let lower = wanted.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(8).collect();
        let mut name = match words.is_empty() {
            true => "entry".to_owned(),
            false if words[0] == "entry" => words.join("-"),
            false => format!("entry-{}", words.join("-")),
        };
        if !is_id {
            name.push('-');
            name.push_str(digest.get(..8).unwrap_or(digest));
        }
        self.free(&name)
    }
}
