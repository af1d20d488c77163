//! Measures a program that reads one JSON line per question from standard input and writes one JSON
//! line per answer to standard output.
//!
//! A question and its answer, with the best location first:
//!
//! ```text
//! {"v": 1, "id": 7, "root": "/…", "question": "…", "max_tokens": 2000}
//! {"id": 7, "places": [{"file": "a.rs", "start_line": 1, "end_line": 9, "score": 2.5}], "confidence": 0.8}
//! ```
//!
//! - `places` is an empty list, `null` or missing if nothing answers the question. `nearest`
//!   (`["a.rs"]`) may then name the nearest files.
//! - `file` is relative to `root` or an absolute path.
//! - `score` is optional, but either all places have one or none has. Places are ranked by it.
//! - `confidence` is optional. It's the probability, from 0 to 1, that the first place is right.
//!
//! We read the shown text from the files, so the program need not return any. If a program fails,
//! we report the last line on its standard error. A program may end after an answer. If it ends
//! with an error, the next question fails.
//!
//! Samples measured in parallel use separate processes, and each process gets one question at a
//! time. After [`MAX_TIMEOUTS`] consecutive timeouts we give up on the program, because it probably
//! hangs and each further question would cost a full timeout. To measure stability, we ask a second
//! process while the first one is running. Its question has the `id` 1. A killed program takes all
//! its descendants with it. No `GIT_…` variables are passed on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use windlass_base::{Cancel, LineSpan};

use super::{Answer, AnsweredPlace, Ask, System};
use crate::ZooError;
use crate::file_names::{is_folder, within};
use crate::process::{self, PAUSE};
use crate::texts;

/// Maximum length in characters of the reported line from standard error.
const LAST_LINE: usize = 200;

/// Maximum size of an answer in bytes.
const MAX_ANSWER: u64 = 16 << 20;

/// Number of consecutive timeouts after which we give up on a program.
const MAX_TIMEOUTS: u32 = 3;

/// A program that answers questions.
pub struct Program {
    name: String,
    argv: Vec<String>,
    patience: Duration,
    /// Id of the last question.
    asked: AtomicU64,
    /// Number of consecutive timeouts. The second number is for the second process, since some
    /// programs can only run once at a time.
    timeouts: AtomicU32,
    repeated_timeouts: AtomicU32,
    /// Running processes waiting for a question.
    idle: Mutex<Vec<Running>>,
}

struct Running {
    child: Child,
    has_answered: bool,
    asks: SyncSender<String>,
    answers: Receiver<Result<String, String>>,
    /// Receives the last line on standard error when the program closes it.
    last_words: Receiver<String>,
}

#[derive(Deserialize)]
#[serde(rename = "answer")]
struct Said {
    id: u64,
    /// The locations, or `None` if nothing answers the question.
    places: Option<Vec<SaidPlace>>,
    nearest: Option<Vec<String>>,
    confidence: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename = "place")]
struct SaidPlace {
    file: String,
    start_line: u32,
    end_line: u32,
    score: Option<f64>,
}

/// Parses `NAME=PROGRAM ARGUMENT…`. Arguments are separated by spaces, and a space after `\` is
/// part of its argument. The program starts with the first question or when [`Program::started`] is
/// called, and is restarted after a failure. `patience` is the timeout for an answer.
///
/// # Errors
///
/// Returns an error if the name or the program is missing, or a built-in system has the name.
pub fn start(text: &str, patience: Duration) -> Result<Program, ZooError> {
    let wrong = |why: &str| {
        Err(ZooError::Request(format!(
            "`--system {text}`: {why}; write `NAME=PROGRAM ARGUMENT…`"
        )))
    };
    let Some((name, command)) = text.split_once('=') else {
        return wrong("missing `=`");
    };
    let argv = words(command);
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    match () {
        () if argv.is_empty() => wrong("missing program"),
        () if !plain => wrong("a name has only letters, digits, `-`, `_` and `.`"),
        () if super::BUILT_IN.contains(&name) => wrong("a built-in system has that name"),
        () => Ok(Program {
            name: name.to_owned(),
            argv,
            patience,
            asked: AtomicU64::new(0),
            timeouts: AtomicU32::new(0),
            repeated_timeouts: AtomicU32::new(0),
            idle: Mutex::default(),
        }),
    }
}

/// Splits a command line at spaces. A space after `\` is part of its word. No other character is
/// special.
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

/// Escapes a word so that [`words`] reads it back.
fn typed_word(word: &str) -> String {
    let each = word.chars();
    each.flat_map(|c| c.is_whitespace().then_some('\\').into_iter().chain([c]))
        .collect()
}

impl Program {
    /// Starts the program before the first question, so that an error is reported early.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be started.
    pub fn started(self) -> Result<Self, ZooError> {
        let running = self.begin().map_err(|why| {
            let typed = self.typed().unwrap_or_default();
            ZooError::Data(format!("`--system {typed}`: {why}"))
        })?;
        self.idle().push(running);
        Ok(self)
    }

    /// Makes the command line independent of the working folder. A word becomes an absolute path if
    /// it names an existing file in `here`. The first word must also contain a `/`, since it may be
    /// a program on the path.
    #[must_use]
    pub fn typed_in(mut self, here: &Path) -> Self {
        for (at, word) in self.argv.iter_mut().enumerate() {
            let is_path = at > 0 || word.contains('/');
            let path = here.join(&*word);
            if is_path && !word.starts_with('-') && path.exists() {
                *word = path.to_string_lossy().into_owned();
            }
        }
        self
    }
}

impl System for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn typed(&self) -> Option<String> {
        let argv: Vec<String> = self.argv.iter().map(|word| typed_word(word)).collect();
        Some(format!("{}={}", self.name, argv.join(" ")))
    }

    fn patience(&self) -> Option<Duration> {
        Some(self.patience)
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        self.unless_timed_out(&self.timeouts, || {
            let id = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
            let waiting = self.idle().pop();
            let mut running = match waiting {
                Some(running) => running,
                None => self.begin()?,
            };
            let mut answered = running.ask(id, ask, self.patience);
            if running.has_answered && matches!(answered, Err(Failure::Done(_))) {
                // The program may have ended after its previous answer, so start it again.
                running = self.begin()?;
                answered = running.ask(id, ask, self.patience);
            }
            let answer = answered?;
            // Reuse a process only if it has answered. After a failure, it could still send the
            // answer to the old question.
            running.has_answered = true;
            self.idle().push(running);
            Ok(answer)
        })
    }

    fn says_again(&self, ask: &Ask<'_>, answer: &Answer) -> Result<bool, String> {
        let again = || self.begin()?.ask(1, ask, self.patience);
        let again = self.unless_timed_out(&self.repeated_timeouts, again)?;
        Ok(again == *answer)
    }
}

/// The reason why a program gave no answer.
enum Failure {
    /// The program ended without an error before it answered.
    Done(String),
    /// The answer took too long.
    Late(String),
    /// Any other reason.
    Other(String),
}

impl Failure {
    fn into_words(self) -> String {
        match self {
            Self::Done(why) | Self::Late(why) | Self::Other(why) => why,
        }
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

impl Program {
    fn idle(&self) -> MutexGuard<'_, Vec<Running>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the program, unless it has had too many consecutive timeouts.
    fn unless_timed_out(
        &self,
        timeouts: &AtomicU32,
        asked: impl FnOnce() -> Result<Answer, Failure>,
    ) -> Result<Answer, String> {
        if timeouts.load(Ordering::Relaxed) >= MAX_TIMEOUTS {
            return Err(format!(
                "not asked again: {MAX_TIMEOUTS} timeouts of {} s in a row",
                self.patience.as_secs_f64()
            ));
        }
        asked()
            .inspect(|_| timeouts.store(0, Ordering::Relaxed))
            .map_err(|failure| {
                match failure {
                    Failure::Late(_) => {
                        timeouts.fetch_add(1, Ordering::Relaxed);
                    }
                    _ => timeouts.store(0, Ordering::Relaxed),
                }
                failure.into_words()
            })
    }

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
            .stderr(Stdio::piped());
        process::own_group(&mut command);
        process::without_git(&mut command);
        let mut child = command
            .spawn()
            .map_err(|error| format!("cannot be started: {error}"))?;
        let (Some(asks), Some(said), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("it has no pipes".to_owned());
        };
        Ok(Running {
            child,
            asks: written_aside(asks),
            answers: read_aside(said),
            last_words: last_line_aside(errors),
            has_answered: false,
        })
    }
}

/// Starts a thread that writes lines to the program. If the program doesn't read, only this thread
/// blocks.
fn written_aside(mut pipe: ChildStdin) -> SyncSender<String> {
    let (send, lines) = sync_channel::<String>(1);
    std::thread::spawn(move || {
        for line in lines {
            if writeln!(pipe, "{line}")
                .and_then(|()| pipe.flush())
                .is_err()
            {
                return;
            }
        }
    });
    send
}

/// Starts a thread that reads lines from the program. It reads at most one line ahead, so that
/// endless output doesn't fill the memory.
fn read_aside(said: ChildStdout) -> Receiver<Result<String, String>> {
    let (send, answers) = sync_channel(1);
    std::thread::spawn(move || {
        let mut said = BufReader::new(said);
        loop {
            let mut line = Vec::new();
            let read = said.by_ref().take(MAX_ANSWER).read_until(b'\n', &mut line);
            let told = match read {
                Ok(0) | Err(_) => return,
                Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 >= MAX_ANSWER => {
                    Err("the answer is too long".to_owned())
                }
                Ok(_) => String::from_utf8(line).map_err(|_| "the answer is not UTF-8".to_owned()),
            };
            let failed = told.is_err();
            if send.send(told).is_err() || failed {
                return;
            }
        }
    });
    answers
}

/// Starts a thread that reads standard error to its end, then sends the last line that isn't blank.
fn last_line_aside(errors: ChildStderr) -> Receiver<String> {
    let (send, last_words) = sync_channel(1);
    std::thread::spawn(move || {
        let mut errors = BufReader::new(errors);
        let (mut last, mut part) = (String::new(), Vec::new());
        // A long line without a line break is split into parts, each of which counts as a line.
        while let Ok(1..) = errors.by_ref().take(1 << 16).read_until(b'\n', &mut part) {
            let line = String::from_utf8_lossy(&part);
            if !line.trim().is_empty() {
                last = line.trim().chars().take(LAST_LINE).collect();
            }
            part.clear();
        }
        let _ = send.send(last);
    });
    last_words
}

impl Running {
    fn ask(&mut self, id: u64, ask: &Ask<'_>, patience: Duration) -> Result<Answer, Failure> {
        let asked = json!({
            "v": 1, "id": id, "root": ask.given(), "question": ask.question, "max_tokens": ask.budget,
        });
        match self.asks.try_send(asked.to_string()) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                return Err("it does not read its input".to_owned().into());
            }
            Err(TrySendError::Disconnected(_)) => {
                return Err(self.ended(ask.cancel, patience));
            }
        }
        let line = self.line(ask.cancel, patience)?;
        match serde_json::from_str::<Said>(&line) {
            Ok(said) => Ok(said.checked(id, ask)?),
            Err(error) => {
                let start: String = line.trim_end().chars().take(80).collect();
                Err(format!("invalid answer: {error}: `{start}`").into())
            }
        }
    }

    /// Returns the next line of output, waiting up to `patience`.
    fn line(&mut self, cancel: &Cancel, patience: Duration) -> Result<String, Failure> {
        // Add up the pauses, so that we need no clock.
        let mut waited = Duration::ZERO;
        loop {
            let pause = PAUSE.min(patience.saturating_sub(waited));
            match self.answers.recv_timeout(pause) {
                Ok(line) => return Ok(line?),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.ended(cancel, patience));
                }
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    return Err("the run was stopped".to_owned().into());
                }
                Err(RecvTimeoutError::Timeout) if waited < patience => waited += pause,
                Err(RecvTimeoutError::Timeout) => {
                    let patience = patience.as_secs_f64();
                    return Err(Failure::Late(format!("no answer within {patience} s")));
                }
            }
        }
    }

    /// Returns the reason why the program closed its output. Waits up to `patience` for the process
    /// to end.
    fn ended(&mut self, cancel: &Cancel, patience: Duration) -> Failure {
        let mut waited = Duration::ZERO;
        let status = loop {
            match process::ended(&mut self.child) {
                Ok(Some(status)) => break status,
                Ok(None) if waited < patience && !cancel.is_cancelled() => {
                    std::thread::sleep(PAUSE);
                    waited += PAUSE;
                }
                _ => {
                    let why = "it closed its output without an answer and is still running";
                    return why.to_owned().into();
                }
            }
        };
        // A descendant in another process group may keep standard error open, so limit the wait.
        let last = self.last_words.recv_timeout(PAUSE * 5).unwrap_or_default();
        let mut why = format!("it ended without an answer ({status})");
        if !last.is_empty() {
            why += &format!("; last line of standard error: `{last}`");
        }
        match status.success() {
            true => Failure::Done(why),
            false => Failure::Other(why),
        }
    }
}

impl Said {
    /// Validates the answer, which must be for the question with this id.
    fn checked(self, id: u64, ask: &Ask<'_>) -> Result<Answer, String> {
        if self.id != id {
            let other = self.id;
            return Err(format!("it answered question {other} instead of {id}"));
        }
        let is_sure = self.confidence;
        if is_sure.is_some_and(|sure| !(0.0..=1.0).contains(&sure)) {
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
            // A place without a score can't be ranked among places with one.
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

impl SaidPlace {
    /// Validates the place. `score` is used if it has no score of its own.
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

/// Returns the path and the number of lines of the file called `name` in an answer.
fn known_file(name: &str, ask: &Ask<'_>) -> Result<(String, usize), String> {
    let file = within(ask.given(), name).map_err(|why| format!("in its answer, {why}"))?;
    let given = ask.files.get(&file).map(Vec::len);
    let beside = || texts::beside(ask, &file).map(|lines| lines.len());
    let what = match is_folder(ask.files, &file) {
        true => "a folder: name files, with lines",
        false => "not a readable text file of the repository",
    };
    let told = || format!("`{file}` in its answer is {what}");
    let count = given.or_else(beside).ok_or_else(told)?;
    Ok((file, count))
}

impl Drop for Running {
    fn drop(&mut self) {
        process::end(&mut self.child);
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_blank_round_trips() {
        let program = start(r"mine=/a\ b/run  --x=\n  c\ ", Duration::ZERO).unwrap();
        assert_eq!(program.argv, ["/a b/run", r"--x=\n", "c "]);
        let typed = program.typed().unwrap();
        assert_eq!(typed, r"mine=/a\ b/run --x=\n c\ ");
        assert_eq!(start(&typed, Duration::ZERO).unwrap().argv, program.argv);
    }

    #[test]
    fn typed_paths_are_absolute() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().join("a b");
        crate::folder::put(&here.join("run.sh"), "").unwrap();
        let program = start("mine=sh run.sh -x", Duration::ZERO).unwrap();
        let typed = program.typed_in(&here).typed().unwrap();
        let again = start(&typed, Duration::ZERO).unwrap();
        let path = here.join("run.sh").display().to_string();
        assert_eq!(again.argv, ["sh", &path, "-x"]);
    }

    #[test]
    fn missing_program_fails_on_start() {
        let told = start("mine=/no/such/program x", Duration::ZERO);
        let told = told.unwrap().started().unwrap_err().to_string();
        assert!(
            told.starts_with("`--system mine=/no/such/program x`: cannot be started"),
            "{told}"
        );
    }
}
