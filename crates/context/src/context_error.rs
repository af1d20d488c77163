use windlass_site::{Error, ErrorKind, Explain};

/// Reasons why a context pack cannot be built, merged or found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// The join is still waiting for inputs.
    #[error("{wait}{}", .until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default())]
    JoinWaits {
        /// The number of payloads that have arrived, and of those that are required.
        wait: windlass_packs::context::NotYet,
        /// The time when the join stops waiting, or `None` if it never does.
        until: Option<String>,
    },
    /// The command needs a whole pack, but we only have a shortened view of this one.
    #[error("`{name}` is a shortened view of pack {id}, and the whole pack is not stored here")]
    PackNotWhole {
        /// The name in the request.
        name: String,
        /// ID of the whole pack.
        id: windlass_packs::context::PackId,
    },
    /// We cannot parse a result file.
    #[error("`{file}`, {error}")]
    Results {
        /// The name that the pack would show.
        file: String,
        /// The reason, from the parser.
        error: windlass_results::NotResults,
    },
    /// The request names a document or a file outside of the repository.
    #[error("`{0}` is outside of this repository, and a pack can name only files inside")]
    OutsideOfPacks(String),
    /// The request names a section that is not in the document.
    #[error("`{file}` has no section `#{section}`{}", .similar.as_ref().map(|near| format!("; did you mean `#{near}`?")).unwrap_or_default())]
    NoSuchSection {
        /// Path of the document.
        file: String,
        /// The anchor, as requested.
        section: String,
        /// The most similar anchor, for the help.
        similar: Option<String>,
    },
    /// There is no goal in the request, and no document states one either.
    #[error("missing goal")]
    NoGoal,
    /// The document folder does not exist, or cannot be used.
    #[error("cannot use `{given}` as the document folder: {why}{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoDocsRoot {
        /// The folder as given.
        given: String,
        /// The reason, e.g. `it is a file`.
        why: String,
        /// The most similar folder, for the help.
        similar: Option<String>,
    },
    /// We have not stored a pack of this name.
    #[error("no context pack `{name}` is stored for this repository")]
    NoSuchPack {
        /// The name in the request.
        name: String,
    },
}

impl Explain for ContextError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchPack { .. }
            | Self::NoSuchSection { .. }
            | Self::NoDocsRoot { .. }
            | Self::PackNotWhole { .. } => ErrorKind::NotFound,
            Self::OutsideOfPacks(_) => ErrorKind::Refused,
            Self::NoGoal | Self::Results { .. } => ErrorKind::Invalid,
            Self::JoinWaits { .. } => ErrorKind::Failed,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NoSuchPack { .. } => {
                "pass an id, its first six or more digits, `last`, or a file; the newest thousand packs are stored, and \
                 `windlass pack build GOAL` makes one"
            }
            Self::NoGoal => {
                "pass a goal of one to three sentences, or a plan that states it: a vContext document with a title"
            }
            Self::PackNotWhole { .. } => {
                "pass the whole pack: `windlass pack build --out FILE` writes it, and so does `windlass pack show ID --format json` \
                 without a budget"
            }
            Self::JoinWaits { .. } => {
                "merge again when more have arrived, or accept fewer with `--policy any` or `--policy quorum:K`"
            }
            Self::NoSuchSection { .. } => {
                "name a section as a link does: its heading in lower case, with hyphens for spaces"
            }
            Self::NoDocsRoot { .. } => {
                "pass a folder of this repository, such as `docs`, or omit it"
            }
            Self::OutsideOfPacks(_) => {
                "copy it into the repository; only results of tests and compilers (`--results`) may be elsewhere"
            }
            Self::Results { .. } => {
                "supported formats: JUnit XML, and the output of cargo, rustc, pytest, go test and others"
            }
        };
        Some(help.to_owned())
    }
}

/// True if we only have a shortened view. Some callers can make do with that.
pub(crate) fn is_not_whole(error: &Error) -> bool {
    error.is(|error| matches!(error, ContextError::PackNotWhole { .. }))
}
