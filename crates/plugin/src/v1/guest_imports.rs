//! Implements the interfaces that plugins import.

use serde::Deserialize;
use serde_json::{Value, json};
use tracing::Level;
use windlass_base::{Cancel, LineSpan, RepoPath};
use windlass_engine::{ErrorKind, StepError};
use windlass_plan::Capability;
use windlass_repo::{
    CaseMode, ListError, ListQuery, Refusal as FileRefusal, SearchError, SearchQuery, Snapshot,
};

use super::bindings::windlass::step::types::Refusal;
use super::bindings::windlass::step::{
    anchors, clock, evidence, files, log, progress, random, search, types,
};
use super::cost;
use super::guest_state::{Answer, HostFault, State, json};

/// The maximum size of the text of an answer, in bytes.
const MAX_ANSWER: usize = 8 << 20;

impl types::Host for State {}

impl log::Host for State {
    fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            log::Level::Debug => Level::DEBUG,
            log::Level::Info => Level::INFO,
            log::Level::Warn => Level::WARN,
            log::Level::Error => Level::ERROR,
        };
        self.count(message.len())?;
        self.say(level, &message)
    }
}

impl progress::Host for State {
    fn report(&mut self, done: u64, total: u64) -> wasmtime::Result<()> {
        self.count(0)?;
        State::progress(self, done, total)
    }
}

impl evidence::Host for State {
    fn read(
        &mut self,
        file: String,
        first: u32,
        last: u32,
    ) -> wasmtime::Result<Result<String, Refusal>> {
        self.answering("evidence.read", &file, |reach, _| {
            answer(|work| read_lines(reach.snapshot(), &file, (first, last), work))
        })
    }
}

impl search::Host for State {
    fn find(&mut self, query: String) -> wasmtime::Result<Result<String, Refusal>> {
        self.answering("search.find", &query, |reach, cancel| {
            answer(|work| matches(reach.snapshot(), &query, cancel, work))
        })
    }
}

impl files::Host for State {
    fn names(&mut self, query: String) -> wasmtime::Result<Result<String, Refusal>> {
        self.answering("files.names", &query, |reach, cancel| {
            answer(|work| names(reach.snapshot(), &query, cancel, work))
        })
    }
}

impl anchors::Host for State {
    fn take(&mut self, query: String) -> wasmtime::Result<Result<String, Refusal>> {
        self.answering("anchors.take", &query, |reach, cancel| {
            answer(|work| {
                let query = json(&query).map_err(invalid)?;
                let taken = reach.anchors(&query, cancel).map_err(of_step)?;
                let anchors = taken.get("anchors").and_then(Value::as_array);
                *work = anchors.map_or(0, Vec::len) as u64 * cost::ANCHOR;
                Ok(taken.to_string())
            })
        })
    }
}

impl clock::Host for State {
    fn run_began(&mut self) -> wasmtime::Result<u64> {
        self.asking("clock.run-began", 0, |_, _| ())?;
        self.used.push(Capability::Time);
        Ok(self.attempt.run_began)
    }
}

impl random::Host for State {
    fn bytes(&mut self, count: u32) -> wasmtime::Result<Vec<u8>> {
        self.asking("random.bytes", count as usize, |_, _| ())?;
        if count > 65_536 {
            return Err(HostFault::TooManyBytes(count).into());
        }
        self.used.push(Capability::Random);
        let mut bytes = vec![0; count as usize];
        if let Some(chance) = &mut self.attempt.chance {
            chance.fill(&mut bytes);
        }
        Ok(bytes)
    }
}

fn refusal(code: &str, message: impl Into<String>) -> Refusal {
    Refusal {
        code: code.to_owned(),
        message: message.into(),
    }
}

fn invalid(message: impl Into<String>) -> Refusal {
    refusal("invalid", message)
}

fn of_step(error: StepError) -> Refusal {
    let code = match error.kind {
        ErrorKind::Invalid => "invalid",
        ErrorKind::TooLarge => "too-large",
        _ => "failed",
    };
    refusal(code, error.message)
}

fn of_file(file: &RepoPath, why: &FileRefusal) -> Refusal {
    let code = match why {
        FileRefusal::Missing => "missing",
        FileRefusal::Secret { .. } => "secret",
        FileRefusal::TooLarge { .. } => "too-large",
        _ => "unreadable",
    };
    refusal(code, format!("`{file}` cannot be read: {why}"))
}

fn query<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Refusal> {
    serde_json::from_str(text).map_err(|error| invalid(format!("invalid query: {error}")))
}

/// Creates an answer and records how much work it took, which `make` adds to the counter.
fn answer(make: impl FnOnce(&mut u64) -> Result<String, Refusal>) -> Answer {
    let mut work = 0;
    Answer {
        text: make(&mut work),
        work,
    }
}

fn read_lines(
    snapshot: &Snapshot,
    file: &str,
    lines: (u32, u32),
    work: &mut u64,
) -> Result<String, Refusal> {
    let file = RepoPath::parse(file).map_err(|error| invalid(error.to_string()))?;
    let source = snapshot.read(&file).map_err(|why| of_file(&file, &why))?;
    *work = cost::file(source.bytes().len());
    if let Some(why) = source.why_no_text() {
        let message = format!("`{file}` cannot be read: it is {why}");
        return Err(refusal("unreadable", message));
    }
    let count = source.line_count();
    let (first, last) = match lines {
        (0, 0) => (1, count),
        (first, last) => (first, last.min(count)),
    };
    let Ok(span) = LineSpan::new(first, last) else {
        // An empty file has no lines, but asking for all of them is fine.
        if lines == (0, 0) {
            return Ok(json!({ "file": file, "line_count": count, "lines": [] }).to_string());
        }
        let message = format!(
            "`{file}` has {count} lines, so lines {}-{} do not exist",
            lines.0, lines.1
        );
        return Err(invalid(message));
    };
    let mut size = 0_usize;
    let mut texts = Vec::new();
    for number in span.start()..=span.end() {
        let text = source.shown().line(number).unwrap_or_else(|| redacted(""));
        // The 32 bytes are for the JSON around the text.
        size = size.saturating_add(text.as_str().len() + 32);
        if size > MAX_ANSWER {
            let message = format!("lines {span} of `{file}` exceed {MAX_ANSWER} bytes");
            return Err(refusal("too-large", message));
        }
        texts.push(json!({ "number": number, "text": text }));
    }
    let evidence = source.pointer(&file, span);
    Ok(
        json!({ "file": file, "line_count": count, "lines": texts, "evidence": evidence })
            .to_string(),
    )
}

fn redacted(text: &str) -> windlass_base::Redacted {
    windlass_redact::redact_text(text).0
}

/// The query of `files.names`, which has the form of a `files` step's input.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ListInput {
    paths: Vec<RepoPath>,
    globs: Vec<String>,
    hidden: bool,
    limit: Option<u32>,
}

fn names(
    snapshot: &Snapshot,
    text: &str,
    cancel: &Cancel,
    work: &mut u64,
) -> Result<String, Refusal> {
    let input: ListInput = query(text)?;
    let asked = ListQuery {
        paths: input.paths,
        globs: input.globs,
        hidden: input.hidden,
        limit: Some(input.limit.unwrap_or(10_000)),
    };
    let listing = snapshot.list(&asked, cancel).map_err(|error| match error {
        ListError::Glob { .. } => invalid(error.to_string()),
        error => refusal("failed", error.to_string()),
    })?;
    *work = cost::search(listing.entries, 0);
    let truncated = listing.truncated();
    Ok(
        json!({ "files": listing.files, "total": listing.total, "truncated": truncated })
            .to_string(),
    )
}

/// The query of `search.find`, which has the form of a `search` step's input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FindInput {
    pattern: String,
    #[serde(default)]
    fixed: bool,
    #[serde(default)]
    word: bool,
    case: Option<CaseMode>,
    #[serde(default)]
    paths: Vec<RepoPath>,
    #[serde(default)]
    globs: Vec<String>,
    #[serde(default)]
    hidden: bool,
    max_matches: Option<u32>,
}

fn matches(
    snapshot: &Snapshot,
    text: &str,
    cancel: &Cancel,
    work: &mut u64,
) -> Result<String, Refusal> {
    let input: FindInput = query(text)?;
    let asked = SearchQuery {
        pattern: input.pattern,
        fixed: input.fixed,
        word: input.word,
        case: input.case.unwrap_or_default(),
        scope: ListQuery {
            paths: input.paths,
            globs: input.globs,
            hidden: input.hidden,
            limit: None,
        },
        max_matches: input.max_matches.unwrap_or(200).min(10_000),
        ..SearchQuery::default()
    };
    let found = snapshot
        .search(&asked, cancel)
        .map_err(|error| match error {
            SearchError::Pattern { .. } => invalid(error.to_string()),
            error => refusal("failed", error.to_string()),
        })?;
    *work = cost::search(found.entries, found.bytes);
    let mut size = 0_usize;
    let mut matches = Vec::new();
    for file in &found.files {
        let Ok(source) = snapshot.read(&file.path) else {
            continue;
        };
        for line in &file.lines {
            let Ok(span) = LineSpan::new(line.line, line.line) else {
                continue;
            };
            let text = source.shown().line(line.line);
            size += text.as_ref().map_or(0, |text| text.as_str().len()) + 256;
            if size > MAX_ANSWER {
                let message = format!("the matches exceed {MAX_ANSWER} bytes");
                return Err(refusal("too-large", message));
            }
            matches.push(json!({
                "file": file.path,
                "line": line.line,
                "text": text,
                "evidence": source.pointer(&file.path, span),
            }));
        }
    }
    let (total, truncated) = (found.total_matches, found.truncated);
    Ok(json!({ "matches": matches, "total": total, "truncated": truncated }).to_string())
}
