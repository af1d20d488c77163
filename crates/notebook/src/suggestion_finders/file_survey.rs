use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{Cancel, RepoPath, in_parallel};
use windlass_outline::{Language as Grammar, Limits, Outline, outline_unless};
use windlass_repo::{FileMatches, ListQuery, SearchQuery, Snapshot, SourceFile};

use super::conventions::{BESIDE_THE_POINT, LANGUAGES, Language};

/// Folders beside those that every overview leaves out: what stands there serves the project, and is not it.
const FURTHER: [&str; 39] = [
    "doc",
    "example",
    "sample",
    "samples",
    "demo",
    "demos",
    "testing",
    "testdata",
    "test-data",
    "fixture",
    "fixtures",
    "__fixtures__",
    "__tests__",
    "__mocks__",
    "mocks",
    "spec",
    "specs",
    "e2e",
    "integration",
    "bench",
    "benchmark",
    "benchmarks",
    "benchsuite",
    "perf",
    "fuzz",
    "thirdparty",
    "third-party",
    "external",
    "deps",
    "dist",
    "out",
    "target",
    "generated",
    "gen",
    "site",
    "website",
    "www",
    "playground",
    "scripts",
];

/// Files with more bytes are written by programs, or hold data.
const MAX_BYTES: usize = 512 << 10;

/// The most matching files that are looked into.
const MAX_CANDIDATES: usize = 100;

/// What is known of a repository before anything is suggested: its files, and how to read them.
pub(super) struct Survey<'a> {
    snapshot: &'a Snapshot,
    cancel: &'a Cancel,
    /// All files, in the order of their paths.
    pub(super) files: Vec<RepoPath>,
    /// Sources that may define something of interest.
    pub(super) matches: Vec<FileMatches>,
    /// What they define.
    outlines: BTreeMap<RepoPath, Arc<Outline>>,
}

/// A file of text.
pub(super) struct Text {
    pub(super) file: RepoPath,
    pub(super) source: Arc<SourceFile>,
    lines: Vec<String>,
}

impl<'a> Survey<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, cancel: &'a Cancel, pattern: &str) -> Self {
        let query = ListQuery {
            hidden: true,
            ..ListQuery::default()
        };
        let files = snapshot.list(&query, cancel).unwrap_or_default().files;
        let mut survey = Self {
            snapshot,
            cancel,
            files,
            matches: Vec::new(),
            outlines: BTreeMap::new(),
        };
        survey.matches = survey.search(pattern);
        // Parsing takes most of the time.
        let threads = snapshot.repo().threads();
        let outlines = in_parallel(&survey.matches, threads, 1, |matches| {
            let outlined = |matches: &FileMatches| {
                let outline = survey.outline(&survey.text(&matches.path)?)?;
                Some((matches.path.clone(), outline))
            };
            matches.iter().filter_map(outlined).collect::<Vec<_>>()
        });
        survey.outlines = outlines.into_iter().flatten().collect();
        survey
    }

    /// The languages that sources are written in.
    pub(super) fn languages(&self) -> impl Iterator<Item = &'static Language> {
        LANGUAGES
            .iter()
            .filter(|language| self.files.iter().any(|file| language.writes(file)))
    }

    fn search(&self, pattern: &str) -> Vec<FileMatches> {
        let starts = self.languages().map(|language| language.start);
        let patterns: Vec<String> = starts
            .chain([pattern])
            .map(|pattern| format!("(?:{pattern})"))
            .collect();
        let endings = self.languages().flat_map(|language| language.extensions);
        let mut globs: Vec<String> = endings.map(|ending| format!("*.{ending}")).collect();
        let beside = BESIDE_THE_POINT.iter().chain(&FURTHER);
        // Among packages a folder may have any name.
        let has_packages = self.languages().any(|language| language.name == "Java");
        let beside = beside.filter(|_| !has_packages);
        globs.extend(beside.map(|folder| format!("!**/{folder}/**")));
        let query = SearchQuery {
            pattern: patterns.join("|"),
            scope: ListQuery {
                globs,
                ..ListQuery::default()
            },
            max_matches: 5_000,
            max_matches_per_file: Some(50),
            ..SearchQuery::default()
        };
        let found = self.snapshot.search(&query, self.cancel);
        let mut files = found.map_or_else(|_| Vec::new(), |found| found.files.clone());
        files.retain(|file| is_own(&file.path));
        // What matters most stands near the root.
        files.sort_by_key(|file| (depth(&file.path), file.path.clone()));
        files.truncate(MAX_CANDIDATES);
        files
    }

    pub(super) fn has(&self, path: &str) -> bool {
        RepoPath::parse(path).is_ok_and(|path| self.files.binary_search(&path).is_ok())
    }

    /// The file at `path` as text; nothing for what is missing, secret, binary, large, or made by a program.
    pub(super) fn text(&self, path: &RepoPath) -> Option<Text> {
        let source = self.snapshot.read(path).ok()?;
        if source.is_binary() || source.bytes().len() > MAX_BYTES || is_generated(&source) {
            return None;
        }
        let line = |number| {
            let line = source.line(number).unwrap_or_default();
            String::from_utf8_lossy(line).into_owned()
        };
        let lines = (1..=source.line_count()).map(line).collect();
        Some(Text {
            file: path.clone(),
            lines,
            source,
        })
    }

    pub(super) fn text_at(&self, path: &str) -> Option<Text> {
        let path = RepoPath::parse(path).ok()?;
        self.files.binary_search(&path).ok()?;
        self.text(&path)
    }

    /// What `text` defines; nothing where the parser cannot tell.
    pub(super) fn outline(&self, text: &Text) -> Option<Arc<Outline>> {
        if let Some(outline) = self.outlines.get(&text.file) {
            return Some(Arc::clone(outline));
        }
        let language = Grammar::of_path(text.file.as_str())?;
        let is_stopped = || self.cancel.is_cancelled();
        outline_unless(
            language,
            text.source.bytes(),
            Limits::default(),
            &is_stopped,
        )
        .ok()
        .map(Arc::new)
    }

    /// Files called `name`, in folders that count, the nearest to the root first.
    pub(super) fn named(&self, name: &str) -> Vec<&RepoPath> {
        let mut found: Vec<&RepoPath> = self
            .files
            .iter()
            .filter(|file| file.file_name() == name && is_own(file))
            .collect();
        found.sort_by_key(|file| depth(file));
        found
    }
}

impl Text {
    /// Line `number`, from 1; empty where there is none.
    pub(super) fn line(&self, number: u32) -> &str {
        let at = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        at.and_then(|at| self.lines.get(at))
            .map_or("", String::as_str)
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    /// The lines with their numbers.
    pub(super) fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        (1..).zip(self.lines.iter().map(String::as_str))
    }

    /// The last line of what opens at line `first`: where its brackets are closed again.
    pub(super) fn closed_at(&self, first: u32) -> u32 {
        let mut open = 0_i32;
        for (number, line) in self.lines().skip_while(|(number, _)| *number < first) {
            for letter in line.chars() {
                match letter {
                    '(' | '[' | '{' => open += 1,
                    ')' | ']' | '}' => open -= 1,
                    _ => {}
                }
            }
            if open <= 0 {
                return number;
            }
        }
        self.len()
    }

    /// The last line before `end` that is not empty, from `first` on.
    pub(super) fn trimmed(&self, first: u32, end: u32) -> u32 {
        let filled = (first..end)
            .rev()
            .find(|n| !self.line(*n).trim().is_empty());
        filled.unwrap_or(first)
    }

    /// The lines of the section of an INI or TOML file that has this heading.
    pub(super) fn section(&self, heading: &str) -> Option<(u32, u32)> {
        let (first, _) = self.lines().find(|(_, line)| line.trim_end() == heading)?;
        let mut after = self.lines().skip_while(|(number, _)| *number <= first);
        let end = after.find(|(_, line)| line.starts_with('['));
        let end = end.map_or(self.len() + 1, |(number, _)| number);
        Some((first, self.trimmed(first, end)))
    }
}

/// How many folders `path` lies in.
pub(super) fn depth(path: &RepoPath) -> usize {
    path.as_str().matches('/').count()
}

/// Whether `path` is the project's own: no test, example, documentation, or copy of somebody else's work.
pub(super) fn is_own(path: &RepoPath) -> bool {
    let parts: Vec<&str> = path.as_str().split('/').collect();
    let Some((name, folders)) = parts.split_last() else {
        return false;
    };
    let folders = before_packages(folders);
    let beside = |folder: &&str| {
        BESIDE_THE_POINT.contains(folder)
            || FURTHER.contains(folder)
            || folder.starts_with(['.', '_'])
            || words_of(folder)
                .iter()
                .any(|word| word.starts_with("test") || word == "unittests")
    };
    let lower = name.to_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    let is_test = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || matches!(stem, "test" | "tests" | "conftest" | "build")
        || [".test.", ".spec.", ".min.", ".d.ts", ".pb.", "_pb2"]
            .iter()
            .any(|mark| lower.contains(mark));
    !folders.iter().any(beside) && !is_test
}

/// Words of the name of a file or folder in small letters: between signs, digits and humps.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let is_hump = c.is_uppercase() && before.is_lowercase();
        if !c.is_alphabetic() || is_hump {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphabetic()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// True if one of the words of a name is one of `words`.
pub(super) fn has_word_of(name: &str, words: &[&str]) -> bool {
    let own = words_of(name);
    own.iter().any(|word| words.contains(&word.as_str()))
}

/// The folders above those that Java and its like name after packages: `org/example/samples` is somebody's domain.
fn before_packages<'a, 'b>(folders: &'a [&'b str]) -> &'a [&'b str] {
    let sources = folders
        .windows(3)
        .position(|three| matches!(three, ["src", "main", "java" | "kotlin" | "scala"]));
    sources.map_or(folders, |at| &folders[..at])
}

fn is_generated(source: &SourceFile) -> bool {
    (1..=8)
        .filter_map(|number| source.line(number))
        .any(|line| {
            let line = String::from_utf8_lossy(line).to_lowercase();
            line.contains("generated")
                && (line.contains("do not")
                    || line.contains("@generated")
                    || line.contains("automatically")
                    || line.contains("by "))
        })
}

/// Of lines that belong together, the first and the last of the largest group: with at most `gap` others between
/// two of them, and `max` in all.
pub(super) fn largest_group(lines: &[(u32, u32)], gap: u32, max: u32) -> Option<(u32, u32)> {
    let mut groups: Vec<(usize, u32, u32)> = Vec::new();
    for (first, last) in lines {
        match groups.last_mut() {
            Some(group) if *first <= group.2 + gap + 1 && *last < group.1 + max => {
                group.0 += 1;
                group.2 = group.2.max(*last);
            }
            _ => groups.push((1, *first, *last)),
        }
    }
    // Of equals the first.
    let largest = groups.iter().rev().max_by_key(|group| group.0)?;
    Some((largest.1, largest.2))
}

/// A regular expression for `line` as it stands, without the blanks around it.
pub(super) fn regex_of(line: &str) -> String {
    let mut pattern = String::from(r"^\s*");
    for letter in line.trim().chars().take(120) {
        if r"\.+*?()|[]{}^$#".contains(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_into_whole_words() {
        for (name, words) in [
            ("build-release.yml", "build release yml"),
            ("clock.yml", "clock yml"),
            ("FooBenchmark2_x.java", "foo benchmark x java"),
            ("HTTPServer", "httpserver"),
            ("", ""),
        ] {
            assert_eq!(words_of(name).join(" "), words);
        }
        let own = |path: &str| is_own(&RepoPath::parse(path).unwrap());
        for path in ["attestation/a.go", "latest/a.go", "contest/a.go"] {
            assert!(own(path), "{path}");
        }
        for path in ["unit-tests/a.go", "testdata/a.go", "AppTests/a.go"] {
            assert!(!own(path), "{path}");
        }
    }
}
