use windlass_site::{Error, ErrorKind, Explain};

/// Reasons why a context pack can't be built or found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// The join is still waiting for inputs.
    #[error("{wait}{}", .until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default())]
    JoinWaits {
        /// The number of payloads that have arrived, and the number required.
        wait: windlass_packs::context::NotYet,
        /// Time at which the join stops waiting, or `None` if it waits forever.
        until: Option<String>,
    },
    /// The command needs the whole pack, but there's only a shortened view.
    #[error("`{name}` is a shortened view of pack {id}, and the whole pack is not stored here")]
    PackNotWhole {
        /// The pack's name in the request.
        name: String,
        /// The whole pack's id.
        id: windlass_packs::context::PackId,
    },
    /// A result file can't be read.
    #[error("`{file}`, {error}")]
    Results {
        /// The result file's name.
        file: String,
        /// The reason why the results can't be read.
        error: windlass_results::NotResults,
    },
    /// A document or file for the pack is outside of the repository.
    #[error("`{0}` is outside of this repository, and a pack can name only files inside")]
    OutsideOfPacks(String),
    /// The document has no such section.
    #[error("`{file}` has no section `#{section}`{}", .similar.as_ref().map(|near| format!("; did you mean `#{near}`?")).unwrap_or_default())]
    NoSuchSection {
        /// The document's path.
        file: String,
        /// The requested section's anchor.
        section: String,
        /// The most similar anchor, if any.
        similar: Option<String>,
    },
    /// The request has no goal, and no document states one.
    #[error("missing goal")]
    NoGoal,
    /// The document folder doesn't exist or can't be used.
    #[error("cannot use `{given}` as the document folder: {why}{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoDocsRoot {
        /// The folder, as given.
        given: String,
        /// The reason why it can't be used.
        why: String,
        /// The most similar folder, if any.
        similar: Option<String>,
    },
    /// There's no stored context pack with this name.
    #[error("no context pack `{name}` is stored for this repository")]
    NoSuchPack {
        /// The pack's name in the request.
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

/// Returns true if we only found a shortened view of the pack.
pub(crate) fn is_not_whole(error: &Error) -> bool {
    error.is(|error| matches!(error, ContextError::PackNotWhole { .. }))
}
