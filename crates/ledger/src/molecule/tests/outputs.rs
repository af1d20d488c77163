//! Outputs that are stored apart from the log.

use std::sync::Arc;

use super::*;
use crate::journal::sharing;
use crate::shared::Opening;
use crate::tests::memory_log::{MemoryBackend, MemoryLog};
use crate::tests::soon;
use crate::{OpenShared, SharedConfig, Stamp, output_store};
use windlass_store::{Disk, DiskCall};

/// A world with the outputs of a folder and of a shared log.
struct Stored<'a>(&'a Folder, Option<&'a MemoryLog>);

impl World for Stored<'_> {
    fn file_exists(&self, _: &str) -> bool {
        false
    }

    fn may_ask(&self, _: &str, _: &CookedFormula) -> bool {
        true
    }

    fn variable(&self, _: &str) -> String {
        String::new()
    }

    fn output(&self, stored: &StoredOutput) -> Result<Value, LedgerError> {
        let mut replica = self.1.map(|log| {
            let config = SharedConfig::new("memory:", "test");
            crate::shared::Replica::new(&self.0.places(), config, Some(backend(log)), false)
        });
        let json = output_store::read(&self.0.places(), replica.as_mut(), stored)?;
        Ok(serde_json::from_slice(&json)?)
    }
}

fn backend(log: &MemoryLog) -> Arc<dyn OpenShared> {
    Arc::new(MemoryBackend {
        log: log.clone(),
        ahead: 0,
        can_seize: false,
    })
}

fn large() -> Value {
    json!({ "ok": "yes", "text": "x".repeat(70_000) })
}

fn output(ledger: &Journal) -> StepOutput {
    let molecule = ledger.state().molecule("mol-a").unwrap();
    step(&molecule, "a").output.clone()
}

fn file_of(folder: &Folder, output: &StepOutput) -> std::path::PathBuf {
    let digest = &output.stored().unwrap().blake3;
    folder.path(&format!(".beads/.windlass/outputs/{digest}.json"))
}

#[test]
fn large_output_leaves_the_log_and_returns() {
    let (folder, mut ledger) = pour("a; b", Value::Null);
    let held = token(&mut ledger, "ann", 1, "a");
    assert_eq!(complete(&mut ledger, 1, "a", &held, large()), "true");
    // The same completion again changes nothing.
    let events = ledger.state().events();
    assert_eq!(complete(&mut ledger, 2, "a", &held, large()), "true");
    assert_eq!(ledger.state().events(), events);
    do_step(&mut ledger, 2, "b", json!("small"));
    let log = folder.read(".beads/events.jsonl");
    assert!(log.len() < 10_000 && log.contains("stored_output"));
    let found = output(&folder.open());
    assert_eq!(found.value(), None);
    let world = Stored(&folder, None);
    assert_eq!(found.load(&world).unwrap().as_ref(), &large());
    let path = file_of(&folder, &found);
    // The digest no longer matches, so the file counts as missing.
    std::fs::write(&path, "{}").unwrap();
    let error = found.load(&world).unwrap_err().to_string();
    assert!(error.contains("this machine doesn't have it"), "{error}");
}

#[test]
fn condition_waits_for_a_missing_output() {
    let on_output =
        |field| json!({ "run_if": [{ "holds": true, "condition": output_is("a", field, "yes") }] });
    let with = json!({ "b": on_output("ok") });
    let (folder, mut ledger) = pour("a; b: a", with);
    let held = token(&mut ledger, "ann", 1, "a");
    let path = {
        let done = act(&mut ledger, "ann", 1, |draft| {
            draft.complete(&proof("a", &held), large(), Vec::new(), &Nowhere)
        });
        assert!(done.unwrap());
        file_of(&folder, &output(&ledger))
    };
    let json = std::fs::read(&path).unwrap();
    // The output is on another machine, for example, and the condition can't be evaluated without
    // it.
    std::fs::remove_file(&path).unwrap();
    let world = Stored(&folder, None);
    let wanted = Claim {
        mol: Some("mol-a".to_owned()),
        ..Claim::default()
    };
    let stuck = act(&mut ledger, "ann", 2, |draft| draft.claim(&wanted, &world));
    assert!(
        matches!(stuck, Err(LedgerError::NoOutput { .. })),
        "{stuck:?}"
    );
    assert_eq!(statuses(&ledger), "a=completed b=blocked");
    std::fs::write(&path, json).unwrap();
    let claimed = act(&mut ledger, "ann", 3, |draft| draft.claim(&wanted, &world));
    assert_eq!(claimed.unwrap().proof.step, "b");
}

#[test]
fn large_output_reaches_other_machines() {
    let log = MemoryLog::default();
    let (one, two) = (Folder::new(false), Folder::new(false));
    let open = |folder: &Folder| {
        let mut ledger = folder.open();
        let config = SharedConfig::new("memory:", "test");
        sharing::connect_to(&mut ledger, config, Some(backend(&log)));
        ledger
    };
    // The first output comes from before the ledger was shared.
    let mut ours = one.open();
    emit(&mut ours, 0, poured("mol-a", "a; b", Value::Null)).unwrap();
    do_step(&mut ours, 1, "a", large());
    let mut ours = open(&one);
    do_step(&mut ours, 2, "b", json!(["y".repeat(80_000)]));
    let mut theirs = open(&two);
    let now = Stamp::default();
    sharing::exchange(&mut theirs, Opening::Write, now, &soon()).unwrap();
    let molecule = theirs.state().molecule("mol-a").unwrap().into_owned();
    let mut loaded = molecule.clone();
    loaded
        .load_outputs(&Stored(&two, Some(&log)), |_| true)
        .unwrap();
    assert_eq!(step(&loaded, "a").output.value(), Some(&large()));
    assert_eq!(
        step(&loaded, "b").output.value().unwrap()[0]
            .as_str()
            .unwrap()
            .len(),
        80_000
    );
    // Both are stored here now.
    log.set_down(true);
    let mut again = molecule;
    again.load_outputs(&Stored(&two, None), |_| true).unwrap();
    assert_eq!(again.steps, loaded.steps);
}

#[test]
fn missing_outputs_are_counted_if_the_log_is_reached() {
    let log = MemoryLog::default();
    let (folder, mut ledger) = pour("a; b", Value::Null);
    do_step(&mut ledger, 1, "a", large());
    do_step(&mut ledger, 2, "b", json!(["y".repeat(80_000)]));
    let (first, lines) = (output(&ledger), folder.read(".beads/events.jsonl"));
    let path = file_of(&folder, &first);
    let json = std::fs::read(&path).unwrap();
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    let (config, first) = (
        SharedConfig::new("memory:", "test"),
        first.stored().unwrap(),
    );
    let mut link = backend(&log).open(&config, Opening::Write).unwrap();
    link.put_blob(&first.blake3, &json).unwrap();
    let places = folder.places();
    let mut replica = crate::shared::Replica::new(&places, config, Some(backend(&log)), false);
    let mut missing = || output_store::download_missing(&places, &mut replica, lines.as_bytes());
    log.set_down(true);
    let error = missing().unwrap_err();
    assert!(matches!(error, LedgerError::Unreachable { .. }), "{error}");
    log.set_down(false);
    assert_eq!(missing().unwrap(), 1);
    assert_eq!(std::fs::read(&path).unwrap(), json);
}

#[test]
fn shared_output_is_read_if_it_cannot_be_stored() {
    let log = MemoryLog::default();
    let (folder, stored) = (Folder::new(false), StoredOutput::of(b"\"text\""));
    let config = SharedConfig::new("memory:", "test");
    let mut link = backend(&log).open(&config, Opening::Write).unwrap();
    link.put_blob(&stored.blake3, b"\"text\"").unwrap();
    let full = Disk::watched(|call| match call {
        DiskCall::Read(_) => Ok(()),
        _ => Err(std::io::ErrorKind::StorageFull.into()),
    });
    let mut replica =
        crate::shared::Replica::new(&folder.places(), config, Some(backend(&log)), false);
    // The disk is full, which is no reason to fail, since we have the output.
    let read = output_store::read(&folder.places().on(&full), Some(&mut replica), &stored);
    assert_eq!(read.unwrap(), b"\"text\"");
    assert!(!file_of(&folder, &StepOutput::Stored(stored)).exists());
}

#[test]
fn output_too_large_to_be_read_is_refused() {
    let (folder, mut ledger) = pour("a", Value::Null);
    let held = token(&mut ledger, "ann", 1, "a");
    let output = json!("x".repeat(1 << 20));
    let done = act(&mut ledger, "ann", 1, |draft| {
        draft.complete(&proof("a", &held), output.clone(), Vec::new(), &Nowhere)
    });
    let error = done.unwrap_err().to_string();
    assert!(
        error.contains("1048578 bytes, but at most 1048576"),
        "{error}"
    );
    assert!(!folder.read(".beads/events.jsonl").contains("completed"));
}

#[test]
fn damaged_copy_in_the_working_tree_is_replaced() {
    let folder = Folder::new(true);
    let mut ledger = folder.open();
    emit(&mut ledger, 0, poured("mol-a", "a", Value::Null)).unwrap();
    do_step(&mut ledger, 1, "a", large());
    let digest = output(&ledger).stored().unwrap().blake3.clone();
    let copy = format!(".beads/outputs/{digest}.json");
    for damage in [None, Some(""), Some("{}")] {
        if let Some(damage) = damage {
            folder.write(&copy, damage);
        }
        folder.sync();
        assert_eq!(folder.read(&copy), large().to_string());
    }
}

#[test]
fn damaged_shared_output_is_refused() {
    let log = MemoryLog::default();
    let folder = Folder::new(false);
    let stored = StoredOutput::of(b"\"text\"");
    let mut link = backend(&log)
        .open(&SharedConfig::new("memory:", "test"), Opening::Write)
        .unwrap();
    link.put_blob(&stored.blake3, b"\"other\"").unwrap();
    let error = Stored(&folder, Some(&log)).output(&stored).unwrap_err();
    assert!(error.to_string().contains("other contents"), "{error}");
    let outside = StoredOutput {
        blake3: "../../x".to_owned(),
        bytes: 1,
    };
    let error = Stored(&folder, Some(&log)).output(&outside).unwrap_err();
    assert!(error.to_string().contains("digest is invalid"), "{error}");
}
