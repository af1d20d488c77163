//! Reads git objects by ID from one long-running git process. Starting git takes milliseconds, and
//! looking up a file in a commit takes an object for each of its folders.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use super::git_command::{PAUSE, end};
use super::{Git, GitError, full_id};
use crate::refusal::MAX_FILE_BYTES;

const COMMAND: &str = "cat-file";

/// Maximum size of a header line in bytes. Git's own headers are far shorter, so anything longer
/// isn't a header.
const MAX_LINE: u64 = 1 << 10;

/// A `git cat-file` process that returns one object at a time. Dropping this value ends the
/// process.
#[derive(Debug)]
pub(crate) struct Objects {
    git: Git,
    child: Child,
    questions: Option<ChildStdin>,
    answers: Receiver<io::Result<Object>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Object {
    /// Contents of a file.
    Blob(Vec<u8>),
    /// Contents of a folder, in git's binary format.
    Tree(Vec<u8>),
    /// A file that's larger than [`MAX_FILE_BYTES`]. This is its size; we don't read the contents.
    TooLarge(u64),
    /// There's no object with this ID, or it's neither a file nor a folder.
    Missing,
}

impl Git {
    /// Starts a process for reading objects.
    ///
    /// With `looks_up_trust`, the process also works in another user's repository if this user
    /// trusts it. That takes another git call, so only try it after a failure.
    pub(crate) fn objects(&self, looks_up_trust: bool) -> Result<Objects, GitError> {
        let failed = |cause| GitError::Io {
            command: COMMAND,
            cause,
        };
        let mut call = self.command(COMMAND).arg("--batch");
        if looks_up_trust {
            call = call.overrides(self.safe_directories()?);
        }
        let mut command = call.prepared();
        // We don't need the error output: if something is wrong, the answer is missing or makes no
        // sense.
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => GitError::NotInstalled,
            _ => failed(cause),
        })?;
        let (questions, stdout) = (child.stdin.take(), child.stdout.take());
        let (sender, answers) = sync_channel(1);
        std::thread::spawn(move || {
            let Some(stdout) = stdout else { return };
            let mut stdout = BufReader::new(stdout);
            loop {
                let answer = read_object(&mut stdout);
                let is_last = answer.is_err();
                // If sending fails, the process was ended and nobody is waiting any more.
                if sender.send(answer).is_err() || is_last {
                    return;
                }
            }
        });
        Ok(Objects {
            git: self.clone(),
            child,
            questions,
            answers,
        })
    }
}

impl Objects {
    /// Returns the object with this full ID. After an error, we don't know what the process would
    /// send next, so all later calls fail as well.
    pub(crate) fn get(&mut self, id: &str) -> Result<Object, GitError> {
        match full_id(id) {
            Some(id) => self.ask(id),
            None => Ok(Object::Missing),
        }
    }

    /// Returns the folder with this full ID. The ID of a commit stands for its root folder.
    pub(crate) fn get_tree(&mut self, id: &str) -> Result<Object, GitError> {
        match full_id(id) {
            Some(id) => self.ask(&format!("{id}^{{tree}}")),
            None => Ok(Object::Missing),
        }
    }

    fn ask(&mut self, name: &str) -> Result<Object, GitError> {
        let failed = |cause| GitError::Io {
            command: COMMAND,
            cause,
        };
        let gone = || failed(io::Error::from(io::ErrorKind::BrokenPipe));
        let questions = self.questions.as_mut().ok_or_else(gone)?;
        let asked = questions
            .write_all(format!("{name}\n").as_bytes())
            .and_then(|()| questions.flush());
        let answer = asked.map_err(failed).and_then(|()| self.wait());
        if answer.is_err() {
            self.questions = None;
            end(&mut self.child);
        }
        answer
    }

    fn wait(&self) -> Result<Object, GitError> {
        // As in `GitCommand::wait_for`, add up the pauses instead of asking for the time.
        let mut waited = Duration::ZERO;
        loop {
            if self.git.cancel.is_cancelled() {
                return Err(GitError::Cancelled { command: COMMAND });
            }
            match self.answers.recv_timeout(PAUSE) {
                Ok(Ok(object)) => return Ok(object),
                Ok(Err(cause)) => {
                    return Err(GitError::Io {
                        command: COMMAND,
                        cause,
                    });
                }
                Err(RecvTimeoutError::Timeout) if waited < self.git.timeout => waited += PAUSE,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(GitError::Timeout {
                        command: COMMAND,
                        limit: self.git.timeout,
                    });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(GitError::Unexpected { command: COMMAND });
                }
            }
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        self.questions = None;
        end(&mut self.child);
    }
}

/// Parses one answer, which is either `<id> <kind> <bytes>` followed by the contents and a newline,
/// or `<id> missing`.
fn read_object(from: &mut impl io::BufRead) -> io::Result<Object> {
    let mut line = Vec::new();
    from.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
    let line = line
        .strip_suffix(b"\n")
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    let line = std::str::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut words = line.split(' ').skip(1);
    let (kind, size) = (words.next().unwrap_or_default(), words.next());
    let Some(size) = size.and_then(|size| size.parse::<u64>().ok()) else {
        return match kind {
            "missing" | "ambiguous" => Ok(Object::Missing),
            _ => Err(io::ErrorKind::InvalidData.into()),
        };
    };
    let is_known = matches!(kind, "blob" | "tree");
    let body = &mut from.by_ref().take(size.saturating_add(1));
    if !is_known || size > MAX_FILE_BYTES {
        // Skip the contents, or the next answer would begin in the middle of them.
        io::copy(body, &mut io::sink())?;
        return Ok(match is_known {
            true => Object::TooLarge(size),
            false => Object::Missing,
        });
    }
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes)?;
    match bytes.pop() {
        Some(b'\n') if bytes.len() as u64 == size => {}
        _ => return Err(io::ErrorKind::UnexpectedEof.into()),
    }
    Ok(match kind {
        "tree" => Object::Tree(bytes),
        _ => Object::Blob(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut text: &[u8]) -> Vec<Option<Object>> {
        let mut objects = Vec::new();
        while !text.is_empty() {
            let object = read_object(&mut text).ok();
            let is_last = object.is_none();
            objects.push(object);
            if is_last {
                break;
            }
        }
        objects
    }

    #[test]
    fn batch_answers_are_read_in_turn() {
        let text = b"aa blob 4\na\nb\n\nbb missing\ncc tree 2\nxy\ncc commit 2\nxy\ndd blob 0\n\n";
        let want = [
            Object::Blob(b"a\nb\n".to_vec()),
            Object::Missing,
            Object::Tree(b"xy".to_vec()),
            Object::Missing,
            Object::Blob(Vec::new()),
        ];
        assert_eq!(read(text), want.map(Some));
    }

    #[test]
    fn truncated_answer_is_an_error() {
        for text in [
            &b"aa blob 4\nabc"[..],
            b"aa blob",
            b"aa blob 4\nabcde\n",
            b"\xff\n",
        ] {
            assert_eq!(read(text).last().unwrap(), &None);
        }
    }
}
