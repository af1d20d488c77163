//! Tests that the dependencies of outputs are recorded.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};

use windlass_base::Cancel;
use windlass_engine::{
    Basis, Held, Observer, RunContext, RunEvent, RunOptions, Slots, StepError, Stop, run,
};
use windlass_notebook::NotebookFile;
use windlass_plan::load_runbook;
use windlass_repo::{ReadRecord, Repo};
use windlass_steps::{CommandPermission, Nested, NestedRunbooks, Services, SharedNotebook};

struct NoRunbooks;

impl NestedRunbooks for NoRunbooks {
    fn load(&self, name: &str, _: bool) -> Result<Nested, StepError> {
        Err(StepError::failed(name))
    }
}

/// Collects the dependencies of outputs, which a run only records if `keeps` is true.
struct Listener {
    keeps: bool,
    bases: Mutex<BTreeMap<String, Basis>>,
}

impl Observer for Listener {
    fn event(&self, event: &RunEvent) {
        if let RunEvent::StepEnded { step, produced, .. } = event
            && let Some(produced) = produced
        {
            let basis = Basis::clone(&produced.basis);
            self.bases.lock().unwrap().insert(step.clone(), basis);
        }
    }

    fn keeps_outputs(&self) -> bool {
        self.keeps
    }
}

#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "one\n").unwrap();
    fs::write(dir.path().join("b.txt"), "two\n").unwrap();
    dir
}

fn services(root: &Path) -> Services {
    let repo = Repo::open(root).unwrap();
    Services {
        snapshot: repo.snapshot(),
        notebook: SharedNotebook::new(NotebookFile::new(root, std::sync::Arc::new(repo), true)),
        commands: CommandPermission::Allowed,
        environment: Arc::default(),
        given: Arc::default(),
        runbooks: Arc::new(NoRunbooks),
        packs: Arc::new(windlass_steps::NoContextPacks),
        programs: Arc::default(),
        states: Arc::new(windlass_steps::NoOtherStates),
        strict_inside: Arc::default(),
    }
}

const RUNBOOK: &str = "schema_version: 1\nid: r\nsteps:
- { id: read, uses: read, with: { file: a.txt } }
- { id: search, uses: search, with: { pattern: two } }
- { id: files, uses: files }
- { id: pure, uses: select, with: { from: [1, 2] } }
- { id: anchors, uses: anchors }
- { id: command, uses: command, with: { argv: ['true'] } }
outputs:
- { id: out, from: read }
";

fn bases(services: &Services, keeps: bool) -> BTreeMap<String, Basis> {
    let (plan, _) = load_runbook("r.yaml", RUNBOOK.as_bytes(), &windlass_steps::catalog()).unwrap();
    let listener = Arc::new(Listener {
        keeps,
        bases: Mutex::default(),
    });
    let context = RunContext {
        observer: Arc::clone(&listener) as Arc<dyn Observer>,
        stop: Stop::default(),
        slots: Slots::new(NonZeroUsize::MIN),
        held: Held::default(),
        depth: 0,
        prefix: String::new(),
        earlier: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let options = RunOptions::with_jobs(NonZeroUsize::MIN);
    let (inputs, registry) = (BTreeMap::new(), windlass_steps::registry(services));
    runtime.block_on(run(&plan, &inputs, &registry, &options, context));
    let bases = listener.bases.lock().unwrap();
    bases.clone()
}

/// Describes the dependencies in `basis`.
fn told(basis: &Basis) -> String {
    let Basis::Known { reads, others } = basis else {
        return "unknown".to_owned();
    };
    let reads = reads.iter().map(|read| match read {
        ReadRecord::File { path, .. } => path.to_string(),
        ReadRecord::Refused { path, .. } => format!("no {path}"),
        ReadRecord::Listing { .. } => "a listing".to_owned(),
        ReadRecord::Search { .. } => "a search".to_owned(),
        ReadRecord::Git { .. } => "git".to_owned(),
    });
    let all: Vec<String> = reads.chain(others.keys().cloned()).collect();
    all.join(", ")
}

#[test]
fn basis_records_own_reads() {
    let dir = folder();
    let bases = bases(&services(dir.path()), true);
    let told: Vec<String> = bases
        .iter()
        .map(|(step, basis)| format!("{step}: {}", told(basis)))
        .collect();
    assert_eq!(
        told,
        [
            "anchors: no .windlass/anchors.json, notebook",
            "command: unknown",
            "files: a listing",
            "pure: ",
            "read: a.txt",
            "search: b.txt, a search",
        ]
    );
}

#[test]
fn basis_unwanted_not_recorded() {
    let dir = folder();
    assert!(bases(&services(dir.path()), false).is_empty());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
fn basis_changed_file_no_longer_holds() {
    let dir = folder();
    let bases = bases(&services(dir.path()), true);
    let holding = || {
        let later = services(dir.path());
        let hold = |(_, basis): &(&String, &Basis)| later.still_hold(basis, &Cancel::default());
        let names: Vec<&str> = bases.iter().filter(hold).map(|(name, _)| &**name).collect();
        names.join(" ")
    };
    assert_eq!(holding(), "anchors files pure read search");
    fs::write(dir.path().join("a.txt"), "another\n").unwrap();
    // The search looked for `two`, which `a.txt` doesn't contain either before or after the change.
    assert_eq!(holding(), "anchors files pure search");
    fs::write(dir.path().join("c.txt"), "two\n").unwrap();
    // The new file is in the listing, and also matches the search.
    assert_eq!(holding(), "anchors pure");

    let mut others = bases["anchors"].clone();
    if let Basis::Known { others, .. } = &mut others {
        let digest = others.remove("notebook").unwrap();
        others.insert("something newer".to_owned(), digest);
    }
    let later = services(dir.path());
    assert!(!later.still_hold(&others, &Cancel::default()));
}
