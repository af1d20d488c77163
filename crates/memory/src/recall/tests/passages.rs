//! Tests the passages of long records and event files.

use super::{ask, decision, project};
use crate::recall::{Level, PASSAGE, Query, best_passage, passages};
use crate::testing::Sample;

const SENTENCE: &str = "The ingress controller is Traefik since nginx dropped connections when it read certificates again.";

/// A memory with a record of about thirty passages. The questions ask for a sentence in one of
/// them.
fn with_long_record() -> Sample {
    let other = |at: usize| {
        let words = ["colours", "fonts", "layouts", "wording", "names"];
        format!(
            "Paragraph {at}: the meeting went over {} and left part {at} as it was.\n\n",
            words[at % 5]
        )
    };
    let mut body: String = (0..400).map(other).collect();
    body.push_str(&format!("{SENTENCE}\n\n"));
    body.extend((400..500).map(other));
    decision(project(), "cluster", "Move to the cluster", &body)
}

#[test]
fn sentence_in_long_record_is_found() {
    let sample = with_long_record();
    let short = decision(project(), "cluster", "Move to the cluster", SENTENCE);
    for question in [
        "which ingress controller is it?",
        "why traefik and not nginx",
    ] {
        let (found, of_short) = (ask(&sample, question), ask(&short, question));
        assert_eq!(found.hits[0].id, "cluster", "{question}");
        assert!(found.level >= Level::Weak, "{question}: {found:?}");
        assert!(
            found.confidence + 50 >= of_short.confidence,
            "{question}: {found:?} {of_short:?}"
        );
    }
    let memory = sample.memory();
    let record = memory.find("cluster").unwrap();
    let passage = best_passage(record, &Query::of("ingress controller"));
    let passage = &record.source().text()[passage];
    assert!(
        passage.contains("Traefik") && passage.len() <= PASSAGE,
        "{}",
        passage.len()
    );
}

#[test]
fn events_are_matched_one_by_one() {
    let events = "---\nid: events-2026-03\ntitle: Events of 2026-03\nstatus: active\nscope: project:demo\nupdated: 2026-03-09\n---\n\n# Events of 2026-03\n\n## 2026-03-09\n\n- Benchmarked the router on ARM: no difference\n- Profiled the mutex on Windows\n- Removed the legacy parser\n";
    let line = "{\"schema_version\":1,\"id\":\"events-2026-03\",\"scope\":\"project:demo\",\"title\":\"Events of 2026-03\",\"keywords\":[\"router\",\"windows\",\"mutex\",\"parser\"],\"record_path\":\"memory/events/2026-03.md\",\"updated\":\"2026-03-09\"}\n";
    let path = "memory/events/2026-03.md";
    let sample = project()
        .with(path, "", events)
        .with("memory/impressions.jsonl", "", line);
    for never in [
        "did we benchmark the router on windows",
        "was the mutex removed from the parser",
    ] {
        let found = ask(&sample, never);
        assert!(found.level < Level::Strong, "{never}: {found:#?}");
    }
    let question = "was the mutex profiled on windows";
    let found = ask(&sample, question);
    assert_eq!(
        (found.level, found.hits[0].id.as_str()),
        (Level::Strong, "events-2026-03"),
        "{found:#?}"
    );
    assert_eq!(found.hits[0].matched, ["mutex", "profiled", "windows"]);
    // The passage that's shown must be the one with the matching line.
    let memory = sample.memory();
    let record = memory.record(path).unwrap();
    let shown = passages(record, &Query::of(question));
    assert_eq!(
        &record.source().text()[shown[0].range.clone()],
        "- Profiled the mutex on Windows"
    );
    assert_eq!(shown.iter().filter(|one| one.matched > 0).count(), 1);
}
