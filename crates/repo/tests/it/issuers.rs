//! Measured against the examples by which another tool proves its rules.

use windlass_repo::redact_text;

/// What is not found, and why that is right.
const NOT_FOUND: [&str; 2] = [
    // It says what kind of file it is, and no secret.
    "gcp-service-account",
    // Its middle part is that of no token there is.
    "jwt",
];

/// The examples, read from how they are kept.
fn examples() -> Vec<(&'static str, String)> {
    let lines = include_str!("../data/issuer_examples.txt").lines();
    let examples = lines.filter(|line| !line.starts_with('#'));
    examples
        .map(|line| {
            let (rule, kept) = line.split_once('\t').unwrap();
            let backwards = kept
                .replace("\\\\", "\u{1}")
                .replace("\\n", "\n")
                .replace('\u{1}', "\\");
            (rule, backwards.chars().rev().collect())
        })
        .collect()
}

#[test]
fn nearly_all_examples_of_all_rules_are_found() {
    let examples = examples();
    assert!(examples.len() > 600);
    let missed: Vec<&(&str, String)> = examples
        .iter()
        .filter(|(rule, text)| !NOT_FOUND.contains(rule) && redact_text(text).1.is_empty())
        .collect();
    // Placeholders, such as digits in their order, and names of accounts count as secrets there and not here.
    assert!(
        missed.len() * 90 <= examples.len(),
        "{} of {}: {missed:#?}",
        missed.len(),
        examples.len()
    );
}

#[test]
fn what_only_looks_like_them_is_left() {
    for text in [
        "curl -u $USER:$PASSWORD https://example.org",
        "curl --user \"${A}:${B}\" x",
        "curl -H \"Authorization: Bearer $TOKEN\" x",
        "curl -H 'Content-Type: application/json' -H 'X-Api-Version: 2024-01-01' x",
        "discord_channel = 244498513919249575",
        "the asana project 6991922001192520 is done",
        "dropbox_folder = quarterly2024rep",
        "sourcegraph search finds it",
        "version .= \"1.2.3\"",
        "list ::= element",
        "telegram 12345678: All messages are kept for a while here",
        "pat.example.test and sat.example.test are hosts",
    ] {
        assert_eq!(redact_text(text).1, [], "{text}");
    }
}
