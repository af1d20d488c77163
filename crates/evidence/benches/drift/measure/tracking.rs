//! Line tracking by git. There are two methods, which have to agree.
//!
//! The first method is `git blame -M -C`, backwards from the new state. The second applies the
//! differences of all commits forwards, and uses another diff algorithm.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::edits::Error;
use super::edits::git::git;
use super::git_names::unquoted;
use super::truth::{are_alike, words};

/// Line of a file, counted from 1.
pub(crate) type Line = (String, u32);

#[derive(Debug, Default)]
pub(crate) struct Tracking {
    blamed: BTreeMap<Line, BTreeSet<Line>>,
    replayed: BTreeMap<Line, Line>,
    /// Lines that a commit removed while it added others in their place.
    replaced: BTreeSet<Line>,
    /// Lines that commits edited line for line, with the line that each became.
    edited: BTreeMap<Line, Line>,
    /// Lines of the new state that come from the old one.
    came: BTreeSet<Line>,
    pub(crate) changed: BTreeSet<String>,
}

impl Tracking {
    pub(crate) fn of_parts(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut whole = Self::default();
        for part in parts {
            whole.changed.extend(part.changed);
            whole.replayed.extend(part.replayed);
            whole.replaced.extend(part.replaced);
            whole.edited.extend(part.edited);
            for (old, places) in part.blamed {
                whole.blamed.entry(old).or_default().extend(places);
            }
        }
        let came = whole
            .blamed
            .values()
            .flatten()
            .chain(whole.replayed.values());
        whole.came = came.cloned().collect();
        whole
    }

    /// Formats the tracking as text, with tabs between fields.
    ///
    /// There is one line for each changed file, for each replaced line, and for each line tracked
    /// by a method.
    pub(crate) fn written(&self) -> String {
        let mut text = String::new();
        for file in &self.changed {
            text += &format!("changed\t{file}\n");
        }
        let pair = |word: &str, old: &Line, new: &Line| {
            format!("{word}\t{}\t{}\t{}\t{}\n", old.0, old.1, new.0, new.1)
        };
        for (old, places) in &self.blamed {
            text.extend(places.iter().map(|new| pair("blamed", old, new)));
        }
        text.extend(
            self.replayed
                .iter()
                .map(|(old, new)| pair("replayed", old, new)),
        );
        text.extend(
            self.edited
                .iter()
                .map(|(old, new)| pair("edited", old, new)),
        );
        let replaced = self.replaced.iter();
        text.extend(replaced.map(|(file, line)| format!("replaced\t{file}\t{line}\n")));
        text
    }

    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let mut part = Self::default();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match &fields[..] {
                ["changed", file] => drop(part.changed.insert((*file).to_owned())),
                ["replaced", file, line] => {
                    part.replaced.insert(((*file).to_owned(), line.parse()?));
                }
                [word, file, line, to, there] => {
                    let old = ((*file).to_owned(), line.parse()?);
                    let new = ((*to).to_owned(), there.parse()?);
                    match *word {
                        "blamed" => drop(part.blamed.entry(old).or_default().insert(new)),
                        "edited" => drop(part.edited.insert(old, new)),
                        _ => drop(part.replayed.insert(old, new)),
                    }
                }
                _ => return Err(format!("`{line}` is no tracked line").into()),
            }
        }
        Ok(part)
    }

    /// Runs `git blame` for each of `files` at `new`.
    pub(crate) fn blamed(dir: &Path, (old, new): (&str, &str), files: &[&String]) -> Self {
        let mut part = Self::default();
        let range = format!("{old}..{new}");
        for file in files {
            let how = ["blame", "--line-porcelain", "--first-parent", "-M", "-C"];
            let args = [&how[..], &[&range, "--", file]].concat();
            // A submodule or similar entry has no lines.
            if let Ok(porcelain) = git(dir, &args) {
                let porcelain = String::from_utf8_lossy(&porcelain);
                read_blame(&porcelain, old, file, &mut part.blamed);
            }
        }
        part
    }

    /// Applies the differences of all commits to the lines of `files`, which are given with their
    /// number of lines. Keeps the files that `changed`.
    pub(crate) fn replayed(
        dir: &Path,
        (old, new): (&str, &str),
        files: &BTreeMap<String, u32>,
        changed: &BTreeSet<String>,
    ) -> Result<Self, Error> {
        let mut part = replay(dir, (old, new), files)?;
        part.replayed.retain(|line, _| changed.contains(&line.0));
        part.replaced.retain(|line| changed.contains(&line.0));
        part.edited.retain(|line, _| changed.contains(&line.0));
        part.changed.clone_from(changed);
        Ok(part)
    }

    /// True if some method traces `line` of the new state, in a changed file, back to the old
    /// state.
    pub(crate) fn was_there(&self, line: &Line) -> bool {
        self.came.contains(line)
    }

    /// True if `line` of the old state is gone and the commit that removed it added others in its
    /// place.
    pub(crate) fn was_replaced(&self, line: &Line) -> bool {
        self.replaced.contains(line)
    }

    /// Returns the line that `line` of the old state became if commits edited it line for line.
    pub(crate) fn edited(&self, line: &Line) -> Option<&Line> {
        self.edited.get(line)
    }

    /// Returns the new locations of `line` by the first method, and its new location by the second.
    pub(crate) fn line(&self, line: &Line) -> (BTreeSet<Line>, Option<Line>) {
        if !self.changed.contains(&line.0) {
            return (BTreeSet::from([line.clone()]), Some(line.clone()));
        }
        let blamed = self.blamed.get(line).cloned().unwrap_or_default();
        (blamed, self.replayed.get(line).cloned())
    }
}

fn read_blame(porcelain: &str, old: &str, file: &str, blamed: &mut BTreeMap<Line, BTreeSet<Line>>) {
    let mut head: Option<(&str, u32, u32)> = None;
    let mut from = Cow::Borrowed("");
    for line in porcelain.split('\n') {
        if line.starts_with('\t') {
            // Git attributes all lines that the old state has to `old`, the boundary of the range.
            if let Some((commit, origin, now)) = head.take()
                && commit == old
            {
                let places = blamed.entry((from.to_string(), origin)).or_default();
                places.insert((file.to_owned(), now));
            }
        } else if let Some(name) = line.strip_prefix("filename ") {
            from = unquoted(name);
        } else if head.is_none() {
            let mut words = line.split(' ');
            let number = |words: &mut std::str::Split<'_, char>| words.next()?.parse().ok();
            let commit = words.next().unwrap_or_default();
            if let (Some(origin), Some(now)) = (number(&mut words), number(&mut words)) {
                head = Some((commit, origin, now));
            }
        }
    }
}

/// Line of the old state, and whether commits have edited it.
#[derive(Debug, Clone)]
struct Origin {
    line: Line,
    is_edited: bool,
}

type Lines = Vec<Option<Origin>>;

/// Applies the differences of all commits, oldest first. Returns the new location of each line and
/// the lines that were replaced.
fn replay(
    dir: &Path,
    (old, new): (&str, &str),
    files: &BTreeMap<String, u32>,
) -> Result<Tracking, Error> {
    let origin = |(file, count): (&String, &u32)| {
        let lines = (1..=*count).map(|line| Origin {
            line: (file.clone(), line),
            is_edited: false,
        });
        let lines: Lines = lines.map(Some).collect();
        (file.clone(), lines)
    };
    let mut state: BTreeMap<String, Lines> = files.iter().map(origin).collect();
    let range = format!("{old}..{new}");
    let log = git(
        dir,
        &[
            "log",
            "--first-parent",
            "--diff-merges=first-parent",
            "--reverse",
            "-p",
            "-U0",
            "-M",
            "-w",
            "--diff-algorithm=histogram",
            "--format=commit %H",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            &range,
        ],
    )?;
    let log = String::from_utf8_lossy(&log);
    let mut patches: Vec<Patch> = Vec::new();
    let mut replaced = BTreeSet::new();
    let mut lines = log.split('\n').peekable();
    while let Some(line) = lines.next() {
        // The word and the 40 digits of an id. All patches of the previous commit have been read by
        // now.
        if line.starts_with("commit ") && line.len() == 47 {
            apply(&mut state, &mut replaced, std::mem::take(&mut patches));
        } else if line.starts_with("diff --git ") {
            patches.push(Patch::default());
        } else if let Some(patch) = patches.last_mut() {
            patch.read(line);
            // The number of lines in a hunk decides where it ends, because removed and added lines
            // may look like headers.
            if let Some(hunk) = patch.hunks.last_mut()
                && line.starts_with("@@ ")
            {
                for _ in 0..hunk.removed + hunk.added {
                    while lines.next_if(|line| line.starts_with('\\')).is_some() {}
                    let said = lines.next().and_then(|line| line.get(1..));
                    hunk.lines.push(said.unwrap_or_default().to_owned());
                }
            }
        }
    }
    apply(&mut state, &mut replaced, patches);
    let mut found = Tracking {
        replaced,
        ..Tracking::default()
    };
    for (file, lines) in state {
        for (now, origin) in (1..).zip(lines) {
            match origin {
                Some(Origin { line, is_edited }) if is_edited => {
                    found.edited.insert(line, (file.clone(), now));
                }
                Some(Origin { line, .. }) => drop(found.replayed.insert(line, (file.clone(), now))),
                None => {}
            }
        }
    }
    Ok(found)
}

#[derive(Debug, Default)]
struct Patch {
    from: Option<String>,
    to: Option<String>,
    deleted: bool,
    hunks: Vec<Hunk>,
}

#[derive(Debug)]
struct Hunk {
    at: usize,
    removed: usize,
    added: usize,
    /// Removed lines, followed by added lines.
    lines: Vec<String>,
}

impl Hunk {
    /// Returns the origins of the added lines.
    ///
    /// If a hunk adds as many lines as it removes, an added line comes from the line in the same
    /// place. It must be similar to that line only, and the commit must not have added that line
    /// unchanged elsewhere.
    fn origins(&self, taken: &[Option<Origin>], put_in: &BTreeSet<String>) -> Lines {
        let mut origins = vec![None; self.added];
        let (old, new) = self.lines.split_at(self.removed.min(self.lines.len()));
        if self.removed != self.added || old.len() != new.len() || taken.len() != old.len() {
            return origins;
        }
        let new: Vec<Vec<&str>> = new.iter().map(|line| words(line)).collect();
        for (at, line) in old.iter().enumerate() {
            let own = words(line);
            let mut like = (0..new.len()).filter(|to| are_alike(&own, &new[*to]));
            let is_it = like.next() == Some(at) && like.next().is_none();
            if is_it && !put_in.contains(line.trim()) {
                origins[at] = taken[at].clone().map(|origin| Origin {
                    is_edited: true,
                    ..origin
                });
            }
        }
        origins
    }
}

impl Patch {
    fn read(&mut self, line: &str) {
        let name = |text: &str, side: &str| {
            let name = unquoted(text.trim_end_matches('\t'));
            name.strip_prefix(side).map(str::to_owned)
        };
        if let Some(from) = line.strip_prefix("--- ") {
            self.from = name(from, "a/").or(self.from.take());
        } else if let Some(to) = line.strip_prefix("+++ ")
            && let Some(to) = name(to, "b/")
        {
            self.to = Some(to);
        } else if let Some(from) = line.strip_prefix("rename from ") {
            self.from = name(from, "");
        } else if let Some(to) = line.strip_prefix("rename to ") {
            self.to = name(to, "");
        } else if line.starts_with("+++ /dev/null") {
            self.deleted = true;
        } else if let Some(ranges) = line.strip_prefix("@@ -") {
            let mut words = ranges.split(' ');
            let side = |word: Option<&str>| {
                let word = word.unwrap_or_default().trim_start_matches('+');
                let (at, count) = word.split_once(',').unwrap_or((word, "1"));
                (
                    at.parse().unwrap_or(0usize),
                    count.parse().unwrap_or(0usize),
                )
            };
            let (at, removed) = side(words.next());
            let (_, added) = side(words.next());
            // If no lines are removed, git gives the number of the line before the hunk.
            let at = if removed == 0 { at } else { at - 1 };
            self.hunks.push(Hunk {
                at,
                removed,
                added,
                lines: Vec::new(),
            });
        }
    }
}

fn apply(state: &mut BTreeMap<String, Lines>, replaced: &mut BTreeSet<Line>, patches: Vec<Patch>) {
    let taken: Vec<(Patch, Option<Lines>)> = patches
        .into_iter()
        .map(|patch| {
            let lines = patch.from.as_ref().and_then(|from| state.remove(from));
            (patch, lines)
        })
        .collect();
    let hunks = taken.iter().flat_map(|(patch, _)| &patch.hunks);
    let put_in = hunks.flat_map(|hunk| hunk.lines.iter().skip(hunk.removed));
    let put_in: BTreeSet<String> = put_in.map(|line| line.trim().to_owned()).collect();
    for (patch, lines) in taken {
        let (Some(mut lines), false) = (lines, patch.deleted) else {
            continue;
        };
        // Go from the last hunk to the first, so that the line numbers of the others remain right.
        for hunk in patch.hunks.iter().rev() {
            let end = (hunk.at + hunk.removed).min(lines.len());
            let at = hunk.at.min(end);
            let origins = hunk.origins(&lines[at..end], &put_in);
            let taken: Vec<Option<Origin>> = lines.splice(at..end, origins).collect();
            if hunk.added > 0 {
                replaced.extend(taken.into_iter().flatten().map(|origin| origin.line));
            }
        }
        if let Some(to) = patch.to.or(patch.from) {
            state.insert(to, lines);
        }
    }
}
