//! The files of hooks, each of one agent alone.

use super::State;
use crate::hook::{is_hook_path, usual_file_name};
use crate::id;

impl State {
    /// `path` if it can be that of `agent`'s hook, otherwise one that can.
    pub(crate) fn usable_hook_path(&self, agent: &str, path: String) -> String {
        let mut others = self.hooks().iter().filter(|(other, _)| *other != agent);
        let is_free = is_hook_path(&path) && !others.any(|(_, hook)| hook.path == path);
        if is_free { path } else { self.hook_path(agent) }
    }

    /// The file of `agent`'s hook, from the folder that `.beads` lies in: the usual one, or, while that is another
    /// agent's, one of its own.
    #[must_use]
    pub fn hook_path(&self, agent: &str) -> String {
        if let Some(hook) = self.hooks().get(agent).filter(|hook| !hook.path.is_empty()) {
            return hook.path.clone();
        }
        let usual = format!(".beads/{}", usual_file_name(agent));
        let mut others = self.hooks().iter().filter(|(other, _)| *other != agent);
        match others.any(|(_, hook)| hook.path == usual) {
            false => usual,
            true => format!("{usual}~{}", id::drawn(&[agent.as_bytes()], id::SHORT)),
        }
    }
}
