//! Migration of older documents to version 0.4.
//!
//! Five forms were all stamped `0.4`, so each is recognised by its fields, never by its stamp. Unrecognised
//! parts stay unchanged. A migrated document needs no further migration.

mod narrative;
mod playbook;
mod work;

use windlass_tron::{Object, Text, Value};

use self::playbook::PlaybookMigration;
use self::work::WorkMigration;
use crate::{Container, VERSION};
use windlass_site::{ErrorKind, Explain};

/// Placeholder for a required time, in a document without any time.
pub const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// Document in the form of version 0.4.
#[derive(Debug, Clone)]
pub struct Migrated {
    /// The document in the current version.
    pub value: Value<'static>,
    /// Changes in document order; empty if the document was current.
    pub changes: Vec<MigrationChange>,
}

/// Part that is not in the form of version 0.4.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MigrationChange {
    /// Location in the original document, as a JSON pointer.
    pub at: String,
    /// Description of the change.
    pub what: String,
    /// True if the document is invalid because of it; otherwise the part is merely not read.
    pub breaks: bool,
    /// True if it was left unchanged, for the user to decide.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
}

/// Document of a later version than this crate supports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is {what}, which is newer than version {VERSION} and not supported; it was left unchanged"
)]
pub struct LaterVersion {
    /// Location of the version, as a JSON pointer.
    pub at: String,
    /// Description of the version.
    pub what: String,
}

/// Reason why a document cannot be migrated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MigrateError {
    /// Document of a later version.
    #[error(transparent)]
    Later(#[from] LaterVersion),
    /// Not a vContext document.
    #[error(
        "this is not a vContext document of any version: it has no `todoList`, `plan`, `playbook`, `vContextInfo` or `vAgendaInfo`"
    )]
    NoDocument,
}

/// Migrates `value` to version 0.4. The result depends on the document alone: missing names are derived from
/// the contents, missing times from other times of the document, or [`NO_TIME`] if there are none.
///
/// # Errors
/// When it is of a later version, or not a vContext document.
pub fn migrate(value: &Value<'_>) -> Result<Migrated, MigrateError> {
    if let Some(later) = later_version(value) {
        return Err(later.into());
    }
    if !is_document(value) {
        return Err(MigrateError::NoDocument);
    }
    let mut value = value.clone().into_owned();
    let mut migration = DocumentMigration::default();
    if let Some(root) = value.as_object_mut() {
        migration.document(root);
    }
    Ok(Migrated {
        value,
        changes: migration.log.changes,
    })
}

/// True if `value` has the header of any version, or one of the containers.
fn is_document(value: &Value<'_>) -> bool {
    let is_object = |name: &str| value.get(name).is_some_and(|it| it.as_object().is_some());
    let containers = Container::ALL.map(Container::field);
    ["vContextInfo", "vAgendaInfo"]
        .into_iter()
        .chain(containers)
        .any(is_object)
}

/// Names of `vContextInfo` in later versions.
pub(crate) const LATER: [&str; 2] = ["vBRIEFInfo", "xBRIEFInfo"];

/// Returns the version of a document if it is later than the supported one.
#[must_use]
pub fn later_version(value: &Value<'_>) -> Option<LaterVersion> {
    for name in LATER {
        if value.get(name).is_some() {
            return Some(LaterVersion {
                at: format!("/{name}"),
                what: format!("a document with `{name}`"),
            });
        }
    }
    let version = value.get("vContextInfo")?.get("version")?;
    let text = match version {
        Value::String(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    is_later(&text).then(|| LaterVersion {
        at: "/vContextInfo/version".to_owned(),
        what: format!("version {text}"),
    })
}

fn is_later(version: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<u32>> {
        let text = text.split(['-', '+']).next()?;
        text.split('.').map(|part| part.parse().ok()).collect()
    };
    match (numbers(version), numbers(VERSION)) {
        (Some(found), Some(known)) => found > known && found.get(..2) != known.get(..2),
        _ => false,
    }
}

/// Changes of a migration.
#[derive(Default)]
struct MigrationLog {
    changes: Vec<MigrationChange>,
}

impl MigrationLog {
    /// Records a change without which the document is invalid.
    fn breaking(&mut self, at: impl Into<String>, what: impl Into<String>) {
        self.note(at.into(), what.into(), true, false);
    }

    /// Records a change of a name only.
    fn renaming(&mut self, at: impl Into<String>, what: impl Into<String>) {
        self.note(at.into(), what.into(), false, false);
    }

    /// Records a part that needs a decision of the user.
    fn leaving(&mut self, at: impl Into<String>, what: impl Into<String>) {
        self.note(at.into(), what.into(), false, true);
    }

    /// Records an older field next to the newer one: only the user knows which is right.
    fn beside(&mut self, object: &Object<'static>, from: &str, to: &str, at: &str) {
        let is_there = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
        if is_there(from) && is_there(to) {
            let what = format!("`{from}` next to `{to}`");
            self.leaving(format!("{at}/{from}"), what);
        }
    }

    fn note(&mut self, at: String, what: String, breaks: bool, left: bool) {
        self.changes.push(MigrationChange {
            at,
            what,
            breaks,
            left,
        });
    }
}

/// Migration of a whole document.
#[derive(Default)]
struct DocumentMigration {
    log: MigrationLog,
}

impl DocumentMigration {
    fn document(&mut self, root: &mut Object<'static>) {
        if rename(root, "vAgendaInfo", "vContextInfo") {
            self.log
                .breaking("/vAgendaInfo", "`vAgendaInfo` becomes `vContextInfo`");
        } else {
            self.log.beside(root, "vAgendaInfo", "vContextInfo", "");
        }
        // Times of creation and change, the earlier one first.
        let info = root.get("vContextInfo");
        let times = ["created", "updated"].into_iter();
        let times = times.filter_map(|name| info?.get(name)?.as_str());
        let times = times.filter(|time| crate::time::moment(time).is_some());
        let times: Vec<String> = times.map(str::to_owned).collect();
        let mut moved = false;
        for container in Container::ALL {
            let at = format!("/{}", container.field());
            let Some(object) = root
                .get_mut(container.field())
                .and_then(Value::as_object_mut)
            else {
                continue;
            };
            moved |= self.version_of(object, &at, container);
            match container {
                Container::TodoList => {
                    WorkMigration::new(&mut self.log, &times).todo_list(object, &at);
                }
                Container::Plan => WorkMigration::new(&mut self.log, &times).plan(object, &at),
                Container::Playbook => {
                    PlaybookMigration::new(&mut self.log, &times).playbook(object, &at);
                }
            }
        }
        self.info(root, moved);
    }

    /// Removes the version of the specification from a container, where version 0.1 stored it.
    fn version_of(&mut self, object: &mut Object<'static>, at: &str, container: Container) -> bool {
        let is_stamp = |text: &str| matches!(text, "0.1" | "0.2" | "0.3" | "0.4");
        let stamp = object.get("version").and_then(Value::as_str);
        if !stamp.is_some_and(is_stamp) {
            return false;
        }
        object.remove("version");
        let what = format!(
            "the version of the specification moves from the {container} to `vContextInfo`"
        );
        self.log.breaking(format!("{at}/version"), what);
        true
    }

    fn info(&mut self, root: &mut Object<'static>, moved: bool) {
        let has_container = Container::ALL
            .into_iter()
            .any(|one| root.get(one.field()).is_some_and(|value| !value.is_null()));
        match root.get_mut("vContextInfo") {
            Some(Value::Object(info)) => {
                let older = match info.get("version") {
                    Some(Value::String(text)) => matches!(text.as_str(), "0.1" | "0.2" | "0.3"),
                    Some(Value::Number(_)) => true,
                    _ => false,
                };
                let missing = info.get("version").is_none_or(Value::is_null);
                if older || missing && moved {
                    let at = if older {
                        "/vContextInfo/version"
                    } else {
                        "/vContextInfo"
                    };
                    let what = match info.get("version").filter(|_| older) {
                        Some(found) => {
                            format!("version {found} becomes `{VERSION}`")
                        }
                        None => format!("the version becomes `{VERSION}`"),
                    };
                    self.log.breaking(at, what);
                    info.insert("version", VERSION.to_owned());
                }
            }
            Some(_) => {}
            None if has_container => {
                let mut info = Object::new();
                info.insert("version", VERSION.to_owned());
                insert_first(root, "vContextInfo", info.into());
                self.log.breaking("", "`vContextInfo` is added");
            }
            None => {}
        }
    }
}

/// Inserts a member at the first position.
fn insert_first(object: &mut Object<'static>, key: &'static str, value: Value<'static>) {
    let members = std::mem::take(object).into_members();
    let first = (Text::from(key), value);
    *object = std::iter::once(first).chain(members).collect();
}

/// Renames a member in its position, unless the new name exists.
fn rename(object: &mut Object<'static>, from: &str, to: &'static str) -> bool {
    if !object.contains_key(from) || object.get(to).is_some_and(|value| !value.is_null()) {
        return false;
    }
    object.remove(to);
    let members = std::mem::take(object).into_members().into_iter();
    *object = members
        .map(|(key, value)| match key.as_str() == from {
            true => (Text::from(to), value),
            false => (key, value),
        })
        .collect();
    true
}

/// Returns the text of a member, if it is a string.
fn text_of(object: &Object<'static>, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(str::to_owned)
}

/// Escapes a key for a JSON pointer.
fn token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl Explain for MigrateError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }

    fn help(&self) -> Option<String> {
        matches!(self, Self::NoDocument)
            .then(|| "create a document with `windlass doc new todo --title TITLE`".to_owned())
    }
}
