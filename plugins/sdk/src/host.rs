//! Host functions. A plugin requests permission for exactly those that it uses.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Failure;
use crate::bindings::windlass::step;

pub use step::log::Level;
pub use step::types::Refusal;

/// Writes to the log. Warnings and errors are shown with the result of the step.
pub fn log(level: Level, message: &str) {
    // Unit tests of a plugin run without a host.
    if cfg!(target_family = "wasm") {
        step::log::write(level, message);
    } else {
        eprintln!("{level:?}: {message}");
    }
}

/// Reports progress; a `total` of 0 means unknown.
pub fn progress(done: u64, total: u64) {
    step::progress::report(done, total);
}

/// Lines of a file, with a pointer to them.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Lines {
    /// The file's path, relative to the root.
    pub file: String,
    /// Number of lines in the file.
    pub line_count: u32,
    /// The requested lines, in order.
    pub lines: Vec<Line>,
    /// Pointer to the lines. An object that has it in a list named `evidence` is an item, which
    /// Windlass verifies against the file. Null if there are no lines.
    #[serde(default)]
    pub evidence: Value,
}

/// A line with its secrets replaced.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Line {
    /// Line number, from 1.
    pub number: u32,
    /// The line's text.
    pub text: String,
}

/// Reads lines `first` to `last` of a file, from 1; 0 and 0 read all lines. Permission `read`.
///
/// # Errors
/// The reason for the refusal.
pub fn read(file: &str, first: u32, last: u32) -> Result<Lines, Refusal> {
    parsed(step::evidence::read(file, first, last)?)
}

/// Reads a whole file, in parts if it is too long for one answer. Each line ends with ` `. Permission `read`.
///
/// # Errors
/// The reason for the refusal.
pub fn read_text(file: &str) -> Result<String, Refusal> {
    in_parts(|first, last| read(file, first, last))
}

/// Maximum number of lines per request.
const PART: u32 = 20_000;

fn in_parts(read: impl Fn(u32, u32) -> Result<Lines, Refusal>) -> Result<String, Refusal> {
    let mut text = String::new();
    let (mut first, mut part) = (1, PART);
    loop {
        let last = first + (part - 1);
        let lines = match read(first, last) {
            // Long lines need smaller parts.
            Err(refusal) if refusal.code == "too-large" && part > 1 => {
                part = part.div_ceil(8);
                continue;
            }
            // The host refuses line 1 of an empty file.
            Err(refusal) if refusal.code == "invalid" && first == 1 => {
                read(0, 0).map_err(|_| refusal)?
            }
            read => read?,
        };
        for line in &lines.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        if last >= lines.line_count {
            return Ok(text);
        }
        first = last + 1;
    }
}

/// Searches lines like the step `search`. Permission `search`.
///
/// # Errors
/// The reason for the refusal.
pub fn search<Q: Serialize, A: DeserializeOwned>(query: &Q) -> Result<A, Refusal> {
    parsed(step::search::find(&text(query)?)?)
}

/// Lists files like the step `files`. Permission `list`.
///
/// # Errors
/// The reason for the refusal.
pub fn files<Q: Serialize, A: DeserializeOwned>(query: &Q) -> Result<A, Refusal> {
    parsed(step::files::names(&text(query)?)?)
}

/// Reads anchors like the step `anchors`. Permission `anchors`.
///
/// # Errors
/// The reason for the refusal.
pub fn anchors<Q: Serialize, A: DeserializeOwned>(query: &Q) -> Result<A, Refusal> {
    parsed(step::anchors::take(&text(query)?)?)
}

/// Returns the run's start time in milliseconds since 1970-01-01 UTC. Permission `time`.
#[must_use]
pub fn run_began() -> u64 {
    step::clock::run_began()
}

/// Returns up to 65,536 random bytes. Permission `random`.
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

/// Logs the location of a panic, because the host gets no other details of it.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a file with `count` lines, read in answers of at most `most` lines.
    fn read(count: u32, most: u32) -> impl Fn(u32, u32) -> Result<Lines, Refusal> {
        move |first, last| {
            let refused = |code: &str| Refusal {
                code: code.to_owned(),
                message: String::new(),
            };
            let (first, last) = match (first, last) {
                (0, 0) if count == 0 => (1, 0),
                (first, _) if first > count => return Err(refused("invalid")),
                (first, last) => (first, last.min(count)),
            };
            let lines: Vec<Line> = (first..=last)
                .map(|number| Line {
                    number,
                    text: number.to_string(),
                })
                .collect();
            match lines.len() > most as usize {
                true => Err(refused("too-large")),
                false => Ok(Lines {
                    file: "a".to_owned(),
                    line_count: count,
                    lines,
                    evidence: Value::Null,
                }),
            }
        }
    }

    #[test]
    fn long_file_read_in_parts() {
        assert_eq!(in_parts(read(3, 100)).unwrap(), "1\n2\n3\n");
        assert_eq!(in_parts(read(0, 100)).unwrap(), "");
        for (count, most) in [(PART, PART), (PART + 1, PART), (100_000, 7_000), (50, 1)] {
            let text = in_parts(read(count, most)).unwrap();
            assert_eq!(text.lines().count(), count as usize);
            assert!(text.ends_with(&format!("\n{count}\n")));
        }
        assert_eq!(in_parts(read(5, 0)).unwrap_err().code, "too-large");
    }
}
