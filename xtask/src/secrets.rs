//! How many secret values are found, and how much that is none: beside the rules of gitleaks, on the same texts in one run.

mod peer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_redact::redact_text;
use windlass_repo::SourceFile;

use self::peer::Peer;
use crate::Error;

/// Examples by which gitleaks proves its rules.
const EXAMPLES: &str = include_str!("../../crates/redact/tests/data/issuer_examples.txt");
/// Larger files are looked at by neither.
const MAX_BYTES: u64 = 1 << 20;
/// What the path of a file has that holds made up secrets on purpose.
const TESTS: [&str; 8] = [
    "test", "spec", "fixture", "example", "sample", "mock", "snapshot", "testdata",
];

struct Options {
    rules: Option<PathBuf>,
    trees: Vec<PathBuf>,
    show: bool,
}

pub(crate) fn main(args: Vec<String>) -> Result<ExitCode, Error> {
    let options = options(args)?;
    let peer = options.rules.as_deref().map(Peer::read).transpose()?;
    recall(peer.as_ref());
    let mut ours = Alarms::default();
    let mut theirs = Alarms::default();
    let mut bytes = 0;
    for tree in &options.trees {
        let mut files = Vec::new();
        files_below(tree, &mut files)?;
        for path in files {
            let Some(text) = text_of(&path) else { continue };
            bytes += text.len();
            let name = path.strip_prefix(tree).unwrap_or(&path);
            let name = name.to_string_lossy().replace('\\', "/");
            let found = own_lines(&text);
            if options.show {
                for (line, rule) in &found {
                    println!("ours\t{rule}\t{}:{line}", path.display());
                }
            }
            ours.add(&name, found);
            if let Some(peer) = &peer {
                let found = peer.lines(&name, &text);
                if options.show {
                    for (line, rule) in &found {
                        println!("theirs\t{rule}\t{}:{line}", path.display());
                    }
                }
                theirs.add(&name, found);
            }
        }
    }
    if !options.trees.is_empty() {
        println!("false alarms: {} MB of source", bytes / 1_000_000);
        ours.print("windlass");
        if peer.is_some() {
            theirs.print("gitleaks");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: Vec<String>) -> Result<Options, Error> {
    let mut options = Options {
        rules: None,
        trees: Vec::new(),
        show: false,
    };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--rules" => options.rules = Some(value()?.into()),
            "--tree" => options.trees.push(value()?.into()),
            "--show" => options.show = true,
            _ => return Err(crate::USAGE.into()),
        }
    }
    Ok(options)
}

/// How many of the examples are found.
fn recall(peer: Option<&Peer>) {
    let examples = examples();
    let ours = examples
        .iter()
        .filter(|(_, text)| !redact_text(text).1.is_empty());
    println!("found: {} of {} examples", ours.count(), examples.len());
    let Some(peer) = peer else { return };
    let theirs = examples
        .iter()
        .filter(|(_, text)| !peer.lines("", text).is_empty());
    println!(
        "found by gitleaks: {} of {}",
        theirs.count(),
        examples.len()
    );
    let both: Vec<&(&str, String)> = examples
        .iter()
        .filter(|(_, text)| !peer.lines("", text).is_empty())
        .collect();
    let missed = both
        .iter()
        .filter(|(_, text)| redact_text(text).1.is_empty());
    println!(
        "of those that gitleaks finds, not found here: {} of {}",
        missed.count(),
        both.len()
    );
    for (name, why) in &peer.unusable {
        println!("rule `{name}` of gitleaks is left out: {why}");
    }
}

/// The examples, which are kept backwards.
fn examples() -> Vec<(&'static str, String)> {
    let lines = EXAMPLES.lines().filter(|line| !line.starts_with('#'));
    let examples = lines.filter_map(|line| {
        let (rule, kept) = line.split_once('\t')?;
        let backwards = kept
            .replace("\\\\", "\u{1}")
            .replace("\\n", "\n")
            .replace('\u{1}', "\\");
        Some((rule, backwards.chars().rev().collect()))
    });
    examples.collect()
}

/// Lines on which something was found, by rule.
#[derive(Default)]
struct Alarms {
    code: BTreeMap<String, usize>,
    tests: BTreeMap<String, usize>,
}

impl Alarms {
    /// Each line counts once, whatever rules it fits.
    fn add(&mut self, name: &str, found: BTreeSet<(u32, String)>) {
        let lower = name.to_lowercase();
        let is_test = TESTS.iter().any(|word| lower.contains(word));
        let into = if is_test {
            &mut self.tests
        } else {
            &mut self.code
        };
        let by_line: BTreeMap<u32, String> = found.into_iter().collect();
        for rule in by_line.into_values() {
            *into.entry(rule).or_default() += 1;
        }
    }

    fn print(&self, who: &str) {
        let sum = |rules: &BTreeMap<String, usize>| rules.values().sum::<usize>();
        println!(
            "  {who}: {} lines, and {} in tests and examples",
            sum(&self.code),
            sum(&self.tests)
        );
        let mut rules: Vec<(&String, &usize)> = self.code.iter().collect();
        rules.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        for (rule, count) in rules.into_iter().take(8) {
            println!("    {count:6}  {rule}");
        }
    }
}

fn own_lines(text: &str) -> BTreeSet<(u32, String)> {
    let file = SourceFile::from_bytes(text.as_bytes().to_vec());
    let found = file.shown().findings();
    found
        .iter()
        .map(|finding| (finding.line, finding.rule.clone()))
        .collect()
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
