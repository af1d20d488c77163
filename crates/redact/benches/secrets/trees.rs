//! Counts lines of clean trees mistaken for secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windlass_redact::redact_for_cache;

use crate::Error;
use crate::peer::Peer;

/// Maximum size of a file to read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Parts of the paths of files with intentional, made-up secrets.
const TESTS: [&str; 8] = [
    "test", "spec", "fixture", "example", "sample", "mock", "snapshot", "testdata",
];

/// Prints the false alarms in each of `trees`, and in all of them together.
pub(crate) fn measure(trees: &[PathBuf], peer: Option<&Peer>, show: bool) -> Result<(), Error> {
    if trees.is_empty() {
        return Ok(());
    }
    println!(
        "{:24} {:>6} {:>6} {:>6} {:>8}",
        "false alarms", "MB", "code", "tests", "MB/s"
    );
    let mut all = (Alarms::default(), Alarms::default());
    for tree in trees {
        let mut files = Vec::new();
        files_below(tree, &mut files)?;
        let (mut ours, mut theirs) = (Alarms::default(), Alarms::default());
        for path in files {
            let Some(text) = text_of(&path) else { continue };
            let name = path.strip_prefix(tree).unwrap_or(&path);
            let name = name.to_string_lossy().replace('\\', "/");
            let begun = Instant::now();
            let found = own_lines(&text);
            ours.time += begun.elapsed();
            ours.bytes += text.len();
            if show {
                let lines: Vec<&str> = text.lines().collect();
                for (line, rule) in &found {
                    let shown = lines.get(*line as usize - 1).unwrap_or(&"").trim();
                    let shown: String = shown.chars().take(160).collect();
                    println!("{rule}\t{}:{line}\t{shown}", path.display());
                }
            }
            ours.add(&name, found);
            if let Some(peer) = peer {
                theirs.add(&name, peer.lines(&name, &text));
            }
        }
        let name = tree.file_name().unwrap_or_default().to_string_lossy();
        ours.print(&name);
        if peer.is_some() {
            theirs.print(&format!("{name} (gitleaks)"));
        }
        all.0.join(ours);
        all.1.join(theirs);
    }
    all.0.print("all");
    if peer.is_some() {
        all.1.print("all (gitleaks)");
    }
    for (rule, count) in &all.0.rules {
        println!("    {count:6}  {rule}");
    }
    Ok(())
}

/// Number of lines with a false alarm. A line with several is counted once.
#[derive(Default)]
struct Alarms {
    code: usize,
    tests: usize,
    rules: BTreeMap<String, usize>,
    bytes: usize,
    time: Duration,
}

impl Alarms {
    fn add(&mut self, name: &str, found: BTreeSet<(u32, String)>) {
        let is_test = is_test(name);
        let by_line: BTreeMap<u32, String> = found.into_iter().collect();
        let count = if is_test {
            &mut self.tests
        } else {
            &mut self.code
        };
        *count += by_line.len();
        for rule in by_line.into_values() {
            *self.rules.entry(rule).or_default() += 1;
        }
    }

    fn join(&mut self, other: Self) {
        self.code += other.code;
        self.tests += other.tests;
        self.bytes += other.bytes;
        self.time += other.time;
        for (rule, count) in other.rules {
            *self.rules.entry(rule).or_default() += count;
        }
    }

    fn print(&self, name: &str) {
        let megabytes = self.bytes as f64 / 1e6;
        let speed = megabytes / self.time.as_secs_f64().max(1e-9);
        println!(
            "{name:24} {megabytes:6.1} {:6} {:6} {speed:8.0}",
            self.code, self.tests
        );
    }
}

/// True if the file `name` may contain intentional, made-up secrets.
pub(crate) fn is_test(name: &str) -> bool {
    let lower = name.to_lowercase();
    TESTS.iter().any(|word| lower.contains(word))
}

/// Reads the texts in `tree`, with their paths below it.
///
/// # Errors
/// Returns an error for an unreadable folder.
pub(crate) fn texts_below(tree: &Path) -> Result<Vec<(PathBuf, String)>, Error> {
    let mut files = Vec::new();
    files_below(tree, &mut files)?;
    let texts = files.into_iter().filter_map(|path| {
        let text = text_of(&path)?;
        Some((path.strip_prefix(tree).unwrap_or(&path).to_owned(), text))
    });
    Ok(texts.collect())
}

fn own_lines(text: &str) -> BTreeSet<(u32, String)> {
    let found = redact_for_cache(text).1.into_iter();
    found.map(|finding| (finding.line, finding.rule)).collect()
}

fn text_of(path: &Path) -> Option<String> {
    let is_small = path.metadata().is_ok_and(|it| it.len() <= MAX_BYTES);
    let bytes = is_small.then(|| std::fs::read(path).ok())??;
    (!bytes.contains(&0))
        .then(|| String::from_utf8(bytes).ok())
        .flatten()
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    for path in entries {
        let Ok(kind) = path.symlink_metadata() else {
            continue;
        };
        if kind.is_dir() && !path.ends_with(".git") {
            files_below(&path, files)?;
        } else if kind.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
