//! Measures a program that reads a question as a line of JSON from standard input, and writes the
//! answer to standard output.
//!
//! For example, here's a question with its answer (the best location comes first):
//!
//! ```text
//! {"v": 1, "root": "/…", "question": "…", "max_tokens": 2000}
//! {"places": [{"file": "a.rs", "start_line": 1, "end_line": 9, "score": 2.5}], "confidence": 0.8}
//! ```
//!
//! - If nothing answers the question, `places` is an empty list, `null` or missing. In this case,
//!   `nearest` (`["a.rs"]`) may name the files that come closest.
//! - `file` is relative to `root`, or a path below `root`.
//! - `score` is optional, but either all places have one or none of them has. It decides the order.
//! - `confidence` is optional. It's the probability that the first place is right, from 0 to 1.
//!
//! We start the program again for each question, so its start counts towards the latency. The text
//! of the places is read from the files. If the program fails, we report the last line on its
//! standard error. Once it has answered, we end it along with its descendants. It doesn't get any
//! `GIT_…` variables.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use windlass_base::{LineSpan, RepoPath};

use super::{Answer, AnsweredPlace, Ask, System};
use crate::process::{self, PAUSE};
use crate::{ZooError, texts};

/// The line that we report from standard error is cut to this many characters.
const LAST_LINE: usize = 200;

/// Maximum size of an answer, in bytes.
const MAX_ANSWER: u64 = 16 << 20;

/// Any program that speaks the protocol above.
#[derive(Debug)]
pub struct Program {
    name: String,
    /// The command line, as the user typed it.
    command: String,
    timeout: Duration,
}

#[derive(Deserialize)]
#[serde(rename = "answer")]
struct ProgramAnswer {
    /// `None` if nothing answers the question.
    places: Option<Vec<ProgramPlace>>,
    nearest: Option<Vec<String>>,
    confidence: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename = "place")]
struct ProgramPlace {
    file: String,
    start_line: u32,
    end_line: u32,
    score: Option<f64>,
}

/// Parses `NAME=PROGRAM ARGUMENT…`. Arguments are separated by spaces; a space after `\` is part of
/// an argument. The program must answer within `timeout`.
///
/// # Errors
///
/// Returns an error if there's no name or no program, or if a built-in system has this name.
pub fn start(text: &str, timeout: Duration) -> Result<Program, ZooError> {
    let wrong = |why: &str| {
        Err(ZooError::Request(format!(
            "`--system {text}`: {why}; write `NAME=PROGRAM ARGUMENT…`"
        )))
    };
    let Some((name, command)) = text.split_once('=') else {
        return wrong("missing `=`");
    };
    let in_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    match () {
        () if words(command).is_empty() => wrong("missing program"),
        () if name.is_empty() || !name.chars().all(in_name) => {
            wrong("a name has only letters, digits, `-`, `_` and `.`")
        }
        () if super::BUILT_IN.contains(&name) => wrong("a built-in system has that name"),
        () => Ok(Program {
            name: name.to_owned(),
            command: command.to_owned(),
            timeout,
        }),
    }
}

/// Splits a command line at spaces. Nothing is special except for a space after `\`, which is a
/// part of the word.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_blank = |c: &char| c.is_whitespace();
        match (c, words.last_mut()) {
            ('\\', Some(word)) if rest.peek().is_some_and(is_blank) => word.extend(rest.next()),
            (c, _) if is_blank(&c) => words.push(String::new()),
            (c, Some(word)) => word.push(c),
            (_, None) => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

impl System for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn typed(&self) -> Option<String> {
        Some(format!("{}={}", self.name, self.command))
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        let question = json!({
            "v": 1, "root": ask.given(), "question": ask.question, "max_tokens": ask.budget,
        });
        let line = self.line(&question.to_string(), ask)?;
        match serde_json::from_str::<ProgramAnswer>(&line) {
            Ok(answer) => answer.checked(ask),
            Err(error) => {
                let start: String = line.trim_end().chars().take(80).collect();
                Err(format!("invalid answer: {error}: `{start}`"))
            }
        }
    }
}

impl Program {
    /// Starts the program, passes the question, and returns the first line that it prints.
    ///
    /// Standard input and standard error are files. With pipes, either of us could wait forever for
    /// the other to empty a pipe that's full.
    #[expect(
        clippy::disallowed_methods,
        reason = "the user named the program to be measured"
    )]
    fn line(&self, question: &str, ask: &Ask<'_>) -> Result<String, String> {
        let cannot_start = |error: std::io::Error| format!("cannot be started: {error}");
        let (input, errors) = files(question).map_err(cannot_start)?;
        let words = words(&self.command);
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .stdin(input)
            .stdout(Stdio::piped());
        command.stderr(errors.try_clone().map_err(cannot_start)?);
        process::own_group(&mut command);
        process::without_git(&mut command);
        let mut child = command.spawn().map_err(cannot_start)?;
        let line = child.stdout.take().map(first_line);
        let line = line.ok_or_else(|| "it has no output".to_owned());
        let line = line.and_then(|line| self.awaited(&line, ask));
        process::end(&mut child);
        match line?.as_slice() {
            [] => Err(format!("it ended without an answer{}", last_line(errors))),
            line if line.len() as u64 >= MAX_ANSWER => Err("the answer is too long".to_owned()),
            line => {
                String::from_utf8(line.to_vec()).map_err(|_| "the answer is not UTF-8".to_owned())
            }
        }
    }

    /// Waits for the answer until the timeout. We don't have a clock here and just add up the
    /// pauses, so it may take a bit longer.
    fn awaited(&self, line: &Receiver<Vec<u8>>, ask: &Ask<'_>) -> Result<Vec<u8>, String> {
        let mut waited = Duration::ZERO;
        loop {
            let pause = PAUSE.min(self.timeout.saturating_sub(waited));
            match line.recv_timeout(pause) {
                Ok(line) => return Ok(line),
                Err(_) if ask.cancel.is_cancelled() => {
                    return Err("the run was stopped".to_owned());
                }
                Err(_) if waited >= self.timeout => {
                    let seconds = self.timeout.as_secs_f64();
                    return Err(format!("no answer within {seconds} s"));
                }
                Err(_) => waited += pause,
            }
        }
    }
}

/// Creates the files for standard input (which contains the question) and for standard error.
fn files(question: &str) -> std::io::Result<(File, File)> {
    let mut input = tempfile::tempfile()?;
    writeln!(input, "{question}")?;
    input.rewind()?;
    Ok((input, tempfile::tempfile()?))
}

/// Reads the first line on another thread. The result is empty if the program doesn't write
/// anything.
fn first_line(output: ChildStdout) -> Receiver<Vec<u8>> {
    let (send, receive) = sync_channel(1);
    std::thread::spawn(move || {
        let mut line = Vec::new();
        let read = BufReader::new(output.take(MAX_ANSWER)).read_until(b'\n', &mut line);
        let _ = send.send(read.map_or_else(|_| Vec::new(), |_| line));
    });
    receive
}

/// Returns the last line on standard error, unless it's blank, in a form that can be added to a
/// message.
fn last_line(mut errors: File) -> String {
    let mut bytes = Vec::new();
    let _ = errors
        .rewind()
        .and_then(|()| errors.take(MAX_ANSWER).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    last.map_or_else(String::new, |line| {
        let line: String = line.trim().chars().take(LAST_LINE).collect();
        format!("; last line of standard error: `{line}`")
    })
}

impl ProgramAnswer {
    fn checked(self, ask: &Ask<'_>) -> Result<Answer, String> {
        if self
            .confidence
            .is_some_and(|sure| !(0.0..=1.0).contains(&sure))
        {
            return Err("`confidence` in its answer is not between 0 and 1".to_owned());
        }
        let nearest = self.nearest.unwrap_or_default();
        let places = self.places.unwrap_or_default();
        if !nearest.is_empty() && !places.is_empty() {
            let why =
                "the answer has `places` and `nearest`, which is only for answers without places";
            return Err(why.to_owned());
        }
        let scored = places.iter().filter(|place| place.score.is_some()).count();
        if scored != 0 && scored != places.len() {
            // We can't rank the places if only some of them have a score.
            let all = places.len();
            return Err(format!(
                "{scored} of {all} places in its answer have a `score`: give all of them one, or none"
            ));
        }
        let nearest = nearest
            .iter()
            .map(|name| known_file(name, ask).map(|(file, _)| file));
        let count = places.len() as f64;
        let places = places.into_iter().enumerate();
        let places = places.map(|(at, place)| place.checked(count - at as f64, ask));
        Ok(Answer {
            places: places.collect::<Result<_, String>>()?,
            nearest: nearest.collect::<Result<_, String>>()?,
            confidence: self.confidence,
            ..Answer::default()
        })
    }
}

impl ProgramPlace {
    /// Checks a place. `score` is for a place without one.
    fn checked(self, score: f64, ask: &Ask<'_>) -> Result<AnsweredPlace, String> {
        let (file, count) = known_file(&self.file, ask)?;
        let span = LineSpan::new(self.start_line, self.end_line)
            .map_err(|error| format!("`{file}` in its answer: {error}"))?;
        if span.start() as usize > count {
            return Err(format!(
                "`{file}` in its answer has {count} lines, not {span}"
            ));
        }
        Ok(AnsweredPlace {
            score: self.score.unwrap_or(score),
            file,
            span,
        })
    }
}

/// Finds the file that `name` in an answer refers to, and counts its lines.
fn known_file(name: &str, ask: &Ask<'_>) -> Result<(String, usize), String> {
    let below = Path::new(name).strip_prefix(ask.given()).ok();
    let below = below.and_then(Path::to_str).unwrap_or(name);
    let unknown =
        || format!("`{name}` in its answer is not a readable text file of the repository");
    let file = RepoPath::parse(below).map_err(|_| unknown())?.to_string();
    let count = ask.files.get(&file).map(Vec::len);
    let beside = || texts::beside(ask, &file).map(|lines| lines.len());
    let count = count.or_else(beside).ok_or_else(unknown)?;
    Ok((file, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_blank_is_part_of_its_word() {
        assert_eq!(
            words(r"/a\ b/run  --x=\n  c\ "),
            ["/a b/run", r"--x=\n", "c "]
        );
        let typed = r"mine=/a\ b/run --x";
        let program = start(typed, Duration::ZERO).unwrap();
        assert_eq!(program.typed().as_deref(), Some(typed));
    }
}
