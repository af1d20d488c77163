//! Records imported from other tools and used as beads.

use crate::event::*;
use crate::tests::*;
use crate::*;

#[test]
fn imported_cycle_kept_without_blocking() {
    let folder = Folder::new(false);
    let record = |id: &str, needs: &[(&str, &str)]| {
        let needs = needs
            .iter()
            .map(|(on, kind)| serde_json::json!({ "depends_on_id": on, "type": kind }));
        let needs: Vec<_> = needs.collect();
        let record = serde_json::json!({ "id": id, "title": id, "dependencies": needs });
        BeadImported {
            bead_id: id.to_owned(),
            record: record.as_object().cloned().unwrap(),
            ..BeadImported::default()
        }
    };
    let all = [
        record("t-self", &[("t-self", "blocks"), ("t-free", "blocks")]),
        record("t-a", &[("t-b", "blocks")]),
        record("t-b", &[("t-c", "conditional-blocks")]),
        record("t-c", &[("t-a", "blocks"), ("t-free", "related")]),
        record("t-free", &[]),
        record("t-part", &[("t-whole", "parent-child")]),
        record("t-whole", &[("t-part", "blocks")]),
    ];
    let mut ledger = folder.open();
    for data in &all {
        emit(&mut ledger, 1, data.clone()).unwrap();
    }
    let aside: Vec<String> = all
        .iter()
        .filter_map(|data| ledger.state().beads.get(&data.bead_id))
        .flat_map(|bead| {
            let aside = bead.dependencies.clone().into_iter();
            let aside = aside.filter_map(|one| {
                Some(format!(
                    "{} {}",
                    one.put_aside_kind()?.as_str(),
                    one.depends_on_id
                ))
            });
            aside
                .map(move |one| format!("{} {one}", bead.id))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        aside,
        [
            "t-self blocks t-self",
            "t-c blocks t-a",
            "t-whole blocks t-part"
        ]
    );
    assert_eq!(ready(&ledger), "t-c t-free t-part t-whole");
    for data in &all {
        let bead = ledger.state().beads.get(&data.bead_id).unwrap();
        let record = bead::original_record(&bead);
        assert_eq!(
            record.get("dependencies"),
            data.record
                .get("dependencies")
                .filter(|list| *list != &serde_json::json!([]))
        );
    }
    assert!(crate::Check::of(&folder.open()).unwrap().is_clean());
}

#[test]
fn export_changed_fields_replace_originals() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    create(&mut ledger, "t-a", 0);
    let record = serde_json::json!({ "id": "t-b", "status": "closed", "labels": ["b", "a"], "closed_at": "soon",
        "updated_at": "2025-01-01T00:00:00.123456Z", "assignee": 7, "dependencies": ["t-a", 3], "metadata": [1] });
    let imported = BeadImported {
        bead_id: "t-b".to_owned(),
        record: record.as_object().cloned().unwrap(),
        ..BeadImported::default()
    };
    emit(&mut ledger, 1, imported).unwrap();
    emit(
        &mut ledger,
        2,
        BeadReopened {
            bead_id: "t-b".to_owned(),
            reason: None,
        },
    )
    .unwrap();
    emit(&mut ledger, 3, claim_of("t-b", "ann")).unwrap();
    let removed = BeadDependencyRemoved {
        bead_id: "t-b".to_owned(),
        depends_on_id: "t-a".to_owned(),
        kind: None,
    };
    emit(&mut ledger, 4, removed).unwrap();
    let updated = BeadUpdated {
        bead_id: "t-b".to_owned(),
        labels_added: vec!["c".to_owned()],
        metadata_set: Fields::from_iter([("k".to_owned(), 1.into())]),
        ..BeadUpdated::default()
    };
    emit(&mut ledger, 5, updated).unwrap();
    close(&mut ledger, "t-b", Outcome::Done);
    let now = bead::original_record(&ledger.state().beads.get("t-b").unwrap());
    let want = serde_json::json!({ "status": "closed", "labels": ["a", "b", "c"], "closed_at": "2026-01-01T00:00:06.000Z",
        "close_reason": "it is", "updated_at": "2026-01-01T00:00:06.000Z", "assignee": "ann", "metadata": { "k": 1 } });
    for (name, value) in want.as_object().unwrap() {
        assert_eq!(now.get(name), Some(value), "{name}");
    }
    assert_eq!(now.get("dependencies"), None);
}
