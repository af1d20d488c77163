//! What a plugin may ask of the host. What it uses is what it asks to be granted.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Failure;
use crate::bindings::windlass::step;

pub use step::log::Level;
pub use step::types::Refusal;

/// Says something. Warnings and errors are shown with the step's result.
pub fn log(level: Level, message: &str) {
    // In tests of a plugin's own there is no host.
    if cfg!(target_family = "wasm") {
        step::log::write(level, message);
    } else {
        eprintln!("{level:?}: {message}");
    }
}

/// Tells how far the work has come; a total of 0 is not known.
pub fn progress(done: u64, total: u64) {
    step::progress::report(done, total);
}

/// Lines of a file, with a pointer to them.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Lines {
    /// The file.
    pub file: String,
    /// How many lines it has.
    pub line_count: u32,
    /// Those that were asked for.
    pub lines: Vec<Line>,
    /// A pointer to them. In a list called `evidence`, it makes an item of what holds that, which Windlass holds against
    /// the file. None where there are no lines.
    #[serde(default)]
    pub evidence: Value,
}

/// A line, secrets in it replaced.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// Its text.
    pub text: String,
}

/// Reads lines `first` to `last` of a file, from 1; 0 and 0 for all. Permission `read`.
///
/// # Errors
/// Why they are not read.
pub fn read(file: &str, first: u32, last: u32) -> Result<Lines, Refusal> {
    parsed(step::evidence::read(file, first, last)?)
}

/// Looks for lines as the step `search` does. Permission `search`.
///
/// # Errors
/// Why nothing was searched.
pub fn search<Q: Serialize, A: DeserializeOwned>(query: &Q) -> Result<A, Refusal> {
    parsed(step::search::find(&text(query)?)?)
}

/// Names files as the step `files` does. Permission `list`.
///
/// # Errors
/// Why none are named.
pub fn files<Q: Serialize, A: DeserializeOwned>(query: &Q) -> Result<A, Refusal> {
    parsed(step::files::names(&text(query)?)?)
}

/// Takes anchors as the step `anchors` does. Permission `anchors`.
///
/// # Errors
/// Why none are taken.
pub fn anchors<Q: Serialize, A: DeserializeOwned>(query: &Q) -> Result<A, Refusal> {
    parsed(step::anchors::take(&text(query)?)?)
}

/// When the run began, in milliseconds since 1970-01-01 in UTC. Permission `time`.
#[must_use]
pub fn run_began() -> u64 {
    step::clock::run_began()
}

/// Up to 65,536 random bytes. Permission `random`.
#[must_use]
pub fn random(count: u32) -> Vec<u8> {
    step::random::bytes(count)
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match &*refusal.code {
            "invalid" => Self::invalid(refusal.message),
            _ => Self::failed(refusal.message),
        }
    }
}

/// Writes the place of a panic to the log: all else of it is lost.
pub(crate) fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        log(Level::Error, &panic.to_string().replace('\n', " "))
    }));
}

fn text<Q: Serialize>(query: &Q) -> Result<String, Refusal> {
    serde_json::to_string(query).map_err(|error| failed(&error))
}

fn parsed<A: DeserializeOwned>(answer: String) -> Result<A, Refusal> {
    serde_json::from_str(&answer).map_err(|error| failed(&error))
}

fn failed(error: &serde_json::Error) -> Refusal {
    Refusal {
        code: "failed".to_owned(),
        message: error.to_string(),
    }
}
