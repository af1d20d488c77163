//! Prose of comments and messages, and names of tests.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::LitStr;

use super::sources::{is_shipped, root, rust_files, shown, without_tests};

/// Words that a comment or message shouldn't open with, because it should name a thing or an action
/// first.
const OPENINGS: &[&str] = &[
    "what", "who", "whom", "whose", "where", "which", "whether", "how", "that", "those", "whoever",
    "whatever", "nobody", "nothing", "of", "as",
];

/// Maximum share of passages that open with one of [`OPENINGS`], in percent.
const MAX_OPENINGS: usize = 5;

/// Words used in place of a standard term. CONTRIBUTING.md lists the terms.
const MARKERS: &[&str] = &[
    "whoever", "whatever", "nobody", "somebody", "stands", "stood", "anew", "amiss", "told",
    "heirs", "vestige", "homeless", "vain", "kin",
];

/// Maximum number of [`MARKERS`] per 10,000 words.
const MAX_MARKERS: usize = 20;

/// Minimum number of words for a string literal to count as a message.
const MIN_MESSAGE: usize = 3;

/// Maximum length of a test's name, in characters.
const MAX_NAME: usize = 60;

/// Maximum median length of test names, in characters.
const MAX_MEDIAN_NAME: usize = 32;

/// Text for people: a block of comments, or a message.
struct Passage {
    /// The file, and for a comment also the line.
    place: String,
    text: String,
}

impl Passage {
    fn words(&self) -> Vec<String> {
        let words = self
            .text
            .split(|c: char| !c.is_ascii_alphabetic() && c != '\'');
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    }

    fn opens_badly(&self) -> bool {
        self.words()
            .first()
            .is_some_and(|word| OPENINGS.contains(&&**word))
    }
}

fn comments(file: &str, text: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let mut in_block = false;
    for (number, line) in (1..).zip(text.lines()) {
        let comment = line.trim_start().strip_prefix("//");
        match (comment, found.last_mut()) {
            (Some(comment), Some(block)) if in_block => block.text += &format!("\n{comment}"),
            (Some(comment), _) => found.push(Passage {
                place: format!("{file}:{number}"),
                text: comment.to_owned(),
            }),
            (None, _) => {}
        }
        in_block = comment.is_some();
    }
    found
}

/// Returns the messages in `text`: string literals with several words, wherever they are.
fn messages(file: &str, text: &str) -> Vec<Passage> {
    let mut found = Vec::new();
    let tokens = without_tests(text).parse::<TokenStream>();
    literals(
        tokens.unwrap_or_else(|error| panic!("{file}: {error}")),
        &mut found,
    );
    found
        .into_iter()
        .map(|text| Passage {
            place: file.to_owned(),
            text,
        })
        .filter(is_message)
        .collect()
}

/// Appends the string literals of `tokens` to `found`, except for the text of doc comments.
fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    let mut is_doc = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => literals(group.stream(), found),
            TokenTree::Ident(ident) => is_doc = ident == "doc",
            TokenTree::Punct(_) => {}
            TokenTree::Literal(literal) => {
                let text = syn::parse_str::<LitStr>(&literal.to_string());
                found.extend(text.ok().filter(|_| !is_doc).map(|text| text.value()));
            }
        }
    }
}

/// Returns true if a string literal is a sentence rather than a name or a pattern.
fn is_message(passage: &Passage) -> bool {
    passage.text.trim().contains(' ') && passage.words().len() >= MIN_MESSAGE
}

fn passages(is_read: fn(&Path) -> bool, read: fn(&str, &str) -> Vec<Passage>) -> Vec<Passage> {
    let files = rust_files(&root()).into_iter().filter(|path| is_read(path));
    files
        .flat_map(|path| read(&shown(&path), &std::fs::read_to_string(&path).unwrap()))
        .collect()
}

/// Checks the openings and words of `passages`. Errors call them `kind`.
fn check(kind: &str, passages: &[Passage]) {
    let wrong: Vec<_> = passages.iter().filter(|it| it.opens_badly()).collect();
    assert!(
        wrong.len() * 100 <= passages.len() * MAX_OPENINGS,
        "{}\n{} of {} {kind} open with a relative or interrogative word, {MAX_OPENINGS} % are allowed: readers look for the \
         thing first, so begin with a noun or a verb (`Reason why …`, `Returns …`), see CONTRIBUTING.md",
        listed(&wrong),
        wrong.len(),
        passages.len(),
    );
    let is_marker = |word: &String| MARKERS.contains(&&**word);
    let marked: Vec<_> = passages
        .iter()
        .filter(|it| it.words().iter().any(is_marker))
        .collect();
    let words: Vec<String> = passages.iter().flat_map(Passage::words).collect();
    let markers = words.iter().filter(|word| is_marker(word)).count();
    assert!(
        markers * 10_000 <= words.len() * MAX_MARKERS,
        "{}\n{markers} of {} words in {kind} are {MARKERS:?}, {MAX_MARKERS} per 10,000 are allowed: they stand in for a term of the \
         field, so name the thing (`the caller`, `is at`, `reported`, `again`), see CONTRIBUTING.md",
        listed(&marked),
        words.len(),
    );
}

fn listed(passages: &[&Passage]) -> String {
    let line = |it: &&Passage| {
        format!(
            "{}: {}",
            it.place,
            it.text.lines().next().unwrap_or_default()
        )
    };
    passages.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn comments_use_plain_words() {
    check("comments", &passages(|_| true, comments));
}

#[test]
fn messages_use_plain_words() {
    check(
        "messages",
        &passages(|path| is_shipped(&shown(path)), messages),
    );
}

#[test]
fn prose_is_found_in_sources() {
    let text = "/// What it is.\nfn f() { bail!(\"no such file: `{name}`\"); let _ = (\"a\", \"b c\"); }\n";
    let found = |passages: Vec<Passage>| passages.into_iter().map(|it| it.text).collect::<Vec<_>>();
    assert_eq!(found(comments("a.rs", text)), ["/ What it is."]);
    assert_eq!(found(messages("a.rs", text)), ["no such file: `{name}`"]);
    assert!(comments("a.rs", text)[0].opens_badly());
}

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
