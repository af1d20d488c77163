//! Tests of the results of a search.

use std::fs;
use std::num::NonZero;
use std::sync::Arc;

use windlass_base::Cancel;
use windlass_repo::{
    CaseMode, ListQuery, Repo, RepoOptions, SearchError, SearchQuery, SearchResult,
};

use crate::support::{Sandbox, at};

fn search(sandbox: &Sandbox, query: &SearchQuery) -> Arc<SearchResult> {
    sandbox
        .snapshot()
        .search(query, &Cancel::default())
        .unwrap()
}

fn pattern(pattern: &str) -> SearchQuery {
    SearchQuery {
        pattern: pattern.into(),
        ..SearchQuery::default()
    }
}

/// Formats each match as `path:line:column`.
fn found(result: &SearchResult) -> Vec<String> {
    let files = result.files.iter();
    files
        .flat_map(|file| {
            let lines = file.lines.iter();
            lines.map(|found| format!("{}:{}:{}", file.path, found.line, found.column))
        })
        .collect()
}

#[test]
fn search_lists_lines_in_path_order() {
    let sandbox = Sandbox::with(&[
        ("b.txt", "one\ntwo one\nthree\n"),
        ("a/z.txt", "é one\r\nOne\n"),
        ("a.txt", "\u{feff}one"),
    ]);
    let hits = |query: &SearchQuery| found(&search(&sandbox, query));
    let sensitive = ["a.txt:1:1", "a/z.txt:1:4", "b.txt:1:1", "b.txt:2:5"];
    assert_eq!(hits(&pattern("one")), sensitive);
    assert_eq!(hits(&pattern("^one")), ["a.txt:1:1", "b.txt:1:1"]);
    assert_eq!(
        hits(&pattern("^o.e|th")),
        ["a.txt:1:1", "b.txt:1:1", "b.txt:3:1"]
    );
    let smart = |text: &str| SearchQuery {
        case: CaseMode::Smart,
        ..pattern(text)
    };
    assert_eq!(hits(&smart("one")).len(), 5);
    assert_eq!(hits(&smart("One")), ["a/z.txt:2:1"]);
    let any_case = SearchQuery {
        case: CaseMode::Insensitive,
        ..pattern("ONE")
    };
    assert_eq!(hits(&any_case).len(), 5);
}

#[test]
fn search_fixed_text_and_words() {
    let sandbox = Sandbox::with(&[("x", "a.b\naxb\nfoo_bar foo\n")]);
    let fixed = SearchQuery {
        fixed: true,
        ..pattern("a.b")
    };
    assert_eq!(found(&search(&sandbox, &fixed)), ["x:1:1"]);
    let word = SearchQuery {
        word: true,
        ..pattern("foo")
    };
    assert_eq!(found(&search(&sandbox, &word)), ["x:3:9"]);
}

#[test]
fn search_limits_retain_first_matches() {
    let sandbox = Sandbox::with(&[("a", "x\nx\nx\n"), ("b", "x\nx\n"), ("c", "x\n")]);
    let limited = SearchQuery {
        max_matches: 4,
        max_matches_per_file: Some(2),
        ..pattern("x")
    };
    let result = search(&sandbox, &limited);
    assert_eq!(found(&result), ["a:1:1", "a:2:1", "b:1:1", "b:2:1"]);
    assert_eq!((result.total_matches, result.files_with_matches), (6, 3));
    assert_eq!(result.files[0].total, 3);
    assert!(result.truncated);
    let none = SearchQuery {
        max_matches: 0,
        ..pattern("x")
    };
    let result = search(&sandbox, &none);
    assert_eq!((result.files.len(), result.total_matches), (0, 6));
}

#[test]
fn search_first_only_stops_early() {
    let sandbox = Sandbox::with(&[
        ("a", "straw\nx y\nx\n"),
        ("b.py", "password = \"hunter2 x\"\n# a\nx = 1\nx\n"),
        ("c", "straw\n"),
        ("d.py", "# x of a password\npassword = \"hunter2\"\nx\n"),
    ]);
    let first = |text: &str| SearchQuery {
        first_only: true,
        ..pattern(text)
    };
    let result = search(&sandbox, &first("x"));
    // The line with the secret doesn't count, so the first match is in a later line.
    assert_eq!(found(&result), ["a:2:1", "b.py:3:1", "d.py:1:3"]);
    assert_eq!((result.total_matches, result.files_with_matches), (3, 3));
    assert!(result.files.iter().all(|file| file.total == 1));
    assert!(found(&search(&sandbox, &first("hunter"))).is_empty());
    let counted = SearchQuery {
        max_matches: 0,
        ..first("x")
    };
    assert_eq!(search(&sandbox, &counted).total_matches, 3);
}

/// Searching for several patterns at once gives the same results as single searches, even if some
/// of them have already run on their own.
#[test]
fn search_each_equals_single_searches() {
    let sandbox = Sandbox::new();
    for number in 0..300 {
        let text = format!(
            "password = \"needle{number}\"\n{}",
            "needle\n".repeat(number % 3)
        );
        sandbox.write(&format!("d{}/f{number}.txt", number % 7), text);
    }
    sandbox.write("wide", "n\0e\0e\0d\0l\0e\0\n\0");
    let patterns = ["needle", "f.*", "needle7", "needle", "nothing", "password"];
    for first_only in [false, true] {
        let query = SearchQuery {
            first_only,
            max_matches: 150,
            ..SearchQuery::default()
        };
        let each = |snapshot: &windlass_repo::Snapshot, pattern: &str| {
            let query = SearchQuery {
                pattern: pattern.to_owned(),
                ..query.clone()
            };
            snapshot.search(&query, &Cancel::default()).unwrap()
        };
        for threads in [1, 3] {
            let snapshot = || {
                let options = RepoOptions {
                    threads: NonZero::new(threads),
                    ..RepoOptions::default()
                };
                Repo::open_with(&sandbox.root(), options)
                    .unwrap()
                    .snapshot()
            };
            let (at_once, one_by_one) = (snapshot().recorded(), snapshot().recorded());
            each(&at_once, "needle7");
            let cancel = Cancel::default();
            let found = at_once.search_each(&patterns, &query, &cancel).unwrap();
            let wanted: Vec<_> = patterns.iter().map(|one| each(&one_by_one, one)).collect();
            assert_eq!(found, wanted, "{threads}");
            let searches = |snapshot: &windlass_repo::Snapshot| snapshot.own_reads().unwrap();
            assert_eq!(searches(&at_once), searches(&one_by_one));
            assert_eq!(at_once.reads().len(), one_by_one.reads().len());
        }
    }
}

#[test]
fn search_context_becomes_spans() {
    let text = (1..=20).map(|n| format!("line {n}\n")).collect::<String>();
    let sandbox = Sandbox::with(&[("x", &text)]);
    let query = SearchQuery {
        context: 2,
        ..pattern("line (1|5|20)$")
    };
    let spans: Vec<_> = search(&sandbox, &query).files[0]
        .spans
        .iter()
        .map(ToString::to_string)
        .collect();
    // The contexts of lines 1 and 5 overlap, and line 20 is the last one.
    assert_eq!(spans, ["1-7", "18-20"]);
}

#[test]
fn search_counts_withheld_files() {
    let sandbox = Sandbox::with(&[
        ("a.txt", "needle"),
        ("prod.env", "needle"),
        (
            "account.json",
            r#"{"type":"service_account","private_key":"needle"}"#,
        ),
        ("binary", "needle\0"),
    ]);
    let result = search(&sandbox, &pattern("needle"));
    assert_eq!(found(&result), ["a.txt:1:1"]);
    assert_eq!((result.withheld.secret, result.binary_files), (2, 1));
}

#[test]
fn search_counts_unsearched_text() {
    let wide = |text: &str, little: bool| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        let bytes = units.map(|unit| {
            if little {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        });
        bytes.flatten().collect()
    };
    let sandbox = Sandbox::new();
    let mut late = b"needle\n".repeat(2_000);
    late.push(0);
    let utf32 = "\u{feff}needle"
        .chars()
        .flat_map(|c| u32::from(c).to_le_bytes());
    sandbox.write("late", &late);
    sandbox.write("picture", b"\x89PNG\0needle");
    sandbox.write("little", wide("a needle é\n", true));
    sandbox.write("big", wide("a needle\n", false));
    sandbox.write("long", wide(&("straw\n".repeat(20_000) + "needle"), true));
    sandbox.write("other", wide("straw\n", true));
    sandbox.write("utf32", utf32.collect::<Vec<u8>>());
    // A match in the secret value doesn't count here either.
    sandbox.write("secret", wide("password = 'needle-1x9'\n", true));
    let result = search(&sandbox, &pattern("needle"));
    assert_eq!(found(&result), [""; 0]);
    let withheld = result.withheld;
    assert_eq!((withheld.nul_text, withheld.wide_text), (1, 4));
    assert_eq!(result.binary_files, 1);
}

#[test]
fn search_skips_large_binary_files() {
    let sandbox = Sandbox::with(&[("a.txt", "straw")]);
    // The second file begins as text and is binary further on, beyond the first block that we read.
    let text = vec![b'x'; 70 << 10];
    for (name, begins) in [("film.mp4", &b"\0\0\0\x20ftyp"[..]), ("log.txt", &text)] {
        sandbox.write(name, begins);
        let file = fs::File::options().append(true).open(sandbox.at(name));
        // The file is sparse, so it takes no disk space.
        file.unwrap()
            .set_len(windlass_repo::MAX_FILE_BYTES + 1)
            .unwrap();
    }
    let snapshot = sandbox.snapshot();
    for _ in 0..2 {
        let result = snapshot
            .search(&pattern("needle"), &Cancel::default())
            .unwrap();
        assert_eq!((result.withheld.too_large, result.binary_files), (1, 1));
        // `read` refuses the file by its size. A later search mustn't take that refusal for its own
        // answer.
        assert!(snapshot.read(&at("film.mp4")).is_err());
    }
}

#[test]
fn search_honours_scope() {
    let sandbox = Sandbox::with(&[("a/x.rs", "n"), ("a/x.md", "n"), ("b/x.rs", "n")]);
    let query = SearchQuery {
        scope: ListQuery {
            paths: vec![at("a")],
            globs: vec!["*.rs".into()],
            ..ListQuery::default()
        },
        ..pattern("n")
    };
    assert_eq!(found(&search(&sandbox, &query)), ["a/x.rs:1:1"]);
}

#[test]
fn search_invalid_pattern_is_explained() {
    let sandbox = Sandbox::new();
    let refused = |text: &str| {
        let error = sandbox
            .snapshot()
            .search(&pattern(text), &Cancel::default());
        let Err(SearchError::Pattern { message }) = error else {
            panic!("{text} was taken");
        };
        message
    };
    assert!(refused("a(b").contains("unclosed group"));
    assert!(refused("a\\nb").contains("not allowed"));
}

#[test]
fn check_pattern_honours_options() {
    for (text, good) in [("a(b", false), ("a\\nb", false), ("a[b]", true)] {
        assert_eq!(pattern(text).check_pattern().is_ok(), good, "{text}");
    }
    let fixed = SearchQuery {
        fixed: true,
        ..pattern("a(b")
    };
    assert!(fixed.check_pattern().is_ok());
    // This is valid, but compiling it would take long.
    assert!(pattern("(\\w{100}){100}").check_pattern().is_ok());
    let error = pattern("a(b").check_pattern().unwrap_err();
    let line = error.clone().on_one_line().to_string();
    assert_eq!(
        line,
        "the pattern is not a regular expression: unclosed group; to match it literally, search for plain text"
    );
    let short = error.short();
    assert_eq!(
        short,
        "the pattern is not a regular expression: unclosed group"
    );
}

#[test]
fn search_ignores_threads_and_limits() {
    let sandbox = Sandbox::new();
    for folder in 0..20 {
        for file in 0..40 {
            let text = format!("straw\n{}", "needle\n".repeat((folder + file) % 4));
            sandbox.write(&format!("d{folder}/sub/f{file}.txt"), text);
        }
    }
    let with = |threads: usize, query: &SearchQuery| {
        let options = RepoOptions {
            threads: NonZero::new(threads),
            ..RepoOptions::default()
        };
        let snapshot = Repo::open_with(&sandbox.root(), options)
            .unwrap()
            .snapshot();
        let result = snapshot.search(query, &Cancel::default()).unwrap();
        (result, snapshot.reads())
    };
    let all = SearchQuery {
        max_matches: u32::MAX,
        ..pattern("needle")
    };
    let (everything, _) = with(1, &all);
    assert_eq!(everything.total_matches, 1200);
    assert_eq!(
        (everything.files_searched, everything.files_with_matches),
        (800, 600)
    );
    let everything = found(&everything);
    for max_matches in [1, 7, 100, 1199, 1200] {
        let query = SearchQuery {
            max_matches,
            ..pattern("needle")
        };
        let single = with(1, &query);
        assert_eq!(found(&single.0), everything[..max_matches as usize]);
        for threads in [2, 4] {
            assert_eq!(
                with(threads, &query),
                single,
                "{threads} threads, {max_matches} matches"
            );
        }
    }
}

/// On a line with a secret value, only patterns that match for every possible value may match.
#[test]
fn search_cannot_extract_secret() {
    let text = "\u{feff}first\npassword = \"hunter2\"  # of the database\nlast\n";
    let sandbox = Sandbox::with(&[("a.py", text), ("b.py", "hunter2 = 1\n")]);
    let hits = |text: &str| {
        let result = search(&sandbox, &pattern(text));
        let names = found(&result);
        assert_eq!(result.total_matches, names.len() as u64, "{text}");
        names
    };
    for beside in ["password", "database", r#"password = ".*""#, "^pass.*base$"] {
        assert_eq!(hits(beside).len(), 1, "{beside}");
    }
    assert_eq!(hits("d = .*database"), ["a.py:2:1"]);
    assert_eq!(hits("of the"), ["a.py:2:25"]);
    for inside in [
        "= \"h",
        "= \"[^x]",
        "= \"[^h]",
        "r2\"",
        "= \".{7}\"",
        "un.*base",
    ] {
        assert_eq!(hits(inside), [""; 0], "{inside}");
    }
    assert_eq!(hits("hunter2"), ["b.py:1:1"]);

    // Counting alone would be enough to guess a value.
    for (text, want) in [("= \"h|hunter2 =|first", 2), ("= \"x|hunter2 =|first", 2)] {
        let counted = SearchQuery {
            max_matches: 1,
            ..pattern(text)
        };
        assert_eq!(search(&sandbox, &counted).total_matches, want, "{text}");
    }
}

#[test]
fn search_skips_lines_of_a_key() {
    let body = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/AbCdEfGhIjKlMnOpQrStUvWxYz\n".repeat(40);
    let name = "PRIVATE KEY";
    let text = format!("one\n-----BEGIN {name}-----\n{body}-----END {name}-----\ntwo GhIj\n");
    let sandbox = Sandbox::with(&[("a.txt", &text)]);
    let hits = |text: &str| found(&search(&sandbox, &pattern(text)));
    assert_eq!(hits("GhIj"), ["a.txt:44:5"]);
    assert_eq!(hits("one|two"), ["a.txt:1:1", "a.txt:44:1"]);
}

/// The later lines of a value are just as secret as the first one, in all notations that we know.
#[test]
fn search_skips_later_secret_lines() {
    let value = "Zq8vRt2Lm9xK\n  Wp4sYc7Nd1bH\n  Gf6jTk3Qa5eU";
    for text in [
        format!("<!-- first -->\n<a>\n<password>\n  {value}\n</password>\n</a>\n"),
        format!("\u{feff}<a>first\n<password>\n  {value}\n</password>\n</a>\n"),
        format!("first\n<password>\n  {value}\n</password>\n"),
        format!("first\n<password>{value}</password>\n"),
        format!("first\n<entry key=\"password\">\n  {value}\n</entry>\n"),
        format!("first\n<key>Password</key>\n<string>\n  {value}\n</string>\n"),
        format!("first: 1\npassword: |\n  {value}\nlast: 1\n"),
        format!("first: 1\npassword:    |\n  {value}\nlast: 1\n"),
        format!("first: 1\npassword:          >-\n  {value}\nlast: 1\n"),
        format!("first: 1\npassword:\t|\n  {value}\nlast: 1\n"),
        format!("first: 1\npassword: \t|\n  {value}\nlast: 1\n"),
    ] {
        let sandbox = Sandbox::with(&[("a.txt", &text)]);
        let hits = |text: &str| found(&search(&sandbox, &pattern(text)));
        for inside in ["Gf6j", "Wp4s", "Tk3Q.", "[F-H]f6"] {
            assert_eq!(hits(inside), [""; 0], "{inside} in {text}");
        }
        assert_eq!(hits("first").len(), 1, "{text}");
    }
}

#[test]
fn second_look_equals_first() {
    let text = "password = \"hunter2\"\n";
    let sandbox = Sandbox::with(&[("a.py", text)]);
    let snapshot = sandbox.snapshot();
    let query = pattern("hunter|passw");
    let cancel = Cancel::default();
    assert_eq!(snapshot.search(&query, &cancel).unwrap().total_matches, 1);
    let inside = pattern("hunter");
    assert_eq!(snapshot.search(&inside, &cancel).unwrap().total_matches, 0);
    snapshot.disturb();
    sandbox.write("a.py", "password = \"hunter3\"\n");
    let changes = snapshot.changed_since(&cancel).changes;
    // The file matched the first query, so its change counts. It still doesn't match the other
    // query, which must not report it a second time.
    assert_eq!(changes.len(), 1, "{changes:?}");
}
