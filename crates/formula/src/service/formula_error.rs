use std::path::PathBuf;

use windlass_base::{RepoPath, shell_word};
use windlass_site::{ErrorKind, Explain};

/// An error in looking up or creating a formula.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormulaError {
    /// There's no formula of this name.
    #[error("there is no formula `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchFormula {
        /// The requested name.
        name: String,
        /// The most similar known name.
        similar: Option<String>,
        /// The searched folders.
        searched: Vec<String>,
    },
    /// The name can't be used as the name of a formula file.
    #[error("`{0}` is not a formula name: use letters, digits, `-` and `_`")]
    Name(String),
    /// The folder to add to the search path doesn't exist.
    #[error("there is no folder `{}`", .0.display())]
    NoFolder(PathBuf),
    /// The folder to add to the search path is a filesystem root, the user's home, or contains it.
    #[error("`{}` is not a folder of formulas: it contains {}", .0.display(), .1)]
    TooWide(PathBuf, &'static str),
    /// The file of the new formula already exists.
    #[error("`{0}` already exists and was left unchanged")]
    Exists(RepoPath),
    /// A pack imports a folder that's neither in the repository nor added by the user.
    #[error("`{manifest}` imports `{import}`, which is outside the repository")]
    ImportOutside {
        /// The pack's manifest, as shown to the user.
        manifest: String,
        /// The imported folder as written.
        import: String,
        /// The imported folder with links resolved.
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
