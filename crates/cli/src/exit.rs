use windlass::{Ending, Error, ErrorKind};

/// How the process ends. The numbers are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The work failed, or a check found something.
    Failed,
    /// Wrong usage, or a document that is not valid.
    Invalid,
    /// Something that was named is not there.
    NotFound,
    /// It is not allowed.
    Refused,
    /// Somebody else was faster, or holds a lock.
    Conflict,
    /// Stale evidence under `freshness: strict`.
    Stale,
    /// A bug of ours.
    Internal,
    /// Stopped by the user.
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

    /// Done where what was looked at `holds`, failed otherwise.
    pub(crate) fn done_if(holds: bool) -> Self {
        if holds { Self::Done } else { Self::Failed }
    }

    /// What the user is told of it.
    pub(crate) fn meaning(self) -> &'static str {
        self.told().1
    }

    pub(crate) fn code(self) -> u8 {
        self.told().0
    }

    fn told(self) -> (u8, &'static str) {
        match self {
            Self::Done => (0, "done"),
            Self::Failed => (1, "failed, or a check found something"),
            Self::Invalid => (2, "wrong usage or invalid document"),
            Self::NotFound => (3, "not found"),
            Self::Refused => (4, "refused"),
            Self::Conflict => (5, "conflict"),
            Self::Stale => (6, "stale under `freshness: strict`"),
            Self::Internal => (70, "a bug"),
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
