//! Applies bead events: creation, changes, claims, dependencies and imports.

use std::borrow::Cow;

use super::bead_fields::{change, check_priority, check_title, put};
use super::bead_order::{Link, Links};
use super::short_forms::hold;
use super::work_index::WorkIndex;
use super::{Applied, BeadNote, HookTable, Refusal, State, Table};
use crate::bead::{Bead, BeadStatus, Dependency, DependencyKind, USUAL_PRIORITY, bead_of_record};
use crate::event::{
    BeadClosed, BeadCreated, BeadDependencyAdded, BeadDependencyRemoved, BeadHooked, BeadImported,
    BeadReopened, BeadStatusChanged, BeadUpdated, EventLine, Fields, Outcome,
};
use crate::hook::HookKind;
use crate::{LedgerError, Stamp, id};

pub(super) struct BeadFold<'a> {
    pub(super) beads: &'a mut Table<Bead>,
    pub(super) links: &'a mut Links,
    pub(super) work: &'a mut WorkIndex,
    pub(super) hooks: &'a mut HookTable,
    /// See [`State::prefix`].
    pub(super) prefix: &'a mut Option<String>,
    pub(super) event: &'a EventLine<'a>,
}

impl BeadFold<'_> {
    pub(super) fn create(&mut self, data: BeadCreated) -> Applied {
        let bead_id = data.bead_id;
        if let Some(why) = id::bead_id_problem(&bead_id) {
            return Err(Refusal::new(format!("id `{bead_id}` is invalid: {why}")));
        }
        // Two clones may have created a bead with the same id before they saw each other's events.
        if let Some(found) = self.beads.find(&bead_id) {
            let made_by = found.head().map_or("", |head| head.made_by);
            return Err(
                Refusal::new(format!("there is a bead `{bead_id}` already")).won_by(made_by)
            );
        }
        check_title(&data.title)?;
        let at = self.event.timestamp.to_millis();
        let mut bead = Bead {
            id: bead_id.clone(),
            title: data.title,
            description: data.description,
            status: BeadStatus::Open,
            priority: check_priority(data.priority.unwrap_or(USUAL_PRIORITY).into())?,
            issue_type: data.issue_type.parse().map_err(Refusal::new)?,
            created_at: at,
            updated_at: at,
            created_by: data
                .created_by
                .unwrap_or_else(|| self.event.actor.clone().into_owned()),
            assignee: data.assignee,
            dependencies: Vec::new(),
            labels: data.labels,
            metadata: data.metadata,
            closed_at: None,
            close_reason: None,
            outcome: None,
            rest: Fields::new(),
        };
        bead.sort_labels();
        self.remember_prefix(&bead_id);
        self.work.note(&bead_id, true);
        self.beads.insert(bead, made_by(self.event));
        Ok(())
    }

    fn link(&mut self, from: &str, dependency: &Dependency) {
        self.links.link(from, dependency);
        self.note_link(from, dependency);
    }

    fn unlink(&mut self, from: &str, dependency: &Dependency) {
        self.links.unlink(from, dependency);
        self.note_link(from, dependency);
    }

    /// Tells the work index that a dependency comes or goes. If it makes `from` a child, the
    /// parent's row changes as well.
    fn note_link(&mut self, from: &str, dependency: &Dependency) {
        if let Some(link) = Link::of(dependency) {
            self.work.note(from, true);
            if link.is_part() {
                self.work.note(link.to, true);
            }
        }
    }

    fn remember_prefix(&mut self, bead_id: &str) {
        if let Some((prefix, _)) = bead_id.rsplit_once('-')
            && self.prefix.as_deref() != Some(prefix)
        {
            *self.prefix = Some(prefix.to_owned());
        }
    }

    pub(super) fn import(&mut self, data: &BeadImported) -> Applied {
        let usual = data.missing_priority.unwrap_or(USUAL_PRIORITY);
        let usual = check_priority(usual.into())?;
        let mut bead = bead_of_record(&data.record, self.event.timestamp.to_millis(), usual)
            .map_err(|error| Refusal::new(error.to_string()))?;
        let known = self.beads.get(&bead.id);
        // Importing the same records again must not undo what has happened since.
        if let Some(known) = &known
            && known.updated_at > bead.updated_at
        {
            let by = self.beads.status_by(&bead.id);
            let reason = format!(
                "`{}` was changed more recently, at {}",
                bead.id, known.updated_at
            );
            return Err(Refusal::new(reason).won_by(&by));
        }
        // The record replaces the bead along with its dependencies. If the old links stayed, they'd
        // count in the search for cycles below.
        for dependency in known.iter().flat_map(|bead| &bead.dependencies) {
            self.unlink(&bead.id, dependency);
        }
        let dependencies = std::mem::take(&mut bead.dependencies);
        if dependencies.iter().any(|one| Link::of(one).is_some()) {
            // The check for cycles looks at the bead in the table, so insert it with the
            // dependencies so far.
            self.beads.insert(bead.clone(), made_by(self.event));
        }
        for mut dependency in dependencies {
            let is_link = Link::of(&dependency).is_some();
            let is_self = dependency.depends_on_id == bead.id;
            // Other tools allow cycles. If we refused such a record, the user couldn't import it at
            // all, so keep the dependency without its effect.
            if is_link
                && (is_self
                    || self
                        .links
                        .cycle(self.beads, &bead.id, &dependency)
                        .is_some())
            {
                dependency.put_aside();
            }
            self.link(&bead.id, &dependency);
            bead.dependencies.push(dependency);
            if is_link {
                self.beads.insert(bead.clone(), made_by(self.event));
            }
        }
        // The prefix of beads that were created here takes precedence over that of imported ones.
        if self.prefix.is_none() {
            self.remember_prefix(&bead.id);
        }
        self.work.note(&bead.id, true);
        self.beads.insert(bead, made_by(self.event));
        Ok(())
    }

    pub(super) fn update(&mut self, data: BeadUpdated) -> Applied {
        let changes = data.changes.iter();
        let changes = changes.map(|(name, value)| Ok((name, change(name, value)?)));
        let changes: Result<Vec<_>, Refusal> = changes.collect();
        let changes = changes.map_err(|why| self.bead(&data.bead_id).err().unwrap_or(why))?;
        self.edit(&data.bead_id, false, |bead| {
            // An export prefers a field's imported value, so drop that once we change the field.
            for (name, change) in changes {
                change(bead);
                bead.forget_imported(name);
            }
            if !data.labels_added.is_empty() || !data.labels_removed.is_empty() {
                bead.forget_imported("labels");
            }
            if !data.metadata_set.is_empty() {
                bead.forget_imported("metadata");
            }
            bead.labels.extend(data.labels_added);
            bead.labels
                .retain(|label| !data.labels_removed.contains(label));
            bead.sort_labels();
            for (name, value) in data.metadata_set {
                put(&mut bead.metadata, &name, value);
            }
        })
    }

    pub(super) fn change_status(&mut self, data: BeadStatusChanged) -> Applied {
        let (bead, event) = (self.bead(&data.bead_id)?, self.event);
        let to: BeadStatus = data.to_status.parse().map_err(Refusal::new)?;
        let by = || self.beads.status_by(&data.bead_id);
        if data.claim {
            // A claim doesn't care about the previous status, but only about the holder.
            let taker = data.assignee.as_deref().unwrap_or(&event.actor);
            check_free(&bead, taker).map_err(|refusal| refusal.won_by(&by()))?;
        // If another writer has made the same change already, there's nothing to object to.
        } else if bead.status.as_str() != data.from_status && bead.status != to {
            let reason = format!(
                "`{}` was already {}, not {}",
                bead.id, bead.status, data.from_status
            );
            return Err(Refusal::new(reason).won_by(&by()));
        }
        self.edit(&data.bead_id, true, |bead| {
            // A bead that's closed already keeps the time and reason of that closing.
            if to != BeadStatus::Closed {
                forget_closing(bead);
            } else if bead.status != to {
                forget_closing(bead);
                bead.closed_at = Some(event.timestamp.to_millis());
                bead.close_reason = data.reason;
            }
            bead.status = to;
            if data.assignee.is_some() {
                bead.assignee = data.assignee;
                bead.forget_imported("assignee");
            }
            bead.forget_imported("status");
        })
    }

    pub(super) fn hook(&mut self, data: BeadHooked) -> Applied {
        let bead = self.bead(&data.bead_id)?;
        let by = || self.beads.status_by(&data.bead_id);
        check_free(&bead, &data.agent).map_err(|refusal| refusal.won_by(&by()))?;
        self.edit(&data.bead_id, true, |bead| {
            bead.status = BeadStatus::Hooked;
            bead.assignee = Some(data.agent.clone());
            bead.forget_imported("assignee");
            bead.forget_imported("status");
        })?;
        let on_hook = (HookKind::Bead, data.bead_id);
        self.hooks
            .put(self.event, data.agent, on_hook, data.hook_path);
        Ok(())
    }

    pub(super) fn close(&mut self, data: BeadClosed) -> Applied {
        let (bead, event) = (self.bead(&data.bead_id)?, self.event);
        if bead.status == BeadStatus::Closed {
            let by = self.beads.status_by(&bead.id);
            return Err(Refusal::new(format!("`{}` is already closed", bead.id)).won_by(&by));
        }
        self.edit(&data.bead_id, true, |bead| {
            forget_closing(bead);
            bead.status = BeadStatus::Closed;
            bead.closed_at = Some(event.timestamp.to_millis());
            bead.close_reason = (!data.reason.is_empty()).then_some(data.reason);
            // `Done` is the default, so it needs no record.
            bead.outcome = data.outcome.filter(|outcome| *outcome == Outcome::Failed);
            bead.forget_imported("status");
        })?;
        // The work is over, so take the bead off all hooks.
        self.hooks.let_go(HookKind::Bead, &data.bead_id);
        Ok(())
    }

    pub(super) fn reopen(&mut self, data: &BeadReopened) -> Applied {
        let bead = self.bead(&data.bead_id)?;
        if bead.status != BeadStatus::Closed {
            let by = self.beads.status_by(&bead.id);
            return Err(Refusal::new(format!("`{}` is not closed", bead.id)).won_by(&by));
        }
        self.edit(&data.bead_id, true, |bead| {
            bead.status = BeadStatus::Open;
            bead.forget_imported("status");
            forget_closing(bead);
        })
    }

    pub(super) fn add_dependency(&mut self, data: BeadDependencyAdded) -> Applied {
        let bead = self.bead(&data.bead_id)?;
        let at = self.event.timestamp.to_millis();
        let dependency = Dependency {
            depends_on_id: data.depends_on_id,
            kind: DependencyKind::of(&data.kind),
            created_at: at,
            created_by: self.event.actor.clone().into_owned(),
            gate: data.gate,
            rest: Fields::new(),
        };
        let (to, kind) = (&dependency.depends_on_id, &dependency.kind);
        if to.is_empty() || *to == bead.id {
            return Err(Refusal::new(format!(
                "`{}` cannot depend on itself",
                bead.id
            )));
        }
        let mut known = bead.dependencies.iter();
        if known.any(|one| one.depends_on_id == *to && one.kind == *kind) {
            let reason = format!("`{}` already has this dependency on `{to}`", bead.id);
            return Err(Refusal::new(reason));
        }
        if let (DependencyKind::ParentChild, Some(parent)) = (kind, bead.parent()) {
            return Err(Refusal::new(format!(
                "`{}` already has the parent `{parent}`",
                bead.id
            )));
        }
        if let Some(way) = self.links.cycle(self.beads, &bead.id, &dependency) {
            let reason = format!("the dependency would close a cycle: {}", way.join("; "));
            return Err(Refusal::new(reason));
        }
        self.link(&data.bead_id, &dependency);
        self.edit(&data.bead_id, false, |bead| {
            bead.dependencies.push(dependency);
            bead.forget_imported("dependencies");
        })
    }

    pub(super) fn remove_dependency(&mut self, data: &BeadDependencyRemoved) -> Applied {
        let bead = self.bead(&data.bead_id)?;
        let kind = data.kind.as_deref().map(DependencyKind::of);
        let is_meant = |known: &Dependency| {
            known.depends_on_id == data.depends_on_id
                && kind.as_ref().is_none_or(|kind| known.kind == *kind)
        };
        let gone = bead.dependencies.iter().filter(|known| is_meant(known));
        let gone: Vec<_> = gone.cloned().collect();
        if gone.is_empty() {
            let reason = format!(
                "`{}` has no such dependency on `{}`",
                bead.id, data.depends_on_id
            );
            return Err(Refusal::new(reason));
        }
        for dependency in &gone {
            self.unlink(&data.bead_id, dependency);
        }
        self.edit(&data.bead_id, false, |bead| {
            bead.dependencies.retain(|known| !is_meant(known));
            bead.forget_imported("dependencies");
        })
    }

    fn bead(&self, id: &str) -> Result<Cow<'_, Bead>, Refusal> {
        self.beads.get_cow(id).ok_or_else(|| missing(id))
    }

    /// Changes a bead in its place. The caller has checked the event, since a rejected one must
    /// leave the bead as it is.
    fn edit(&mut self, id: &str, is_status: bool, change: impl FnOnce(&mut Bead)) -> Applied {
        let (bead, note) = self.beads.get_mut(id).ok_or_else(|| missing(id))?;
        // Other beads only need to know about a change if it may block or free them.
        let gates = |bead: &Bead| (bead.status, hold(bead), bead.ending());
        let before = gates(bead);
        change(bead);
        bead.forget_imported("updated_at");
        self.work.note(id, gates(bead) != before);
        let at = self.event.timestamp.to_millis();
        // Normally, the time never goes back. If the clock of the last update was ahead, though,
        // every later change would keep that wrong time, so let it go back in this case.
        bead.updated_at = match note.is_ahead {
            true => at,
            false => at.max(bead.updated_at),
        };
        note.is_ahead = self.event.is_ahead();
        if is_status {
            note.status_by = self.event.event_id.clone().into_owned();
            note.status_actor = self.event.actor.clone().into_owned();
        }
        Ok(())
    }
}

fn missing(id: &str) -> Refusal {
    Refusal::new(format!("there is no bead `{id}`"))
}

impl Table<Bead> {
    /// Returns the id of the event that last set a bead's status, or an empty string if there is no
    /// such bead.
    pub(super) fn status_by(&self, id: &str) -> String {
        let head = self.head(id);
        head.map_or("", |head| head.status_by).to_owned()
    }

    /// Returns the actor that last set a bead's status, or an empty string if there is no such
    /// bead.
    pub(super) fn status_actor(&self, id: &str) -> String {
        let head = self.head(id);
        head.map_or("", |head| head.status_actor).to_owned()
    }
}

impl State {
    /// Finds out which bead would result from importing `record`, for a dry run. Afterwards, the
    /// state in memory no longer matches the log, so the caller must not write any events.
    ///
    /// # Errors
    /// Returns an error if the record cannot be imported.
    pub(crate) fn try_import(
        &mut self,
        data: &BeadImported,
        now: Stamp,
    ) -> Result<Option<Bead>, LedgerError> {
        let line = serde_json::json!({
            // The import only looks at the event's time and ids, so most of it can be made up.
            "event_id": "evt-try", "event_type": "bead.imported", "timestamp": now, "actor": "", "data": {},
        });
        let line = line.to_string();
        let event = EventLine::parse(line.as_bytes())?;
        self.fold_bead(&event)
            .import(data)
            .map_err(|refusal| LedgerError::Invalid(refusal.reason))?;
        Ok(self.beads.get(&data.bead_id))
    }
}

fn made_by(event: &EventLine<'_>) -> BeadNote {
    BeadNote {
        is_ahead: event.is_ahead(),
        made_by: event.event_id.clone().into_owned(),
        status_by: event.event_id.clone().into_owned(),
        status_actor: event.actor.clone().into_owned(),
    }
}

fn forget_closing(bead: &mut Bead) {
    bead.closed_at = None;
    bead.close_reason = None;
    bead.outcome = None;
    for field in ["closed_at", "close_reason", "outcome"] {
        bead.forget_imported(field);
    }
}

fn check_free(bead: &Bead, taker: &str) -> Applied {
    let holder = bead.assignee.as_deref();
    if bead.status == BeadStatus::Closed {
        return Err(Refusal::new(format!("`{}` is closed", bead.id)));
    }
    match holder {
        Some(holder) if holder != taker => Err(Refusal::new(format!(
            "`{}` is claimed by {holder} (status {})",
            bead.id, bead.status
        ))),
        // Nobody is named as the holder, but the status says that there's one.
        None if bead.status != BeadStatus::Open => Err(Refusal::new(format!(
            "`{}` is already taken (status {})",
            bead.id, bead.status
        ))),
        _ => Ok(()),
    }
}
