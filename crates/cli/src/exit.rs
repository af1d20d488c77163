use windlass::{Ending, Error, ErrorKind};

/// Exit status of the process. Scripts depend on the numbers, so they must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command succeeded.
    Done,
    /// The work failed, or a check found a problem.
    Failed,
    /// The usage is wrong, or a document is invalid.
    Invalid,
    /// A named object doesn't exist.
    NotFound,
    /// The operation isn't allowed.
    Refused,
    /// Another process was faster, or holds a lock.
    Conflict,
    /// Evidence is stale under `freshness: strict`.
    Stale,
    /// There is a bug in Windlass.
    Internal,
    /// The user stopped the command.
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

    /// Returns `Done` if a check `holds`, otherwise `Failed`.
    pub(crate) fn done_if(holds: bool) -> Self {
        if holds { Self::Done } else { Self::Failed }
    }

    /// Returns the status' meaning for the user.
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
