//! The caches must not make a difference to any answer of a memory.

use std::time::{Duration, SystemTime};

use windlass::{RecallFormat, RecallRequest, RememberRequest, RememberWork, Seeds, Workspace};

use crate::support::Sandbox;

/// A time in the year 2100. By then, no file has been changed recently, so all cache entries are
/// used.
fn later() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(4_102_444_800)
}

fn record(id: &str, title: &str, says: &str) -> String {
    format!(
        "---\nid: {id}\ntitle: {title}\nstatus: active\nscope: project:demo\nupdated: 2026-02-01\ndate: 2026-02-01\n---\n\n# {title}\n\n## Decision\n\n{says}\n"
    )
}

fn sandbox() -> Sandbox {
    let summary = record("summary", "Summary", "To be found again.");
    let store = record(
        "store",
        "One store owns the settings",
        "Nobody else writes.",
    );
    let queue = record(
        "queue",
        "Retries wait in a queue",
        "Each waits twice as long.",
    );
    Sandbox::with(&[
        ("memory/summary.md", summary.as_str()),
        ("memory/impressions.jsonl", ""),
        ("memory/decisions/store.md", store.as_str()),
        ("memory/decisions/queue.md", queue.as_str()),
    ])
}

fn ask(workspace: &Workspace, question: &str) -> String {
    let request = RecallRequest {
        query: question.to_owned(),
        matches: 5,
        explain: true,
        also: Vec::new(),
        limit: None,
        format: RecallFormat::Json,
    };
    workspace.memory().recall(&request).unwrap().printed
}

const QUESTIONS: [&str; 4] = [
    "who owns the settings?",
    "where do retries wait?",
    "which cache evicts what is oldest?",
    "what is kept by hand?",
];

/// Checks that all questions get the same answers as without a cache.
fn answers_match_uncached(sandbox: &Sandbox, home: &str) {
    let seeds = || Seeds::new(|| 8);
    let known = sandbox.workspace_of("home", later, seeds());
    let anew = sandbox.workspace_of(home, later, seeds());
    for question in QUESTIONS {
        assert_eq!(ask(&known, question), ask(&anew, question), "{question}");
    }
}

#[test]
fn cached_secret_stays_hidden() {
    let sandbox = sandbox();
    let value = "kN0wn-vAl7e-Zq81x";
    let store = record("store", "One store", &format!("password = \"{value}\""));
    let queue = record("queue", "Retries wait in a queue", &format!("By {value}."));
    sandbox.write("memory/decisions/store.md", &store);
    sandbox.write("memory/decisions/queue.md", &queue);
    let answer = || {
        let _scope = windlass::redact::SecretScope::begin();
        let workspace = sandbox.workspace_of("home", later, Seeds::new(|| 8));
        let said = ask(&workspace, "where do retries wait?");
        windlass::redact::hide_known(&said).into_owned()
    };
    let first = answer();
    assert!(first.contains("By [redacted]"), "{first}");
    assert_eq!(answer(), first);
    // Rebuilding another part of the index mustn't make a difference.
    let summary = record("summary", "Summary", "Something else.");
    sandbox.write("memory/summary.md", &summary);
    for _ in 0..2 {
        let again = answer();
        assert!(again.contains("By [redacted]"), "{again}");
    }
}

#[test]
fn file_cache_changes_no_answer() {
    let sandbox = sandbox();
    let workspace = || sandbox.workspace_of("home", later, Seeds::new(|| 8));
    answers_match_uncached(&sandbox, "first");
    let record = windlass::memory::NewRecord {
        title: "The cache evicts the oldest page".to_owned(),
        text: Some("It is the one nobody asked for.".to_owned()),
        ..Default::default()
    };
    let request = RememberRequest {
        work: RememberWork::New,
        record,
        dry_run: false,
    };
    workspace().memory().remember(&request).unwrap();
    answers_match_uncached(&sandbox, "second");
    assert!(ask(&workspace(), QUESTIONS[2]).contains("evicts the oldest page"));
    // We also have to notice if somebody edits a file by hand.
    let path = "memory/decisions/queue.md";
    sandbox.write(
        path,
        &self::record("queue", "What is kept by hand", "All of it, by hand."),
    );
    answers_match_uncached(&sandbox, "third");
    assert!(ask(&workspace(), QUESTIONS[3]).contains("by hand"));
    sandbox.remove(path);
    answers_match_uncached(&sandbox, "fourth");
    assert!(!ask(&workspace(), QUESTIONS[3]).contains("queue.md"));
    // The update finds the record by the cache, but has to change the present state of the file.
    let record = windlass::memory::NewRecord {
        text: Some("Two stores own the settings.".to_owned()),
        ..Default::default()
    };
    let request = RememberRequest {
        work: RememberWork::Update("store".to_owned()),
        record,
        dry_run: false,
    };
    let changed = workspace()
        .memory()
        .remember(&request)
        .unwrap()
        .done
        .unwrap();
    assert!(
        changed.warnings.iter().any(|one| one.contains("--title")),
        "{changed:?}"
    );
    answers_match_uncached(&sandbox, "fifth");
    assert!(ask(&workspace(), QUESTIONS[0]).contains("Two stores own"));
}

#[cfg(unix)]
#[test]
fn same_size_change_is_detected() {
    let sandbox = sandbox();
    let workspace = || sandbox.workspace_of("home", later, Seeds::new(|| 8));
    answers_match_uncached(&sandbox, "first");
    assert!(ask(&workspace(), QUESTIONS[1]).contains("Retries wait"));
    let path = "memory/decisions/queue.md";
    let before = sandbox.modified(path);
    // The text has the same length as before, so the size of the file doesn't tell.
    let text = record(
        "queue",
        "Nobody waits in a queue",
        "Each waits twice as long.",
    );
    sandbox.write(path, &text);
    sandbox.set_modified(path, before);
    answers_match_uncached(&sandbox, "second");
    assert!(!ask(&workspace(), QUESTIONS[1]).contains("Retries wait"));
}

#[cfg(unix)]
#[test]
fn swapped_records_are_detected() {
    let (one, two) = (
        record("north", "Nothing is kept by hand", "All of it is kept."),
        record("south", "Where do retries wait??", "In a queue of ten."),
    );
    assert_eq!(one.len(), two.len());
    let summary = record("summary", "Summary", "To be found again.");
    let sandbox = Sandbox::with(&[
        ("memory/summary.md", summary.as_str()),
        ("memory/impressions.jsonl", ""),
        ("memory/decisions/north/record.md", one.as_str()),
        ("memory/decisions/south/record.md", two.as_str()),
    ]);
    for folder in ["north", "south"] {
        let path = format!("memory/decisions/{folder}/record.md");
        sandbox.set_modified(&path, later() - Duration::from_secs(1_000_000));
    }
    answers_match_uncached(&sandbox, "first");
    let swap = |one: &str, two: &str| {
        let place = |name: &str| format!("memory/decisions/{name}");
        sandbox.rename(&place(one), "aside");
        sandbox.rename(&place(two), &place(one));
        sandbox.rename("aside", &place(two));
    };
    swap("north", "south");
    answers_match_uncached(&sandbox, "second");
    swap("north/record.md", "south/record.md");
    answers_match_uncached(&sandbox, "third");
    sandbox.rename("memory/decisions/north", "memory/decisions/west");
    answers_match_uncached(&sandbox, "fourth");
}
