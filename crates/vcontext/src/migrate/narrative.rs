//! Migrates narratives. They began as a single text, and then became objects with a title, and
//! lists of such objects. Now they are objects with texts by title.

use windlass_tron::{Object, Value};

use super::{MigrationLog, rename, text_of, token};

/// The title for a text that has none.
const UNTITLED: &str = "Overview";

/// The former and current names of plan narratives.
const RENAMED: [(&str, &str); 7] = [
    ("context", "background"),
    ("alternatives", "alternative"),
    ("risks", "risk"),
    ("constraints", "constraint"),
    ("testing", "test"),
    ("rollout", "action"),
    ("results", "result"),
];

pub(super) struct NarrativeMigration<'m> {
    log: &'m mut MigrationLog,
}

impl<'m> NarrativeMigration<'m> {
    pub(super) fn new(log: &'m mut MigrationLog) -> Self {
        Self { log }
    }

    /// Migrates the `narrative` of an item or a list, and its predecessor `description`.
    pub(super) fn narrative(&mut self, object: &mut Object<'static>, at: &str) {
        let place = format!("{at}/narrative");
        let map = match object.get("narrative") {
            Some(Value::String(text)) => Some(single(UNTITLED, text)),
            Some(Value::Object(titled)) => {
                titled_content(titled).map(|(title, content)| single(&title, &content))
            }
            Some(Value::Array(items)) => listed(items),
            _ => None,
        };
        if let Some(map) = map {
            object.insert("narrative", map);
            self.log
                .breaking(place, "a narrative becomes an object with texts by title");
        }
        let Some(text) = text_of(object, "description") else {
            return;
        };
        let place = format!("{at}/description");
        let what = format!("a description becomes the narrative `{UNTITLED}`");
        match object.get_mut("narrative") {
            None | Some(Value::Null) => {
                object.insert("description", single(UNTITLED, &text));
                rename(object, "description", "narrative");
            }
            Some(Value::Object(titles)) if !titles.contains_key(UNTITLED) => {
                titles.insert(UNTITLED, text);
                object.remove("description");
            }
            // Both fields have a text with this title. Only the user knows which one to keep.
            _ => return self.log.beside(object, "description", "narrative", at),
        }
        self.log.renaming(place, what);
    }

    pub(super) fn narratives(&mut self, plan: &mut Object<'static>, at: &str) {
        self.sections(plan, at);
        if let Some(Value::Object(narratives)) = plan.get_mut("narratives") {
            self.keyed(narratives, &format!("{at}/narratives"));
        }
        let Some(text) = text_of(plan, "description") else {
            return;
        };
        let Some(Value::Object(narratives)) = plan.get_mut("narratives") else {
            return;
        };
        if narratives.contains_key("overview") {
            return self.log.beside(plan, "description", "narratives", at);
        }
        narratives.insert("overview", text);
        plan.remove("description");
        self.log.renaming(
            format!("{at}/description"),
            "a description becomes the narrative `overview`",
        );
    }

    /// Migrates the titled sections of version 0.1.
    fn sections(&mut self, plan: &mut Object<'static>, at: &str) {
        let what = "sections become narratives by title";
        let place = format!("{at}/sections");
        if let Some(Value::Object(keyed)) = plan.get("sections") {
            let are_titled =
                (keyed.iter()).all(|(_, section)| is_titled(section) || section.as_str().is_some());
            if are_titled && rename(plan, "sections", "narratives") {
                self.log.breaking(place, what);
            }
            return;
        }
        let Some(Value::Array(sections)) = plan.get("sections") else {
            return;
        };
        let mut sections: Vec<&Value<'static>> = sections.iter().collect();
        let order = |section: &&Value<'static>| section.get("order").and_then(whole);
        // The order only makes sense if each section has one.
        if sections.iter().all(|section| order(section).is_some()) {
            sections.sort_by_key(order);
        }
        let mut narratives = match plan.get("narratives") {
            Some(Value::Object(narratives)) => narratives.clone(),
            _ => Object::new(),
        };
        for section in sections {
            let (Some(title), Some(content)) = (
                section.get("title").and_then(Value::as_str),
                section.get("content").and_then(Value::as_str),
            ) else {
                // Leave all sections alone rather than lose one.
                return;
            };
            let key = plan_key(title);
            let free = free_key(&narratives, &key);
            narratives.insert(free, content.to_owned());
        }
        plan.insert("sections", narratives);
        plan.remove("narratives");
        rename(plan, "sections", "narratives");
        self.log.breaking(place, what);
    }

    fn keyed(&mut self, narratives: &mut Object<'static>, at: &str) {
        for (from, to) in RENAMED {
            if rename(narratives, from, to) {
                self.log
                    .renaming(format!("{at}/{from}"), format!("`{from}` becomes `{to}`"));
            }
        }
        let mut changed = Vec::new();
        for (key, value) in narratives.iter_mut() {
            let new: Option<Value<'static>> = match (key.as_str(), &*value) {
                // `custom` remains a list, but its items become plain texts.
                ("custom", Value::Array(items)) => items.iter().any(is_titled).then(|| {
                    items
                        .iter()
                        .map(|item| plain("", item))
                        .collect::<Vec<_>>()
                        .into()
                }),
                (_, Value::Object(titled)) => titled_content(titled)
                    .map(|(title, content)| with_title(key, &title, &content).into()),
                // Any other list becomes a single text with a paragraph per item. If an item can't
                // be converted, we leave the whole list alone.
                (key, Value::Array(items)) if !items.is_empty() => {
                    let texts: Option<Vec<String>> = (items.iter())
                        .map(|item| plain(key, item).as_str().map(str::to_owned))
                        .collect();
                    texts.map(|texts| texts.join("\n\n").into())
                }
                _ => None,
            };
            if let Some(new) = new {
                changed.push(key.to_string());
                *value = new;
            }
        }
        // If the old name is still there, the new one was taken.
        for (from, to) in RENAMED {
            self.log.beside(narratives, from, to, at);
        }
        for key in changed {
            let place = format!("{at}/{}", token(&key));
            self.log
                .breaking(place, "a narrative of a plan becomes a text");
        }
    }
}

/// True for an object with a title and content. A list of texts does not have any.
fn is_titled(value: &Value<'_>) -> bool {
    value.as_object().and_then(titled_content).is_some()
}

fn whole(value: &Value<'static>) -> Option<i64> {
    value.as_number()?.as_i64()
}

/// Converts an `item` with a title to a text. Any other item stays as it is.
fn plain(key: &str, item: &Value<'static>) -> Value<'static> {
    match item.as_object().and_then(titled_content) {
        Some((title, content)) => with_title(key, &title, &content).into(),
        None => item.clone(),
    }
}

/// Puts the title above the text, unless it only repeats the key.
fn with_title(key: &str, title: &str, content: &str) -> String {
    let same = |one: &str| {
        one.to_lowercase().trim_end_matches('s') == key.to_lowercase().trim_end_matches('s')
    };
    if title == UNTITLED || same(title) {
        return content.to_owned();
    }
    format!("## {title}\n\n{content}")
}

/// The title and text of an object that has nothing else which we would lose.
fn titled_content(object: &Object<'_>) -> Option<(String, String)> {
    let content = object.get("content")?.as_str()?;
    let only = object
        .iter()
        .all(|(key, _)| matches!(key.as_str(), "title" | "content" | "order"));
    let title = match object.get("title") {
        None => UNTITLED,
        Some(title) => title.as_str()?,
    };
    only.then(|| (title.to_owned(), content.to_owned()))
}

/// Converts a list of narratives to texts by title.
///
/// Returns `None` if there is anything else in the list.
fn listed(items: &[Value<'static>]) -> Option<Value<'static>> {
    let mut titles = Object::new();
    for item in items {
        let (title, content) = match item {
            Value::String(text) => (UNTITLED.to_owned(), text.to_string()),
            Value::Object(titled) => titled_content(titled)?,
            _ => return None,
        };
        let title = free_key(&titles, &title);
        titles.insert(title, content);
    }
    Some(titles.into())
}

/// Returns `key`, with a number if it is taken.
fn free_key(object: &Object<'static>, key: &str) -> String {
    let numbered = (2_u32..).map(|number| format!("{key} {number}"));
    let mut all = std::iter::once(key.to_owned()).chain(numbered);
    all.find(|key| !object.contains_key(key))
        .unwrap_or_default()
}

fn single(title: &str, text: &str) -> Value<'static> {
    let mut titles = Object::new();
    titles.insert(title.to_owned(), text.to_owned());
    titles.into()
}

/// The key that a section with this title gets in a plan's narratives.
fn plan_key(title: &str) -> String {
    let lower = title.to_lowercase();
    let renamed = RENAMED.iter().find(|(from, _)| *from == lower);
    if let Some((_, to)) = renamed {
        return (*to).to_owned();
    }
    match crate::Shape::of("Narratives").field(&lower) {
        Some(_) => lower,
        None => title.to_owned(),
    }
}
