//! Properties of the fuzz targets, on known documents with some bytes changed.

use proptest::prelude::*;

use self::mutate::mutated;

#[path = "../../fuzz/checks.rs"]
mod checks;
#[path = "../../../tron/tests/it/mutate.rs"]
mod mutate;

macro_rules! seed {
    ($name:literal) => {
        include_str!(concat!("../../../tron/tests/data/spec/", $name))
    };
}

const SEEDS: &[&str] = &[
    seed!("todo-minimal.json"),
    seed!("todo-minimal.tron"),
    seed!("plan-minimal.tron"),
    seed!("playbook-minimal.tron"),
    seed!("todo-incident.json"),
    seed!("plan-webhooks.tron"),
    seed!("playbook-reliability.json"),
    r#"{"vAgendaInfo": {"version": "0.2"}, "plan": {"title": "P", "status": "draft", "narratives": {"proposal": {"title": "x", "content": "y"}}, "phases": [{"title": "a", "status": "pending", "subPhases": []}]}}"#,
    r#"{"vContextInfo": {"version": "0.4"}, "plan": {"title": "P", "status": "draft", "narratives": {"proposal": "x"}, "items": [{"id": "a", "title": "a", "status": "cancelled", "dependencies": ["b"]}, {"id": "b", "title": "b", "status": "blocked", "subItems": [{"title": "c", "status": "pending"}]}]}}"#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in mutated(SEEDS)) {
        checks::document(&bytes);
    }

    #[test]
    fn any_document_can_be_migrated(bytes in mutated(SEEDS)) {
        checks::change(&bytes);
    }
}
