//! The size limit for outputs that are assembled from other outputs. We check it before copying
//! anything, because copies of large inputs could use up the memory.

use serde_json::Value;
use windlass_base::json_size_within;
use windlass_engine::{ErrorKind, MAX_OUTPUT_BYTES, StepError};

/// Space left in an output, in bytes of JSON.
pub(crate) struct Room {
    left: usize,
}

impl Room {
    pub(crate) fn of_an_output() -> Self {
        Self {
            left: MAX_OUTPUT_BYTES,
        }
    }

    /// Reserves `bytes` bytes, or fails if there aren't that many left.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), StepError> {
        self.left = self.left.checked_sub(bytes).ok_or_else(too_large)?;
        Ok(())
    }

    /// Like [`take`](Self::take), but for the size of `value`. A value that's too large isn't
    /// measured to its end.
    pub(crate) fn take_value(&mut self, value: &Value) -> Result<(), StepError> {
        let bytes = json_size_within(value, self.left).ok_or_else(too_large)?;
        self.take(bytes)
    }
}

fn too_large() -> StepError {
    let message = format!("its output would be larger than the limit of {MAX_OUTPUT_BYTES} bytes");
    StepError::new(ErrorKind::TooLarge, message)
}
