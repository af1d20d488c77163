//! Tests the kinds of words in a question: code names, fillers, common words and form words.

use super::{ask, decision, feedback, project};
use crate::recall::Level;

#[test]
fn unicode_form_does_not_matter() {
    let (composed, decomposed) = ("Schlüssel bei Müller", "Schlu\u{308}ssel bei Mu\u{308}ller");
    for text in [composed, decomposed] {
        let sample = decision(
            project(),
            "keys",
            text,
            &format!("Der {text} ist der richtige."),
        );
        let levels = [composed, decomposed].map(|question| {
            let found = ask(&sample, question);
            (found.level, found.hits.first().map(|hit| hit.score))
        });
        assert_eq!(levels[0], levels[1], "{text}");
        assert!(levels[0].0 != Level::None, "{text}");
    }
}

#[test]
fn name_is_found_in_lower_case() {
    let sample = decision(
        project(),
        "wheels",
        "Wheels",
        "They are uploaded to PyPI by OIDC.",
    );
    let sample = decision(
        sample,
        "flaky",
        "Flaky test on PyPy",
        "It fails about once.",
    );
    let ids = |question: &str| ask(&sample, question).hits[0].id.clone();
    assert_eq!(ids("pypy"), "flaky");
    assert_eq!(ids("pypi"), "wheels");
}

#[test]
fn fillers_find_nothing() {
    let line = "{\"schema_version\":1,\"id\":\"push\",\"scope\":\"project:demo\",\"title\":\"Server push is dead\",\"keywords\":[\"push\",\"still\",\"none\"],\"record_path\":\"memory/decisions/push.md\",\"updated\":\"2026-02-01\"}\n";
    let sample = decision(
        project(),
        "push",
        "Server push is dead",
        "It is still in Request; none uses it.",
    )
    .with("memory/impressions.jsonl", "", line);
    for nothing in ["is it still raining", "none of the clouds", "still"] {
        let found = ask(&sample, nothing);
        assert_eq!(found.level, Level::None, "{nothing}: {found:#?}");
    }
    assert_eq!(
        ask(&sample, "is server push still dead").level,
        Level::Strong
    );
}

#[test]
fn code_path_matches_as_a_whole() {
    let mut sample = decision(
        project(),
        "harness",
        "Harness of the suite",
        "`Test::new()` builds a justfile in a temporary directory; `is_new_build` says whether it is one.",
    );
    for number in 0..6 {
        let (id, title) = (format!("way-{number}"), format!("Way {number} is decided"));
        sample = decision(sample, &id, &title, "A new way to run things, with a test.");
    }
    for question in ["Test::new()", "what does Test::new do", "is_new_build"] {
        let answer = ask(&sample, question);
        assert_eq!(
            (answer.level, answer.hits[0].id.as_str()),
            (Level::Strong, "harness"),
            "{question}"
        );
    }
    for question in ["Test::old()", "Build::new", "is_new_test", "a new test"] {
        assert_eq!(ask(&sample, question).level, Level::None, "{question}");
    }
}

#[test]
fn common_words_match_a_title() {
    let sample = decision(
        project(),
        "build-steps",
        "Build steps",
        "Configure, compile, link, then sign.",
    );
    for question in ["what are the build steps", "how do we build it"] {
        let found = ask(&sample, question);
        assert_eq!(found.hits[0].id, "build-steps", "{question}");
        assert_eq!(found.level, Level::Weak, "{question}: {found:#?}");
    }
    for question in [
        "what is the next step",
        "please help me to build it",
        "is it known",
        "continue",
    ] {
        assert_eq!(ask(&sample, question).level, Level::None, "{question}");
    }
    let line = |outcome: &str| feedback("what are the build steps", outcome, "build-steps");
    let log = "memory/recall-feedback.jsonl";
    let told = sample.clone().with(log, "", &line("missed"));
    let found = ask(&told, "what are the build steps");
    assert_eq!(found.level, Level::Strong, "{found:#?}");
    assert_eq!(ask(&told, "what is the next step").level, Level::None);
    let untold = sample.with(log, "", &line("irrelevant").repeat(4));
    let found = ask(&untold, "what are the build steps");
    assert_eq!(found.level, Level::None, "{found:#?}");
}

#[test]
fn similar_code_name_is_not_strong() {
    let sample = decision(
        project(),
        "limits",
        "Limits of a form",
        "MAX_FORM_PARTS and `Request.max_form_memory_size` limit what a form may hold.",
    );
    for (question, level) in [
        ("MAX_FORM_PARTS", Level::Strong),
        ("maxFormParts", Level::Strong),
        (
            "what limits max_form_memory_size of a request",
            Level::Strong,
        ),
        ("MAX_FORM_DEPTH", Level::Weak),
        ("what limits Request.max_form_depth", Level::Weak),
    ] {
        let found = ask(&sample, question);
        assert_eq!(
            (found.level, &*found.hits[0].id),
            (level, "limits"),
            "{question}: {found:#?}"
        );
    }
}

#[test]
fn form_words_find_nothing() {
    let sample = decision(
        project(),
        "glossary",
        "Glossary of the project",
        "A sigil is a character before a line. A modulepath names a recipe in a submodule.",
    );
    for question in [
        "what does modulepath mean",
        "what is meant by sigil",
        "meaning of sigil",
    ] {
        let answer = ask(&sample, question);
        assert!(
            answer.level >= Level::Weak && answer.hits[0].id == "glossary",
            "{question}"
        );
    }
    for question in [
        "what does it mean",
        "what does frobnicate mean",
        "how long does it take",
    ] {
        assert_eq!(ask(&sample, question).level, Level::None, "{question}");
    }
}

#[test]
fn file_name_matches_as_a_whole() {
    let sample = decision(
        project(),
        "eintr",
        "Keep reading on EINTR",
        "read and write that fail are tried again; read on a signal is no error",
    );
    let sample = decision(
        sample,
        "heap",
        "Tasks lie on the heap",
        "The parser allocates its stack of tasks on the heap; the code is in `src/read.c`.",
    );
    let sample = decision(
        sample,
        "sockets",
        "Close sockets once",
        "A socket is closed once.",
    );
    for question in [
        "read.c",
        "what do we know of read.c",
        "what is in src/read.c?",
    ] {
        let ranking = ask(&sample, question);
        assert_eq!(ranking.hits[0].id, "heap", "{question}");
        assert!(ranking.level >= Level::Weak, "{question}");
    }
    assert_eq!(
        ask(&sample, "who closes sockets, as in close.c").level,
        Level::Strong
    );
}
