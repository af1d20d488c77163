//! Converts vContext 0.4 to xBRIEF. Lists become plans, dependencies become edges, and an item's ID
//! begins with that of the item around it.

use std::collections::{BTreeMap, BTreeSet};

use windlass_tron::{Object, Value};

use super::kept::{OF_VCONTEXT, OF_XBRIEF, keep, stored};
use super::{MigrationLog, insert_first, rename, text_of};
use crate::edges::blocking;
use crate::specification::declared;
use crate::{ItemStatus, PlanStatus, Shape, Version};

/// The title of a plan made from a list that has none.
const UNTITLED: &str = "Tasks";

pub(super) struct RaisedDocument<'m> {
    log: &'m mut MigrationLog,
    taken: BTreeSet<String>,
    /// The next number to try for an ID that is taken. Without it, many equal IDs would take
    /// quadratic time.
    numbers: BTreeMap<String, u32>,
    /// For each scope, the new IDs of its items by their old ones.
    ///
    /// The index refers to the scope around it.
    scopes: Vec<(Option<usize>, BTreeMap<String, String>)>,
    waits: Vec<Waiting>,
}

/// The dependencies of an item with a new ID. We cannot add its edges yet, because the items it
/// depends on may get their new IDs later.
struct Waiting {
    scope: usize,
    id: String,
    needs: Vec<String>,
    at: String,
}

#[derive(Clone, Copy)]
struct Location<'a> {
    scope: usize,
    outer: Option<&'a str>,
    at: &'a str,
}

impl<'m> RaisedDocument<'m> {
    pub(super) fn new(log: &'m mut MigrationLog) -> Self {
        Self {
            log,
            taken: BTreeSet::new(),
            numbers: BTreeMap::new(),
            scopes: vec![(None, BTreeMap::new())],
            waits: Vec::new(),
        }
    }

    pub(super) fn document(mut self, root: &mut Object<'static>) {
        self.header(root);
        self.playbook_document(root);
        if root
            .get("todoList")
            .is_some_and(|list| list.as_object().is_some())
            && rename(root, "todoList", "plan")
        {
            self.log.breaking("/todoList", "a TodoList becomes a plan");
            if let Some(Value::Object(list)) = root.get_mut("plan") {
                self.list_as_plan(list);
            }
        }
        if let Some(Value::Object(plan)) = root.get_mut("plan") {
            self.plan(plan);
        }
    }

    fn header(&mut self, root: &mut Object<'static>) {
        let (header, number) = (Version::newest().header(), Version::newest().number());
        let what = format!("`vContextInfo` becomes `{header}`, version `{number}`");
        self.log.breaking("/vContextInfo", what);
        match rename(root, "vContextInfo", header) {
            true => {}
            false => insert_first(root, header, Object::new().into()),
        }
        if let Some(Value::Object(info)) = root.get_mut(header) {
            info.insert("version", number.to_owned());
        }
    }

    /// Converts a document with a playbook to a plan without items. xBRIEF has no playbooks, so we
    /// store it.
    fn playbook_document(&mut self, root: &mut Object<'static>) {
        let Some(playbook) = root.remove("playbook") else {
            return;
        };
        if root.get("plan").is_none() {
            let title = playbook
                .get("title")
                .and_then(Value::as_str)
                .unwrap_or("Playbook");
            let mut plan = Object::new();
            plan.insert("title", title.to_owned());
            plan.insert("status", "completed");
            plan.insert("items", Vec::<Value<'static>>::new());
            root.insert("plan", plan);
        }
        keep(root, OF_VCONTEXT, "playbook", playbook);
        self.no_counterpart("/playbook", "playbook");
    }

    fn no_counterpart(&mut self, at: &str, name: &str) {
        let number = Version::newest().number();
        let what = format!(
            "`{name}` has no counterpart in version {number}: it is stored as `{OF_VCONTEXT}{name}`"
        );
        self.log.losing(at, what);
    }

    /// Adds the fields that a plan needs, but a list does not have.
    fn list_as_plan(&mut self, list: &mut Object<'static>) {
        rename(list, "narrative", "narratives");
        let status = status_of_list(list);
        if list.get("status").is_none() {
            insert_first(list, "status", status.as_str().into());
        }
        let title = text_of(list, "title").filter(|title| !title.is_empty());
        list.remove("title");
        let what = format!("the plan is titled `{UNTITLED}`");
        if title.is_none() {
            self.log.renaming("/todoList", what);
        }
        insert_first(
            list,
            "title",
            title.unwrap_or_else(|| UNTITLED.to_owned()).into(),
        );
    }

    fn plan(&mut self, plan: &mut Object<'static>) {
        if let Some(status) = text_of(plan, "status") {
            let now = self.status(plan, &status, |version, word| {
                let status = version.plan_status(word)?;
                Some((status.as_str(), version.plan_word(status).to_owned()))
            });
            plan.insert("status", now);
        }
        if let Some(Value::Object(narratives)) = plan.get_mut("narratives") {
            self.narratives(narratives);
        }
        self.references(plan);
        if let Some(playbook) = plan.remove("playbook") {
            keep(plan, OF_VCONTEXT, "playbook", playbook);
            self.no_counterpart("/plan/playbook", "playbook");
        }
        match plan.get_mut("items") {
            Some(Value::Array(list)) => {
                let location = Location {
                    scope: 0,
                    outer: None,
                    at: "/plan",
                };
                self.items(list, "items", location);
            }
            Some(_) => {}
            None => drop(plan.insert("items", Vec::<Value<'static>>::new())),
        }
        self.edges(plan);
    }

    /// Returns the word for a status.
    ///
    /// If the document was lowered before, we use the word from that time again, as long as it
    /// still means the same.
    fn status(
        &mut self,
        object: &mut Object<'static>,
        word: &str,
        meaning: impl Fn(&Version, &str) -> Option<(&'static str, String)>,
    ) -> String {
        let version = Version::newest();
        let before = stored(object, OF_XBRIEF, "status");
        let before = before.as_ref().and_then(Value::as_str);
        let means_same = |before: &&str| {
            meaning(version, before).is_some_and(|(status, _)| status == word)
                || *before == crate::status::AUTO
        };
        match before.filter(means_same) {
            Some(before) => before.to_owned(),
            None => meaning(version, word).map_or_else(|| word.to_owned(), |(_, own)| own),
        }
    }

    fn narratives(&mut self, narratives: &mut Object<'static>) {
        let names = Shape::of("Narratives").fields.iter();
        for name in names.map(|field| field.name.as_str()) {
            let mut title = name.to_owned();
            title.get_mut(..1).map(str::make_ascii_uppercase);
            rename(narratives, name, title);
        }
        if let Some(Value::Array(texts)) = narratives.get("Custom") {
            let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
            let text = texts.join("\n\n");
            narratives.insert("Custom", text);
            self.log
                .renaming("/plan/narratives/custom", "a list of texts becomes a text");
        }
    }

    fn references(&mut self, plan: &mut Object<'static>) {
        let Some(Value::Array(references)) = plan.get_mut("references") else {
            return;
        };
        for (number, reference) in references.iter_mut().enumerate() {
            let kind = reference
                .get("type")
                .and_then(Value::as_str)
                .map(str::to_owned);
            let Some((kind, reference)) = kind.zip(reference.as_object_mut()) else {
                continue;
            };
            if kind.starts_with("x-vcontext") {
                reference.insert("type", "x-xbrief/plan");
                let what = format!("`{kind}` becomes `x-xbrief/plan`");
                self.log
                    .renaming(format!("/plan/references/{number}/type"), what);
            }
        }
    }

    fn items(&mut self, list: &mut [Value<'static>], field: &str, location: Location<'_>) {
        for (number, item) in list.iter_mut().enumerate() {
            if let Value::Object(item) = item {
                let at = format!("{}/{field}/{number}", location.at);
                self.item(
                    item,
                    Location {
                        at: &at,
                        ..location
                    },
                );
            }
        }
    }

    /// Migrates an item and its parts.
    ///
    /// This is recursive, which is safe because the depth of documents is limited.
    fn item(&mut self, item: &mut Object<'static>, location: Location<'_>) {
        if let Some(status) = text_of(item, "status") {
            let now = self.status(item, &status, |version, word| {
                let status = version.item_status(word)?;
                let lowered = Version::first().expressible(status);
                Some((lowered.as_str(), version.item_word(status).to_owned()))
            });
            item.insert("status", now);
        }
        let id = self.id(item, location);
        self.dependencies(item, id.as_deref(), location);
        let at = location.at;
        let outer = id.as_deref().or(location.outer);
        if let Some(Value::Array(parts)) = item.get_mut("subItems") {
            self.items(parts, "subItems", Location { outer, ..location });
        }
        rename(item, "subItems", "items");
        let Some(Value::Object(mut list)) = item.get("todoList").cloned() else {
            return;
        };
        item.remove("todoList");
        let scope = self.scopes.len();
        self.scopes.push((Some(location.scope), BTreeMap::new()));
        // The list isn't as expected, so don't take it apart.
        let Some(Value::Array(mut inner)) = list.remove("items") else {
            return self.kept_list(item, list, at);
        };
        let inner_at = format!("{at}/todoList");
        self.items(
            &mut inner,
            "items",
            Location {
                scope,
                outer,
                at: &inner_at,
            },
        );
        self.log.renaming(
            &inner_at,
            "the items of `todoList` become `items` of the enclosing item",
        );
        match item.get_mut("items") {
            Some(Value::Array(items)) => items.extend(inner.to_vec()),
            _ => drop(item.insert("items", inner)),
        }
        self.kept_list(item, list, at);
    }

    fn kept_list(&mut self, item: &mut Object<'static>, list: Object<'static>, at: &str) {
        if !list.is_empty() {
            keep(item, OF_VCONTEXT, "todoList", list.into());
            self.no_counterpart(&format!("{at}/todoList"), "todoList");
        }
    }

    /// Assigns the ID of an item: words below the ID of the item around it, and unique in the plan.
    fn id(&mut self, item: &mut Object<'static>, location: Location<'_>) -> Option<String> {
        let has_needs =
            matches!(item.get("dependencies"), Some(Value::Array(needs)) if !needs.is_empty());
        let old = text_of(item, "id");
        // An item without an ID only needs one if it has dependencies.
        let title = || has_needs.then(|| text_of(item, "title")).flatten();
        let wanted = old.clone().or_else(title)?;
        let new = self.free_id(&wanted, location.outer);
        if let Some(old) = &old {
            let scope = self.scopes.get_mut(location.scope);
            scope.map(|(_, names)| names.entry(old.clone()).or_insert_with(|| new.clone()));
        }
        if old.as_deref() != Some(new.as_str()) {
            let what = match &old {
                Some(old) => format!("the `id` `{old}` becomes `{new}`"),
                None => format!("the item gets the `id` `{new}`, which its edges need"),
            };
            self.log.renaming(location.at, what);
            let old = old.map_or(Value::Null, Value::from);
            keep(item, OF_VCONTEXT, "id", old);
            item.insert("id", new.clone());
        }
        Some(new)
    }

    fn free_id(&mut self, wanted: &str, outer: Option<&str>) -> String {
        let is_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        // Replace characters that an ID can't have, and empty words.
        let words = wanted.split('.').map(|word| {
            let word: String = word
                .chars()
                .map(|c| if is_char(c) { c } else { '-' })
                .collect();
            if word.is_empty() {
                "item".to_owned()
            } else {
                word
            }
        });
        let own = words.collect::<Vec<_>>().join(".");
        let own = match outer {
            Some(outer) if !own.starts_with(&format!("{outer}.")) => format!("{outer}.{own}"),
            _ => own,
        };
        let mut free = own.clone();
        while !self.taken.insert(free.clone()) {
            let number = self.numbers.entry(own.clone()).or_insert(2);
            free = format!("{own}-{number}");
            *number += 1;
        }
        free
    }

    fn dependencies(
        &mut self,
        item: &mut Object<'static>,
        id: Option<&str>,
        location: Location<'_>,
    ) {
        let Some(Value::Array(needs)) = item.remove("dependencies") else {
            return;
        };
        let needs = needs.iter().filter_map(Value::as_str).map(str::to_owned);
        let needs: Vec<String> = needs.collect();
        if let Some(id) = id.filter(|_| !needs.is_empty()) {
            self.waits.push(Waiting {
                scope: location.scope,
                id: id.to_owned(),
                needs,
                at: location.at.to_owned(),
            });
        }
    }

    /// Appends the dependencies of all items to the edges of the plan.
    ///
    /// By now, all items have their new IDs.
    fn edges(&mut self, plan: &mut Object<'static>) {
        let mut edges: Vec<Value<'static>> = Vec::new();
        for wait in std::mem::take(&mut self.waits) {
            let at = format!("{}/dependencies", wait.at);
            self.log
                .renaming(&at, "`dependencies` become `edges` of the plan");
            for need in wait.needs {
                match self.renamed(wait.scope, &need) {
                    Some(from) => edges.push(blocking(&from, &wait.id)),
                    None => {
                        let what =
                            format!("there is no item `{need}` to wait for, so there is no edge");
                        self.log.losing(&at, what);
                    }
                }
            }
        }
        if edges.is_empty() {
            return;
        }
        match plan.get_mut("edges") {
            Some(Value::Array(there)) => there.extend(edges),
            _ => drop(plan.insert("edges", edges)),
        }
    }

    fn renamed(&self, scope: usize, id: &str) -> Option<String> {
        let mut at = Some(scope);
        while let Some((outer, names)) = at.and_then(|at| self.scopes.get(at)) {
            if let Some(new) = names.get(id) {
                return Some(new.clone());
            }
            at = *outer;
        }
        None
    }
}

/// Derives a status from the items of a list, since lists have no status of their own.
fn status_of_list(list: &Object<'static>) -> PlanStatus {
    let items = list.get("items").and_then(Value::as_array);
    let words = items.into_iter().flat_map(|items| items.iter());
    let words: Vec<Option<ItemStatus>> = words
        .map(|item| ItemStatus::from_word(item.get("status")?.as_str()?))
        .collect();
    let is_over = |status: &Option<ItemStatus>| {
        matches!(status, Some(ItemStatus::Completed | ItemStatus::Cancelled))
    };
    match words
        .iter()
        .all(|status| *status == Some(ItemStatus::Pending))
    {
        true => PlanStatus::Approved,
        false if words.iter().all(is_over) => PlanStatus::Completed,
        false => PlanStatus::InProgress,
    }
}

/// True if a document declares the first version, under any of its names, or none at all.
pub(super) fn is_first(value: &Value<'_>) -> bool {
    declared(value).is_none() || Version::of(value).number() == Version::first().number()
}
