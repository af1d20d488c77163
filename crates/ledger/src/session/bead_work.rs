//! Creates, updates, claims and closes beads.
//!
//! The requests here are what a caller asks for. We turn them into events, and let the state decide
//! whether it allows those. What we check ourselves is mostly for better messages, since a rejected
//! event cannot suggest a similar id.

use crate::bead::{Bead, BeadStatus, DependencyKind};
use crate::event::{
    BeadClosed, BeadCreated, BeadDependencyAdded, BeadDependencyRemoved, BeadReopened,
    BeadStatusChanged, BeadUpdated, Outcome,
};
use crate::state::BeadHead;
use crate::{Draft, Elsewhere, LedgerError, Routes, Stamp, State, WorkFilter};
use serde_json::{Map, Value};

use super::LedgerSession;
use windlass_site::Error;

/// Request to create a bead.
#[derive(Debug, Clone, Default)]
pub struct NewBead {
    /// Title of at most 100 characters.
    pub title: String,
    /// Description in Markdown.
    pub description: String,
    /// Type of work. The default is `task`.
    pub issue_type: Option<String>,
    /// Priority from 0 to 4. The default is 2.
    pub priority: Option<u8>,
    /// Labels to start with.
    pub labels: Vec<String>,
    /// The actor the bead is assigned to, if any.
    pub assignee: Option<String>,
    /// Parent bead. If it is set, a generated id is the parent's with a number appended.
    pub parent: Option<String>,
    /// Dependencies on other beads.
    pub dependencies: Vec<NewDependency>,
    /// The bead's id. If it is `None`, we generate one.
    pub id: Option<String>,
    /// Prefix for a generated id. The default is the prefix of the last bead that was created. If
    /// there is none, it comes from the folder's name.
    pub prefix: Option<String>,
}

/// A dependency to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDependency {
    /// Kind of dependency as the user gave it, e.g. `blocks`.
    pub kind: String,
    /// The bead to depend on.
    pub on: String,
    /// For `waits-for`: true if one closed child is enough.
    pub any_child: bool,
}

/// Changes to a bead. By default, nothing changes.
#[derive(Debug, Clone, Default)]
pub struct BeadUpdate {
    /// Fields with their new values. `null` removes a field.
    pub changes: Map<String, Value>,
    /// Labels to add.
    pub add_labels: Vec<String>,
    /// Labels to remove.
    pub remove_labels: Vec<String>,
    /// `metadata` keys with their new values. `null` removes a key.
    pub metadata: Map<String, Value>,
    /// New status, or `None` to leave it as it is.
    pub status: Option<BeadStatus>,
}

/// Checks that the bead exists, so that the error can suggest a similar id.
///
/// # Errors
/// Returns an error if the bead does not exist.
pub fn check_bead(state: &State, id: &str) -> Result<(), LedgerError> {
    match state.beads.contains(id) {
        true => Ok(()),
        false => Err(LedgerError::no_bead(state, id)),
    }
}

fn bead(draft: &Draft<'_>, id: &str) -> Result<Bead, LedgerError> {
    let found = draft.state().beads.get(id);
    found.ok_or_else(|| LedgerError::no_bead(draft.state(), id))
}

/// The session's view of beads, for changing and querying them.
#[derive(Debug)]
pub struct Beads<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl Beads<'_> {
    /// Creates a bead with its dependencies, in one write.
    ///
    /// # Errors
    /// Returns an error if a value is invalid, or a bead that it names does not exist.
    pub fn create(&mut self, new: &NewBead) -> Result<Bead, Error> {
        // This may open other ledgers, so do it before we take the lock.
        let folder = self.prefix_of_folder();
        for dependency in &new.dependencies {
            self.check_known(dependency)?;
        }
        self.session.decide(|draft| {
            if let Some(parent) = &new.parent {
                check_bead(draft.state(), parent)?;
            }
            let prefix = new.prefix.as_deref().or(draft.state().prefix());
            let id = match (&new.id, &new.parent) {
                (Some(id), _) => id.clone(),
                (None, Some(parent)) => draft.ids().child(parent),
                (None, None) => draft.ids().bead(prefix.unwrap_or(&folder)),
            };
            let made = draft.emit(BeadCreated {
                bead_id: id.clone(),
                title: new.title.clone(),
                description: new.description.clone(),
                issue_type: new.issue_type.clone().unwrap_or_else(|| "task".to_owned()),
                priority: Some(new.priority.unwrap_or(crate::bead::USUAL_PRIORITY)),
                created_by: Some(draft.actor().to_owned()),
                assignee: new.assignee.clone(),
                labels: new.labels.clone(),
                metadata: Map::new(),
            })?;
            let parent = new.parent.iter().map(|parent| NewDependency {
                kind: "parent-child".to_owned(),
                on: parent.clone(),
                any_child: false,
            });
            for dependency in parent.chain(new.dependencies.iter().cloned()) {
                add_dependency(draft, &id, &dependency, Some(&made))?;
            }
            bead(draft, &id)
        })
    }

    /// Checks that the target of a blocking dependency exists, here or behind a route. Otherwise, a
    /// typo in its id would block the bead forever.
    fn check_known(&self, dependency: &NewDependency) -> Result<(), Error> {
        let id = &dependency.on;
        let is_waited_for = !matches!(
            DependencyKind::of(&dependency.kind),
            DependencyKind::Other(_)
        );
        if !is_waited_for || self.session.state().beads.contains(id) {
            return Ok(());
        }
        let routes = Routes::read(self.session.places())?;
        let route = routes.resolve(id);
        let there = route.map(|route| {
            self.session
                .service
                .open_behind(route, None, self.session.job)
        });
        let there = there.transpose()?;
        if there.is_some_and(|there| there.state().beads.contains(id)) {
            return Ok(());
        }
        Ok(check_bead(self.session.state(), id)?)
    }

    pub(super) fn prefix_of_folder(&self) -> String {
        let name = self
            .session
            .journal
            .places()
            .root()
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let plain: String = name
            .to_lowercase()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(12)
            .collect();
        if plain.is_empty() {
            "bead".to_owned()
        } else {
            plain
        }
    }

    /// Adds a dependency to a bead.
    ///
    /// # Errors
    /// Returns an error if one of the beads does not exist, or if the dependency would close a
    /// cycle.
    pub fn add_dependency(&mut self, id: &str, dependency: &NewDependency) -> Result<Bead, Error> {
        check_bead(self.session.state(), id)?;
        self.check_known(dependency)?;
        self.session.decide(|draft| {
            check_bead(draft.state(), id)?;
            add_dependency(draft, id, dependency, None)?;
            bead(draft, id)
        })
    }

    /// Removes a dependency from a bead, or all its dependencies on the other bead if there is no
    /// `kind`.
    ///
    /// # Errors
    /// Returns an error if the bead has no such dependency.
    pub fn remove_dependency(
        &mut self,
        id: &str,
        on: &str,
        kind: Option<&str>,
    ) -> Result<Bead, Error> {
        self.session.decide(|draft| {
            check_bead(draft.state(), id)?;
            draft.emit(BeadDependencyRemoved {
                bead_id: id.to_owned(),
                depends_on_id: on.to_owned(),
                kind: kind.map(str::to_owned),
            })?;
            bead(draft, id)
        })
    }

    /// Applies all of `update` to a bead, or nothing if there is an error.
    ///
    /// # Errors
    /// Returns an error if the bead does not exist or a value is invalid.
    pub fn update(&mut self, id: &str, update: &BeadUpdate) -> Result<Bead, Error> {
        self.session.decide(|draft| {
            let before = bead(draft, id)?;
            let has_fields = !update.changes.is_empty()
                || !update.add_labels.is_empty()
                || !update.remove_labels.is_empty()
                || !update.metadata.is_empty();
            if has_fields {
                draft.emit(BeadUpdated {
                    bead_id: id.to_owned(),
                    changes: update.changes.clone(),
                    labels_added: update.add_labels.clone(),
                    labels_removed: update.remove_labels.clone(),
                    metadata_set: update.metadata.clone(),
                })?;
            }
            match update.status {
                // A bead imported from another tool may have a status that we don't know, such as
                // `deferred`, next to the closest one of ours. Setting even the same status again
                // replaces the other tool's.
                Some(status) if status != before.status || before.foreign_status().is_some() => {
                    change_status(draft, &before, status)?;
                }
                _ => {}
            }
            bead(draft, id)
        })
    }

    /// Claims a bead for the actor, or the ready bead with the highest priority if there is no
    /// `id`.
    ///
    /// If several actors claim one bead at the same time, exactly one succeeds.
    ///
    /// # Errors
    /// Returns an error if another actor has the bead, or no bead is ready.
    pub fn claim(&mut self, id: Option<&str>, filter: &WorkFilter) -> Result<Bead, Error> {
        let now = self.session.now();
        let elsewhere = self.elsewhere()?;
        self.session.decide(|draft| {
            let id = match id {
                Some(id) => id.to_owned(),
                None => next_ready(draft, filter, now, &elsewhere)?,
            };
            let before = bead(draft, &id)?;
            let is_held = before.assignee.as_deref() == Some(draft.actor());
            // The actor is working on the bead already, so there's nothing to record.
            if is_held && before.status == BeadStatus::InProgress {
                return Ok(before);
            }
            draft.emit(BeadStatusChanged {
                bead_id: id.clone(),
                from_status: before.status.to_string(),
                to_status: BeadStatus::InProgress.to_string(),
                assignee: Some(draft.actor().to_owned()),
                claim: true,
                reason: None,
            })?;
            bead(draft, &id)
        })
    }

    /// Closes the beads. If there is an error, none of them is closed.
    ///
    /// # Errors
    /// Returns an error if a bead does not exist or is already closed.
    pub fn close(
        &mut self,
        ids: &[String],
        reason: &str,
        has_failed: bool,
    ) -> Result<Vec<Bead>, Error> {
        self.session.decide(|draft| {
            for id in ids {
                check_bead(draft.state(), id)?;
                draft.emit(BeadClosed {
                    bead_id: id.clone(),
                    reason: reason.to_owned(),
                    outcome: has_failed.then_some(Outcome::Failed),
                })?;
            }
            ids.iter().map(|id| bead(draft, id)).collect()
        })
    }

    /// Reopens the beads. If there is an error, none of them is reopened.
    ///
    /// # Errors
    /// Returns an error if a bead does not exist or is not closed.
    pub fn reopen(&mut self, ids: &[String], reason: Option<&str>) -> Result<Vec<Bead>, Error> {
        self.session.decide(|draft| {
            for id in ids {
                check_bead(draft.state(), id)?;
                draft.emit(BeadReopened {
                    bead_id: id.clone(),
                    reason: reason.map(str::to_owned),
                })?;
            }
            ids.iter().map(|id| bead(draft, id)).collect()
        })
    }
}

fn next_ready(
    draft: &Draft<'_>,
    filter: &WorkFilter,
    now: Stamp,
    elsewhere: &Elsewhere,
) -> Result<String, LedgerError> {
    let is_free = |head: &BeadHead<'_>| {
        let holder = head.assignee;
        holder.is_none_or(|holder| holder == draft.actor())
    };
    let work = draft.state().work();
    work.first_ready(filter, now, elsewhere, is_free)
        .ok_or(LedgerError::NothingReady)
}

fn add_dependency(
    draft: &mut Draft<'_>,
    id: &str,
    dependency: &NewDependency,
    cause: Option<&str>,
) -> Result<(), LedgerError> {
    let is_waiting = DependencyKind::of(&dependency.kind) == DependencyKind::WaitsFor;
    let gate = match dependency.any_child {
        true => "any-children",
        false => "all-children",
    };
    let added = BeadDependencyAdded {
        bead_id: id.to_owned(),
        depends_on_id: dependency.on.clone(),
        kind: dependency.kind.clone(),
        gate: is_waiting.then(|| gate.to_owned()),
    };
    draft.emit_caused_by(added, cause).map(drop)
}

fn change_status(
    draft: &mut Draft<'_>,
    before: &Bead,
    status: BeadStatus,
) -> Result<(), LedgerError> {
    let id = before.id.clone();
    // Closing and reopening have events of their own, which also record an outcome or a reason.
    match (before.status, status) {
        (BeadStatus::Closed, BeadStatus::Open) => {
            draft.emit(BeadReopened {
                bead_id: id,
                reason: None,
            })?;
        }
        (_, BeadStatus::Closed) => {
            draft.emit(BeadClosed {
                bead_id: id,
                ..BeadClosed::default()
            })?;
        }
        (_, BeadStatus::Hooked) => {
            return Err(LedgerError::Invalid(
                "status `hooked` is set through a hook: run `windlass hook set AGENT bead:ID`"
                    .to_owned(),
            ));
        }
        (from, to) => {
            draft.emit(BeadStatusChanged {
                bead_id: id,
                from_status: from.to_string(),
                to_status: to.to_string(),
                ..BeadStatusChanged::default()
            })?;
        }
    }
    Ok(())
}
