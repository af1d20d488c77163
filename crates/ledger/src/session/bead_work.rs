//! Beads: made, found, changed, closed.

use crate::bead::{Bead, BeadStatus, DependencyKind};
use crate::event::{
    BeadClosed, BeadCreated, BeadDependencyAdded, BeadDependencyRemoved, BeadReopened,
    BeadStatusChanged, BeadUpdated, Outcome,
};
use crate::{Draft, Elsewhere, LedgerError, Routes, Stamp, State, WorkFilter};
use serde_json::{Map, Value};

use super::LedgerSession;
use windlass_site::Error;

/// A bead to be made.
#[derive(Debug, Clone, Default)]
pub struct NewBead {
    /// Its title.
    pub title: String,
    /// Markdown.
    pub description: String,
    /// What sort of work it is; `task` if not given.
    pub issue_type: Option<String>,
    /// 0 to 4; 2 if not given.
    pub priority: Option<u8>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Who it is for.
    pub assignee: Option<String>,
    /// What it is a part of: its id is that of the whole, and a number.
    pub parent: Option<String>,
    /// What it depends on.
    pub dependencies: Vec<NewDependency>,
    /// Its id; drawn if not given.
    pub id: Option<String>,
    /// What a drawn id begins with; as the bead before if not given, or as the folder is called.
    pub prefix: Option<String>,
}

/// A dependency to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDependency {
    /// In which way.
    pub kind: String,
    /// What it depends on.
    pub on: String,
    /// Of `waits-for`: whether any child is enough.
    pub any_child: bool,
}

/// What of a bead is to be changed.
#[derive(Debug, Clone, Default)]
pub struct BeadUpdate {
    /// Fields with their new values; `null` takes one away.
    pub changes: Map<String, Value>,
    /// Labels it has from now on.
    pub add_labels: Vec<String>,
    /// Labels it has no longer.
    pub remove_labels: Vec<String>,
    /// Keys of `metadata` with their new values; `null` takes one away.
    pub metadata: Map<String, Value>,
    /// Where it stands from now on.
    pub status: Option<BeadStatus>,
}

/// That there is a bead `id`.
///
/// # Errors
/// When there is none.
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

/// The beads of a ledger: made, found, changed, closed.
#[derive(Debug)]
pub struct Beads<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl Beads<'_> {
    /// Makes a bead.
    ///
    /// # Errors
    /// When it is not allowed as things stand.
    pub fn create(&mut self, new: &NewBead) -> Result<Bead, Error> {
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

    /// Checks that a bead that is to be waited for is here, or where a route leads: one of a mistyped id would be waited
    /// for without end.
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

    /// What ids begin with where nothing else says it: the name of the folder.
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

    /// Adds dependencies to a bead.
    ///
    /// # Errors
    /// When there is no such bead, none to wait for, or nothing of it could ever begin.
    pub fn add_dependency(&mut self, id: &str, dependency: &NewDependency) -> Result<Bead, Error> {
        check_bead(self.session.state(), id)?;
        self.check_known(dependency)?;
        self.session.decide(|draft| {
            check_bead(draft.state(), id)?;
            add_dependency(draft, id, dependency, None)?;
            bead(draft, id)
        })
    }

    /// Takes dependencies from a bead; all of them on the other, if no kind is named.
    ///
    /// # Errors
    /// When there are none.
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

    /// Changes a bead.
    ///
    /// # Errors
    /// When there is no such bead, or a value cannot be one.
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
                Some(status) if status != before.status || before.foreign_status().is_some() => {
                    change_status(draft, &before, status)?;
                }
                _ => {}
            }
            bead(draft, id)
        })
    }

    /// Takes a bead for oneself; the most important that is ready, if none is named. One of those who ask at once gets
    /// it.
    ///
    /// # Errors
    /// When somebody else has it, or nothing is ready.
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

    /// Closes beads, all or none.
    ///
    /// # Errors
    /// When one is not there, or closed already.
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

    /// Opens beads again, all or none.
    ///
    /// # Errors
    /// When one is not there, or not closed.
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
    let ready = draft
        .state()
        .work()
        .ready(filter, now, elsewhere, usize::MAX)
        .ids;
    let is_free = |id: &&String| {
        let bead = draft.state().beads.get(id);
        bead.is_some_and(|bead| bead.assignee.is_none_or(|holder| holder == draft.actor()))
    };
    ready
        .iter()
        .find(is_free)
        .cloned()
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
                "a bead is hooked by being put on a hook: `windlass hook set AGENT bead:ID`"
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
