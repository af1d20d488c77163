//! A single call of a tool.

use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use windlass::base::{Limit, NextAction};
use windlass::engine::{Observer, Stop};
use windlass::packs::ViewError;
use windlass::{Error, NotebookChange, Workspace};

use crate::answer::USUAL;
use crate::tool_failure::Failure;

/// Minimum limit for the answer to a change, in characters. Any such answer can be shortened to
/// that. [`MIN_TOKENS`] is the same in tokens.
const MIN_CHARS: usize = 800;
const MIN_TOKENS: usize = 300;

pub(crate) struct Call<'a> {
    pub(crate) workspace: &'a Workspace,
    /// Arguments that match the tool's schema.
    pub(crate) arguments: &'a Map<String, Value>,
    /// Actor, if neither the call nor the environment names one.
    pub(crate) actor: Option<&'a str>,
    /// Limit given by the caller.
    pub(crate) limit: Option<Limit>,
    pub(crate) only_reading: bool,
    /// Raised when the client cancels the call.
    pub(crate) stop: Stop,
    /// Receiver of progress.
    pub(crate) observer: Arc<dyn Observer>,
}

impl Call<'_> {
    /// Parses the arguments of the tool.
    ///
    /// # Errors
    /// If they match the schema but not the tool, such as an integer that is too large.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        read(self.arguments).map_err(|why| {
            let named = misfit::<T>(self.arguments);
            let named = named.map(|name| format!("`{name}`: "));
            Failure::Meaningless(format!("{}{why}", named.unwrap_or_default()))
        })
    }

    /// Returns the base of relative paths, which is always the root.
    pub(crate) fn start(&self) -> &Path {
        self.workspace.site().repo().root()
    }

    /// Checks that the answer to a change will fit, before anything is changed.
    ///
    /// # Errors
    /// If the limit is too small.
    pub(crate) fn check_room(&self) -> Result<(), Failure> {
        let limit = self.limit.unwrap_or(USUAL);
        let least = match limit {
            Limit::Chars(_) => MIN_CHARS,
            Limit::Tokens(_) => MIN_TOKENS,
        };
        match limit.max() {
            given if given < least => Err(Error::from(ViewError::TooSmall { given, least }).into()),
            _ => Ok(()),
        }
    }

    /// Returns the call that reverts a change to the notebook. It must not be a next action: a
    /// caller that follows those would undo its own request.
    pub(crate) fn undo(&self, change: &NotebookChange) -> Option<NextAction> {
        let is_done = !change.dry_run && !change.changes.is_empty();
        let undo = NextAction::new("notebook rollback", "revert it").positional(change.before);
        let undo = undo.for_caller(self.workspace.site().caller());
        undo.filter(|_| is_done)
    }

    /// Waits for `work` on this blocking thread. The server's runtime is on the serving thread,
    /// where an abandoned step may still be computing. We don't wait for that.
    ///
    /// # Errors
    /// Those of `work`.
    pub(crate) fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Failure> {
        Ok(Handle::current().block_on(work)?)
    }
}

fn read<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, String> {
    T::deserialize(Value::Object(arguments.clone())).map_err(|error| error.to_string())
}

/// Returns the argument that cannot be parsed, found by leaving out one argument at a time.
fn misfit<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Option<&str> {
    let mut names = arguments.keys();
    let without = |name: &&String| {
        let mut others = arguments.clone();
        others.remove(*name);
        read::<T>(&others).is_ok()
    };
    names.find(without).map(String::as_str)
}

/// Returns the limit given in a call's arguments.
///
/// # Errors
/// If there are two.
pub(crate) fn limit_of(arguments: &Map<String, Value>) -> Result<Option<Limit>, Failure> {
    let named = |name: &str| {
        let value = arguments.get(name)?;
        // Count a negative limit as zero.
        Some(usize::try_from(value.as_i64()?.max(0)).unwrap_or(usize::MAX))
    };
    match (named("max_chars"), named("max_tokens")) {
        (Some(_), Some(_)) => Err(Failure::Meaningless(
            "`max_chars` and `max_tokens` are both given: omit one".to_owned(),
        )),
        (chars, tokens) => Ok(chars.map(Limit::Chars).or(tokens.map(Limit::Tokens))),
    }
}
