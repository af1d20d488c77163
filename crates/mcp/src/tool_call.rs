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

/// Smallest limit for the answer to a change, in characters.
///
/// We can shorten any such answer to this length, so it's enough to check the limit before making
/// the change. [`MIN_TOKENS`] is the same in tokens; adjust both if the answers get new fields that
/// can't be cut.
const MIN_CHARS: usize = 800;
const MIN_TOKENS: usize = 300;

pub(crate) struct Call<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The tool's own arguments, which match its schema. The common ones have been removed.
    pub(crate) arguments: &'a Map<String, Value>,
    /// Default for the actor, unless the call or the environment names another one.
    pub(crate) actor: Option<&'a str>,
    pub(crate) limit: Option<Limit>,
    pub(crate) only_reading: bool,
    /// Raised when the client cancels the call.
    pub(crate) stop: Stop,
    pub(crate) observer: Arc<dyn Observer>,
}

impl Call<'_> {
    /// Parses the tool's arguments.
    ///
    /// # Errors
    /// Returns an error if they match the schema but not the tool, such as an integer that's too
    /// large.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        read(self.arguments).map_err(|why| {
            let named = misfit::<T>(self.arguments);
            let named = named.map(|name| format!("`{name}`: "));
            Failure::Meaningless(format!("{}{why}", named.unwrap_or_default()))
        })
    }

    /// Returns the folder that relative paths start from. For tools it's the root, since they have
    /// no current folder.
    pub(crate) fn start(&self) -> &Path {
        self.workspace.site().repo().root()
    }

    /// Adds the repository to the arguments of a next call, if the caller has to name it.
    pub(crate) fn keep_root(&self, arguments: &mut Map<String, Value>) {
        let caller = self.workspace.site().caller();
        if let Some(root) = caller.and_then(|caller| caller.root()) {
            arguments.insert("root".to_owned(), Value::from(root));
        }
    }

    /// Checks that the answer to a change will fit. Call this before changing anything, because the
    /// caller wouldn't learn about the change otherwise.
    ///
    /// # Errors
    /// Returns an error if the limit is too small.
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

    /// Returns the call that reverts a change to the notebook. Don't make it a next action: agents
    /// follow those, and would undo what they've just asked for.
    pub(crate) fn undo(&self, change: &NotebookChange) -> Option<NextAction> {
        let is_done = !change.dry_run && !change.changes.is_empty();
        let undo = NextAction::new("notebook rollback", "revert it").positional(change.before);
        let undo = undo.for_caller(self.workspace.site().caller());
        undo.filter(|_| is_done)
    }

    /// Waits for `work` on this blocking thread.
    ///
    /// The runtime belongs to the serving thread. An abandoned step may go on computing there, and
    /// we don't wait for it.
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

/// Returns the argument that can't be parsed.
///
/// The parser doesn't tell us, so we leave out one argument at a time and see if the rest is fine.
/// This finds nothing if several arguments are wrong, and the message then comes without a name.
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
/// Returns an error if there are two.
pub(crate) fn limit_of(arguments: &Map<String, Value>) -> Result<Option<Limit>, Failure> {
    let named = |name: &str| {
        let value = arguments.get(name)?;
        // A negative limit counts as zero, so that the error is about its size.
        Some(usize::try_from(value.as_i64()?.max(0)).unwrap_or(usize::MAX))
    };
    match (named("max_chars"), named("max_tokens")) {
        (Some(_), Some(_)) => Err(Failure::Meaningless(
            "`max_chars` and `max_tokens` are both given: omit one".to_owned(),
        )),
        (chars, tokens) => Ok(chars.map(Limit::Chars).or(tokens.map(Limit::Tokens))),
    }
}
