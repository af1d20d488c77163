//! Events about beads.

use serde_json::Value;

use super::change::{change, check_priority, check_title};
use super::{BeadNote, Record as _, Refusal, State, links::Link};
use crate::bead::{Bead, BeadStatus, Dependency, DependencyKind, USUAL_PRIORITY, bead_of_record};
use crate::event::{
    BeadClosed, BeadCreated, BeadDependencyAdded, BeadDependencyRemoved, BeadHooked, BeadImported,
    BeadReopened, BeadStatusChanged, BeadUpdated, EventLine, Fields, Outcome,
};
use crate::hook::HookKind;
use crate::{LedgerError, Stamp, id};

type Applied = Result<(), Refusal>;

impl State {
    pub(super) fn create_bead(&mut self, event: &EventLine<'_>, data: BeadCreated) -> Applied {
        let bead_id = data.bead_id;
        if let Some(why) = id::bead_id_problem(&bead_id) {
            return Err(Refusal::new(format!(
                "the id `{bead_id}` cannot be used: {why}"
            )));
        }
        if let Some(found) = self.beads.find(&bead_id) {
            let made_by = found
                .head()
                .map(|head| head.made_by.to_owned())
                .unwrap_or_default();
            return Err(
                Refusal::new(format!("there is a bead `{bead_id}` already")).won_by(&made_by)
            );
        }
        check_title(&data.title)?;
        let at = event.timestamp.to_millis();
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
                .unwrap_or_else(|| event.actor.clone().into_owned()),
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
        self.beads.insert(bead, made_by(event));
        Ok(())
    }

    fn remember_prefix(&mut self, bead_id: &str) {
        if let Some((prefix, _)) = bead_id.rsplit_once('-')
            && self.small.prefix.as_deref() != Some(prefix)
        {
            self.small.prefix = Some(prefix.to_owned());
        }
    }

    pub(super) fn import_bead(&mut self, event: &EventLine<'_>, data: &BeadImported) -> Applied {
        let usual = data.missing_priority.unwrap_or(USUAL_PRIORITY);
        let usual = check_priority(usual.into())?;
        let mut bead = bead_of_record(&data.record, event.timestamp.to_millis(), usual)
            .map_err(|error| Refusal::new(error.to_string()))?;
        let known = self.beads.get(&bead.id);
        if let Some(known) = &known
            && known.updated_at > bead.updated_at
        {
            let by = self.status_by(&bead.id);
            let reason = format!("`{}` was changed since, at {}", bead.id, known.updated_at);
            return Err(Refusal::new(reason).won_by(&by));
        }
        for dependency in known.iter().flat_map(|bead| &bead.dependencies) {
            self.unlink(&bead.id, dependency);
        }
        let dependencies = std::mem::take(&mut bead.dependencies);
        if dependencies.iter().any(|one| Link::of(one).is_some()) {
            // Each is looked at beside those before it.
            self.beads.insert(bead.clone(), made_by(event));
        }
        for mut dependency in dependencies {
            let is_link = Link::of(&dependency).is_some();
            let is_self = dependency.depends_on_id == bead.id;
            if is_link && (is_self || self.circle(&bead.id, &dependency).is_some()) {
                dependency.put_aside();
            }
            self.link(&bead.id, &dependency);
            bead.dependencies.push(dependency);
            if is_link {
                self.beads.insert(bead.clone(), made_by(event));
            }
        }
        // What is taken over from elsewhere does not change what new beads here are called.
        if self.small.prefix.is_none() {
            self.remember_prefix(&bead.id);
        }
        self.beads.insert(bead, made_by(event));
        Ok(())
    }

    /// Returns the bead that a record would become if it were imported now; nothing is written.
    ///
    /// # Errors
    /// When it cannot be imported.
    pub fn try_import(
        &mut self,
        data: &BeadImported,
        now: Stamp,
    ) -> Result<Option<Bead>, LedgerError> {
        let line = serde_json::json!({
            "event_id": "evt-try", "event_type": "bead.imported", "timestamp": now, "actor": "", "data": {},
        });
        let line = line.to_string();
        let event = EventLine::parse(line.as_bytes())?;
        self.import_bead(&event, data)
            .map_err(|refusal| LedgerError::Invalid(refusal.reason))?;
        Ok(self.beads.get(&data.bead_id))
    }

    pub(super) fn update_bead(&mut self, event: &EventLine<'_>, data: &BeadUpdated) -> Applied {
        let mut bead = self.bead(&data.bead_id)?;
        for (name, value) in &data.changes {
            change(&mut bead, name, value)?;
            bead.forget_imported(name);
        }
        if !data.labels_added.is_empty() || !data.labels_removed.is_empty() {
            bead.forget_imported("labels");
        }
        if !data.metadata_set.is_empty() {
            bead.forget_imported("metadata");
        }
        bead.labels.extend(data.labels_added.iter().cloned());
        bead.labels
            .retain(|label| !data.labels_removed.contains(label));
        bead.sort_labels();
        for (name, value) in &data.metadata_set {
            match value {
                Value::Null => bead.metadata.shift_remove(name),
                value => bead.metadata.insert(name.clone(), value.clone()),
            };
        }
        self.replace(event, bead, false);
        Ok(())
    }

    pub(super) fn change_status(
        &mut self,
        event: &EventLine<'_>,
        data: &BeadStatusChanged,
    ) -> Applied {
        let mut bead = self.bead(&data.bead_id)?;
        let to: BeadStatus = data.to_status.parse().map_err(Refusal::new)?;
        let by = self.status_by(&bead.id);
        if data.claim {
            let taker = data.assignee.as_deref().unwrap_or(&event.actor);
            check_free(&bead, taker).map_err(|refusal| refusal.won_by(&by))?;
        } else if bead.status.as_str() != data.from_status && bead.status != to {
            let reason = format!(
                "`{}` was {} by then, no longer {}",
                bead.id, bead.status, data.from_status
            );
            return Err(Refusal::new(reason).won_by(&by));
        }
        if to == BeadStatus::Closed && bead.status != to {
            forget_closing(&mut bead);
            bead.closed_at = Some(event.timestamp.to_millis());
            bead.close_reason = data.reason.clone();
        } else if to != BeadStatus::Closed {
            forget_closing(&mut bead);
        }
        bead.status = to;
        if data.assignee.is_some() {
            bead.assignee.clone_from(&data.assignee);
            bead.forget_imported("assignee");
        }
        bead.forget_imported("status");
        self.replace(event, bead, true);
        Ok(())
    }

    pub(super) fn hook_bead(&mut self, event: &EventLine<'_>, data: &BeadHooked) -> Applied {
        let mut bead = self.bead(&data.bead_id)?;
        let by = self.status_by(&bead.id);
        check_free(&bead, &data.agent).map_err(|refusal| refusal.won_by(&by))?;
        bead.status = BeadStatus::Hooked;
        bead.assignee = Some(data.agent.clone());
        bead.forget_imported("assignee");
        bead.forget_imported("status");
        let (agent, reference) = (data.agent.clone(), bead.id.clone());
        self.replace(event, bead, true);
        let path = data.hook_path.clone();
        self.put_on_hook(
            event.timestamp,
            agent,
            HookKind::Bead,
            reference,
            path,
            &event.event_id,
        );
        Ok(())
    }

    pub(super) fn close_bead(&mut self, event: &EventLine<'_>, data: BeadClosed) -> Applied {
        let mut bead = self.bead(&data.bead_id)?;
        if bead.status == BeadStatus::Closed {
            let by = self.status_by(&bead.id);
            return Err(Refusal::new(format!("`{}` is closed already", bead.id)).won_by(&by));
        }
        forget_closing(&mut bead);
        bead.status = BeadStatus::Closed;
        bead.closed_at = Some(event.timestamp.to_millis());
        bead.close_reason = (!data.reason.is_empty()).then_some(data.reason);
        bead.outcome = data.outcome.filter(|outcome| *outcome == Outcome::Failed);
        bead.forget_imported("status");
        let reference = bead.id.clone();
        self.replace(event, bead, true);
        // What is done is on nobody's hook.
        self.small
            .hooks
            .retain(|_, hook| hook.kind != HookKind::Bead || hook.reference != reference);
        Ok(())
    }

    pub(super) fn reopen_bead(&mut self, event: &EventLine<'_>, data: &BeadReopened) -> Applied {
        let mut bead = self.bead(&data.bead_id)?;
        if bead.status != BeadStatus::Closed {
            let by = self.status_by(&bead.id);
            return Err(Refusal::new(format!("`{}` is not closed", bead.id)).won_by(&by));
        }
        bead.status = BeadStatus::Open;
        bead.forget_imported("status");
        forget_closing(&mut bead);
        self.replace(event, bead, true);
        Ok(())
    }

    pub(super) fn add_dependency(
        &mut self,
        event: &EventLine<'_>,
        data: BeadDependencyAdded,
    ) -> Applied {
        let mut bead = self.bead(&data.bead_id)?;
        let at = event.timestamp.to_millis();
        let dependency = Dependency {
            depends_on_id: data.depends_on_id,
            kind: DependencyKind::of(&data.kind),
            created_at: at,
            created_by: event.actor.clone().into_owned(),
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
        let mut there = bead.dependencies.iter();
        if there.any(|known| known.depends_on_id == *to && known.kind == *kind) {
            let reason = format!("`{}` has that dependency on `{to}` already", bead.id);
            return Err(Refusal::new(reason));
        }
        if let (DependencyKind::ParentChild, Some(parent)) = (kind, bead.parent()) {
            return Err(Refusal::new(format!(
                "`{}` is a part of `{parent}` already",
                bead.id
            )));
        }
        if let Some(way) = self.circle(&bead.id, &dependency) {
            let reason = format!("nothing of this could ever begin: {}", way.join("; "));
            return Err(Refusal::new(reason));
        }
        self.link(&bead.id, &dependency);
        bead.dependencies.push(dependency);
        bead.forget_imported("dependencies");
        self.replace(event, bead, false);
        Ok(())
    }

    pub(super) fn remove_dependency(
        &mut self,
        event: &EventLine<'_>,
        data: &BeadDependencyRemoved,
    ) -> Applied {
        let mut bead = self.bead(&data.bead_id)?;
        let kind = data.kind.as_deref().map(DependencyKind::of);
        let is_meant = |known: &Dependency| {
            known.depends_on_id == data.depends_on_id
                && kind.as_ref().is_none_or(|kind| known.kind == *kind)
        };
        let (gone, kept): (Vec<_>, Vec<_>) = bead.dependencies.drain(..).partition(is_meant);
        if gone.is_empty() {
            let reason = format!(
                "`{}` has no such dependency on `{}`",
                bead.id, data.depends_on_id
            );
            return Err(Refusal::new(reason));
        }
        for dependency in &gone {
            self.unlink(&bead.id, dependency);
        }
        bead.dependencies = kept;
        bead.forget_imported("dependencies");
        self.replace(event, bead, false);
        Ok(())
    }

    fn bead(&self, id: &str) -> Result<Bead, Refusal> {
        let missing = || Refusal::new(format!("there is no bead `{id}`"));
        self.beads.get(id).ok_or_else(missing)
    }

    /// The event that brought the bead to where it stands.
    pub(crate) fn status_by(&self, id: &str) -> String {
        let found = self.beads.find(id);
        let head = found.as_ref().and_then(super::Found::head);
        head.map(|head| head.status_by.to_owned())
            .unwrap_or_default()
    }

    /// The actor of that event.
    pub(super) fn status_actor(&self, id: &str) -> String {
        let found = self.beads.find(id);
        let head = found.as_ref().and_then(super::Found::head);
        head.map(|head| head.status_actor.to_owned())
            .unwrap_or_default()
    }

    fn replace(&mut self, event: &EventLine<'_>, mut bead: Bead, is_status: bool) {
        bead.forget_imported("updated_at");
        let known = self.beads.find(&bead.id);
        let known = known.and_then(|found| found.head().map(|head| Bead::note(&head)));
        let mut note = known.unwrap_or_default();
        let at = event.timestamp.to_millis();
        bead.updated_at = match note.is_ahead {
            true => at,
            false => at.max(bead.updated_at),
        };
        note.is_ahead = event.is_ahead();
        if is_status {
            note.status_by = event.event_id.clone().into_owned();
            note.status_actor = event.actor.clone().into_owned();
        }
        self.beads.insert(bead, note);
    }

    fn link(&mut self, from: &str, dependency: &Dependency) {
        if let (Some(links), Some(link)) = (&mut self.links, Link::of(dependency)) {
            links.add(from, link);
        }
    }

    fn unlink(&mut self, from: &str, dependency: &Dependency) {
        if let (Some(links), Some(link)) = (&mut self.links, Link::of(dependency)) {
            links.remove(from, link);
        }
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

/// Whether `taker` may take the bead for themselves.
fn check_free(bead: &Bead, taker: &str) -> Applied {
    let holder = bead.assignee.as_deref();
    if bead.status == BeadStatus::Closed {
        return Err(Refusal::new(format!("`{}` is closed", bead.id)));
    }
    match holder {
        Some(holder) if holder != taker => Err(Refusal::new(format!(
            "{holder} has `{}`, which is {}",
            bead.id, bead.status
        ))),
        None if bead.status != BeadStatus::Open => Err(Refusal::new(format!(
            "somebody has `{}`, which is {}",
            bead.id, bead.status
        ))),
        _ => Ok(()),
    }
}
