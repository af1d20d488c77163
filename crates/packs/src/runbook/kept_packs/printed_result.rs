use windlass_repo::Snapshot;
use windlass_site::Error;

use super::kept_result::NotKept;
use crate::{Format, Pack, Styled, ViewOptions, view};

/// Printed form of a pack.
#[derive(Debug)]
pub struct Printed {
    /// Output in the requested format.
    pub main: Styled,
    /// Output in the second requested format, within the same limit.
    pub also: Option<Styled>,
    /// True if anything was omitted in either format.
    pub(crate) cut: bool,
    /// Reason why the rest of the pack could not be stored. The output has no cursors then.
    pub cursors_lost: Option<NotKept>,
}

impl Printed {
    /// Prints the part of `pack` that fits the limit.
    ///
    /// # Errors
    /// Returns an error if the budget is too small.
    pub fn of(
        pack: &Pack,
        snapshot: &Snapshot,
        options: &ViewOptions,
        also: Option<Format>,
    ) -> Result<Self, Error> {
        let called = pack.as_called();
        let (shown, main) = view(&called, snapshot, options)?;
        let mut cut = shown.is_truncated();
        let also = match also {
            Some(format) => {
                let options = ViewOptions { format, ..*options };
                let (shown, also) = view(&called, snapshot, &options)?;
                cut |= shown.is_truncated();
                Some(also)
            }
            None => None,
        };
        Ok(Self {
            main,
            also,
            cut,
            cursors_lost: None,
        })
    }
}
