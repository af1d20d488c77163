//! Questions mined from what commits say: whoever wrote a commit message asked for the files that were changed.

use windlass::Workspace;
use windlass_base::Cancel;
use windlass_repo::ListQuery;

use crate::ZooError;
use crate::drift::{sample::is_source, text};
use crate::recipe::{Files, Gold, Kind, Question};

/// How many commits are looked at.
const COMMITS: &str = "400";
/// How many questions are asked.
const QUESTIONS: usize = 40;
/// A commit that changed more files says little of each.
const MAX_FILES: usize = 3;
/// A file with more lines is not read as a whole by anybody.
const MAX_LINES: usize = 5_000;

/// The questions of a repository, and its files. A commit asks only if its message has four words, and it changed a few files
/// of text that are there still; the lines wanted are those that it last wrote.
///
/// # Errors
/// When there is no history, or no commit to ask about.
pub(crate) fn questions(workspace: &Workspace) -> Result<(Vec<Question>, Files), ZooError> {
    let told = |error: Box<dyn std::error::Error>| ZooError::Drift(error.to_string());
    let root = workspace.repo().root();
    let snapshot = workspace.snapshot();
    let listing = snapshot
        .list(&ListQuery::default(), &Cancel::default())
        .map_err(windlass::Error::from)?;
    let mut files = Files::new();
    for path in listing.files {
        let Ok(source) = snapshot.read(&path) else {
            continue;
        };
        if source.why_no_text().is_none() && source.line_count() as usize <= MAX_LINES {
            let bytes = source.shown_bytes();
            let lines = String::from_utf8_lossy(&bytes)
                .lines()
                .map(str::to_owned)
                .collect();
            files.insert(path.to_string(), lines);
        }
    }
    let log = [
        "log",
        "--no-merges",
        "-n",
        COMMITS,
        "--format=%x01%H%x02%s",
        "--name-only",
    ];
    let log = text(root, &log).map_err(told)?;
    let mut questions = Vec::new();
    for commit in log.split('\u{1}').skip(1) {
        let Some((head, changed)) = commit.split_once('\n') else {
            continue;
        };
        let Some((id, message)) = head.split_once('\u{2}') else {
            continue;
        };
        let changed: Vec<&str> = changed.lines().filter(|line| !line.is_empty()).collect();
        let asks = message.split_whitespace().count() >= 4 && changed.len() <= MAX_FILES;
        if !asks
            || !changed
                .iter()
                .all(|file| is_source(file) && files.contains_key(*file))
        {
            continue;
        }
        let mut gold = Vec::new();
        for file in changed {
            let blame = ["blame", "--line-porcelain", "HEAD", "--", file];
            let blame = text(root, &blame).map_err(told)?;
            gold.extend(
                ranges(&blame, id)
                    .into_iter()
                    .map(|(start_line, end_line)| Gold {
                        file: file.to_owned(),
                        start_line,
                        end_line,
                    }),
            );
        }
        gold.retain(|one| {
            files
                .get(&one.file)
                .is_some_and(|lines| lines.len() >= one.end_line as usize)
        });
        let lines: u32 = gold
            .iter()
            .map(|one| one.end_line - one.start_line + 1)
            .sum();
        if (2..=120).contains(&lines) {
            let short: String = id.chars().take(10).collect();
            questions.push(Question {
                id: short,
                kind: Kind::Mined,
                is_of_memory: false,
                text: message.to_owned(),
                gold,
            });
        }
        if questions.len() == QUESTIONS {
            break;
        }
    }
    if questions.is_empty() {
        let message =
            "no commit of this repository says what it changed in a few files that are there still";
        return Err(ZooError::Request(message.to_owned()));
    }
    Ok((questions, files))
}

/// The lines that `commit` wrote, in stretches.
fn ranges(porcelain: &str, commit: &str) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in porcelain.lines().filter(|line| line.starts_with(commit)) {
        let mut words = line.split(' ').skip(2);
        let Some(at) = words.next().and_then(|word| word.parse::<u32>().ok()) else {
            continue;
        };
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == at => *last = at,
            _ => ranges.push((at, at)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_commit_are_put_together() {
        let line = |commit: &str, at: u32| format!("{commit} 9 {at} 1\nauthor a\n\ttext aa\n");
        let text = [line("aa", 3), line("aa", 4), line("bb", 5), line("aa", 6)].concat();
        assert_eq!(ranges(&text, "aa"), [(3, 4), (6, 6)]);
    }
}
