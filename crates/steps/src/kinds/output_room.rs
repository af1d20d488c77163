//! What a step puts together out of what it was given, weighed before it is copied.

use serde_json::Value;
use windlass_base::json_size_within;
use windlass_engine::{ErrorKind, MAX_OUTPUT_BYTES, StepError};

/// How many bytes of JSON an output has room for.
pub(crate) struct Room {
    left: usize,
}

impl Room {
    /// The room of a whole output.
    pub(crate) fn of_an_output() -> Self {
        Self {
            left: MAX_OUTPUT_BYTES,
        }
    }

    /// Takes `bytes` of it.
    ///
    /// # Errors
    /// When there are no longer as many.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), StepError> {
        self.left = self.left.checked_sub(bytes).ok_or_else(too_large)?;
        Ok(())
    }

    /// Takes what the JSON of `value` needs.
    ///
    /// # Errors
    /// When there is less.
    pub(crate) fn take_value(&mut self, value: &Value) -> Result<(), StepError> {
        let bytes = json_size_within(value, self.left).ok_or_else(too_large)?;
        self.take(bytes)
    }
}

fn too_large() -> StepError {
    let message = format!("its output would be larger than the limit of {MAX_OUTPUT_BYTES} bytes");
    StepError::new(ErrorKind::TooLarge, message)
}
