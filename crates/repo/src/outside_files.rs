//! Documents outside of the repository, named by the user on the command line.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::Path;

use crate::platform::{self, slashed};
use crate::refusal::Refusal;
use crate::secret::SecretPolicy;

/// Accepted file name extensions of documents.
const ENDINGS: [&str; 6] = ["yaml", "yml", "json", "jsonl", "toml", "tron"];

/// Reads a document outside of any repository. Parts of the document end up in error messages, so
/// it must have the name of a document and not of a secret. Both the given name and the one after
/// resolving links are checked.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a regular file, is not named like a document, is secret, or is
/// larger than `max_bytes`.
pub fn read_foreign(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    read_named(path, Some((&ENDINGS, "a document")), max_bytes)
}

/// Reads a text outside of any repository, referred to by a document there.
///
/// # Errors
/// Returns the same errors as [`read_foreign`]. Names that end in `.md` or `.txt` are allowed as well.
pub fn read_foreign_text(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    let endings: Vec<&str> = ENDINGS.into_iter().chain(["md", "txt"]).collect();
    read_named(path, Some((&endings, "a text")), max_bytes)
}

/// Reads a WebAssembly component outside of any repository, named by the user.
///
/// # Errors
/// Returns the same errors as [`read_foreign`]. The name must end in `.wasm`.
pub fn read_foreign_component(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    read_named(path, Some((&["wasm"], "a component")), max_bytes)
}

/// Reads the output of a test run or another program from a file named by the user.
///
/// # Errors
/// Like [`read_foreign`], except for the extension.
pub fn read_foreign_results(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    read_named(path, None, max_bytes)
}

fn read_named(
    path: &Path,
    endings: Option<(&[&str], &'static str)>,
    max_bytes: u64,
) -> Result<Vec<u8>, Refusal> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Refusal::Missing,
        _ => Refusal::Unreadable {
            why: error.to_string(),
        },
    };
    let target = std::fs::canonicalize(path).map_err(failed)?;
    for named in [path, &target] {
        if let Some(rule) = SecretPolicy::built_in().rule_for(&slashed(named)) {
            return Err(Refusal::Secret { rule });
        }
        let ending = named
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        if let Some((endings, what)) = endings
            && !endings.contains(&ending)
        {
            let endings: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
            return Err(Refusal::OtherEnding {
                what: what.into(),
                endings: endings.join(", "),
            });
        }
    }
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(Refusal::Directory);
    }
    if !metadata.is_file() {
        return Err(Refusal::NotRegular {
            what: "a device or pipe".into(),
        });
    }
    if metadata.len() > max_bytes {
        return Err(Refusal::TooLarge {
            bytes: metadata.len(),
            limit: max_bytes,
        });
    }
    let file = OpenOptions::new().read(true).open(path).map_err(failed)?;
    read_bounded(file, max_bytes)
}

/// True if `path` is a pipe, such as the shell's `<(…)`.
#[must_use]
pub fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| platform::is_pipe(&metadata))
}

/// Reads a pipe named by the user to its end. Blocks until the writer closes it.
///
/// # Errors
/// Returns an error if the pipe cannot be read, or if its contents exceed `max_bytes`.
pub fn read_pipe(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    let failed = |error: std::io::Error| Refusal::from_io(&error);
    let file = OpenOptions::new().read(true).open(path).map_err(failed)?;
    // The path may have been replaced since the caller checked it.
    if !file
        .metadata()
        .is_ok_and(|metadata| platform::is_pipe(&metadata))
    {
        let what = "no longer a pipe".into();
        return Err(Refusal::NotRegular { what });
    }
    read_bounded(file, max_bytes)
}

/// Reads a stream to its end.
///
/// # Errors
/// Returns an error if the stream cannot be read, or if it exceeds `max_bytes`.
pub fn read_bounded(stream: impl std::io::Read, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    stream
        .take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Refusal::from_io(&error))?;
    let length = bytes.len() as u64;
    if length > max_bytes {
        return Err(Refusal::TooLarge {
            bytes: length,
            limit: max_bytes,
        });
    }
    Ok(bytes)
}
