//! The git process that reads objects for a snapshot.

use std::sync::{Mutex, PoisonError};

use super::not_in_past::{NotInPast, not_in_past};
use crate::git::{Git, GitError, Object, Objects};

/// The git process of one snapshot, started on first use.
#[derive(Default)]
pub(super) struct ObjectReader(Mutex<Reader>);

#[derive(Default)]
struct Reader {
    objects: Option<Objects>,
    /// True if the process accepts a repository of another user whose folder this user trusts.
    looks_up_trust: bool,
}

impl ObjectReader {
    /// Returns the answer of `ask`, which queries the process.
    pub(super) fn get(
        &self,
        git: &Git,
        ask: impl Fn(&mut Objects) -> Result<Object, GitError>,
    ) -> Result<Object, NotInPast> {
        let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reader.get(git, ask)
    }
}

impl Reader {
    /// Queries the running process, and restarts it once if the query fails.
    fn get(
        &mut self,
        git: &Git,
        ask: impl Fn(&mut Objects) -> Result<Object, GitError>,
    ) -> Result<Object, NotInPast> {
        if let Some(objects) = &mut self.objects
            && let Ok(object) = ask(objects)
        {
            return Ok(object);
        }
        self.objects = None;
        let mut objects = git.objects(self.looks_up_trust).map_err(not_in_past)?;
        let mut object = ask(&mut objects);
        if object.is_err() && !self.looks_up_trust {
            self.looks_up_trust = true;
            objects = git.objects(true).map_err(not_in_past)?;
            object = ask(&mut objects);
        }
        let object = object
            .inspect_err(|error| git.note_failure(error))
            .map_err(not_in_past)?;
        self.objects = Some(objects);
        Ok(object)
    }
}
