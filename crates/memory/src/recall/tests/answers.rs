//! Finds records by questions with a known answer.

use super::{ask, decision, index_of, project};
use crate::recall::{Level, Query};
use crate::state::memory::Memory;
use crate::testing::Sample;

#[test]
fn natural_question_finds_its_record() {
    for (question, wanted) in [
        ("Continue the settings refactor.", "settings-refactor"),
        ("settings", "settings-refactor"),
        ("fix setting sync", "settings-store"),
        ("prepare the next release", "release-train"),
        (
            "should the typescript engine become the default",
            "engine-optional",
        ),
        ("change how doctor validates jsonl", "doctor-jsonl"),
        ("why is there no database in this project", "no-database"),
        ("where is parse_json_line used?", "doctor-jsonl"),
        ("who writes settings_store.rs", "settings-store"),
    ] {
        let found = ask(&project(), question);
        assert_eq!(found.hits[0].id, wanted, "{question}: {found:#?}");
        assert_eq!(
            found.level,
            Level::Strong,
            "{question}: {} {}",
            found.confidence,
            found.reason
        );
    }
    let long = "I came back from lunch and noticed that on my laptop the colours look strange since the settings sync ran twice";
    let found = ask(&project(), long);
    assert!(
        found.level >= Level::Weak && found.hits[0].id == "settings-store",
        "{found:#?}"
    );
}

#[test]
fn asked_version_is_required() {
    let sample = decision(
        project(),
        "postgres",
        "Postgres stays on 14.9",
        "Version 15.4 mirrored polygons on 2025-03-12.",
    );
    let level = |question: &str| {
        let found = ask(&sample, question);
        let best = found.hits.first().map(|hit| hit.id.clone());
        (found.level, best.unwrap_or_default())
    };
    let strong = (Level::Strong, "postgres".to_owned());
    for known in [
        "may we go to postgres 15.4",
        "postgres v14.9",
        "what happened to postgres on 2025-03-12",
    ] {
        assert_eq!(level(known), strong, "{known}");
    }
    for other in [
        "may we go to postgres 16.2",
        "postgres 4.15",
        "what happened to postgres on 2025-03-13",
    ] {
        assert!(level(other).0 < Level::Strong, "{other}");
    }
}

#[test]
fn unknown_subject_is_none() {
    for question in [
        "do it",
        "",
        "???",
        "the and of",
        "please continue",
        "migrate kubernetes cluster to arm nodes",
        "work on the next task",
        "x".repeat(100_000).as_str(),
    ] {
        let found = ask(&project(), question);
        assert_eq!(found.level, Level::None, "{question:.40}: {found:#?}");
        assert!(!found.reason.is_empty());
    }
    let none = index_of(&Memory::default());
    assert_eq!(none.recall(&Query::of("settings"), 5).level, Level::None);
}

#[test]
fn successor_replaces_superseded_record() {
    let newer = "---\nid: settings-cloud\ntitle: Preferences live in the cloud\nstatus: active\nscope: project:demo\nupdated: 2026-03-01\nsupersedes: settings-store\n---\nMoved.\n";
    let sample = Sample::new()
        .with("memory/decisions/settings-cloud.md", "", newer)
        .with(
            "memory/decisions/settings-store.md",
            "status: active",
            "status: superseded\nsuperseded_by: settings-cloud",
        )
        .with(
            "memory/open-loops/settings-refactor.md",
            "status: active",
            "status: archived",
        );
    let found = ask(&sample, "which store owns the settings?");
    assert_eq!(found.hits[0].id, "settings-cloud", "{found:#?}");
    assert_eq!(found.hits[0].instead_of.as_deref(), Some("settings-store"));
    assert!(
        found
            .hits
            .iter()
            .all(|hit| hit.id != "settings-store" && hit.id != "settings-refactor")
    );
    assert_eq!(found.level, Level::Strong);
    // The words are in the superseded record, so that's the one that the reason has to name.
    let part = ask(&sample, "settings refactor of the keyring vault");
    assert_eq!(part.level, Level::Weak, "{part:#?}");
    assert!(
        part.reason
            .starts_with("`settings-cloud` replaced `settings-store`, which has: "),
        "{}",
        part.reason
    );
    // It's enough if one of the two records names the other.
    let (old, newer) = (
        "memory/decisions/settings-store.md",
        "memory/decisions/settings-cloud.md",
    );
    let silent = |sample: &Sample| {
        sample
            .clone()
            .with(newer, "supersedes: settings-store\n", "")
    };
    for once in [
        silent(&sample),
        silent(&sample).with(old, "status: superseded", "status: active"),
        sample.clone().with(
            old,
            "status: superseded\nsuperseded_by: settings-cloud",
            "status: active",
        ),
    ] {
        let found = ask(&once, "which store owns the settings?");
        let first = &found.hits[0];
        let by = (first.id.as_str(), first.instead_of.as_deref());
        assert_eq!(by, ("settings-cloud", Some("settings-store")), "{found:#?}");
    }
    // The successor may also be named by an impression.
    let cue = "\"updated\":\"2026-02-01\"";
    let of_impression = |says: &str| {
        let newer_cue = "{\"schema_version\":1,\"id\":\"cloud\",\"scope\":\"project:demo\",\"title\":\"Preferences\",\"keywords\":[\"cloud\"],\"record_path\":\"memory/decisions/settings-cloud.md\",\"updated\":\"2026-03-01\"}\n";
        silent(&sample)
            .with(
                old,
                "status: superseded\nsuperseded_by: settings-cloud",
                "status: active",
            )
            .with("memory/impressions.jsonl", cue, &format!("{cue},{says}"))
            .with("memory/impressions.jsonl", "", newer_cue)
    };
    let replaced = of_impression("\"status\":\"superseded\",\"superseded_by\":\"cloud\"");
    let found = ask(&replaced, "which store owns the settings?");
    let by = (
        found.hits[0].id.as_str(),
        found.hits[0].instead_of.as_deref(),
    );
    assert_eq!(by, ("cloud", Some("settings-store")), "{found:#?}");
    let archived = of_impression("\"status\":\"archived\"");
    let found = ask(&archived, "which store owns the settings?");
    assert!(
        found.hits.iter().all(|hit| hit.id != "settings-store"),
        "{found:#?}"
    );
    // None of the records in a cycle is active.
    let circle = sample.with(
        "memory/decisions/settings-cloud.md",
        "status: active",
        "status: superseded\nsuperseded_by: settings-store",
    );
    let found = ask(&circle, "which store owns the settings?");
    assert!(found.hits.iter().all(|hit| hit.id == "summary"));
}

#[test]
fn full_match_ranks_before_short_records() {
    let mut sample = project();
    for at in 0..6 {
        let title = "Rotation";
        sample = decision(sample, &format!("rotation-{at}"), title, "Rotation.");
    }
    let long = "Every quarter the certificates of the gateway are exchanged, by rotation. ";
    let filler = (0..150).map(|at| format!("Word{at} was said of it. "));
    let long = format!("{long}{}", filler.collect::<String>());
    let sample = decision(sample, "gateway", "How we keep things safe", &long);
    let found = ask(&sample, "rotation of gateway certificates every quarter");
    assert_eq!(found.hits[0].id, "gateway", "{found:#?}");
    assert!(found.level > Level::None, "{found:#?}");
}

#[test]
fn rarer_word_counts_more_in_small_memory() {
    let request = |number: usize| {
        let titles = [
            "Request hooks run before redirects",
            "A request without a body has no length",
            "Each request has a session of its own",
            "Request headers keep their order",
            "A request to a proxy names the host",
            "A request is sent again once",
        ];
        (format!("request-{number}"), titles[number])
    };
    let mut sample = decision(
        Sample::new(),
        "prepared",
        "What is prepared is what goes over the wire",
        "Adapters get a request with its bytes, its headers and its address as they are sent. Whoever signs them signs those bytes, so nothing may be changed between the hook that signs and the socket.",
    );
    for (id, title) in (0..6).map(request) {
        sample = decision(sample, &id, title, "A request is a request.");
    }
    let found = ask(&sample, "what is a prepared request");
    assert_eq!(found.hits[0].id, "prepared");
}

#[test]
fn first_hit_has_highest_confidence() {
    let mut sample = project();
    for (id, title, body) in [
        (
            "client",
            "TestClient is built on httpx",
            "The test client needs httpx; requests is gone from the test client.",
        ),
        (
            "push",
            "Server push is dead",
            "A push stays, and is still there.",
        ),
        (
            "redirects",
            "Requests follow redirects",
            "A request follows up to twenty redirects.",
        ),
    ] {
        sample = decision(sample, id, title, body);
    }
    for question in [
        "does the client still need requests when nobody pushes it",
        "who pushed the redirects of the client",
        "which server is the settings release of",
        "redirects",
    ] {
        let found = ask(&sample, question);
        let first = found.hits.first().map_or(0, |hit| hit.confidence);
        assert_eq!(found.confidence, first, "{question}");
        assert!(
            found.hits.iter().all(|hit| hit.confidence <= first),
            "{question}: {found:#?}"
        );
    }
}
