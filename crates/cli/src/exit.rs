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

    /// What the user is told of it.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed, or a check found something",
            Self::Invalid => "wrong usage or invalid document",
            Self::NotFound => "not found",
            Self::Refused => "refused",
            Self::Conflict => "conflict",
            Self::Stale => "stale under `freshness: strict`",
            Self::Internal => "a bug",
            Self::Interrupted => "interrupted",
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Invalid => 2,
            Self::NotFound => 3,
            Self::Refused => 4,
            Self::Conflict => 5,
            Self::Stale => 6,
            Self::Internal => 70,
            Self::Interrupted => 130,
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
