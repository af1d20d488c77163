//! Files of molecules, stored beside the log.

use super::*;

#[test]
fn rebuild_molecule_files_identical() {
    let (folder, mut ledger) = pour("a; b: a; c", json!({}));
    emit(&mut ledger, 0, poured("mol-b", "x", json!({}))).unwrap();
    do_step(&mut ledger, 1, "a", json!({ "deep": [1, { "x": null }] }));
    claim(&mut ledger, "bob", 2, Some("b"));
    let squashed = MolSquashed {
        mol_id: "mol-b".to_owned(),
        summary: "given up".to_owned(),
    };
    emit(&mut ledger, 3, squashed).unwrap();
    let names = ["mols/mol-a.json", "mols/mol-b.archive.json"];
    let texts = names.map(|name| folder.read(&format!(".beads/{name}")));
    std::fs::remove_dir_all(folder.path(".beads/mols")).unwrap();
    std::fs::remove_file(folder.path(".beads/.windlass/checkpoint")).ok();
    crate::tests::rebuild(&mut ledger);
    assert_eq!(
        names.map(|name| folder.read(&format!(".beads/{name}"))),
        texts
    );
    assert!(!folder.path(".beads/mols/mol-b.json").exists());
    // Work continues from a checkpoint just as from a complete fold.
    let mut again = folder.open();
    do_step(&mut again, 5, "c", Value::Null);
    assert!(crate::Check::of(&again).unwrap().is_clean());
    let schemas = crate::schemas();
    let check = |name: &str, value: &Value| {
        let (_, schema) = schemas.iter().find(|(known, _)| known == name).unwrap();
        let validator = jsonschema::validator_for(schema).unwrap();
        let wrong: Vec<String> = validator
            .iter_errors(value)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    };
    for text in &texts {
        check("molecule", &serde_json::from_str(text).unwrap());
    }
    for line in folder.read(".beads/events.jsonl").lines() {
        check("event", &serde_json::from_str(line).unwrap());
    }
}

#[test]
fn merge_of_old_event_rewrites_file() {
    let (folder, mut ledger) = pour("a; b", json!({}));
    crate::tests::create(&mut ledger, "t-1", 50);
    let name = ".beads/mols/mol-a.json";
    let before = folder.read(name);
    // Another clone has written an event that belongs before ours.
    let skipped = json!({ "event_id": "evt-other", "event_type": "mol.step_skipped", "actor": "bob",
        "timestamp": "2026-01-01T00:00:05.000Z", "data": { "mol_id": "mol-a", "step_id": "b", "reason": "no need" } });
    let log = folder.read(".beads/events.jsonl");
    folder.write(".beads/events.jsonl", &format!("{log}{skipped}\n"));
    crate::tests::create(&mut folder.open(), "t-2", 60);
    let after = folder.read(name);
    assert!(after != before && after.contains("no need"), "{after}");
}

#[cfg(unix)]
#[test]
fn molecule_folder_link_refused() {
    let (folder, outside) = (Folder::new(false), tempfile::tempdir().unwrap());
    crate::tests::create(&mut folder.open(), "t-1", 0);
    std::os::unix::fs::symlink(outside.path(), folder.path(".beads/mols")).unwrap();
    let poured = emit(&mut folder.open(), 1, poured("mol-a", "a", json!({})));
    assert!(matches!(poured, Err(LedgerError::Link(_))), "{poured:?}");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}
