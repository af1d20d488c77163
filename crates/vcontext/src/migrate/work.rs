//! Migrates TodoLists and Plans, where phases became items and references became links.

use windlass_tron::{Object, Value};

use super::narrative::NarrativeMigration;
use super::playbook::PlaybookMigration;
use super::{MigrationLog, rename, text_of};

pub(super) struct WorkMigration<'m> {
    log: &'m mut MigrationLog,
    times: &'m [String],
}

impl<'m> WorkMigration<'m> {
    pub(super) fn new(log: &'m mut MigrationLog, times: &'m [String]) -> Self {
        Self { log, times }
    }

    pub(super) fn todo_list(&mut self, list: &mut Object<'static>, at: &str) {
        NarrativeMigration::new(self.log).narrative(list, at);
        self.each(list, "items", at, Self::todo_item);
        self.embedded(list, at);
    }

    fn todo_item(&mut self, item: &mut Object<'static>, at: &str) {
        NarrativeMigration::new(self.log).narrative(item, at);
    }

    pub(super) fn plan(&mut self, plan: &mut Object<'static>, at: &str) {
        self.called_items(plan, &["phases"], "items", at);
        NarrativeMigration::new(self.log).narratives(plan, at);
        self.references(plan, at);
        self.each(plan, "items", at, Self::plan_item);
        self.embedded(plan, at);
    }

    fn plan_item(&mut self, item: &mut Object<'static>, at: &str) {
        self.called_items(item, &["subPhases", "phases"], "subItems", at);
        NarrativeMigration::new(self.log).narrative(item, at);
        self.each(item, "subItems", at, Self::plan_item);
        let at = format!("{at}/todoList");
        if let Some(Value::Object(list)) = item.get_mut("todoList") {
            self.todo_list(list, &at);
        }
    }

    fn embedded(&mut self, container: &mut Object<'static>, at: &str) {
        let at = format!("{at}/playbook");
        if let Some(Value::Object(playbook)) = container.get_mut("playbook") {
            PlaybookMigration::new(self.log, self.times).playbook(playbook, &at);
        }
    }

    fn each(
        &mut self,
        object: &mut Object<'static>,
        list: &str,
        at: &str,
        with: fn(&mut Self, &mut Object<'static>, &str),
    ) {
        let Some(Value::Array(items)) = object.get_mut(list) else {
            return;
        };
        for (number, item) in items.iter_mut().enumerate() {
            if let Value::Object(item) = item {
                with(self, item, &format!("{at}/{list}/{number}"));
            }
        }
    }

    /// Renames a list to its current name, and sorts the items if all of them have order numbers.
    fn called_items(
        &mut self,
        object: &mut Object<'static>,
        before: &[&str],
        now: &'static str,
        at: &str,
    ) {
        let is_list = |name: &&str| object.get(name).is_some_and(|own| own.as_array().is_some());
        let lists: Vec<&str> = before.iter().copied().filter(is_list).collect();
        if lists.is_empty() {
            return;
        }
        for name in lists {
            if rename(object, name, now) {
                self.log
                    .renaming(format!("{at}/{name}"), format!("`{name}` becomes `{now}`"));
            } else {
                self.log.beside(object, name, now, at);
            }
        }
        // The order of the list now says the same as the numbers, so we drop them.
        if let Some(Value::Array(items)) = object.get_mut(now) {
            let order = |item: &Value<'static>| item.get("order")?.as_number()?.as_f64();
            if !items.is_empty() && items.iter().all(|item| order(item).is_some()) {
                items.sort_by(|one, other| {
                    let both = order(one).zip(order(other));
                    both.map_or(std::cmp::Ordering::Equal, |(one, other)| {
                        one.total_cmp(&other)
                    })
                });
                for item in items.iter_mut() {
                    item.as_object_mut().map(|item| item.remove("order"));
                }
            }
        }
    }

    /// Converts references to files to links, and keeps the references to vContext documents.
    fn references(&mut self, plan: &mut Object<'static>, at: &str) {
        let mut links: Vec<Value<'static>> = Vec::new();
        for name in ["references", "attachments"] {
            let Some(Value::Array(items)) = plan.get(name) else {
                continue;
            };
            let (old, kept): (Vec<_>, Vec<_>) = items
                .iter()
                .cloned()
                .partition(|item| item.get("uri").is_none() && link(item).is_some());
            if old.is_empty() {
                continue;
            }
            links.extend(old.iter().filter_map(link));
            match kept.is_empty() {
                true => drop(plan.remove(name)),
                false => drop(plan.insert(name, kept)),
            }
            self.log
                .breaking(format!("{at}/{name}"), "links to files move to `uris`");
        }
        if links.is_empty() {
            return;
        }
        match plan.get_mut("uris") {
            Some(Value::Array(uris)) => uris.extend(links),
            _ => drop(plan.insert("uris", links)),
        }
    }
}

fn link(item: &Value<'static>) -> Option<Value<'static>> {
    let old = item.as_object()?;
    let target = text_of(old, "path").or_else(|| text_of(old, "url"))?;
    let lines = |name: &str| old.get(name)?.as_number()?.as_u64();
    let fragment = match (lines("line").or_else(|| lines("start")), lines("end")) {
        (Some(from), Some(to)) => format!("#L{from}-L{to}"),
        (Some(line), None) => format!("#L{line}"),
        _ => String::new(),
    };
    let uri = match target.contains("://") {
        true => format!("{target}{fragment}"),
        false => format!("file://./{}{fragment}", target.trim_start_matches("./")),
    };
    let mut link = Object::new();
    link.insert("uri", uri);
    for (key, value) in old.iter() {
        let is_taken = matches!(key.as_str(), "path" | "url" | "line" | "start" | "end");
        if !is_taken {
            link.insert(key.clone(), value.clone());
        }
    }
    Some(link.into())
}
