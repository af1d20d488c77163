//! A shared log in a ref of a git remote.
//!
//! Each batch is a commit, and the batch is its only file. The message contains the position and
//! the batch ID. The commits form a line, and pushing with a lease orders them: if two machines
//! push at the same time, one of the pushes fails, and its machine fetches the other's commit and
//! tries again.
//!
//! Any git remote will do, because no program has to run on the server. The working tree is not
//! affected.

use std::time::Duration;

use windlass_ledger::{Append, Batch, Head, Opening, Position, SharedError, SharedLog, Tail};

use crate::git_program::GitProgram;
use crate::paused;

const FILE: &str = "batch.jsonl";
/// Maximum number of batches to read at once. Readers get the rest with the next read.
const MAX_BATCHES: u64 = 2_000;
/// Interval of requests to the remote while waiting. A git remote cannot notify us, so we have to
/// ask.
const TICK: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct GitLog {
    git: GitProgram,
    remote: String,
    there: String,
    /// The ref in this repository. It follows the remote's.
    here: String,
    /// The last known commit at the remote, with its position. `None` if there is no commit yet.
    tip: Option<(String, Position)>,
    /// True until the first read after fetching `tip`, since that read does not have to ask the
    /// remote again.
    is_fresh: bool,
}

impl GitLog {
    /// Opens the log `name` at `remote`.
    ///
    /// # Errors
    /// Returns an error if the remote is unreachable, or its ref is not a log of Windlass. A
    /// missing ref is an empty log and no error, regardless of `opening`.
    pub(crate) fn open(
        git: GitProgram,
        remote: &str,
        name: &str,
        opening: Opening,
    ) -> Result<Self, SharedError> {
        let mut log = Self {
            git,
            remote: remote.to_owned(),
            there: format!("refs/windlass/{name}"),
            here: format!("refs/windlass/remotes/{remote}/{name}"),
            tip: None,
            is_fresh: false,
        };
        log.fetch(opening == Opening::Again)?;
        Ok(log)
    }

    /// Fetches the remote's commits. With `is_patient`, we keep trying for several seconds.
    fn fetch(&mut self, is_patient: bool) -> Result<(), SharedError> {
        let limit = Duration::from_secs(if is_patient { 8 } else { 0 });
        self.tip = match self.fetch_ref(&self.there, &self.here, limit)? {
            true => Some(self.commit_at(&self.here)?),
            false => None,
        };
        self.is_fresh = true;
        Ok(())
    }

    /// Fetches a ref from the remote. Returns false if the remote does not have it.
    fn fetch_ref(&self, there: &str, here: &str, limit: Duration) -> Result<bool, SharedError> {
        // The remote's ref may have been replaced, so don't insist on a fast-forward.
        let refs = format!("+{there}:{here}");
        let mut failure = None;
        let found = paused(limit, Duration::from_millis(500), || {
            let fetched = self.git.run(
                &[
                    "fetch",
                    "--quiet",
                    "--no-tags",
                    "--no-write-fetch-head",
                    "--no-recurse-submodules",
                    &self.remote,
                    &refs,
                ],
                Vec::new(),
            )?;
            if fetched.is_success {
                return Ok(Some(true));
            }
            if fetched.complaint.contains("couldn't find remote ref") {
                return Ok(Some(false));
            }
            failure = Some(fetched.complaint);
            Ok(None)
        })?;
        found.ok_or_else(|| {
            SharedError::Unreachable(failure.unwrap_or_else(|| "git fetch failed".to_owned()))
        })
    }

    fn advance(&mut self, commit: &str) -> Result<(), SharedError> {
        let update = ["update-ref", &self.here, commit];
        self.git.run(&update, Vec::new())?.checked()?;
        self.tip = Some(self.commit_at(commit)?);
        Ok(())
    }

    fn commit_at(&self, revision: &str) -> Result<(String, Position), SharedError> {
        let shown = self.git.run(
            &[
                "log",
                "-1",
                "--format=%H%n%B",
                "--end-of-options",
                revision,
                "--",
            ],
            Vec::new(),
        )?;
        let text = shown.checked()?.text();
        let (commit, message) = text.split_once('\n').unwrap_or((&text, ""));
        let position = position_in(message).ok_or_else(|| {
            SharedError::Refused(format!("`{}` is not a log of Windlass", self.there))
        })?;
        Ok((commit.to_owned(), position))
    }

    fn head_now(&self) -> Head {
        Head {
            position: self
                .tip
                .as_ref()
                .map(|(_, at)| at.clone())
                .unwrap_or_default(),
            // A git remote can't be asked for the time.
            clock_ahead: None,
        }
    }

    fn tail(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError> {
        let head = self.head_now();
        let diverged = || SharedError::Diverged(after.clone());
        let count = head
            .position
            .at
            .checked_sub(after.at)
            .ok_or_else(diverged)?;
        let Some((tip, _)) = self.tip.clone() else {
            return Ok(Tail {
                batches: Vec::new(),
                head,
            });
        };
        // The positions count the commits, so this is where the caller's last batch has to be.
        if after.at > 0 && self.commit_at(&format!("{tip}~{count}"))?.1 != *after {
            return Err(diverged());
        }
        // `rev-list` counts from the tip, so skipping the newest commits leaves us with the oldest
        // ones.
        let skipped = count.saturating_sub(MAX_BATCHES);
        let wanted = (count - skipped).to_string();
        let listed = self.git.run(
            &[
                "rev-list",
                "--first-parent",
                "--reverse",
                &format!("--skip={skipped}"),
                &format!("--max-count={wanted}"),
                &tip,
                "--",
            ],
            Vec::new(),
        )?;
        let commits = listed.checked()?.text();
        let mut batches = Vec::new();
        if count > 0 {
            batches = self.batches(&commits, max_bytes)?;
        }
        Ok(Tail { batches, head })
    }

    /// Reads the batches of `commits`, which has one ID per line.
    fn batches(
        &self,
        commits: &str,
        max_bytes: usize,
    ) -> Result<Vec<(Position, Batch)>, SharedError> {
        let commits: Vec<&str> = commits.lines().collect();
        // First ask for the sizes, then for the contents of as many as we need. Each takes a single
        // call of git, however many commits there are.
        let count = self.count_within(&commits, max_bytes)?;
        let asked: String = commits[..count]
            .iter()
            .map(|commit| format!("{commit}\n{commit}:{FILE}\n"))
            .collect();
        let objects = self.git.run(&["cat-file", "--batch"], asked.into_bytes())?;
        let objects = objects.checked()?.stdout;
        let (mut rest, mut batches) = (&objects[..], Vec::new());
        while let (Some(commit), Some(lines)) = (next_object(&mut rest), next_object(&mut rest)) {
            let message = String::from_utf8_lossy(commit);
            let Some(position) = position_in(&message) else {
                return Err(SharedError::Refused(format!(
                    "`{}` has a commit that is not of Windlass",
                    self.there
                )));
            };
            let batch = Batch {
                id: position.batch.clone(),
                lines: lines.to_vec(),
            };
            batches.push((position, batch));
        }
        Ok(batches)
    }

    /// Returns the number of `commits` to take from the start for a total batch size of about
    /// `max_bytes`. It is at least one, because the caller could not make progress otherwise.
    fn count_within(&self, commits: &[&str], max_bytes: usize) -> Result<usize, SharedError> {
        let asked: String = commits
            .iter()
            .map(|commit| format!("{commit}:{FILE}\n"))
            .collect();
        let listed = self.git.run(
            &["cat-file", "--batch-check=%(objectsize)"],
            asked.into_bytes(),
        )?;
        let mut bytes = 0_usize;
        let listed = listed.checked()?.text();
        let kept = listed.lines().take_while(|size| {
            let fits = bytes < max_bytes.max(1);
            bytes = bytes.saturating_add(size.parse().unwrap_or(0));
            fits
        });
        Ok(kept.count().min(commits.len()))
    }

    /// Creates a commit for the batch on top of the last known one, and returns the name of a ref
    /// to it. That ref is only in this repository; nobody else sees the commit until we push it.
    fn make_commit(&self, position: &Position, batch: &Batch) -> Result<String, SharedError> {
        // `fast-import` makes the blob, the tree and the commit in one go, and doesn't need an
        // index or a working tree.
        let made = format!("{}.new", self.here);
        let message = message_of(position);
        let mut stream = format!("feature done\nreset {made}\n");
        if let Some((tip, _)) = &self.tip {
            stream.push_str(&format!("from {tip}\n\n"));
        }
        stream.push_str(&format!(
            "commit {made}\ncommitter windlass <windlass@localhost> now\ndata {}\n{message}\nM 100644 inline {FILE}\ndata {}\n",
            message.len(),
            batch.lines.len()
        ));
        let mut stream = stream.into_bytes();
        stream.extend(&batch.lines);
        stream.extend(b"\ndone\n");
        let import = ["fast-import", "--quiet", "--force", "--date-format=now"];
        self.git.run(&import, stream)?.checked()?;
        Ok(made)
    }
}

fn message_of(position: &Position) -> String {
    format!(
        "batch {} of a shared ledger\n\nposition: {}\nbatch: {}\n",
        position.at, position.at, position.batch
    )
}

fn position_in(message: &str) -> Option<Position> {
    let value = |name: &str| message.lines().find_map(|line| line.strip_prefix(name));
    Some(Position {
        at: value("position: ")?.trim().parse().ok()?,
        batch: value("batch: ")?.trim().to_owned(),
    })
}

/// Splits off the next object from the output of `git cat-file --batch`. Returns `None` at the end
/// of the output, and for a missing object.
fn next_object<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let line_end = rest.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&rest[..line_end]).ok()?;
    let size: usize = header.rsplit(' ').next()?.parse().ok()?;
    let start = line_end + 1;
    let object = rest.get(start..start.checked_add(size)?)?;
    *rest = rest.get(start + size + 1..).unwrap_or_default();
    Some(object)
}

impl SharedLog for GitLog {
    fn limit_for(&mut self, opening: Opening) {
        self.git.limit_for(opening);
    }

    fn head(&mut self) -> Result<Head, SharedError> {
        if !self.is_fresh {
            self.fetch(false)?;
        }
        Ok(self.head_now())
    }

    fn read(&mut self, after: &Position, max_bytes: usize) -> Result<Tail, SharedError> {
        // If the caller reads on after a cut tail, we've fetched the rest already.
        let is_rest = self.tip.as_ref().is_some_and(|(_, tip)| tip.at > after.at);
        if !std::mem::take(&mut self.is_fresh) && !is_rest {
            self.fetch(false)?;
            self.is_fresh = false;
        }
        self.tail(after, max_bytes)
    }

    fn append(&mut self, expected: &Position, batch: &Batch) -> Result<Append, SharedError> {
        // The position may be newer than our last fetch, so don't report a lost race before we've
        // looked at the remote.
        if self.head_now().position != *expected {
            self.fetch(false)?;
            if self.head_now().position != *expected {
                return Ok(Append::Moved(self.tail(expected, 1 << 20)?));
            }
        }
        self.is_fresh = false;
        let position = Position {
            at: expected.at + 1,
            batch: batch.id.clone(),
        };
        let made = self.make_commit(&position, batch)?;
        // Without a commit, the lease is empty. Git then only pushes if the ref doesn't exist yet.
        let lease = self.tip.as_ref().map_or("", |(commit, _)| commit.as_str());
        let lease = format!("--force-with-lease={}:{lease}", self.there);
        let refs = format!("{made}:{}", self.there);
        let pushed = self.git.run(
            &[
                "push",
                "--quiet",
                "--no-verify",
                "--porcelain",
                &lease,
                &self.remote,
                &refs,
            ],
            Vec::new(),
        );
        let pushed = pushed.map_err(|error| SharedError::Unknown(error.to_string()))?;
        if pushed.is_success {
            let updated = self.advance(&made);
            // The remote has the batch, so an error of our own repository mustn't look like a
            // refusal.
            updated.map_err(|error| SharedError::Unknown(error.to_string()))?;
            return Ok(Append::Done(self.head_now()));
        }
        let complaint = pushed.complaint;
        // Either the lease has refused our push, or the connection was lost. Only the remote knows
        // if our batch made it, so look there.
        let fetched = self.fetch(false);
        self.is_fresh = false;
        fetched.map_err(|_| SharedError::Unknown(complaint.clone()))?;
        if self.head_now().position == *expected {
            return Err(SharedError::Refused(format!("git push: {complaint}")));
        }
        Ok(Append::Moved(self.tail(expected, 1 << 20)?))
    }

    /// Pushes the blob to a ref of its own, which other machines fetch on demand. In the log
    /// itself, every machine would have to fetch every blob.
    fn put_blob(&mut self, id: &str, bytes: &[u8]) -> Result<(), SharedError> {
        let write = ["hash-object", "-w", "--stdin"];
        let object = self.git.run(&write, bytes.to_owned())?.checked()?.text();
        let refs = format!("{object}:{}.blobs/{id}", self.there);
        let push = ["push", "--quiet", "--no-verify", &self.remote, &refs];
        self.git.run(&push, Vec::new())?.checked().map(drop)
    }

    fn blob(&mut self, id: &str) -> Result<Option<Vec<u8>>, SharedError> {
        let [there, here] = [&self.there, &self.here].map(|name| format!("{name}.blobs/{id}"));
        if !self.fetch_ref(&there, &here, Duration::ZERO)? {
            return Ok(None);
        }
        let shown = self.git.run(&["cat-file", "blob", &here], Vec::new())?;
        Ok(Some(shown.checked()?.stdout))
    }

    fn wait(&mut self, after: &Position, limit: Duration) -> Result<Head, SharedError> {
        let found = paused(limit, TICK, || {
            self.fetch(false)?;
            let head = self.head_now();
            Ok((head.position != *after).then_some(head))
        })?;
        Ok(found.unwrap_or_else(|| self.head_now()))
    }
}
