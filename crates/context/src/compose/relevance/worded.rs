//! Files with words of the goal in their names or in their text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::compose::goal_words::{words_of, written_words_of};
use windlass_base::{RepoPath, in_parallel};
use windlass_repo::{CaseMode, SearchQuery, role_of};
use windlass_search::Rarity;

use super::file_cases::{Cases, speak, spoken, together};
use crate::compose::ground::Ground;
use windlass_find::Others;
use windlass_find::scope;
use windlass_site::Error;

/// We do not expect more words of the goal than this in a file. If the goal is a long report, no
/// single file has all of its words.
const MAX_WORDS: usize = 8;
/// Maximum number of files that we parse in order to find places that answer the goal.
const MAX_PARSED: usize = 12;

/// Files that may match the goal. At this point, we only know that they contain the beginnings of
/// its words.
#[derive(Default)]
pub(super) struct Worded {
    /// The highest share of the goal that each file can possibly match, from 0 to 1.
    may_speak: BTreeMap<RepoPath, f64>,
    /// The number of files with each word.
    pub(super) others: Others,
}

impl Worded {
    /// The rank of each file, including the rank that a file outside of `cases` may get.
    pub(super) fn ranks<'a>(&'a self, cases: &'a Cases) -> BTreeMap<&'a RepoPath, u32> {
        let known = cases.iter().map(|(path, case)| (path, case.rank));
        let mut ranks: BTreeMap<&RepoPath, u32> = known.collect();
        for (path, share) in &self.may_speak {
            // A test has the same words as the code that it tests, but should rank lower.
            let speaks = match role_of(path.as_str()) {
                None => spoken(*share),
                Some(_) if windlass_base::is_on("context.role") => spoken(*share) * 3 / 4,
                Some(_) => spoken(*share),
            };
            let rank = ranks.entry(path).or_default();
            *rank = together(*rank, speaks);
        }
        ranks
    }
}

struct Word<'w> {
    stem: &'w str,
    /// The word, as it is written in the goal.
    written: &'w str,
    /// The number of files that have the word in their name.
    named: usize,
}

pub(super) struct GoalSearch<'b, 'w> {
    pub(super) ground: &'b Ground<'w>,
    pub(super) goal: &'b str,
}

impl GoalSearch<'_, '_> {
    /// Ranks files by their names, and returns the files that may contain words of the goal.
    pub(super) fn worded(&self, cases: &mut Cases) -> Result<Worded, Error> {
        let wanted = written_words_of(self.goal);
        let paths = self.words_of_paths(&wanted);
        let words = wanted.iter().map(|(stem, written)| Word {
            stem,
            written,
            named: paths.iter().filter(|own| own.contains(stem)).count(),
        });
        let most_named = self.ground.files.len() / 6 + 5;
        let words: Vec<Word<'_>> = words.filter(|word| word.named <= most_named).collect();
        if windlass_base::is_on("context.names") {
            self.worded_names(&words, &paths, cases);
        }
        self.worded_texts(&words)
    }

    /// The stems of the `wanted` words in each path, in the order of the files.
    fn words_of_paths(&self, wanted: &BTreeMap<String, String>) -> Vec<BTreeSet<String>> {
        /// Number of paths that a thread takes at a time.
        const PIECE: usize = 256;
        let own = |path: &RepoPath| {
            let mut words = words_of(path.as_str());
            words.retain(|stem| wanted.contains_key(stem));
            words
        };
        let threads = self.ground.threads();
        let own = in_parallel(&self.ground.files, threads, PIECE, |piece| {
            piece.iter().map(own).collect::<Vec<_>>()
        });
        own.into_iter().flatten().collect()
    }

    /// Ranks files by the words in their names. Only the rarest words count. `paths` has the words
    /// of each path.
    fn worded_names(&self, words: &[Word<'_>], paths: &[BTreeSet<String>], cases: &mut Cases) {
        let mut telling: Vec<&Word<'_>> = words.iter().filter(|word| word.named > 0).collect();
        telling.sort_by_key(|word| (word.named, Reverse(word.stem.len())));
        telling.truncate(MAX_WORDS);
        for (path, own) in self.ground.files.iter().zip(paths) {
            let common = telling.iter().filter(|word| own.contains(word.stem));
            let common: Vec<&str> = common.map(|word| word.written).collect();
            if !common.is_empty() {
                let rank = 40 * u32::try_from(common.len()).unwrap_or(u32::MAX).min(5);
                let why = format!("its name has {}", common.join(", "));
                speak(cases, path, rank, &why);
            }
        }
    }

    /// Counts the files with each word, and computes how much of the goal each file may contain. A
    /// word counts more if fewer files have it.
    fn worded_texts(&self, words: &[Word<'_>]) -> Result<Worded, Error> {
        let mut worded = Worded::default();
        worded.others.parsed = Some(MAX_PARSED);
        if words.is_empty() {
            return Ok(worded);
        }
        // If more than every fourth file has a word, we stop counting. Its weight is then so low
        // that it isn't worth the time.
        let most = self.ground.files.len() / 4 + 20;
        let mut everywhere = scope(&[]);
        everywhere
            .globs
            .extend(NO_CODE.iter().map(|glob| (*glob).to_owned()));
        let query = SearchQuery {
            case: CaseMode::Insensitive,
            scope: everywhere,
            max_matches: u32::try_from(most).unwrap_or(u32::MAX).min(2_000),
            first_only: true,
            ..SearchQuery::default()
        };
        let patterns: Vec<String> = words.iter().map(|word| pattern(word.stem)).collect();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let found = self
            .ground
            .snapshot
            .search_each(&patterns, &query, &self.ground.cancel)?;
        worded.others.files = self.ground.files.len();
        let mut said = Vec::new();
        for (word, found) in words.iter().zip(found) {
            let having = found.files_with_matches as usize;
            let rarity = Rarity::Share.weight(having as f64, self.ground.files.len() as f64);
            worded.others.having.insert(word.stem.to_owned(), having);
            if having > 0 {
                said.push(rarity);
            }
            if having <= most {
                for file in &found.files {
                    *worded.may_speak.entry(file.path.clone()).or_default() += rarity;
                }
            }
        }
        said.sort_by(|one, other| other.total_cmp(one));
        let all: f64 = said.iter().take(MAX_WORDS).sum();
        for share in worded.may_speak.values_mut() {
            *share = (*share / all).min(1.0);
        }
        Ok(worded)
    }
}

/// Globs that exclude lock files, data, changelogs and generated code. Their words do not tell
/// anything about the code.
const NO_CODE: [&str; 8] = [
    "!*.lock",
    "!*.json",
    "!*.svg",
    "!*.min.*",
    "!*.map",
    "!*.snap",
    "!CHANGELOG*",
    "!*.csv",
];

/// Returns the pattern to search for a word.
///
/// A long word matches anywhere, by the beginning that all its forms share. Within other words, a
/// short word occurs by chance, so it must be a whole word or a part of a name: `csv` matches in
/// `csv_reader`, `readCsv` and `CSVs`, but not in `mcsvx`. We could also skip short words, but then
/// we would find nothing for a goal about JWT or TLS.
fn pattern(stem: &str) -> String {
    /// From this length on (in bytes), a word may match inside of another one.
    const LONG: usize = 4;
    let first = stem.chars().next().filter(char::is_ascii_lowercase);
    let is_short = stem.len() < LONG && stem.chars().all(|c| c.is_ascii_alphanumeric());
    let (Some(first), true) = (first, is_short) else {
        return regex::escape(beginning(stem));
    };
    let rest = &stem[1..];
    let last = &rest[rest.len().saturating_sub(1)..];
    let capital = first.to_ascii_uppercase();
    // A word without a vowel is an abbreviation. It may have a plural, but no other forms.
    let forms = match stem.contains(['a', 'e', 'i', 'o', 'u']) {
        true => format!("(?:e?s|{last}?(?:ed|ing|er))?"),
        false => "s?".to_owned(),
    };
    format!(
        r"(?:(?:(?-u:\b)|[_0-9]){stem}|(?-i:[a-z]{capital}){rest}){forms}(?:(?-u:\b)|[_0-9]|(?-i:[A-Z][a-z]))"
    )
}

/// Returns the beginning that all forms of a word share. For example, `retri` is the stem of
/// `retry`.
fn beginning(stem: &str) -> &str {
    let short = stem.trim_end_matches(['i', 'y', 'e']);
    if short.len() >= 3 { short } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_word_matches_words_and_name_parts() {
        let has = |stem: &str, text: &str| {
            let pattern = format!("(?i){}", pattern(stem));
            regex::Regex::new(&pattern).unwrap().is_match(text)
        };
        for (stem, text) in [
            ("csv", "a CSV"),
            ("csv", "read_csv(x)"),
            ("csv", "csv2"),
            ("csv", "csvReader"),
            ("csv", "CSVReader"),
            ("csv", "toCsv"),
            ("csv", "parseCSV"),
            ("url", "two URLs"),
            ("log", "it logged"),
            ("log", "logging"),
            ("retri", "retry"),
            ("tide", "tiding"),
        ] {
            assert!(has(stem, text), "{stem}: {text}");
        }
        for (stem, text) in [
            ("csv", "mcsvx"),
            ("cli", "a client"),
            ("cli", "CLIENT"),
            ("key", "monkey"),
            ("api", "rapid capital"),
            ("log", "catalog"),
            ("str", "strings"),
        ] {
            assert!(!has(stem, text), "{stem}: {text}");
        }
    }
}
