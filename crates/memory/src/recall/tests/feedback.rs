//! The effect of feedback on later recalls.

use super::{ask, decision, feedback, index_of, project};
use crate::recall::{Level, Ranking};
use crate::testing::Sample;

#[test]
fn feedback_affects_its_questions_only() {
    let line = |query: &str, outcome: &str, id: &str| {
        format!(
            "{{\"schema_version\":1,\"query\":\"{query}\",\"outcome\":\"{outcome}\",\"created\":\"2026-02-01\",\"matched_id\":\"{id}\"}}\n"
        )
    };
    let before = project();
    let missed = line("preferences window colours", "missed", "settings-store");
    let after = project().with("memory/recall-feedback.jsonl", "", &missed);
    // The question is about the same thing, but in other words.
    let held_out = "which colours does the preferences window use?";
    assert_ne!(
        ask(&before, held_out)
            .hits
            .first()
            .map(|hit| hit.id.as_str()),
        Some("settings-store")
    );
    let found = ask(&after, held_out);
    assert_eq!(found.hits[0].id, "settings-store", "{found:#?}");
    assert!(found.level >= Level::Weak && found.hits[0].learned > 0);
    for other in [
        "prepare the next release",
        "why is there no database",
        "window",
        "change how doctor validates jsonl",
    ] {
        let ids = |found: Ranking| {
            found
                .hits
                .into_iter()
                .map(|hit| (hit.id, hit.score))
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(ask(&before, other)), ids(ask(&after, other)), "{other}");
    }
    // The score is lower for this question, but not for others.
    let unhelpful = line("settings dialog", "irrelevant", "settings-refactor").repeat(3);
    let after = project().with("memory/recall-feedback.jsonl", "", &unhelpful);
    let score = |sample: &Sample, question: &str| {
        let found = ask(sample, question);
        found
            .hits
            .iter()
            .find(|hit| hit.id == "settings-refactor")
            .map_or(0, |hit| hit.score)
    };
    assert!(score(&after, "the settings dialog") < score(&before, "the settings dialog") / 2);
    assert!(
        score(&after, "finish the refactor of every write path")
            >= score(&before, "finish the refactor of every write path") * 9 / 10
    );
}

#[test]
fn feedback_with_a_secret_teaches_nothing() {
    let log = "memory/recall-feedback.jsonl";
    let line = |query: &str| {
        format!(
            "{{\"schema_version\":1,\"query\":\"{query}\",\"outcome\":\"missed\",\"created\":\"2026-02-01\",\"matched_id\":\"settings-store\"}}\n"
        )
    };
    let sample = Sample::new()
        .with(log, "", &line("deploy password=zqxwvkjhgtrpbn"))
        .with(log, "", &line("preferences window"));
    let tuning = index_of(&sample.memory()).tuning().clone();
    let words: Vec<_> = tuning.ties.iter().flat_map(|tie| &tie.words).collect();
    assert_eq!(words, ["prefer", "window"]);
}

/// A memory with a short record that has both words of a question in its title. The record that we
/// want has only one of them there.
fn hosted() -> Sample {
    let sample = decision(
        project(),
        "hosts",
        "Hosted documentation needs a trusted host",
        "Hosted documentation names its host.",
    );
    decision(
        sample,
        "pages",
        "Pages of the manual",
        "The documentation is served by the forge, from a branch of its own, and made anew with each tag.",
    )
}

#[test]
fn missed_record_ranks_first_next_time() {
    let log = "memory/recall-feedback.jsonl";
    let question = "where is the documentation hosted";
    let before = hosted();
    assert_eq!(ask(&before, question).hits[0].id, "hosts");
    let after = hosted().with(log, "", &feedback(question, "missed", "pages"));
    let found = ask(&after, question);
    assert_eq!(found.hits[0].id, "pages", "{found:#?}");
    assert_eq!(found.level, Level::Strong, "{found:#?}");
    // This question has a single word, which is in both records. In `hosts`, it's in the title.
    let short = hosted().with(log, "", &feedback("documentation", "missed", "pages"));
    assert_eq!(ask(&before, "documentation").hits[0].id, "hosts");
    assert_eq!(ask(&short, "documentation").hits[0].id, "pages");
    for other in [
        "which host is trusted",
        "hosted documentation of which trusted host",
        "pages of the manual",
        "documentation of the settings",
    ] {
        let first = |sample: &Sample| ask(sample, other).hits[0].id.clone();
        assert_eq!(first(&before), first(&after), "{other}");
    }
    // `helpful` moves the record by a quarter of that, and `irrelevant` undoes it.
    let once = hosted().with(log, "", &feedback(question, "helpful", "pages"));
    assert_eq!(ask(&once, question).hits[0].id, "hosts");
    let undone = after.with(
        log,
        "",
        &feedback(question, "irrelevant", "pages").repeat(4),
    );
    assert_eq!(ask(&undone, question).hits[0].id, "hosts");
}
