//! Items of TodoLists and Plans: added and changed, with all that has to be said of a change.

use windlass_base::did_you_mean;
use windlass_tron::{Object, Value};

use crate::time::moment;
use crate::{AgentKind, Container, Document};

/// Who changes a document, and when.
#[derive(Debug, Clone)]
pub struct Author {
    /// Who.
    pub id: String,
    /// What sort of actor.
    pub kind: AgentKind,
    /// When, as RFC 3339.
    pub now: String,
}

/// A document with an item that was added or changed.
#[derive(Debug, Clone)]
pub struct EditedItem {
    /// The document.
    pub value: Value<'static>,
    /// The item.
    pub item: Value<'static>,
    /// Who asks others to wait with it (`lockedBy` with a soft lock), if somebody does.
    pub asked_to_wait: Option<String>,
}

/// Why an item cannot be added or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The document holds no items of work.
    #[error("the document has no TodoList or Plan")]
    NoItems,
    /// There is no such item.
    #[error("there is no item `{id}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoItem {
        /// What was asked for.
        id: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// There are several such items.
    #[error(
        "there are several items `{0}`, in lists inside of each other; give one of them another `id`"
    )]
    SeveralItems(String),
    /// The document was changed since.
    #[error(
        "the document is at sequence {found}, no longer at {wanted}: look at what changed, then try again"
    )]
    Changed {
        /// Where it was to be.
        wanted: u64,
        /// Where it is.
        found: u64,
    },
    /// Somebody works on it.
    #[error("`{by}` has locked the item `{id}`{}", .until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default())]
    Locked {
        /// The item.
        id: String,
        /// Who.
        by: String,
        /// Until when.
        until: Option<String>,
    },
}

/// Changes the item called `id`: `fields` are put in the place of its own, or taken out where they are `null`. All that
/// the document says of changes is kept true: times, sequences, `lastModifiedBy`, the log of changes, and the
/// percentages of the stages that the item is a part of.
///
/// # Errors
/// When there is no such item, somebody has locked it, or the document is not at the sequence `expected`.
pub fn set_item(
    document: &Document,
    id: &str,
    fields: &Object<'static>,
    author: &Author,
    expected: Option<u64>,
) -> Result<EditedItem, EditError> {
    let (mut value, container) = opened(document, expected)?;
    let path = path_of(&value, container, id)?;
    let agent = agent(author);
    let item = follow(&mut value, &path).ok_or(EditError::NoItems)?;
    let asked_to_wait = check_lock(item, id, author)?;
    put(item, fields, &author.now);
    touch(item, &agent, &author.now);
    let item = Value::from(item.clone());
    for end in (1..path.len()).rev() {
        if let Some(outer) = follow(&mut value, &path[..end]) {
            derive_percent(outer);
        }
    }
    note_change(&mut value, container, &agent, author, "update", id);
    Ok(EditedItem {
        value,
        item,
        asked_to_wait,
    })
}

/// Adds an item at the end of the list, or of the parts of the stage called `into`.
///
/// # Errors
/// As [`set_item`].
pub fn add_item(
    document: &Document,
    into: Option<&str>,
    fields: &Object<'static>,
    author: &Author,
    expected: Option<u64>,
) -> Result<EditedItem, EditError> {
    let (mut value, container) = opened(document, expected)?;
    let (path, list) = match into {
        None => (vec![Step::Key(container.field())], "items"),
        Some(id) => (path_of(&value, container, id)?, "subItems"),
    };
    let asked_to_wait = match (into, follow(&mut value, &path)) {
        (Some(id), Some(stage)) => check_lock(stage, id, author)?,
        _ => None,
    };
    let holder = follow(&mut value, &path).ok_or(EditError::NoItems)?;
    let item = Value::from(fields.clone());
    match holder.get_mut(list) {
        Some(Value::Array(items)) => items.push(item.clone()),
        _ => drop(holder.insert(list, vec![item.clone()])),
    }
    for end in (1..=path.len()).rev() {
        if let Some(outer) = follow(&mut value, &path[..end]) {
            derive_percent(outer);
        }
    }
    let agent = agent(author);
    let name = item.get("id").or_else(|| item.get("title"));
    let name = name.and_then(Value::as_str).unwrap_or_default().to_owned();
    note_change(&mut value, container, &agent, author, "create", &name);
    Ok(EditedItem {
        value,
        item,
        asked_to_wait,
    })
}

/// A step on the way to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Key(&'static str),
    Item(&'static str, usize),
}

fn opened(
    document: &Document,
    expected: Option<u64>,
) -> Result<(Value<'static>, Container), EditError> {
    let found = document.container();
    let found = found.filter(|(container, _)| *container != Container::Playbook);
    let (container, node) = found.ok_or(EditError::NoItems)?;
    let sequence = node.whole_of("sequence").unwrap_or(0);
    let sequence = u64::try_from(sequence).unwrap_or(0);
    match expected {
        Some(wanted) if wanted != sequence => Err(EditError::Changed {
            wanted,
            found: sequence,
        }),
        _ => Ok((document.value().clone(), container)),
    }
}

fn path_of(value: &Value<'static>, container: Container, id: &str) -> Result<Vec<Step>, EditError> {
    let mut all = Vec::new();
    let mut path = vec![Step::Key(container.field())];
    if let Some(container) = value.get(container.field()) {
        collect(container, &mut path, &mut all);
    }
    let mut found = all.iter().filter(|(own, _)| own == id);
    match (found.next(), found.next()) {
        (Some((_, path)), None) => Ok(path.clone()),
        (Some(_), Some(_)) => Err(EditError::SeveralItems(id.to_owned())),
        (None, _) => Err(EditError::NoItem {
            id: id.to_owned(),
            similar: did_you_mean(id, all.iter().map(|(own, _)| own.as_str())).map(str::to_owned),
        }),
    }
}

/// The ways to all items that have an `id`. A document is at most 256 levels deep.
fn collect(value: &Value<'static>, path: &mut Vec<Step>, all: &mut Vec<(String, Vec<Step>)>) {
    for list in ["items", "subItems"] {
        let items = value.get(list).and_then(Value::as_array);
        for (at, item) in items.into_iter().flat_map(|items| items.iter()).enumerate() {
            path.push(Step::Item(list, at));
            if let Some(id) = item.get("id").and_then(Value::as_str) {
                all.push((id.to_owned(), path.clone()));
            }
            collect(item, path, all);
            path.pop();
        }
    }
    if let Some(list) = value.get("todoList") {
        path.push(Step::Key("todoList"));
        collect(list, path, all);
        path.pop();
    }
}

fn follow<'v>(value: &'v mut Value<'static>, path: &[Step]) -> Option<&'v mut Object<'static>> {
    let mut at = value;
    for step in path {
        let object = at.as_object_mut()?;
        at = match step {
            Step::Key(key) => object.get_mut(key)?,
            Step::Item(list, number) => object.get_mut(list)?.as_array_mut()?.get_mut(*number)?,
        };
    }
    at.as_object_mut()
}

/// Who asks others to wait; an error where they have to.
fn check_lock(
    item: &Object<'static>,
    id: &str,
    author: &Author,
) -> Result<Option<String>, EditError> {
    let Some(lock) = item.get("lockedBy").filter(|lock| !lock.is_null()) else {
        return Ok(None);
    };
    let text = |name: &str| lock.get(name).and_then(Value::as_str);
    let agent = lock
        .get("agent")
        .and_then(|agent| agent.get("id")?.as_str());
    let by = agent.unwrap_or_default().to_owned();
    let until = text("expiresAt");
    let is_over = until
        .and_then(moment)
        .is_some_and(|until| Some(until) <= moment(&author.now));
    if by == author.id || is_over {
        return Ok(None);
    }
    match text("type") {
        Some("hard") => Err(EditError::Locked {
            id: id.to_owned(),
            by,
            until: until.map(str::to_owned),
        }),
        _ => Ok(Some(by)),
    }
}

fn put(item: &mut Object<'static>, fields: &Object<'static>, now: &str) {
    for (key, value) in fields.iter() {
        match value.is_null() {
            true => drop(item.remove(key)),
            false => drop(item.insert(key.clone(), value.clone())),
        }
    }
    let Some(status) = fields.get("status").and_then(Value::as_str) else {
        return;
    };
    let tells_times = ["created", "updated", "dueDate", "completed"]
        .iter()
        .any(|name| item.contains_key(name));
    let is_stage = item.contains_key("subItems") || item.contains_key("startDate");
    match status {
        "completed" => {
            if tells_times && !is_stage && !fields.contains_key("completed") {
                item.insert("completed", now.to_owned());
            }
            if item.contains_key("percentComplete") && !fields.contains_key("percentComplete") {
                item.insert("percentComplete", 100);
            }
        }
        _ => drop(item.remove("completed")),
    }
}

/// What an entity says of its last change, as far as it says anything.
fn touch(object: &mut Object<'static>, agent: &Value<'static>, now: &str) {
    if object.contains_key("updated") {
        object.insert("updated", now.to_owned());
    }
    if let Some(sequence) = object
        .get("sequence")
        .and_then(|own| own.as_number()?.as_u64())
    {
        object.insert("sequence", sequence.saturating_add(1));
    }
    if object.contains_key("lastModifiedBy") {
        object.insert("lastModifiedBy", agent.clone());
    }
}

fn agent(author: &Author) -> Value<'static> {
    let mut agent = Object::new();
    agent.insert("id", author.id.clone());
    agent.insert("type", author.kind.as_str());
    agent.into()
}

/// What the document says of its last change.
fn note_change(
    value: &mut Value<'static>,
    container: Container,
    agent: &Value<'static>,
    author: &Author,
    operation: &'static str,
    item: &str,
) {
    let Some(root) = value.as_object_mut() else {
        return;
    };
    if let Some(Value::Object(info)) = root.get_mut("vContextInfo")
        && info.contains_key("updated")
    {
        info.insert("updated", author.now.clone());
    }
    let Some(Value::Object(container)) = root.get_mut(container.field()) else {
        return;
    };
    touch(container, agent, &author.now);
    let sequence = container
        .get("sequence")
        .and_then(|own| own.as_number()?.as_u64());
    if let (Some(sequence), Some(Value::Array(log))) = (sequence, container.get_mut("changeLog")) {
        let mut change = Object::new();
        change.insert("sequence", sequence);
        change.insert("timestamp", author.now.clone());
        change.insert("agent", agent.clone());
        change.insert("operation", operation);
        change.insert("description", format!("item `{item}`"));
        log.push(change.into());
    }
}

/// How much of a stage is done, by its parts, where it says so: those that are cancelled do not count, and one that says
/// nothing is done as a whole or not at all.
fn derive_percent(stage: &mut Object<'static>) {
    if !stage.contains_key("percentComplete") {
        return;
    }
    let mut parts: Vec<f64> = Vec::new();
    let lists = [
        stage.get("subItems"),
        stage.get("todoList").and_then(|list| list.get("items")),
    ];
    for item in lists
        .into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .flat_map(|items| items.iter())
    {
        let percent = item
            .get("percentComplete")
            .and_then(|own| own.as_number()?.as_f64());
        match item.get("status").and_then(Value::as_str) {
            Some("cancelled") => {}
            Some("completed") => parts.push(100.0),
            _ => parts.push(percent.unwrap_or(0.0)),
        }
    }
    if parts.is_empty() {
        return;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer than 2^53 parts"
    )]
    let average = parts.iter().sum::<f64>() / parts.len() as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and 100"
    )]
    stage.insert("percentComplete", average.round().clamp(0.0, 100.0) as u64);
}
