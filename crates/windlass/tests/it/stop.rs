//! Tests stopping in every phase of a run.

use windlass::base::{Cancel, NextAction};
use windlass::engine::{Phase, StopLevel};
use windlass::packs::context::GlobalMode;
use windlass::packs::{Format, PackStatus, SectionStatus};
use windlass::{
    BuildPack, Ending, Error, ImpactRequest, ListFormat, PackView, SuggestRequest, Workspace,
};

use crate::support::Sandbox;

const PHASES: [Phase; 4] = [Phase::Load, Phase::Run, Phase::Assemble, Phase::Show];

fn sandbox() -> Sandbox {
    let runbook = "
schema_version: 1
id: r
steps:
  - { id: found, uses: search, with: { pattern: needle, globs: ['*.txt'] } }
outputs:
  - { id: found, from: found }
";
    Sandbox::with(&[("runbooks/r.yaml", runbook), ("a.txt", "a needle\n")])
}

#[test]
fn phases_are_reported_in_order() {
    let (refreshed, phases) = sandbox().run("r", None);
    let refreshed = refreshed.unwrap();
    assert_eq!(phases, PHASES);
    assert_eq!(refreshed.ending, Ending::Done);
    assert!(refreshed.printed.plain().contains("a needle"));
}

#[test]
fn cancelled_phase_keeps_verified() {
    for phase in PHASES {
        let (refreshed, phases) = sandbox().run("r", Some((phase, StopLevel::Cancel)));
        let refreshed = refreshed.unwrap();
        assert_eq!(phases, PHASES, "{phase:?}");
        assert_eq!(refreshed.ending, Ending::Cancelled, "{phase:?}");
        let (status, section, shows) = match phase {
            Phase::Load | Phase::Run => (PackStatus::Cancelled, SectionStatus::Failed, false),
            // We were stopped before the findings could be checked again, so they may have changed.
            Phase::Assemble => (PackStatus::Cancelled, SectionStatus::Unknown, false),
            Phase::Show => (PackStatus::Ok, SectionStatus::Fresh, true),
        };
        assert_eq!(refreshed.pack.status, status, "{phase:?}");
        assert_eq!(refreshed.pack.sections[0].status, section, "{phase:?}");
        let calls = refreshed.pack.next_actions.iter();
        let resumes = calls.map(NextAction::command_line).next().as_deref()
            == Some("windlass runs resume last");
        assert_eq!(resumes, status == PackStatus::Cancelled, "{phase:?}");
        let printed = refreshed.printed.plain();
        assert_eq!(printed.contains("a needle"), shows, "{phase:?}: {printed}");
    }
}

#[test]
fn status_leads_to_what_helps() {
    let sandbox = sandbox();
    let next = || windlass::status(&sandbox.workspace(), None).unwrap().next;
    sandbox
        .run("r", Some((Phase::Run, StopLevel::Cancel)))
        .0
        .unwrap();
    assert_eq!(next().command_line(), "windlass runs resume last");
    sandbox.write("runbooks/bad.yaml", "id: bad\nsteps: 3\n");
    assert_eq!(next().command_line(), "windlass check runbooks/bad.yaml");
}

#[test]
fn section_about_missing_folder_says_so() {
    let runbook = "
schema_version: 1
id: r
steps:
  - { id: places, uses: suggestions, with: { paths: [nosuch] } }
outputs:
  - { id: places, from: places }
";
    let sandbox = Sandbox::with(&[("runbooks/r.yaml", runbook)]);
    let refreshed = sandbox.run("r", None).0.unwrap();
    let said = &refreshed.pack.sections[0].notes;
    assert_eq!(said[..], ["no file matches `nosuch`"]);
}

#[test]
fn kill_returns_immediately() {
    for (at, phase) in PHASES.into_iter().enumerate() {
        let (refreshed, phases) = sandbox().run("r", Some((phase, StopLevel::Kill)));
        assert!(
            refreshed.is_err_and(|error| error.is_interrupted()),
            "{phase:?}"
        );
        assert_eq!(phases, PHASES[..=at], "{phase:?}");
    }
}

/// Runs all the long operations that a client may be waiting for.
fn looks(workspace: &Workspace) -> [Option<Error>; 4] {
    let pack = BuildPack {
        goal: "find the needle".to_owned(),
        mode: GlobalMode::Implementation,
        start: workspace.site().repo().root().to_owned(),
        ..BuildPack::default()
    };
    let view = PackView {
        format: Format::Json,
        limit: None,
        profile: None,
    };
    let suggest = SuggestRequest {
        kinds: Vec::new(),
        limit: None,
        format: ListFormat::Json,
        also: None,
        cursor: None,
    };
    [
        workspace.packs().build(&pack, view).err(),
        workspace.notebook().suggestions().list(&suggest).err(),
        workspace.impact().of(&ImpactRequest::default()).err(),
        workspace
            .notebook()
            .check_anchors(&[], &workspace.site().snapshot())
            .err(),
    ]
}

#[test]
fn abandoned_work_stores_nothing() {
    let sandbox = sandbox();
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "."]);
    sandbox.git(&[
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "commit",
        "-qm",
        "x",
    ]);
    let workspace = sandbox.workspace();
    let lines = "{\"id\": \"a\", \"kind\": \"contract\", \"file\": \"a.txt\", \"start_line\": 1, \"end_line\": 1}\n";
    workspace
        .notebook()
        .add_anchors("anchors", lines, true)
        .unwrap();
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = looks(&sandbox.workspace().with(|site| site.stopped_by(&cancel)));
    let is_interrupted = |error: &Option<Error>| error.as_ref().is_some_and(Error::is_interrupted);
    assert!(stopped[..3].iter().all(is_interrupted), "{stopped:?}");
    assert!(stopped[3].is_some(), "{stopped:?}");
    let own = workspace.site().dirs().unwrap().state.join("repos");
    let packs = own
        .join(&workspace.site().repo().identity().repo_id)
        .join("context");
    assert!(!packs.is_there(), "half a pack is not kept");
    let done = looks(&workspace.with(|site| site.stopped_by(&Cancel::default())));
    assert!(done.iter().all(Option::is_none), "{done:?}");
    assert!(packs.is_there());
}

#[test]
fn abandoned_pack_is_not_rebuilt() {
    let sandbox = sandbox();
    let workspace = sandbox.workspace();
    let root = workspace.site().repo().root().to_owned();
    assert!(looks(&workspace)[0].is_none());
    let cancel = Cancel::default();
    let stopped_by = workspace.with(|site| site.stopped_by(&cancel));
    assert!(
        stopped_by
            .packs()
            .rebuild("last", &root)
            .unwrap()
            .reproduced
    );
    cancel.cancel();
    let stopped = stopped_by.packs().rebuild("last", &root);
    assert!(stopped.is_err_and(|error| error.is_interrupted()));
}
