//! An older field beside the newer one: what it says is put where it is looked for. Where both say otherwise of the same
//! thing nobody knows which is right, so that it is told and left.

use std::collections::{BTreeMap, BTreeSet};

use windlass_tron::{Object, Value};

use super::{Job, text_of};

/// The title of what had none.
pub(super) const UNTITLED: &str = "Overview";

impl Job {
    /// Puts the items of the list `from` behind those of the list `to`.
    pub(super) fn join_lists(
        &mut self,
        object: &mut Object<'static>,
        from: &str,
        to: &'static str,
        at: &str,
    ) {
        let list = |name: &str| {
            object
                .get(name)
                .and_then(Value::as_array)
                .map(|list| list.to_vec())
        };
        let (Some(old), Some(mut new)) = (list(from), list(to)) else {
            return;
        };
        let place = format!("{at}/{from}");
        let name = |item: &Value<'static>| {
            let name = ["eventId", "id"]
                .iter()
                .find_map(|field| item.get(field)?.as_str());
            name.map(str::to_owned)
        };
        let mut named: BTreeMap<String, &Value<'static>> = BTreeMap::new();
        for item in &new {
            if let Some(name) = name(item) {
                named.entry(name).or_insert(item);
            }
        }
        for item in &old {
            let twin = name(item).and_then(|own| named.get(&own).copied());
            if twin.is_some_and(|twin| twin != item) {
                let id = name(item).unwrap_or_default();
                let what = format!(
                    "`{from}` stands beside `{to}`, and both have `{id}` with other contents"
                );
                self.leaving(place, what);
                return;
            }
        }
        let mut known: BTreeSet<String> = new.iter().map(ToString::to_string).collect();
        for item in old {
            if known.insert(item.to_string()) {
                new.push(item);
            }
        }
        object.insert(to, new);
        object.remove(from);
        self.renaming(
            place,
            format!("`{from}` stands beside `{to}`: its items come last there"),
        );
    }

    /// Puts the text `from` behind the text `to`, unless it says the same.
    pub(super) fn join_texts(
        &mut self,
        object: &mut Object<'static>,
        from: &str,
        to: &'static str,
        at: &str,
    ) {
        let (Some(old), Some(new)) = (text_of(object, from), text_of(object, to)) else {
            return;
        };
        object.remove(from);
        object.insert(to, joined(&new, &old));
        self.renaming(
            format!("{at}/{from}"),
            format!("`{from}` stands beside `{to}`: its text comes last there"),
        );
    }

    /// Puts a text that had a field of its own behind what the narrative says without a title.
    pub(super) fn join_overview(&mut self, object: &mut Object<'static>, from: &str, at: &str) {
        let Some(old) = text_of(object, from) else {
            return;
        };
        let Some(Value::Object(titles)) = object.get_mut("narrative") else {
            return;
        };
        let text = match titles.get(UNTITLED) {
            None => old,
            Some(Value::String(new)) => joined(new, &old),
            Some(_) => return,
        };
        titles.insert(UNTITLED, text);
        object.remove(from);
        self.renaming(
            format!("{at}/{from}"),
            format!("`{from}` stands beside `narrative`: it is its `{UNTITLED}`"),
        );
    }

    /// Puts what `vAgendaInfo` says into `vContextInfo`, where that says nothing.
    pub(super) fn join_infos(&mut self, root: &mut Object<'static>) {
        let Some(Value::Object(old)) = root.get("vAgendaInfo").cloned() else {
            return;
        };
        let Some(Value::Object(new)) = root.get_mut("vContextInfo") else {
            return;
        };
        let mut left = Object::new();
        for (key, value) in old.iter().filter(|(key, _)| key.as_str() != "version") {
            match new.get(key).filter(|own| !own.is_null()) {
                None => drop(new.insert(key.clone(), value.clone())),
                Some(own) if own == value => {}
                Some(_) => drop(left.insert(key.clone(), value.clone())),
            }
        }
        let at = "/vAgendaInfo";
        if left.is_empty() {
            root.remove("vAgendaInfo");
            self.renaming(
                at,
                "`vAgendaInfo` stands beside `vContextInfo`, which it is called now",
            );
            return;
        }
        let keys: Vec<String> = left.iter().map(|(key, _)| format!("`{key}`")).collect();
        let what = format!(
            "`vAgendaInfo` stands beside `vContextInfo`, and both have {} with other contents",
            keys.join(", ")
        );
        root.insert("vAgendaInfo", left);
        self.leaving(at, what);
    }
}

/// Two texts as one, each once.
pub(super) fn joined(first: &str, second: &str) -> String {
    match (first.trim(), second.trim()) {
        (one, other) if one == other || other.is_empty() => first.to_owned(),
        ("", _) => second.to_owned(),
        _ => format!("{first}\n\n{second}"),
    }
}
