//! Recalled memory in packs. It's listed after the documents.

use serde_json::json;

use crate::support::Sandbox;
use crate::{GOAL, built, names, sample};

fn remembering() -> Sandbox {
    let sandbox = sample();
    sandbox.windlass(&["memory", "init"]).succeeds();
    for (title, text) in [
        (
            "Retry failing steps with a backoff",
            "A failing step is tried three times, a second apart.",
        ),
        ("Colours of the logo", "Blue and white."),
    ] {
        let args = ["memory", "remember", "decision", title, "--text", text];
        sandbox.windlass(&args).succeeds();
    }
    sandbox.commit("memory");
    sandbox
}

#[test]
fn memory_follows_documents_and_files() {
    let sandbox = remembering();
    let pack = built(&sandbox, &[]);
    let files = names(&pack, "/relevantFiles", "path");
    let of_memory: Vec<_> = files
        .iter()
        .filter(|path| path.starts_with("memory/"))
        .collect();
    assert_eq!(of_memory.len(), 1, "{files:?}");
    assert_eq!(files.last(), Some(of_memory[0]));
    let item = format!("relevantFiles/{}", of_memory[0]);
    let origins = pack["provenance"]["items"].as_array().unwrap();
    let origin = origins.iter().find(|it| it["item"] == *item).unwrap();
    assert_eq!(origin["source"]["kind"], "memory");
    assert_eq!(origin["why"], json!(["the memory recalls it: strong"]));
    let last = pack["relevantFiles"].as_array().unwrap().last().unwrap();
    assert!(last["excerpt"].as_str().unwrap().contains("three times"));
    assert_eq!(
        pack["decisions"][0]["summary"],
        "Retry failing steps with a backoff"
    );
    let id = pack["packId"].as_str().unwrap();
    sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    let without = built(&sandbox, &["--no-memory"]);
    assert!(
        !names(&without, "/relevantFiles", "path")
            .iter()
            .any(|path| path.starts_with("memory/"))
    );
}

#[test]
fn documents_outrank_memory_at_any_budget() {
    let sandbox = remembering();
    let mut without = 0;
    for max in (2_600..6_000).step_by(200) {
        let max = max.to_string();
        let args = [
            "pack",
            "build",
            GOAL,
            "--format",
            "json",
            "--max-chars",
            &max,
        ];
        let shown = sandbox.windlass(&args).succeeds().json();
        let files = names(&shown, "/relevantFiles", "path");
        let has_memory = files.iter().any(|path| path.starts_with("memory/"));
        let docs = shown["docRefs"].as_array().unwrap();
        let has_docs = docs.iter().all(|doc| doc["excerpt"].is_string());
        assert!(has_docs || !has_memory, "{max}: {shown}");
        without += usize::from(has_docs && !has_memory);
    }
    assert!(without > 0);
}
