use windlass_repo::Snapshot;
use windlass_site::Error;

use super::kept_result::NotKept;
use crate::{Format, Pack, Styled, ViewOptions, view};

/// A pack in one or two formats.
#[derive(Debug)]
pub struct Printed {
    /// The pack in the requested format.
    pub main: Styled,
    /// The pack in the second format, if requested. It's cut to the same limit.
    pub also: Option<Styled>,
    /// True if anything is omitted in one of the formats.
    pub(crate) cut: bool,
    /// The reason why the rest of the pack couldn't be stored. The output has no cursors in this
    /// case.
    pub cursors_lost: Option<NotKept>,
}

impl Printed {
    /// Prints the part of `pack` that fits the limit, without storing anything.
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
