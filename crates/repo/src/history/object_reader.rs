//! Reuses a single git process per snapshot for reading objects.

use std::sync::{Mutex, PoisonError};

use super::not_in_past::{NotInPast, not_in_past};
use crate::git::{Git, GitError, Object, Objects};

#[derive(Default)]
pub(super) struct ObjectReader(Mutex<Reader>);

#[derive(Default)]
struct Reader {
    objects: Option<Objects>,
    /// True if the process may work in another user's repository that this user trusts. Finding
    /// that out takes another git call, so the first attempt does without.
    looks_up_trust: bool,
}

impl ObjectReader {
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
    /// Asks the running process first. If that fails (it may have been killed, for example), we try
    /// again with a new one.
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
