//! Measuring programs, which run as children and answer requests. The module `answers` describes
//! the protocol.
//!
//! Starting a measuring program is expensive, because it reads whole repositories. So a child stays
//! alive for all measurements of a set.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use super::area::Area;
use crate::Error;

/// A running program that measures one set of repositories.
pub(super) struct Child {
    child: std::process::Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The class of each case.
    pub(super) classes: Vec<String>,
}

impl Child {
    /// Starts `program` on the repositories in the folder `set` of `folder`, and reads the classes
    /// of its cases.
    pub(super) fn start(
        area: &Area,
        program: &Path,
        (folder, set): (&Path, &str),
    ) -> Result<Self, Error> {
        let mut command = Command::new(program);
        command.args(area.args.iter().map(|arg| arg.replace("{set}", set)));
        for repo in repos(&folder.join(set))? {
            command.arg(&area.each).arg(repo);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let requests = child.stdin.take().ok_or("no standard input")?;
        let answers = child.stdout.take().ok_or("no standard output")?;
        let mut child = Self {
            child,
            requests,
            answers: BufReader::new(answers),
            classes: Vec::new(),
        };
        let classes = child.line()?;
        child.classes = classes.split('\t').map(str::to_owned).collect();
        Ok(child)
    }

    /// Measures with the heuristics in `off` turned off. Returns the result of each case.
    pub(super) fn measure(&mut self, off: &[String]) -> Result<String, Error> {
        writeln!(self.requests, "{}", off.join(" "))?;
        self.requests.flush()?;
        let answer = self.line()?;
        match answer.chars().count() == self.classes.len() {
            true => Ok(answer),
            false => Err("the measuring program answers another number of cases".into()),
        }
    }

    fn line(&mut self) -> Result<String, Error> {
        let mut line = String::new();
        match self.answers.read_line(&mut line)? {
            0 => Err("the measuring program ended".into()),
            _ => Ok(line.trim_end_matches('\n').to_owned()),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The child ends by itself when its input does, so this may fail.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the repositories in `folder`, sorted by name.
pub(super) fn repos(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries =
        std::fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let mut repos: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, Error>>()?;
    repos.sort();
    Ok(repos)
}
