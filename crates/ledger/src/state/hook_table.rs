//! The hooks of all agents. Each has a file of its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::EventLine;
use crate::hook::{Hook, HookKind, is_hook_path, usual_file_name};
use crate::id;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct HookTable(BTreeMap<String, Hook>);

impl HookTable {
    pub(super) fn by_agent(&self) -> &BTreeMap<String, Hook> {
        &self.0
    }

    /// Sets the hook of `agent`. If `path` is not usable as its file, we use [`Self::path`]
    /// instead.
    pub(super) fn put(
        &mut self,
        event: &EventLine<'_>,
        agent: String,
        (kind, reference): (HookKind, String),
        path: String,
    ) {
        let hook = Hook {
            kind,
            reference,
            path: self.usable_path(&agent, path),
            since: event.timestamp.to_millis(),
            set_by: event.event_id.clone().into_owned(),
        };
        self.0.insert(agent, hook);
    }

    pub(super) fn clear(&mut self, agent: &str) {
        self.0.remove(agent);
    }

    pub(super) fn let_go(&mut self, kind: HookKind, reference: &str) {
        self.0
            .retain(|_, hook| hook.kind != kind || hook.reference != reference);
    }

    /// Returns `path` if it is a valid hook file that no other agent uses, and [`Self::path`]
    /// otherwise.
    fn usable_path(&self, agent: &str, path: String) -> String {
        match is_hook_path(&path) && !self.is_used_by_other(agent, &path) {
            true => path,
            false => self.path(agent),
        }
    }

    /// Returns the path of `agent`'s hook file, relative to the folder containing `.beads`.
    ///
    /// This is the present one if there is a hook, and otherwise the usual one. If another agent
    /// uses that, we derive a unique path from the agent's name, so that every reader gets the
    /// same.
    pub(super) fn path(&self, agent: &str) -> String {
        if let Some(hook) = self.0.get(agent).filter(|hook| !hook.path.is_empty()) {
            return hook.path.clone();
        }
        let usual = format!(".beads/{}", usual_file_name(agent));
        match self.is_used_by_other(agent, &usual) {
            false => usual,
            true => format!(
                "{usual}~{}",
                id::drawn(&[agent.as_bytes()], id::SHORT_CHARS)
            ),
        }
    }

    fn is_used_by_other(&self, agent: &str, path: &str) -> bool {
        let mut others = self.0.iter().filter(|(other, _)| *other != agent);
        others.any(|(_, hook)| hook.path == path)
    }
}
