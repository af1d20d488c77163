use windlass::{Ending, Error, ErrorKind};

/// Exit status of the process.
///
/// Scripts depend on the numbers, so never change them. If you add a status, also add it to
/// [`Exit::ALL`], which help texts are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// The work failed, or a check found a problem.
    Failed,
    /// The usage was wrong, or a document is invalid.
    Invalid,
    /// Something that the user named does not exist.
    NotFound,
    /// The operation is not allowed, for example because the user has not trusted the runbook.
    Refused,
    /// Another process was faster, or holds a lock.
    Conflict,
    /// Evidence is stale, and the runbook has `freshness: strict`.
    Stale,
    /// There is a bug in Windlass. The user cannot do anything about it, except for reporting it.
    Internal,
    Interrupted,
}

impl Exit {
    pub(crate) const ALL: [Self; 9] = [
        Self::Done,
        Self::Failed,
        Self::Invalid,
        Self::NotFound,
        Self::Refused,
        Self::Conflict,
        Self::Stale,
        Self::Internal,
        Self::Interrupted,
    ];

    pub(crate) fn done_if(holds: bool) -> Self {
        if holds { Self::Done } else { Self::Failed }
    }

    pub(crate) fn meaning(self) -> &'static str {
        self.code_and_meaning().1
    }

    pub(crate) fn code(self) -> u8 {
        self.code_and_meaning().0
    }

    fn code_and_meaning(self) -> (u8, &'static str) {
        match self {
            Self::Done => (0, "done"),
            Self::Failed => (1, "failed, or a check found something"),
            Self::Invalid => (2, "wrong usage or invalid document"),
            Self::NotFound => (3, "not found"),
            Self::Refused => (4, "refused: secret, untrusted or not permitted"),
            Self::Conflict => (5, "conflict: another process was faster, or holds a lock"),
            Self::Stale => (6, "stale evidence under `freshness: strict`"),
            // 70 is `EX_SOFTWARE` in `sysexits.h`, and shells use 130 for an interrupt.
            Self::Internal => (70, "a bug in Windlass"),
            Self::Interrupted => (130, "interrupted"),
        }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Invalid => Self::Invalid,
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::Conflict => Self::Conflict,
            ErrorKind::Failed => Self::Failed,
            ErrorKind::Interrupted => Self::Interrupted,
            ErrorKind::Internal => Self::Internal,
        }
    }
}

impl From<&Error> for Exit {
    fn from(error: &Error) -> Self {
        error.kind().into()
    }
}

impl From<Ending> for Exit {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Done => Self::Done,
            Ending::Failed => Self::Failed,
            Ending::Refused => Self::Refused,
            Ending::Stale => Self::Stale,
            Ending::Cancelled => Self::Interrupted,
        }
    }
}
