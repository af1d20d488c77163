//! Prose of comments and names of tests.

use super::sources::{root, rust_files, shown};

/// Words that a comment does not open with: it names a thing or an action first.
const OPENINGS: &[&str] = &[
    "what", "who", "whom", "whose", "where", "which", "whether", "how", "that", "those", "whoever",
    "whatever", "nobody", "nothing", "of", "as",
];

/// Share of comment blocks per crate that may open with one of [`OPENINGS`], in percent.
const MAX_OPENINGS: usize = 5;

/// Maximum length of a test's name, in characters.
const MAX_NAME: usize = 60;

/// Maximum of the median length of the tests' names, in characters.
const MAX_MEDIAN_NAME: usize = 32;

/// First word of each comment block, with its line number from 1.
fn openings(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (number, line) in (1..).zip(text.lines()) {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            in_block = false;
            continue;
        };
        let words = comment.trim_start_matches(['/', '!']);
        let mut words = words.split(|c: char| !c.is_ascii_alphabetic() && c != '\'');
        if let Some(first) = words.find(|word| !word.is_empty())
            && !in_block
        {
            found.push((number, first.to_ascii_lowercase()));
        }
        in_block = true;
    }
    found
}

#[test]
fn comments_open_with_a_noun_or_verb() {
    let (mut blocks, mut wrong) = (0, Vec::new());
    for path in rust_files(&root()) {
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, word) in openings(&text) {
            blocks += 1;
            if OPENINGS.contains(&&*word) {
                wrong.push(format!("{}:{line}: opens with `{word}`", shown(&path)));
            }
        }
    }
    assert!(
        wrong.len() * 100 <= blocks * MAX_OPENINGS,
        "{}\n{} of {blocks} comments: say what the thing is (a noun) or does (a verb), see CONTRIBUTING.md",
        wrong.join("\n"),
        wrong.len(),
    );
}

/// Names of functions that are tests.
fn test_names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        is_test |= line.contains("#[test]") || line.contains("#[tokio::test");
        if let Some((_, rest)) = line.split_once("fn ")
            && is_test
        {
            is_test = false;
            found.extend(rest.split(['(', '<']).next());
        }
    }
    found
}

#[test]
fn names_of_tests_are_short() {
    let mut names = Vec::new();
    for path in rust_files(&root()) {
        let text = std::fs::read_to_string(&path).unwrap();
        names.extend(test_names(&text).into_iter().map(str::to_owned));
    }
    let long: Vec<_> = names.iter().filter(|name| name.len() > MAX_NAME).collect();
    assert!(
        long.is_empty(),
        "more than {MAX_NAME} characters: {long:#?}"
    );
    names.sort_by_key(String::len);
    let median = names[names.len() / 2].len();
    assert!(
        median <= MAX_MEDIAN_NAME,
        "the median of test names is {median} characters"
    );
}
