//! One call of a tool.

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

/// What the answer to a change takes at least, however much it leaves out.
const LEAST_CHARS: usize = 800;
const LEAST_TOKENS: usize = 300;

/// One call of a tool.
pub(crate) struct Call<'a> {
    /// The repository it is about.
    pub(crate) workspace: &'a Workspace,
    /// What it says; it fits the schema of the tool.
    pub(crate) arguments: &'a Map<String, Value>,
    /// Who calls, where neither the call nor the environment says so.
    pub(crate) actor: Option<&'a str>,
    /// How much it may give, where it says so.
    pub(crate) limit: Option<Limit>,
    /// Whether nothing may be changed.
    pub(crate) only_reading: bool,
    /// Raised when nobody waits for it any more.
    pub(crate) stop: Stop,
    /// Who is told how far it is.
    pub(crate) observer: Arc<dyn Observer>,
}

impl Call<'_> {
    /// The arguments as the tool reads them.
    ///
    /// # Errors
    /// When they fit the schema and not the tool: an integer that is too large, for one.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        read(self.arguments).map_err(|why| {
            let named = misfit::<T>(self.arguments);
            let named = named.map(|name| format!("`{name}`: "));
            Failure::Meaningless(format!("{}{why}", named.unwrap_or_default()))
        })
    }

    /// The folder that files are named from: the root, wherever the server was started.
    pub(crate) fn start(&self) -> &Path {
        self.workspace.site().repo().root()
    }

    /// Makes sure that what comes of a change can be told, before anything is changed.
    ///
    /// # Errors
    /// When the limit is too small for that.
    pub(crate) fn check_room(&self) -> Result<(), Failure> {
        let limit = self.limit.unwrap_or(USUAL);
        let least = match limit {
            Limit::Chars(_) => LEAST_CHARS,
            Limit::Tokens(_) => LEAST_TOKENS,
        };
        match limit.max() {
            given if given < least => Err(Error::from(ViewError::TooSmall { given, least }).into()),
            _ => Ok(()),
        }
    }

    /// How a change of the notebook is taken back. It is no next action: who follows those would undo what was asked for.
    pub(crate) fn undo(&self, change: &NotebookChange) -> Option<NextAction> {
        let is_done = !change.dry_run && !change.changes.is_empty();
        let undo = NextAction::new("notebook rollback", "take it back").positional(change.before);
        let undo = undo.for_caller(self.workspace.site().caller());
        undo.filter(|_| is_done)
    }

    /// Does `work`, which waits for programs and threads, on this one. The runtime of the server is looked after by the
    /// thread that serves; a step that was given up may still compute there, and nobody waits for it.
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

/// Which of `arguments` it is that cannot be read: the one without which the others can.
fn misfit<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Option<&str> {
    let mut names = arguments.keys();
    let without = |name: &&String| {
        let mut others = arguments.clone();
        others.remove(*name);
        read::<T>(&others).is_ok()
    };
    names.find(without).map(String::as_str)
}

/// The limit that the arguments of a call name.
///
/// # Errors
/// When they name two.
pub(crate) fn limit_of(arguments: &Map<String, Value>) -> Result<Option<Limit>, Failure> {
    let named = |name: &str| {
        let value = arguments.get(name)?;
        // One that is negative is as small as none.
        Some(usize::try_from(value.as_i64()?.max(0)).unwrap_or(usize::MAX))
    };
    match (named("max_chars"), named("max_tokens")) {
        (Some(_), Some(_)) => Err(Failure::Meaningless(
            "`max_chars` and `max_tokens` are both given: leave one of them out".to_owned(),
        )),
        (chars, tokens) => Ok(chars.map(Limit::Chars).or(tokens.map(Limit::Tokens))),
    }
}
