//! Reads files outside of the repository that the user has named, e.g. a runbook on the command
//! line.
//!
//! The path guard has no say here, so we check the name instead.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::Path;

use crate::platform::{self, slashed};
use crate::refusal::Refusal;
use crate::secret::SecretPolicy;

const ENDINGS: [&str; 6] = ["yaml", "yml", "json", "jsonl", "toml", "tron"];

/// Reads a document outside of any repository.
///
/// Error messages quote parts of the document, so a mistyped path must not lead to a secret. That
/// is why the name needs the extension of a document, and must not look secret. If it is a link,
/// the same goes for the name of its target.
///
/// # Errors
/// Returns an error if the file cannot be read, has another kind of name, is not a regular file, or
/// is larger than `max_bytes`.
pub fn read_foreign(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    read_named(path, Some((&ENDINGS, "a document")), max_bytes)
}

/// Reads a text file referenced by a document, outside of any repository.
///
/// # Errors
/// Returns the same errors as [`read_foreign`], except that `.md` and `.txt` are accepted as well.
pub fn read_foreign_text(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    let endings: Vec<&str> = ENDINGS.into_iter().chain(["md", "txt"]).collect();
    read_named(path, Some((&endings, "a text")), max_bytes)
}

/// Reads a WebAssembly component named by the user.
///
/// # Errors
/// Returns the same errors as [`read_foreign`]. The name must end in `.wasm`.
pub fn read_foreign_component(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    read_named(path, Some((&["wasm"], "a component")), max_bytes)
}

/// Reads the output of a program, e.g. a test run, from a file named by the user.
///
/// # Errors
/// Returns the same errors as [`read_foreign`], except that any extension is allowed.
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

/// Returns true if `path` is a pipe, e.g. from the shell's `<(…)`.
#[must_use]
pub fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| platform::is_pipe(&metadata))
}

/// Reads a pipe to its end. This blocks until the writer closes it.
///
/// # Errors
/// Returns an error if the pipe cannot be read, or if its contents exceed `max_bytes`.
pub fn read_pipe(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    let failed = |error: std::io::Error| Refusal::from_io(&error);
    let file = OpenOptions::new().read(true).open(path).map_err(failed)?;
    // The pipe may have been replaced since the caller checked the path with `is_pipe`.
    if !file
        .metadata()
        .is_ok_and(|metadata| platform::is_pipe(&metadata))
    {
        let what = "no longer a pipe".into();
        return Err(Refusal::NotRegular { what });
    }
    read_bounded(file, max_bytes)
}

/// Reads a stream of any kind to its end.
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
