use windlass_repo::Snapshot;
use windlass_site::Error;

use super::kept_result::NotKept;
use crate::{Format, Pack, Styled, ViewOptions, view};

/// A pack as printed.
#[derive(Debug)]
pub struct Printed {
    /// The output in the requested format.
    pub main: Styled,
    /// The output in the second requested format, within the same limit.
    pub also: Option<Styled>,
    /// True if either format omits anything.
    pub(crate) cut: bool,
    /// Reason why the rest of the pack couldn't be stored. The output has no cursors in that case.
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
