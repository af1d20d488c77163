//! Tests the levels of confidence.

use super::{ask, decision, index_of, project};
use crate::recall::{Level, Query};

#[test]
fn one_rare_word_in_small_memory_is_no_answer() {
    let long = "whoever came back from lunch and asked for the colours of the sync symbol said nothing about it afterwards";
    let found = ask(&project(), long);
    assert_eq!(found.hits[0].id, "settings-store", "{found:#?}");
    assert_eq!(found.level, Level::None, "{found:#?}");
}

#[test]
fn confidence_changes_smoothly_with_size() {
    let sure = |others: usize| {
        let mut sample = project();
        for number in 0..others {
            sample = decision(
                sample,
                &format!("other-{number}"),
                "Another one",
                "Tulips are planted in rows beside the northern wall, watered twice in dry weeks, and counted by whoever walks there before the gate is closed for winter.",
            );
        }
        let long = "whoever came back from lunch and asked for the colours of the sync symbol said nothing about it afterwards";
        ask(&sample, long).confidence
    };
    let mut before = sure(20);
    for others in 21..32 {
        let now = sure(others);
        assert!(now.abs_diff(before) < 15, "{others}: {before} {now}");
        before = now;
    }
}

#[test]
fn one_title_word_is_not_strong() {
    let sample = decision(
        project(),
        "hosts",
        "Trusted hosts default to any",
        "Whoever hosts it says which.",
    );
    let level = |question: &str| ask(&sample, question).level;
    assert_eq!(level("trusted hosts"), Level::Strong);
    assert!(level("who pays for hosting") < Level::Strong);
}

#[test]
fn two_rare_words_are_weak_one_is_none() {
    let sample = decision(
        project(),
        "scripts-are-files",
        "Scripts are written to a file",
        "A script is run from the temporary folder, so that its interpreter can read the terminal.",
    );
    let found = ask(
        &sample,
        "why do we not send what people wrote to the interpreter, and spare the temporary mess",
    );
    assert_eq!(found.hits[0].id, "scripts-are-files");
    assert_eq!(found.level, Level::Weak, "{found:#?}");
    let found = ask(
        &sample,
        "which paint do we buy for the interpreter booth on the second floor of the new house",
    );
    assert_eq!(found.level, Level::None, "{found:#?}");
}

#[test]
fn unique_cue_is_weak_in_short_question() {
    let line = "{\"schema_version\":1,\"id\":\"queue\",\"scope\":\"project:demo\",\"title\":\"Jobs are rows of the database\",\"keywords\":[\"celery\",\"queue\"],\"record_path\":\"memory/decisions/queue.md\",\"updated\":\"2026-02-01\"}\n";
    let mut sample = decision(
        project(),
        "queue",
        "Jobs are rows of the database",
        "Celery needed a broker that nobody looked after, and a job that failed was gone.",
    )
    .with("memory/impressions.jsonl", "", line);
    for number in 0..16 {
        sample = decision(
            sample,
            &format!("other-{number}"),
            "Another one",
            "Tulips are planted in rows beside the northern wall, and counted before the gate is closed.",
        );
    }
    let index = index_of(&sample.memory());
    let found = index.recall(&Query::of("why was celery abandoned"), 5);
    assert_eq!(found.hits[0].id, "queue");
    assert_eq!(found.level, Level::Weak, "{found:#?}");
    // The confidence must be about the same if a small source is searched next to a large one.
    let alone = found.hits[0].confidence;
    let query = Query::of(
        "which broker sells coffee to people of the office, and who looked after the machine in summer",
    );
    let small = index.recall(&query, 5).hits[0].confidence;
    let beside = index.beside(200);
    assert!(beside.recall(&query, 5).hits[0].confidence < small);
    assert!(
        beside
            .recall(&Query::of("why was celery abandoned"), 5)
            .hits[0]
            .confidence
            >= alone
    );
}

#[test]
fn question_for_missing_aspect_is_weak() {
    let sample = decision(
        project(),
        "cookies",
        "Partitioned cookies",
        "Cookies are partitioned by site. The steps are in the manual.",
    );
    for (question, level) in [
        ("cookies", Level::Strong),
        ("please explain cookies", Level::Strong),
        ("steps for cookies", Level::Strong),
        ("cookie tests", Level::Weak),
        ("how do I build cookies", Level::Weak),
        ("how do I stop cookies", Level::Weak),
        ("let us start with cookies", Level::Strong),
    ] {
        assert_eq!(ask(&sample, question).level, level, "{question}");
    }
}
