//! Migrates older documents to version 0.4, xBRIEF to its newest version, and documents from one
//! format to the other.
//!
//! Five different forms were all stamped `0.4`, so we recognize each of them by its fields, and
//! never by its stamp. Unknown parts stay as they are. Migrating a document again changes nothing.
//!
//! [`migrate`] works in place and step by step: each step renames or converts one thing, logs it,
//! and leaves alone what it does not understand.

mod kept;
mod lowered;
mod narrative;
mod playbook;
mod raised;
mod work;
mod xbrief;

use std::collections::BTreeMap;

use windlass_tron::{Object, Text, Value};

use self::lowered::LoweredDocument;
use self::raised::{RaisedDocument, is_first};

use self::playbook::PlaybookMigration;
use self::work::WorkMigration;
use crate::specification::{HEADERS, declared, is_before};
use crate::status::{AUTO, status_of};
use crate::{Container, Document, Node, VERSION, Version};
use windlass_site::{ErrorKind, Explain};

/// The value of a required time in a document that has no times at all. It is recognizably wrong,
/// but does not change from one migration to the next.
pub const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// A migrated document.
#[derive(Debug, Clone)]
pub struct Migrated {
    /// The document after the migration.
    pub value: Value<'static>,
    /// The changes in document order. There are none if the document was up to date.
    pub changes: Vec<MigrationChange>,
}

/// A part whose form was different from that of the target version.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MigrationChange {
    /// JSON pointer into the original document.
    pub at: String,
    /// The change in words.
    pub what: String,
    /// If true, the document is invalid because of this part. Otherwise, the part just is not read.
    pub breaks: bool,
    /// If true, we left the part alone, because only the user can decide.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
    /// If true, the target version has no exact counterpart.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_lossy: bool,
}

/// The error for a document of a later version, which we do not support yet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is {what}, which is newer than version {newest} and not supported; it was left unchanged"
)]
pub struct LaterVersion {
    /// JSON pointer to the version.
    pub at: String,
    /// The version, in words.
    pub what: String,
    /// The newest supported version of the format.
    pub newest: String,
}

/// Reasons to refuse a migration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MigrateError {
    /// The document is of a later version.
    #[error(transparent)]
    Later(#[from] LaterVersion),
    /// The document is not vContext.
    #[error(
        "this is not a vContext document of any version: it has no `todoList`, `plan`, `playbook`, `vContextInfo` or `vAgendaInfo`"
    )]
    NoDocument,
    /// It is not possible to migrate to this version.
    #[error("a document cannot be migrated to version {0}, only to 0.4 or 0.8")]
    NoTarget(String),
}

/// Migrates `value` to the newest version of its own format, i.e. vContext 0.4 or xBRIEF 0.8.
///
/// The result only depends on the document, so that two copies can be migrated separately and
/// merged later. Missing names are derived from its contents. Missing times come from its other
/// times, or are [`NO_TIME`] if there are not any.
///
/// # Errors
/// Returns an error if the document is of a later version or is not vContext.
pub fn migrate(value: &Value<'_>) -> Result<Migrated, MigrateError> {
    if let Some(later) = later_version(value) {
        return Err(later.into());
    }
    if !is_document(value) {
        return Err(MigrateError::NoDocument);
    }
    let is_first = is_first(value);
    let mut value = value.clone().into_owned();
    let mut migration = DocumentMigration::default();
    if let Some(root) = value.as_object_mut() {
        match is_first {
            true => migration.document(root),
            false => xbrief::raise(root, &mut migration.log),
        }
    }
    Ok(Migrated {
        value,
        changes: migration.log.changes,
    })
}

/// Like [`migrate`], but this continues to the version `target`, which may be the newest one of the
/// other format.
///
/// Values that have no counterpart there are reported, and stay in the document.
///
/// # Errors
/// Returns the errors of [`migrate`], and another one if `target` is not the newest version of a
/// format.
pub fn migrate_to(value: &Value<'_>, target: &Version) -> Result<Migrated, MigrateError> {
    let (first, newest) = (Version::first(), Version::newest());
    let raises = target.number() == newest.number();
    if !raises && target.number() != first.number() {
        return Err(MigrateError::NoTarget(target.number().to_owned()));
    }
    let mut migrated = migrate(value)?;
    let is_first = is_first(&migrated.value);
    // The document is of the right format already.
    if is_first != raises {
        return Ok(migrated);
    }
    let mut log = MigrationLog::default();
    let mut derived = BTreeMap::new();
    derived_statuses(&migrated.value, &mut derived);
    if let Some(root) = migrated.value.as_object_mut() {
        match raises {
            true => RaisedDocument::new(&mut log).document(root),
            false => LoweredDocument::new(&mut log, derived).document(root),
        }
    }
    migrated.changes.extend(log.changes);
    Ok(migrated)
}

fn derived_statuses(value: &Value<'static>, all: &mut BTreeMap<String, &'static str>) {
    let text = value.to_string();
    let Ok(document) = Document::parse("document", text.as_bytes()) else {
        return;
    };
    let plan = document.root().get("plan");
    let items = plan.and_then(|plan| plan.get("items"));
    let mut open: Vec<(String, Node<'_>)> = Vec::new();
    open.extend(items.map(|items| ("/plan/items".to_owned(), items)));
    while let Some((at, list)) = open.pop() {
        for (number, item) in list.items().enumerate() {
            let at = format!("{at}/{number}");
            for name in ["items", "subItems"] {
                open.extend(item.get(name).map(|parts| (format!("{at}/{name}"), parts)));
            }
            if let Some(status) = status_of(item).filter(|_| item.text_of("status") == Some(AUTO)) {
                all.insert(at, Version::first().expressible(status).as_str());
            }
        }
    }
}

/// The parts of a version 0.4 document that are in an older form.
pub(crate) fn older_shapes(value: &Value<'_>) -> Vec<MigrationChange> {
    match is_first(value) {
        true => migrate(value)
            .map(|migrated| migrated.changes)
            .unwrap_or_default(),
        false => Vec::new(),
    }
}

fn is_document(value: &Value<'_>) -> bool {
    let is_object = |name: &str| value.get(name).is_some_and(|it| it.as_object().is_some());
    let containers = Container::ALL.map(Container::field);
    HEADERS
        .into_iter()
        .chain(["vAgendaInfo"])
        .chain(containers)
        .any(is_object)
}

/// The version of a document, if it is later than all those that we support.
#[must_use]
pub fn later_version(value: &Value<'_>) -> Option<LaterVersion> {
    let (header, number) = declared(value)?;
    let number = number?;
    let first = Version::first();
    let newest = match first.has_header(header) {
        true => first,
        false => Version::newest(),
    };
    is_before(newest.number(), &number).then(|| LaterVersion {
        at: format!("/{header}/version"),
        what: format!("version {number}"),
        newest: newest.number().to_owned(),
    })
}

#[derive(Default)]
struct MigrationLog {
    changes: Vec<MigrationChange>,
}

impl MigrationLog {
    /// Records a change that was necessary to make the document valid.
    fn breaking(&mut self, at: impl Into<String>, what: impl Into<String>) {
        self.note(at.into(), what.into(), |change| change.breaks = true);
    }

    fn renaming(&mut self, at: impl Into<String>, what: impl Into<String>) {
        self.note(at.into(), what.into(), |_| {});
    }

    /// Records a part that we leave to the user's decision.
    fn leaving(&mut self, at: impl Into<String>, what: impl Into<String>) {
        self.note(at.into(), what.into(), |change| change.left = true);
    }

    /// Records a part that has no exact counterpart in the target version.
    fn losing(&mut self, at: impl Into<String>, what: impl Into<String>) {
        self.note(at.into(), what.into(), |change| change.is_lossy = true);
    }

    /// Records an older field beside the newer one. We cannot know which of them is right.
    fn beside(&mut self, object: &Object<'static>, from: &str, to: &str, at: &str) {
        let is_there = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
        if is_there(from) && is_there(to) {
            let what = format!("`{from}` next to `{to}`");
            self.leaving(format!("{at}/{from}"), what);
        }
    }

    fn note(&mut self, at: String, what: String, put: impl FnOnce(&mut MigrationChange)) {
        let mut change = MigrationChange {
            at,
            what,
            breaks: false,
            left: false,
            is_lossy: false,
        };
        put(&mut change);
        self.changes.push(change);
    }
}

#[derive(Default)]
struct DocumentMigration {
    log: MigrationLog,
}

impl DocumentMigration {
    fn document(&mut self, root: &mut Object<'static>) {
        for name in HEADERS.into_iter().skip(1) {
            // Some documents use the name of a later version, but not its form.
            if rename(root, name, HEADERS[0]) {
                let what = format!("`{name}` becomes `{}`", HEADERS[0]);
                self.log.breaking(format!("/{name}"), what);
            }
        }
        if rename(root, "vAgendaInfo", "vContextInfo") {
            self.log
                .breaking("/vAgendaInfo", "`vAgendaInfo` becomes `vContextInfo`");
        } else {
            self.log.beside(root, "vAgendaInfo", "vContextInfo", "");
        }
        // Times of creation and change. Earlier entries take precedence.
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

    /// Removes the version of the specification from a container, which is where version 0.1 had
    /// it.
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

fn insert_first(object: &mut Object<'static>, key: &'static str, value: Value<'static>) {
    let members = std::mem::take(object).into_members();
    let first = (Text::from(key), value);
    *object = std::iter::once(first).chain(members).collect();
}

/// Renames a member without moving it, unless the new name is taken.
fn rename(object: &mut Object<'static>, from: &str, to: impl Into<Text<'static>>) -> bool {
    let to = to.into();
    let is_taken = object
        .get(to.as_str())
        .is_some_and(|value| !value.is_null());
    if !object.contains_key(from) || is_taken {
        return false;
    }
    object.remove(to.as_str());
    let members = std::mem::take(object).into_members().into_iter();
    *object = members
        .map(|(key, value)| match key.as_str() == from {
            true => (to.clone(), value),
            false => (key, value),
        })
        .collect();
    true
}

fn text_of(object: &Object<'static>, name: &str) -> Option<String> {
    object.get(name)?.as_str().map(str::to_owned)
}

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
