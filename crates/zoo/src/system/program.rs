//! A program that answers: one line of JSON for each question on its standard input, one line of JSON for each answer on its
//! standard output.
//!
//! Asked is `{"v": 1, "id": 7, "root": "/…", "question": "…", "max_tokens": 2000}`; answered
//! `{"id": 7, "places": [{"file": "a.rs", "start_line": 1, "end_line": 9, "score": 2.5}], "text": "…", "confidence": 0.8}`, the best
//! first, no places where nothing answers; `score`, `text` (what is printed, if it is not the lines of the places) and `confidence`
//! (that the first place is meant, 0 to 1) may be left out. What it writes to standard error is dropped.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use windlass_base::LineSpan;

use super::{Answer, AnsweredPlace, Ask, System};
use crate::ZooError;

/// The longest answer, in bytes.
const MAX_ANSWER: u64 = 16 << 20;

/// A program that answers.
pub struct Program {
    name: String,
    argv: Vec<String>,
    patience: Duration,
    running: Mutex<(u64, Option<Running>)>,
}

struct Running {
    child: Child,
    asks: ChildStdin,
    answers: Receiver<Result<String, String>>,
}

#[derive(Deserialize)]
struct Said {
    id: u64,
    places: Vec<SaidPlace>,
    text: Option<String>,
    confidence: Option<f64>,
}

#[derive(Deserialize)]
struct SaidPlace {
    file: String,
    start_line: u32,
    end_line: u32,
    score: Option<f64>,
}

/// The program in `text`: `NAME=PROGRAM ARGUMENT…`, arguments separated by blanks. It is started when it is first asked, and anew
/// after it failed; `patience` is how long an answer may take.
///
/// # Errors
/// When there is no name or no program, or the name is that of a built-in system.
pub fn start(text: &str, patience: Duration) -> Result<Program, ZooError> {
    let wrong = |why: &str| {
        Err(ZooError::Request(format!(
            "`--system {text}`: {why}; write `NAME=PROGRAM ARGUMENT…`"
        )))
    };
    let Some((name, command)) = text.split_once('=') else {
        return wrong("there is no `=`");
    };
    let argv: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    match () {
        () if argv.is_empty() => wrong("there is no program"),
        () if !plain => wrong("a name is letters, digits, `-`, `_` and `.`"),
        () if super::BUILT_IN.contains(&name) => wrong("a built-in system has that name"),
        () => Ok(Program {
            name: name.to_owned(),
            argv,
            patience,
            running: Mutex::new((0, None)),
        }),
    }
}

impl System for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        let mut state = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        let id = state.0;
        if state.1.is_none() {
            state.1 = Some(self.begin()?);
        }
        let Some(running) = &mut state.1 else {
            return Err("it is not running".to_owned());
        };
        let answered = running.ask(id, ask, self.patience);
        if answered.is_err() {
            // What it says from here on would be taken for other answers.
            state.1 = None;
        }
        answered
    }
}

impl Program {
    #[expect(
        clippy::disallowed_methods,
        reason = "the user named the program to be measured"
    )]
    fn begin(&self) -> Result<Running, String> {
        let mut command = std::process::Command::new(&self.argv[0]);
        command
            .args(&self.argv[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|error| format!("it cannot be started: {error}"))?;
        let (Some(asks), Some(said)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("it cannot be talked to".to_owned());
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut said = BufReader::new(said);
            loop {
                let mut line = Vec::new();
                let read = said.by_ref().take(MAX_ANSWER).read_until(b'\n', &mut line);
                let told = match read {
                    Ok(0) | Err(_) => return,
                    Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 >= MAX_ANSWER => {
                        Err("its answer is too long".to_owned())
                    }
                    Ok(_) => {
                        String::from_utf8(line).map_err(|_| "its answer is no UTF-8".to_owned())
                    }
                };
                let failed = told.is_err();
                if send.send(told).is_err() || failed {
                    return;
                }
            }
        });
        Ok(Running {
            child,
            asks,
            answers,
        })
    }
}

impl Running {
    fn ask(&mut self, id: u64, ask: &Ask<'_>, patience: Duration) -> Result<Answer, String> {
        let asked = json!({
            "v": 1, "id": id, "root": ask.root, "question": ask.question, "max_tokens": ask.budget,
        });
        let written = writeln!(self.asks, "{asked}").and_then(|()| self.asks.flush());
        if written.is_err() {
            return Err(self.ended());
        }
        let line = match self.answers.recv_timeout(patience) {
            Ok(line) => line?,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("no answer within {} s", patience.as_secs_f64()));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
        };
        let said: Said = serde_json::from_str(&line)
            .map_err(|error| format!("its answer makes no sense: {error}"))?;
        if said.id != id {
            return Err(format!("it answered question {} when asked {id}", said.id));
        }
        let count = said.places.len() as f64;
        let places = said.places.into_iter().enumerate().map(|(at, place)| {
            let span = LineSpan::new(place.start_line, place.end_line)
                .map_err(|error| format!("`{}` in its answer: {error}", place.file))?;
            let score = place.score.unwrap_or(count - at as f64);
            Ok(AnsweredPlace {
                file: place.file,
                span,
                score,
            })
        });
        Ok(Answer {
            places: places.collect::<Result<_, String>>()?,
            named: Vec::new(),
            confidence: said.confidence.map(|sure| sure.clamp(0.0, 1.0)),
            printed: said.text,
        })
    }

    fn ended(&mut self) -> String {
        match self.child.wait() {
            Ok(status) => format!("it ended without an answer ({status})"),
            Err(_) => "it ended without an answer".to_owned(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
