use windlass_evidence::CaptureError;
use windlass_ledger::LedgerError;
use windlass_memory::MemoryError;
use windlass_notebook::NotebookError;
use windlass_repo::{GitError, RepoError};
use windlass_steps::SymbolError;
use windlass_store::{LockError, StoreError};
use windlass_vcontext::{AppendError, EditError};

use super::Error;

/// What an error means for who asked; the exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Wrong usage, or a document that is not valid.
    Invalid,
    /// Something that was named is not there.
    NotFound,
    /// It is not allowed.
    Refused,
    /// Somebody else was faster, or holds a lock.
    Conflict,
    /// The work failed.
    Failed,
    /// It was stopped.
    Interrupted,
    /// A bug of ours.
    Internal,
}

impl Error {
    /// The error about a file of ours, if it is one.
    fn of_store(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error)
            | Self::Lock(LockError::Store(error))
            | Self::Ledger(
                LedgerError::Store(error) | LedgerError::Lock(LockError::Store(error)),
            )
            | Self::Notebook(
                NotebookError::Store(error) | NotebookError::Lock(LockError::Store(error)),
            )
            | Self::UnfinishedMemory(error) => Some(error),
            _ => None,
        }
    }

    /// What it means for who asked.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        if matches!(self.of_store(), Some(StoreError::Unfit { .. })) {
            return ErrorKind::Refused;
        }
        match self {
            Self::NoSuchRunbook { .. }
            | Self::NoSuchPack { .. }
            | Self::NoSuchSection { .. }
            | Self::NoDocsRoot { .. }
            | Self::PackNotWhole { .. }
            | Self::NoSuchFormula { .. }
            | Self::Git(GitError::UnknownRevision(_) | GitError::NoCommits(_))
            | Self::CursorExpired
            | Self::ListChanged
            | Self::NotSuggested(_)
            | Self::NoSuchRun { .. }
            | Self::NoPack(_)
            | Self::NothingToCompare { .. }
            | Self::NoEarlierRun(_)
            | Self::NothingToAdopt(_)
            | Self::UnknownLineage
            | Self::NothingHandedOver
            | Self::NothingToHandOver { .. }
            | Self::NotHandedOver(_)
            | Self::Notebook(
                NotebookError::NoSuchAnchor { .. }
                | NotebookError::NoSuchRunbook { .. }
                | NotebookError::NoSuchRevision { .. },
            )
            | Self::Symbol(SymbolError::Unknown { .. })
            | Self::Ledger(
                LedgerError::Missing { .. }
                | LedgerError::NothingReady
                | LedgerError::NoStepReady { .. },
            )
            | Self::Plugin { missing: true, .. }
            | Self::Memory(MemoryError::NotInitialized | MemoryError::NoSuchRecord { .. })
            | Self::Append(AppendError::NoEntry { .. })
            | Self::Edit(EditError::NoItem { .. })
            | Self::Unreadable { missing: true, .. } => ErrorKind::NotFound,
            Self::Ledger(LedgerError::Rejected(rejected)) => match rejected.won {
                Some(_) => ErrorKind::Conflict,
                None => ErrorKind::Invalid,
            },
            Self::NotAccepted { refused: false, .. } => ErrorKind::Failed,
            Self::Unreadable { secret: true, .. }
            | Self::NotAccepted { refused: true, .. }
            | Self::Ledger(
                LedgerError::Foreign { .. }
                | LedgerError::Link(_)
                | LedgerError::Secret { .. }
                | LedgerError::Untrusted { .. },
            )
            | Self::GitFolder
            | Self::Memory(
                MemoryError::Secret { .. }
                | MemoryError::Personal { .. }
                | MemoryError::Transcript { .. }
                | MemoryError::LongQuery { .. },
            )
            | Self::SecretWords { .. }
            | Self::UnknownProgram { .. }
            | Self::UnprovenTrust { .. }
            | Self::UntrustedRoute { .. }
            | Self::Capture(CaptureError::Refused {
                refusal: windlass_repo::Refusal::Secret { .. },
                ..
            })
            | Self::Notebook(
                NotebookError::SwitchedOff
                | NotebookError::Used { .. }
                | NotebookError::Foreign { .. }
                | NotebookError::Replaced { .. }
                | NotebookError::Unproven { .. },
            ) => ErrorKind::Refused,
            Self::Capture(CaptureError::Refused {
                refusal: windlass_repo::Refusal::Missing,
                ..
            }) => ErrorKind::NotFound,
            Self::Outside(_) | Self::OutsideOfPacks(_) => ErrorKind::Refused,
            Self::Lock(LockError::Timeout { .. })
            | Self::Ledger(
                LedgerError::Damaged { .. } | LedgerError::Lock(LockError::Timeout { .. }),
            )
            | Self::Notebook(
                NotebookError::Lock(LockError::Timeout { .. })
                | NotebookError::Exists(_)
                | NotebookError::Inhabited { .. }
                | NotebookError::Changed { .. }
                | NotebookError::GroundedElsewhere { .. },
            )
            | Self::Memory(
                MemoryError::IdTaken(_)
                | MemoryError::SameId { .. }
                | MemoryError::Itself(_)
                | MemoryError::Circle(..)
                | MemoryError::Superseded { .. },
            )
            | Self::Append(
                AppendError::EntryExists(_)
                | AppendError::EventExists(_)
                | AppendError::Moved { .. }
                | AppendError::SideBySide { .. },
            )
            | Self::Edit(EditError::Changed { .. } | EditError::Locked { .. })
            | Self::OtherDigest { .. }
            | Self::OtherPlugin { .. }
            | Self::SuggestionsChanged
            | Self::ChangedMeanwhile(_)
            | Self::DocumentChanged(_)
            | Self::DocumentExists(_)
            | Self::Exists(_) => ErrorKind::Conflict,
            Self::Repo(RepoError::Io { cause, .. })
                if cause.kind() == std::io::ErrorKind::NotFound =>
            {
                ErrorKind::NotFound
            }
            Self::Transaction { kind, .. } => *kind,
            Self::PartlyWritten { cause, .. } => cause.kind(),
            Self::Git(GitError::NotARevision(_)) => ErrorKind::Invalid,
            Self::Notebook(
                NotebookError::NoEvidence(_)
                | NotebookError::NoPlace(_)
                | NotebookError::Senseless(_)
                | NotebookError::TooManyAnchors { .. }
                | NotebookError::TooManyRunbooks { .. }
                | NotebookError::LongRunbook { .. }
                | NotebookError::TooLarge { .. },
            )
            | Self::TwoRevisions { .. }
            | Self::Ledger(LedgerError::Invalid(_))
            | Self::SeveralToAdopt(_)
            | Self::NoSuchState { .. }
            | Self::Memory(_)
            | Self::Glob(_)
            | Self::NoPlace(_)
            | Self::Plugin { missing: false, .. }
            | Self::OtherLines(_)
            | Self::Document(_)
            | Self::NoGoal
            | Self::Repo(RepoError::Rules(_))
            | Self::Migrate(_)
            | Self::NotJson(_)
            | Self::ToolPolicy(_)
            | Self::Append(AppendError::NoPlaybook | AppendError::NotForked(_))
            | Self::Edit(EditError::NoItems | EditError::NoUid | EditError::SeveralItems(_))
            | Self::Inputs(_)
            | Self::Ambiguous { .. }
            | Self::AmbiguousRun { .. }
            | Self::NoSuchStep { .. }
            | Self::WithheldInputs(_)
            | Self::NotADocument(_)
            | Self::PackBudget(_)
            | Self::Results { .. }
            | Self::LargePack { .. }
            | Self::Path(_)
            | Self::Cursor(_)
            | Self::View(_)
            | Self::Capture(_)
            | Self::Symbol(_)
            | Self::NoRunbookNamed { .. }
            | Self::NothingToFind
            | Self::Search(_) => ErrorKind::Invalid,
            Self::Interrupted => ErrorKind::Interrupted,
            Self::Internal(_) => ErrorKind::Internal,
            _ => ErrorKind::Failed,
        }
    }
}
