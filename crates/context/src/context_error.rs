use windlass_site::{Error, ErrorKind, Explain};

/// Why a context pack could not be made or had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// A join waits for more.
    #[error("{wait}{}", .until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default())]
    JoinWaits {
        /// For what.
        wait: windlass_packs::context::NotYet,
        /// Until when, where it does not wait for ever.
        until: Option<String>,
    },
    /// Only what was shown of a pack is there, and all of it is needed.
    #[error(
        "`{name}` is what was shown of pack {id} within a budget, and all of that pack is not kept here"
    )]
    PackNotWhole {
        /// What was asked for.
        name: String,
        /// The pack.
        id: windlass_packs::context::PackId,
    },
    /// A file of results cannot be read.
    #[error("`{file}`, {error}")]
    Results {
        /// The file.
        file: String,
        /// What is wrong with it.
        error: windlass_results::NotResults,
    },
    /// A document or file for a pack lies outside of the repository.
    #[error("`{0}` lies outside of this repository, and a pack names only files that are in it")]
    OutsideOfPacks(String),
    /// A document has no such section.
    #[error("`{file}` has no section `#{section}`{}", .similar.as_ref().map(|near| format!("; did you mean `#{near}`?")).unwrap_or_default())]
    NoSuchSection {
        /// The document.
        file: String,
        /// What was asked for.
        section: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// Nobody says what a pack is for.
    #[error("nobody says what is to be reached")]
    NoGoal,
    /// A folder of documents that is not there, or is none.
    #[error("the folder of documents `{given}` cannot be taken: {why}{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoDocsRoot {
        /// What was given.
        given: String,
        /// Why not.
        why: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// There is no such context pack.
    #[error("no context pack `{name}` is kept of this repository")]
    NoSuchPack {
        /// What was asked for.
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
                "name it by its id, six or more of its first digits, `last`, or a file; the newest thousand are kept, and \
                 `windlass pack build` makes one"
            }
            Self::NoGoal => {
                "give a goal in one to three sentences, or a plan that says it: a vContext document with a title"
            }
            Self::PackNotWhole { .. } => {
                "hand over the whole pack: `windlass pack build --out FILE` writes it, and so does `pack show ID --format json` \
                 without a budget"
            }
            Self::JoinWaits { .. } => {
                "merge again when more have arrived, or say with `--policy any` or `--policy quorum:K` that fewer are enough"
            }
            Self::NoSuchSection { .. } => {
                "name a section as a link does: its heading in lower case, with hyphens for spaces"
            }
            Self::NoDocsRoot { .. } => {
                "name a folder of this repository, such as `docs`, or leave it out"
            }
            Self::OutsideOfPacks(_) => {
                "copy it into the repository; what tests and compilers said (`--results`) may lie elsewhere"
            }
            Self::Results { .. } => {
                "JUnit XML is read, and what cargo, rustc, pytest, go test and others print"
            }
        };
        Some(help.to_owned())
    }
}

/// True if only what was shown of a pack is there.
pub(crate) fn is_not_whole(error: &Error) -> bool {
    error.is(|error| matches!(error, ContextError::PackNotWhole { .. }))
}
