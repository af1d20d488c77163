//! Outputs of steps.
//!
//! Every reader of a log has to read all of it, so large outputs would make all commands slow. We
//! store those apart from the log, and only their digest goes there.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::Digest;

use super::{MolStep, Molecule, World};
use crate::LedgerError;

/// Maximum length of an output in the log, in bytes of JSON. Longer ones are stored apart. The
/// documentation of the events mentions this limit, so update it along with the constant.
const MAX_INLINE: usize = 64 << 10;

/// Reference to an output that's stored apart from the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoredOutput {
    /// BLAKE3 digest of the output's JSON, as 64 hexadecimal digits.
    pub blake3: String,
    /// Length of the output's JSON, in bytes.
    pub bytes: u64,
}

impl StoredOutput {
    /// The reference to an output with this JSON.
    #[must_use]
    pub fn of(json: &[u8]) -> Self {
        Self {
            blake3: Digest::of_bytes(json).hex(),
            bytes: json.len() as u64,
        }
    }

    /// If `output` is too large for the log, returns the reference that replaces it, and the JSON
    /// to store.
    pub(crate) fn of_large(output: &Value) -> Result<Option<(Self, Vec<u8>)>, LedgerError> {
        let json = serde_json::to_vec(output)?;
        Ok((json.len() > MAX_INLINE).then(|| (Self::of(&json), json)))
    }
}

/// The output of a step. If it's a large one, it has to be loaded before use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutput {
    /// The value. Null if the step has no output.
    Value(Value),
    /// Stands for a value that's stored apart from the log.
    Stored(StoredOutput),
}

impl Default for StepOutput {
    fn default() -> Self {
        Self::Value(Value::Null)
    }
}

impl StepOutput {
    pub(crate) fn of_event(output: Value, stored: Option<StoredOutput>) -> Self {
        stored.map_or(Self::Value(output), Self::Stored)
    }

    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The value, or `None` if it's stored apart from the log.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Stored(_) => None,
        }
    }

    /// The reference to an output that we'd have to load, or `None` if the value is here.
    #[must_use]
    pub fn stored(&self) -> Option<&StoredOutput> {
        match self {
            Self::Value(_) => None,
            Self::Stored(stored) => Some(stored),
        }
    }

    /// Compares the output with another one. There's no need to load a stored one, because its
    /// digest tells.
    pub(crate) fn is(&self, output: &Value) -> bool {
        match self {
            Self::Value(value) => value == output,
            Self::Stored(stored) => StoredOutput::of_large(output)
                .is_ok_and(|found| found.is_some_and(|(found, _)| found == *stored)),
        }
    }

    /// Gets the value, loading it if necessary.
    ///
    /// # Errors
    /// Returns [`LedgerError::NoOutput`] if it can't be loaded.
    pub fn load(&self, world: &dyn World) -> Result<Cow<'_, Value>, LedgerError> {
        match self {
            Self::Value(value) => Ok(Cow::Borrowed(value)),
            Self::Stored(stored) => world.output(stored).map(Cow::Owned),
        }
    }
}

impl Molecule {
    /// Loads the outputs of the steps for which `is_wanted` returns true, so that
    /// [`StepOutput::value`] has them.
    ///
    /// # Errors
    /// Returns [`LedgerError::NoOutput`] if an output can't be loaded.
    pub fn load_outputs(
        &mut self,
        world: &dyn World,
        is_wanted: impl Fn(&MolStep) -> bool,
    ) -> Result<(), LedgerError> {
        for step in self.steps.iter_mut().filter(|step| is_wanted(step)) {
            if step.output.stored().is_some() {
                step.output = StepOutput::Value(step.output.load(world)?.into_owned());
            }
        }
        Ok(())
    }
}
