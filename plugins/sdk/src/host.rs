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

/// Reads the whole text of a file that may be too long for one answer, in parts: its lines, each with `\n` at its end.
/// Permission `read`.
///
/// # Errors
/// Why it is not read.
pub fn read_text(file: &str) -> Result<String, Refusal> {
    in_parts(|first, last| read(file, first, last))
}

/// How many lines are asked for at once.
const PART: u32 = 20_000;

fn in_parts(read: impl Fn(u32, u32) -> Result<Lines, Refusal>) -> Result<String, Refusal> {
    let mut text = String::new();
    let (mut first, mut part) = (1, PART);
    loop {
        let last = first + (part - 1);
        let lines = match read(first, last) {
            // Lines that are that long come fewer at a time.
            Err(refusal) if refusal.code == "too-large" && part > 1 => {
                part = part.div_ceil(8);
                continue;
            }
            // So a file without lines is told.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with so many lines, of which an answer has room for `most`.
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
    fn a_long_file_is_read_in_parts() {
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
