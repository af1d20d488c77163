//! Converts xBRIEF to vContext 0.4.
//!
//! Edges become dependencies, and the values stored by an earlier conversion
//! ([`kept`](super::kept)) are restored. Values without a counterpart stay in the document,
//! although nothing reads them there.

use std::collections::{BTreeMap, BTreeSet};

use windlass_tron::{Object, Value};

use super::kept::{OF_VCONTEXT, OF_XBRIEF, keep, report, stored};
use super::{MigrationLog, rename, text_of, token};
use crate::edges::BLOCKS;
use crate::status::AUTO;
use crate::time::is_date;
use crate::{Kind, Shape, Version};

pub(super) struct LoweredDocument<'m> {
    log: &'m mut MigrationLog,
    /// Derived statuses, by the location of their item. vContext has no status `auto`, so we write
    /// the derived one.
    derived: BTreeMap<String, &'static str>,
    /// IDs of items to restore, by current ID.
    names: BTreeMap<String, String>,
    /// The dependencies of each item, by its ID.
    needs: BTreeMap<String, Vec<String>>,
}

impl<'m> LoweredDocument<'m> {
    pub(super) fn new(log: &'m mut MigrationLog, derived: BTreeMap<String, &'static str>) -> Self {
        Self {
            log,
            derived,
            names: BTreeMap::new(),
            needs: BTreeMap::new(),
        }
    }

    pub(super) fn document(mut self, root: &mut Object<'static>) {
        let (header, number) = (Version::first().header(), Version::first().number());
        let newest = Version::newest().header();
        if rename(root, newest, header) {
            let what = format!("`{newest}` becomes `{header}`, version `{number}`");
            self.log.breaking(format!("/{newest}"), what);
        }
        if let Some(Value::Object(info)) = root.get_mut(header) {
            info.insert("version", number.to_owned());
        }
        if let Some(playbook) = stored(root, OF_VCONTEXT, "playbook") {
            let items = root
                .get("plan")
                .and_then(|plan| plan.get("items")?.as_array());
            if items.is_none_or(|items| items.is_empty()) {
                root.remove("plan");
                root.insert("playbook", playbook);
                let at = format!("/{}", token(&format!("{OF_VCONTEXT}playbook")));
                self.log.renaming(at, "the playbook is restored");
                return;
            }
            keep(root, OF_VCONTEXT, "playbook", playbook);
        }
        if let Some(Value::Object(plan)) = root.get_mut("plan") {
            self.plan(plan);
        }
    }

    fn plan(&mut self, plan: &mut Object<'static>) {
        let versions = (Version::newest(), Version::first());
        if let Some(word) = text_of(plan, "status") {
            let status = versions.0.plan_status(&word);
            let is_exact = status.is_some_and(|status| versions.0.plan_word(status) == word);
            let now = status.map_or(word.clone(), |status| status.as_str().to_owned());
            self.status(plan, &word, &now, is_exact, "/plan");
        }
        self.narratives(plan);
        if let Some(playbook) = stored(plan, OF_VCONTEXT, "playbook") {
            plan.insert("playbook", playbook);
        }
        self.references(plan);
        let ids = plan.get("items").map(restored).unwrap_or_default();
        self.names = ids;
        self.edges(plan);
        report(plan, "Plan", versions, &["edges"], ("/plan", self.log));
        if let Some(Value::Array(list)) = plan.get_mut("items") {
            self.items(list, "/plan/items");
        }
    }

    fn status(
        &mut self,
        object: &mut Object<'static>,
        word: &str,
        now: &str,
        is_exact: bool,
        at: &str,
    ) {
        // The exact word is stored, so that it's still there after raising the document again.
        if !is_exact {
            keep(object, OF_XBRIEF, "status", word.to_owned().into());
            let what = match now == word {
                true => format!("the status `{word}` is unknown, and is kept"),
                false => format!("the status `{word}` has no counterpart, and becomes `{now}`"),
            };
            self.log.losing(format!("{at}/status"), what);
        }
        object.insert("status", now.to_owned());
    }

    /// Renames the standard narratives, and adds the required one.
    fn narratives(&mut self, plan: &mut Object<'static>) {
        let title = text_of(plan, "title").unwrap_or_default();
        if plan.get("narratives").is_none_or(Value::is_null) {
            plan.insert("narratives", Object::new());
        }
        let Some(Value::Object(narratives)) = plan.get_mut("narratives") else {
            return;
        };
        for field in &Shape::of("Narratives").fields {
            let mut title = field.name.clone();
            title.get_mut(..1).map(str::make_ascii_uppercase);
            let is_text = narratives
                .get(&title)
                .is_some_and(|own| own.as_str().is_some());
            // `custom` is the only list among the standard narratives, so a text doesn't fit there.
            if is_text && field.name != "custom" {
                rename(narratives, &title, field.name.clone());
            }
        }
        if text_of(narratives, "proposal").is_none_or(|text| text.is_empty()) {
            let text = text_of(narratives, "overview").unwrap_or(title);
            narratives.insert("proposal", text);
            let what = "the required narrative `proposal` is added";
            self.log.renaming("/plan/narratives", what);
        }
    }

    /// Sorts the references. Only those to plans may remain, and all others become links.
    fn references(&mut self, plan: &mut Object<'static>) {
        let Some(Value::Array(references)) = plan.get("references").cloned() else {
            return;
        };
        let (mut documents, mut links) = (Vec::new(), Vec::new());
        for (number, mut reference) in references.iter().cloned().enumerate() {
            let is_plan = reference.get("type").and_then(Value::as_str) == Some("x-xbrief/plan");
            match (is_plan, reference.as_object_mut()) {
                (true, Some(own)) => {
                    own.insert("type", "x-vcontext/plan");
                    documents.push(reference);
                }
                _ => {
                    let what = "a reference to something else than a plan becomes a link in `uris`";
                    self.log
                        .renaming(format!("/plan/references/{number}"), what);
                    links.push(reference);
                }
            }
        }
        match documents.is_empty() {
            true => drop(plan.remove("references")),
            false => drop(plan.insert("references", documents)),
        }
        match plan.get_mut("uris") {
            Some(Value::Array(uris)) => uris.extend(links),
            _ if links.is_empty() => {}
            _ => drop(plan.insert("uris", links)),
        }
    }

    /// Splits the edges: those that make an item wait become dependencies, and all others stay.
    fn edges(&mut self, plan: &mut Object<'static>) {
        let Some(Value::Array(edges)) = plan.get("edges").cloned() else {
            return;
        };
        let mut others = Vec::new();
        for (number, edge) in edges.iter().enumerate() {
            let text = |name: &str| edge.get(name).and_then(Value::as_str);
            match (text("from"), text("to"), text("type")) {
                (Some(from), Some(to), Some(BLOCKS)) => {
                    self.needs
                        .entry(to.to_owned())
                        .or_default()
                        .push(from.to_owned());
                }
                (.., kind) => {
                    let what = format!(
                        "an edge `{}` has no counterpart: it stays, but is not read",
                        kind.unwrap_or_default()
                    );
                    self.log.losing(format!("/plan/edges/{number}"), what);
                    others.push(edge.clone());
                }
            }
        }
        if !self.needs.is_empty() {
            self.log.renaming(
                "/plan/edges",
                "edges `blocks` become `dependencies` of the items",
            );
        }
        match others.is_empty() {
            true => drop(plan.remove("edges")),
            false => drop(plan.insert("edges", others)),
        }
    }

    /// Turns dates into times, since vContext 0.4 has no dates.
    fn dates(&mut self, item: &mut Object<'static>, at: &str) {
        for field in &Version::newest().shape("PlanItem").fields {
            let date = text_of(item, &field.name).filter(|text| is_date(text));
            let Some(date) = date.filter(|_| matches!(field.kind, Kind::DateTime)) else {
                continue;
            };
            item.insert(field.name.clone(), format!("{date}T00:00:00Z"));
            let what = "a date becomes the time at its start, in UTC";
            self.log.losing(format!("{at}/{}", field.name), what);
        }
    }

    fn items(&mut self, list: &mut [Value<'static>], at: &str) {
        for (number, item) in list.iter_mut().enumerate() {
            if let Value::Object(item) = item {
                self.item(item, &format!("{at}/{number}"));
            }
        }
    }

    /// Migrates an item and its parts. This is recursive, which is safe because the depth of
    /// documents is limited.
    fn item(&mut self, item: &mut Object<'static>, at: &str) {
        let versions = (Version::newest(), Version::first());
        if let Some(word) = text_of(item, "status") {
            let derived = self.derived.get(at).copied().filter(|_| word == AUTO);
            let status = versions.0.item_status(&word);
            let is_exact = status.is_some_and(|status| {
                versions.0.item_word(status) == word
                    && versions.1.item_word(status) == status.as_str()
            });
            let now = status.map(|status| versions.1.item_word(status).to_owned());
            let now = derived
                .map(str::to_owned)
                .or(now)
                .unwrap_or_else(|| word.clone());
            self.status(item, &word, &now, is_exact && derived.is_none(), at);
        }
        // The dependencies use the IDs as they'll be after the migration.
        if let Some(id) = text_of(item, "id") {
            let name = |id: &String| self.names.get(id).unwrap_or(id).clone();
            let needs: Vec<Value<'static>> = (self.needs.get(&id).into_iter().flatten())
                .map(|need| name(need).into())
                .collect();
            if !needs.is_empty() {
                item.insert("dependencies", needs);
            }
            if let Some(old) = self.names.get(&id) {
                stored(item, OF_VCONTEXT, "id");
                item.insert("id", old.clone());
            }
        }
        self.dates(item, at);
        if item.get("narrative").is_none()
            && let Some(summary) = text_of(item, "summary")
        {
            let mut narrative = Object::new();
            narrative.insert("Overview", summary);
            item.insert("narrative", narrative);
            item.remove("summary");
            self.log.renaming(
                format!("{at}/summary"),
                "`summary` becomes the narrative `Overview`",
            );
        }
        let handled = ["items", "subItems", "x-xbrief/status"];
        report(item, "PlanItem", versions, &handled, (at, self.log));
        // If the current list is present, a list under an older name isn't read.
        let list = ["items", "subItems"]
            .into_iter()
            .find(|name| item.get(name).is_some());
        if let Some((list, Value::Array(parts))) =
            list.and_then(|name| Some((name, item.get_mut(name)?)))
        {
            self.items(parts, &format!("{at}/{list}"));
            if list == "items" && item.get("subItems").is_none() {
                rename(item, "items", "subItems");
            }
        }
    }
}

/// Returns the IDs to restore, by current ID. We leave out those that several items would get.
fn restored(items: &Value<'static>) -> BTreeMap<String, String> {
    let mut pairs = Vec::new();
    collect(items, &mut pairs);
    let mut seen = BTreeSet::new();
    let mut twice = BTreeSet::new();
    for name in pairs.iter().map(|(id, old)| old.as_ref().unwrap_or(id)) {
        if !seen.insert(name.clone()) {
            twice.insert(name.clone());
        }
    }
    let old = pairs.into_iter().filter_map(|(id, old)| Some((id, old?)));
    old.filter(|(_, old)| !twice.contains(old)).collect()
}

/// Collects current IDs with their former ones. This is recursive, which is safe because the depth
/// of documents is limited.
fn collect(items: &Value<'static>, all: &mut Vec<(String, Option<String>)>) {
    for item in items.as_array().into_iter().flat_map(|items| items.iter()) {
        let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(id) = text("id") {
            all.push((id, text("x-vcontext/id")));
        }
        for list in ["items", "subItems"] {
            if let Some(parts) = item.get(list) {
                collect(parts, all);
            }
        }
    }
}
