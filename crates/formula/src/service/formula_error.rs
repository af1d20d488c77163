use std::path::PathBuf;

use windlass_base::{RepoPath, shell_word};
use windlass_site::{ErrorKind, Explain};

/// Reasons why a formula cannot be found or created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormulaError {
    /// No folder on the search path contains a formula with this name.
    #[error("there is no formula `{name}`{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoSuchFormula {
        /// The requested name.
        name: String,
        /// A similar known name, suggested in the message.
        similar: Option<String>,
        /// The folders of the search path, as shown to the user.
        searched: Vec<String>,
    },
    /// The new formula's name contains characters other than letters, digits, `-` and `_`.
    #[error("`{0}` is not a formula name: use letters, digits, `-` and `_`")]
    Name(String),
    /// The folder to add does not exist or is not a folder.
    #[error("there is no folder `{}`", .0.display())]
    NoFolder(PathBuf),
    /// The folder to add is a filesystem root or contains the user's home.
    ///
    /// Adding a folder means trusting every file in it, so we refuse this one.
    #[error("`{}` is not a folder of formulas: it contains {}", .0.display(), .1)]
    TooWide(PathBuf, &'static str),
    /// The file of the new formula already exists and stays unchanged.
    #[error("`{0}` already exists and was left unchanged")]
    Exists(RepoPath),
    /// A pack imports a folder that is neither in the repository nor added by the user.
    #[error("`{manifest}` imports `{import}`, which is outside the repository")]
    ImportOutside {
        /// The pack's manifest, as shown to the user.
        manifest: String,
        /// The imported folder, as written in the manifest.
        import: String,
        /// The imported folder, with links resolved.
        folder: PathBuf,
    },
}

impl Explain for FormulaError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchFormula { .. } | Self::NoFolder(_) => ErrorKind::NotFound,
            Self::Name(_) | Self::TooWide(..) => ErrorKind::Invalid,
            Self::Exists(_) => ErrorKind::Conflict,
            Self::ImportOutside { .. } => ErrorKind::Refused,
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoSuchFormula { searched, .. } => format!(
                "searched for `NAME.formula.toml`, `NAME.formula.json` and `NAME.toml` in {}",
                searched.join(", ")
            ),
            Self::Exists(_) => {
                "choose another name for `windlass formula new NAME`, or remove the file first"
                    .to_owned()
            }
            Self::ImportOutside { folder, .. } => format!(
                "run `windlass formula path add {}` to trust this folder",
                shell_word(&folder.to_string_lossy())
            ),
            Self::TooWide(folder, _) => format!(
                "run `windlass formula path add {}` with the folder of a pack",
                shell_word(&folder.join("PACK").to_string_lossy())
            ),
            Self::Name(_) | Self::NoFolder(_) => return None,
        })
    }
}
