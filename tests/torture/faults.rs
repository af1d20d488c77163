//! Every store under faults of the disk: each call of a write fails once, and the power fails at
//! each call.
//!
//! Afterwards, the write has either happened or not, nothing acknowledged is lost, and the next
//! write succeeds.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::json;
use windlass::base::{Ident, RepoPath};
use windlass::engine::{NoObserver, Stop, current_thread_runtime};
use windlass::ledger::Claim;
use windlass::ledger::event::MolCreated;
use windlass::memory::NewRecord;
use windlass::packs::Format;
use windlass::packs::context::PackView;
use windlass::{
    AnchorRequest, BuildPack, BuiltPack, Environment, Error, ItemRequest, ItemWork, NewBead, Part,
    RefreshRequest, RememberRequest, RememberWork, Seeds, ViewRequest, Workspace,
};

use crate::simulated_disk::{Fates, Fault, SimulatedDisk, memory_folder};
use crate::support::Sandbox;

/// A store with a write of item `u16`, and the check that it was written.
struct Store {
    write: fn(&Sandbox, &Workspace, u16) -> Result<(), String>,
    has: fn(&Sandbox, &Workspace, u16) -> Result<bool, Error>,
    /// True if the power may fail after an acknowledged write.
    is_durable: bool,
}

const RUNBOOK: &str = "schema_version: 1\nid: r\nsteps:\n  - { id: s, uses: read, with: { file: a.txt } }\noutputs:\n  - { id: s, from: s }\n";
const LIST: &str = r#"{"vContextInfo":{"version":"0.4"},"todoList":{"items":[]}}"#;

/// Opens the repository in the year 2100. By then, no file has changed recently, so we use every
/// cache entry.
fn workspace(sandbox: &Sandbox, item: u16) -> Workspace {
    let home = sandbox.home().into_os_string();
    let environment = Environment {
        variables: Arc::new(BTreeMap::from([
            ("HOME".to_owned(), home),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".into()),
        ])),
        clock: || {
            // The time passes, so that only the newest molecules count as changed.
            static SECONDS: AtomicU64 = AtomicU64::new(4_102_444_800);
            let now = SECONDS.fetch_add(1, Ordering::Relaxed);
            SystemTime::UNIX_EPOCH + Duration::from_secs(now)
        },
        elapsed: || Duration::ZERO,
        seeds: Seeds::new(move || item),
        threads: NonZeroUsize::MIN,
        holder: "test".to_owned(),
        on_long_wait: |_| {},
        user_id: None,
    };
    Workspace::open(sandbox.root(), environment).unwrap()
}

fn told<T>(result: Result<T, impl Debug>) -> Result<(), String> {
    result.map(drop).map_err(|error| format!("{error:?}"))
}

/// Writes under every fault, until one comes after the last call.
fn survives_faults(store: &Store) {
    let sandbox = Sandbox::git_in(memory_folder());
    sandbox
        .write("a.txt", "one\ntwo\nthree\n")
        .write("runbooks/r.yaml", RUNBOOK)
        .write("list.json", LIST);
    sandbox.windlass(&["memory", "init"]).succeeds();
    let mut item = 0;
    (store.write)(&sandbox, &workspace(&sandbox, item), item).unwrap();
    for at in 0.. {
        let kinds = [
            ErrorKind::Other,
            ErrorKind::StorageFull,
            ErrorKind::Interrupted,
        ];
        let faults = [
            (Fault::Error(kinds[at % 3], at % 7), Fates::Lost),
            (Fault::PowerCut, Fates::Lost),
            (Fault::PowerCut, Fates::Names),
            (Fault::PowerCut, Fates::Random(at as u64)),
        ];
        let mut has_happened = false;
        for (fault, fates) in faults {
            item += 1;
            // Writes without faults bypass the simulated disk, so a new one takes the files as they
            // are.
            let simulated = SimulatedDisk::default();
            let disk = simulated.disk();
            let on_disk = workspace(&sandbox, item).with(|site| site.on(&disk));
            simulated.fail_at(at, fault);
            let written = (store.write)(&sandbox, &on_disk, item);
            has_happened |= simulated.mend();
            if fault == Fault::PowerCut {
                simulated.cut_power(fates);
            }
            let case = format!("call {at}, {fault:?}, {fates:?}: {written:?}");
            let has = |item: u16| (store.has)(&sandbox, &workspace(&sandbox, 0), item);
            let is_kept = store.is_durable || fault != Fault::PowerCut;
            let is_there = has(item).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert!(is_there || written.is_err() || !is_kept, "lost at {case}");
            assert!(has(item - 1).unwrap() || !is_kept, "lost before {case}");
            item += 1;
            (store.write)(&sandbox, &workspace(&sandbox, item), item)
                .unwrap_or_else(|error| panic!("{case}: then {error}"));
            assert!(has(item).unwrap(), "after {case}");
        }
        if !has_happened {
            assert!(at > 3, "only {at} calls");
            return;
        }
    }
}

fn has_text(workspace: &Workspace, file: &str, text: &str) -> bool {
    let read = workspace
        .site()
        .snapshot()
        .read(&RepoPath::parse(file).unwrap());
    read.is_ok_and(|file| String::from_utf8_lossy(file.bytes()).contains(text))
}

#[test]
fn ledger_survives_disk_faults() {
    survives_faults(&Store {
        write: |_, workspace, item| {
            let session = workspace.ledger().open(Some("ann"), "test");
            let new = NewBead {
                id: Some(format!("t-{item}")),
                title: format!("Item {item}"),
                ..NewBead::default()
            };
            told(session.and_then(|mut session| session.beads().create(&new)))
        },
        has: |_, workspace, item| {
            // A torn line of a failed write is kept and reported, so the log needn't be clean.
            let mut session = workspace.ledger().open(Some("ann"), "test")?;
            Ok(session.beads().get(&format!("t-{item}"), None).is_ok())
        },
        is_durable: true,
    });
}

/// Returns an output of more than 64 KiB, which is stored apart from the log.
fn large_output(item: u16) -> serde_json::Value {
    json!(format!("{item} {}", "x".repeat(66_000)))
}

#[test]
fn step_outputs_survive_disk_faults() {
    survives_faults(&Store {
        write: |_, workspace, item| {
            let opened = workspace.ledger().open(Some("ann"), "test");
            let mut session = opened.map_err(|error| format!("{error:?}"))?;
            let step = json!({ "id": "a", "title": "A", "origin": { "source": 0, "line": 1 } });
            let poured = MolCreated {
                mol_id: format!("mol-{item}"),
                formula: "test".to_owned(),
                cooked: json!({ "schema_version": 1, "formula": "test", "kind": "workflow", "dialect": "beads", "version": 1,
                    "title": "A test", "steps": [step], "sources": [], "digest": format!("blake3:{}", "0".repeat(64)) }),
                ..MolCreated::default()
            };
            let claim = Claim {
                mol: Some(poured.mol_id.clone()),
                ..Claim::default()
            };
            let world = session.world();
            told(session.decide(|draft| {
                draft.emit(poured.clone())?;
                let claimed = draft.claim(&claim, &world)?;
                draft.complete(&claimed.proof, large_output(item), Vec::new(), &world)
            }))
        },
        has: |_, workspace, item| {
            let session = workspace.ledger().open(Some("ann"), "test")?;
            let Some(molecule) = session.state().molecule(&format!("mol-{item}")) else {
                return Ok(false);
            };
            let output = molecule.steps[0].output.load(&session.world())?;
            assert!(*output == large_output(item));
            Ok(true)
        },
        is_durable: true,
    });
}

#[test]
fn notebook_survives_disk_faults() {
    survives_faults(&Store {
        write: |sandbox, workspace, item| {
            let notebook = workspace.notebook();
            let place = notebook.anchor_place("a.txt:1-2", sandbox.root());
            let request = |place| AnchorRequest {
                id: Ident::parse(&format!("item-{item}")).unwrap(),
                kind: None,
                label: None,
                places: vec![place],
                tags: Vec::new(),
                zone: Vec::new(),
            };
            told(place.and_then(|place| notebook.add_anchor(request(place), false)))
        },
        has: |_, workspace, item| {
            let notebook = workspace.notebook().read()?;
            assert!(notebook.damage().is_empty(), "{:?}", notebook.damage());
            Ok(workspace.notebook().anchor(&format!("item-{item}")).is_ok())
        },
        is_durable: true,
    });
}

#[test]
fn memory_survives_disk_faults() {
    survives_faults(&Store {
        write: |_, workspace, item| {
            let record = NewRecord {
                title: format!("Item {item}"),
                text: Some("It is so.".to_owned()),
                ..NewRecord::default()
            };
            told(workspace.memory().remember(&RememberRequest {
                work: RememberWork::New,
                record,
                dry_run: false,
            }))
        },
        has: |_, workspace, item| {
            // An unacknowledged record may be left without its impression, or the other way round.
            // `memory check` reports both.
            let file = format!("memory/decisions/item-{item}.md");
            Ok(has_text(workspace, &file, "It is so."))
        },
        is_durable: true,
    });
}

#[test]
fn document_survives_disk_faults() {
    survives_faults(&Store {
        write: |sandbox, workspace, item| {
            let fields = json!({"title": format!("Item {item}."), "status": "pending"});
            let request = ItemRequest {
                work: ItemWork::Add { into: None },
                fields: fields.as_object().cloned().unwrap(),
                expected: None,
                actor: None,
                dry_run: false,
            };
            let documents = workspace.documents();
            told(documents.edit_item("list.json", sandbox.root(), &request))
        },
        has: |sandbox, workspace, item| {
            let snapshot = workspace.site().snapshot();
            workspace
                .documents()
                .vcontext("list.json", sandbox.root(), &snapshot)?;
            Ok(has_text(workspace, "list.json", &format!("Item {item}.")))
        },
        is_durable: true,
    });
}

#[test]
fn settings_survive_disk_faults() {
    survives_faults(&Store {
        write: |sandbox, workspace, item| {
            let routes = workspace.ledger().routes();
            told(routes.add(&format!("p{item}"), sandbox.root(), None))
        },
        has: |_, workspace, item| {
            let routes = workspace.ledger().routes();
            let prefix = format!("p{item}");
            let found = routes
                .read()?
                .iter()
                .find(|route| route.prefix == prefix)
                .cloned();
            Ok(found.is_some_and(|route| routes.is_trusted(&route)))
        },
        is_durable: true,
    });
}

#[test]
fn packs_survive_disk_faults() {
    const VIEW: PackView = PackView {
        format: Format::Json,
        limit: None,
        profile: None,
    };
    fn goal(item: u16) -> String {
        format!("look at item {item}.")
    }
    survives_faults(&Store {
        write: |_, workspace, item| {
            let request = BuildPack {
                goal: goal(item),
                ..BuildPack::default()
            };
            match workspace.packs().build(&request, VIEW) {
                Ok(BuiltPack {
                    not_kept: Some(why),
                    ..
                }) => Err(why),
                built => told(built),
            }
        },
        has: |_, workspace, item| {
            let packs = workspace.packs().newest(1000)?;
            Ok(packs.iter().any(|pack| pack.goal.contains(&goal(item))))
        },
        is_durable: false,
    });
}

#[test]
fn runs_survive_disk_faults() {
    survives_faults(&Store {
        write: |sandbox, workspace, _| {
            let request = RefreshRequest {
                runbook: "r".to_owned(),
                start: sandbox.root().to_owned(),
                inputs: BTreeMap::new(),
                part: Part::Whole,
                jobs: None,
                fail_fast: false,
                allow_commands: false,
                view: ViewRequest {
                    limit: None,
                    format: Format::Json,
                    also: None,
                    mode: None,
                },
            };
            let runtime = current_thread_runtime().unwrap();
            let runs = workspace.runs();
            let run = runs.refresh(&request, Arc::new(NoObserver), Stop::default());
            match runtime.block_on(run) {
                Ok(run) if !run.notices.is_empty() => Err(run.notices.join("; ")),
                run => told(run),
            }
        },
        has: |_, workspace, item| {
            let runs = workspace.runs().list(None, 1000)?;
            let is_named = |id: &str| id.ends_with(&format!("{item:04x}"));
            Ok(runs.iter().any(|run| is_named(&run.id.to_string())))
        },
        is_durable: false,
    });
}
