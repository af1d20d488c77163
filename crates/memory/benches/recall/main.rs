//! Measures recall quality on questions with known answers.
//!
//! One set is made from the git history: commit messages become records, and their first lines
//! become questions. The other sets were written by hand.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for developers: it reads repositories and files that it is given, and prints"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use bm25::{Document, Language, SearchEngine, SearchEngineBuilder};
use windlass_memory::{
    Feedback, Files, Hit, Level, Memory, Outcome, Query, Ranking, RecallIndex, Record, TermShare,
    build_index, suggest_keywords,
};

mod ablated;
#[path = "../../../../xtask/src/ablate/answers.rs"]
mod answers;
mod questions;

type Error = Box<dyn std::error::Error>;

const USAGE: &str = "usage: cargo xtask recall [--repo DIR…] [--set FILE…] [--each] [--records N] [--features FILE]";

/// Minimum length of an answer, in characters. A shorter message cannot answer a question.
const MIN_BODY: usize = 100;
/// Depth of the ranking. A lower-ranked record counts as not found.
const DEPTH: usize = 100;

/// The columns of the feature table. Each row contains a question and the features of its best
/// hits.
const FEATURES: &str = "known,right,share,told,telling,confidence,first,second,fifth,tenth,words,\
    rarest,entries,places,headed,shown,named,titled\n";

struct Options {
    repos: Vec<PathBuf>,
    sets: Vec<PathBuf>,
    each: bool,
    records: usize,
    features: Option<PathBuf>,
    ablate: bool,
}

/// A commit with a message of several lines.
struct Commit {
    question: String,
    title: String,
    body: String,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Error> {
    // Cargo passes `--bench` to every benchmark.
    let args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let options = parse(args)?;
    if options.ablate {
        let repositories = options.repos.iter();
        let commits = repositories.map(|repo| commits(repo, 1_000));
        return ablated::answer_requests(&commits.collect::<Result<Vec<_>, _>>()?);
    }
    let mut features = String::from(FEATURES);
    for set in &options.sets {
        questions::measure(set, options.each, &mut features)?;
    }
    for repo in &options.repos {
        let commits = commits(repo, options.records)?;
        println!("{}: {} commits", repo.display(), commits.len());
        measure(&commits, &mut features)?;
    }
    if let Some(file) = options.features {
        std::fs::write(file, features)?;
    }
    Ok(())
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, Error> {
    let mut options = Options {
        repos: Vec::new(),
        sets: Vec::new(),
        each: false,
        records: 2_000,
        features: None,
        ablate: false,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` takes a value"));
        match arg.as_str() {
            "--repo" => options.repos.push(value()?.into()),
            "--set" => options.sets.push(value()?.into()),
            "--each" => options.each = true,
            "--ablate" => options.ablate = true,
            "--records" => options.records = value()?.parse()?,
            "--features" => options.features = Some(value()?.into()),
            _ => return Err(USAGE.into()),
        }
    }
    match options.repos.is_empty() && options.sets.is_empty() {
        true => Err(USAGE.into()),
        false => Ok(options),
    }
}

fn commits(repo: &PathBuf, most: usize) -> Result<Vec<Commit>, Error> {
    let log = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args([
            "log",
            "--no-merges",
            "--name-only",
            "--format=%x1e%s%x1f%b%x1f",
        ])
        .output()?;
    if !log.status.success() {
        return Err(String::from_utf8_lossy(&log.stderr).into_owned().into());
    }
    let text = String::from_utf8_lossy(&log.stdout);
    let mut commits = Vec::new();
    for entry in text.split('\u{1e}').skip(1) {
        let mut parts = entry.split('\u{1f}');
        let (subject, body, files) = (
            parts.next().unwrap_or(""),
            parts.next().unwrap_or(""),
            parts.next().unwrap_or(""),
        );
        let is_trailer = |line: &&str| {
            line.split_once(": ")
                .is_some_and(|(key, _)| key.contains('-') && !key.contains(' '))
        };
        let lines: Vec<&str> = body.lines().filter(|line| !is_trailer(line)).collect();
        let body = lines.join("\n").trim().to_owned();
        if body.chars().count() < MIN_BODY || Query::of(subject).words.len() < 3 {
            continue;
        }
        let title: Vec<&str> = body.split_whitespace().take(10).collect();
        let files: Vec<&str> = files
            .lines()
            .filter(|line| !line.is_empty())
            .take(8)
            .collect();
        commits.push(Commit {
            question: subject.to_owned(),
            title: title.join(" "),
            body: format!("{body}\n\n{}", files.join("\n")),
        });
        if commits.len() == most {
            break;
        }
    }
    Ok(commits)
}

/// Makes a record of every second commit. The questions from the other half stay without an answer.
fn memory(commits: &[Commit]) -> Memory {
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut impressions = String::new();
    for (number, commit) in commits
        .iter()
        .enumerate()
        .filter(|(number, _)| number % 2 == 0)
    {
        let path = format!("memory/decisions/c{number}.md");
        let title = commit.title.replace(['"', '\\', ':', '#'], " ");
        texts.push((
            path.clone(),
            format!("---\nid: c{number}\ntitle: x {title}\nstatus: active\nscope: project:x\nupdated: 2026-01-01\n---\n\n{}\n", commit.body),
        ));
        let line = serde_json_line(
            &format!("c{number}"),
            &path,
            &commit.title,
            &suggest_keywords(&commit.title, &commit.body),
        );
        impressions.push_str(&line);
    }
    texts.push(("memory/impressions.jsonl".to_owned(), impressions));
    Memory::read(Files::of_texts(
        texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    ))
}

fn serde_json_line(id: &str, path: &str, title: &str, keywords: &[String]) -> String {
    let quote = |text: &str| {
        format!(
            "{:?}",
            text.replace(|c: char| c.is_control() || !c.is_ascii(), " ")
        )
    };
    let keywords: Vec<String> = keywords.iter().map(|word| quote(word)).collect();
    format!(
        "{{\"schema_version\":1,\"id\":\"{id}\",\"scope\":\"project:x\",\"title\":{},\"keywords\":[{}],\"record_path\":\"{path}\",\"updated\":\"2026-01-01\"}}\n",
        quote(title),
        keywords.join(",")
    )
}

fn index(memory: &Memory) -> Result<RecallIndex, Error> {
    let shown = |record: &Record| record.source().text().to_owned();
    let bytes = build_index(memory, &shown, 2);
    RecallIndex::open(bytes).ok_or_else(|| "the index cannot be read".into())
}

/// Sums over the rankings of all questions.
#[derive(Default)]
struct Scores {
    questions: f64,
    reciprocal: f64,
    gain: f64,
    first: f64,
    five: f64,
}

impl Scores {
    fn add(&mut self, rank: Option<usize>) {
        self.questions += 1.0;
        let Some(rank) = rank else {
            return;
        };
        let rank = rank as f64;
        self.reciprocal += 1.0 / rank;
        self.gain += if rank <= 10.0 {
            1.0 / (rank + 1.0).log2()
        } else {
            0.0
        };
        self.first += f64::from(u8::from(rank <= 1.0));
        self.five += f64::from(u8::from(rank <= 5.0));
    }

    fn told(&self) -> String {
        let mean = |sum: f64| sum / self.questions.max(1.0);
        format!(
            "MRR {:.3}  nDCG@10 {:.3}  success@1 {:.3}  success@5 {:.3}",
            mean(self.reciprocal),
            mean(self.gain),
            mean(self.first),
            mean(self.five)
        )
    }
}

/// The features of the best hit, as numbers:
/// - the rarest word's information, number of entries and fields (as bits, 1 is the title)
/// - the information of words in title, keywords or aliases, and of all words
/// - the number of the title's words in the question, and in total
fn of_best(best: &Hit) -> [u32; 7] {
    const PARTS: [&str; 5] = ["title", "keywords", "aliases", "headings", "body"];
    let places = |share: &TermShare| {
        let parts = PARTS.iter().enumerate();
        let there = parts.filter(|(_, part)| share.places.contains_key(*part));
        there.map(|(at, _)| 1 << at).sum::<u32>()
    };
    let rarest = best.explained.iter().max_by_key(|share| share.tells);
    let headed = best.explained.iter().filter(|share| places(share) & 7 > 0);
    let title: Vec<String> = Query::of(&best.title)
        .words
        .into_iter()
        .map(|word| word.stem)
        .collect();
    let named = best
        .explained
        .iter()
        .filter(|share| title.contains(&share.stem));
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    [
        rarest.map_or(0, |share| share.tells),
        rarest.map_or(0, |share| share.entries),
        rarest.map_or(0, places),
        headed.map(|share| share.tells).sum(),
        best.explained.iter().map(|share| share.tells).sum(),
        count(named.count()),
        count(title.len()),
    ]
}

/// Appends a row to the table. `is_known` is true if a record answers the question, and `is_right`
/// checks a hit.
fn note(
    features: &mut String,
    question: &str,
    found: &Ranking,
    is_known: bool,
    is_right: impl Fn(&str) -> bool,
) {
    let Some(best) = found.hits.first() else {
        return;
    };
    let score = |at: usize| found.hits.get(at).map_or(0, |hit| hit.score);
    let words = Query::of(question).subject_words();
    let (known, right) = (u8::from(is_known), u8::from(is_right(&best.id)));
    let _ = write!(features, "{known},{right}");
    let own = [
        best.share,
        best.information,
        best.distinctive,
        best.confidence,
        score(0),
        score(1),
        score(4),
        score(9),
        words,
    ];
    for number in own.into_iter().chain(of_best(best)) {
        let _ = write!(features, ",{number}");
    }
    features.push('\n');
}

fn rank_of(index: &RecallIndex, question: &str, id: &str) -> Option<usize> {
    let found = index.recall(&Query::of(question), DEPTH);
    found
        .hits
        .iter()
        .position(|hit| hit.id == id)
        .map(|at| at + 1)
}

fn measure(commits: &[Commit], features: &mut String) -> Result<(), Error> {
    let memory = memory(commits);
    let ours = index(&memory)?;
    let documents = commits
        .iter()
        .enumerate()
        .filter(|(number, _)| number % 2 == 0);
    let documents: Vec<Document<u32>> = documents
        .map(|(number, commit)| {
            Document::new(
                u32::try_from(number).unwrap_or(0),
                format!("{}\n{}", commit.title, commit.body),
            )
        })
        .collect();
    let plain: SearchEngine<u32> =
        SearchEngineBuilder::with_documents(Language::English, documents).build();
    let (mut of_ours, mut of_plain) = (Scores::default(), Scores::default());
    let mut gate: BTreeMap<Level, (usize, usize)> = BTreeMap::new();
    for (number, commit) in commits.iter().enumerate() {
        let is_known = number % 2 == 0;
        let id = format!("c{number}");
        let found = ours.recall(&Query::of(&commit.question), DEPTH);
        for level in [Level::Weak, Level::Strong] {
            if found.level >= level {
                let counts = gate.entry(level).or_default();
                if is_known {
                    counts.0 += 1;
                } else {
                    counts.1 += 1;
                }
            }
        }
        note(features, &commit.question, &found, is_known, |best| {
            best == id
        });
        if is_known {
            of_ours.add(
                found
                    .hits
                    .iter()
                    .position(|hit| hit.id == id)
                    .map(|at| at + 1),
            );
            let hits = plain.search(&commit.question, DEPTH);
            let at = hits
                .iter()
                .position(|hit| hit.document.id as usize == number);
            of_plain.add(at.map(|at| at + 1));
        }
    }
    println!("  ours        {}", of_ours.told());
    println!("  plain BM25  {}", of_plain.told());
    rare(commits, &ours);
    let known = commits.len().div_ceil(2);
    for (level, (right, wrong)) in gate {
        println!(
            "  {:6} or more: precision {:.3}, recall {:.3}",
            level.as_str(),
            right as f64 / (right + wrong).max(1) as f64,
            right as f64 / known.max(1) as f64
        );
    }
    feedback(commits, memory, &ours)
}

/// Asks long questions with a single known word. We take the text of a commit without a record and
/// add a title word unique to one record. Counts how often recall finds this record, and how often
/// any record without the word.
fn rare(commits: &[Commit], index: &RecallIndex) {
    let (mut asked, mut found, mut without) = (0, 0, 0);
    for (number, pair) in commits.chunks_exact(2).enumerate() {
        let [known, unknown] = pair else { continue };
        let id = format!("c{}", number * 2);
        let said: Vec<&str> = unknown.body.split_whitespace().take(14).collect();
        let said = said.join(" ");
        let is_rare = |word: &&str| {
            let query = Query::of(word);
            let ranking = index.recall(&query, 2);
            query.subject_words() == 1
                && ranking.total == 1
                && ranking.hits.first().is_some_and(|hit| hit.id == id)
        };
        let Some(rare) = known.title.split_whitespace().find(is_rare) else {
            continue;
        };
        asked += 1;
        let ranking = index.recall(&Query::of(&format!("{said} {rare}")), 5);
        found += usize::from(
            ranking.level >= Level::Weak && ranking.hits.iter().any(|hit| hit.id == id),
        );
        let ranking = index.recall(&Query::of(&said), 5);
        without += usize::from(ranking.level >= Level::Weak);
    }
    println!(
        "  a rare word in a long question: {found} of {asked} found; without it {without} find anything"
    );
}

/// Measures the effect of feedback. We ask half of the questions without every third word, and give
/// feedback on whether the right record came first. Afterwards, the same questions in other words
/// should do better, and the other half must not do worse.
fn feedback(commits: &[Commit], mut memory: Memory, before: &RecallIndex) -> Result<(), Error> {
    let known: Vec<(usize, &Commit)> = commits
        .iter()
        .enumerate()
        .filter(|(number, _)| number % 2 == 0)
        .collect();
    let wording = |question: &str, leave_out: usize| -> String {
        let words = question
            .split_whitespace()
            .enumerate()
            .filter(|(at, _)| at % 3 != leave_out);
        words.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
    };
    let mut log = Vec::new();
    for (number, commit) in known.iter().filter(|(number, _)| number % 4 == 0) {
        let (id, query) = (format!("c{number}"), wording(&commit.question, 0));
        let found = before.recall(&Query::of(&query), 5);
        let mut say = |outcome: Outcome, id: &str| {
            log.push(Feedback {
                query: query.clone(),
                outcome,
                matched_id: Some(id.to_owned()),
                created: String::new(),
                line: 1,
            });
        };
        match found.hits.first() {
            Some(hit) if hit.id == id => say(Outcome::Helpful, &id),
            Some(hit) => {
                say(Outcome::Irrelevant, &hit.id);
                say(Outcome::Missed, &id);
            }
            None => say(Outcome::Missed, &id),
        }
    }
    let lines = log.len();
    memory.feedback = log;
    let after = index(&memory)?;
    let mut scores = [(); 4].map(|()| Scores::default());
    let (mut better, mut worse) = (0, 0);
    for (number, commit) in known {
        let id = format!("c{number}");
        let taught = number % 4 == 0;
        let asked = if taught {
            wording(&commit.question, 1)
        } else {
            commit.question.clone()
        };
        let (old, new) = (rank_of(before, &asked, &id), rank_of(&after, &asked, &id));
        let at = if taught { 0 } else { 2 };
        scores[at].add(old);
        scores[at + 1].add(new);
        if !taught {
            let place = |rank: Option<usize>| rank.unwrap_or(usize::MAX);
            better += usize::from(place(new) < place(old));
            worse += usize::from(place(new) > place(old));
        }
    }
    println!("  after {lines} lines of feedback, the questions it was about in other words:");
    println!("    before    {}", scores[0].told());
    println!("    after     {}", scores[1].told());
    println!("  and all others, of which {better} are answered better and {worse} worse:");
    println!("    before    {}", scores[2].told());
    println!("    after     {}", scores[3].told());
    Ok(())
}
