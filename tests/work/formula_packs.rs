//! Packs of formulas in the style of Gas City: imports, shared texts, links, drains, scopes and
//! targets. Also issues of other trackers.

use std::os::unix::fs::symlink;

use crate::by;
use crate::create;
use crate::support::Sandbox;

const BASE: &str = r#"formula = "base"
internal = true

[requires]
formula_compiler = ">=2.0.0"

[vars.worker]
default = "town.worker"

[[steps]]
id = "spread"
title = "Spread the work"

[steps.drain]
formula = "item"
context = "shared"
member_access = "exclusive"
item = { single_lane = true }

[[steps]]
id = "report"
title = "Report"
needs = ["spread"]
description_file = "../assets/report.md"
metadata = { "gc.run_target" = "town.reporter" }
"#;

const ITEM: &str = r#"formula = "item"
target_required = true

[vars.worker]
required = true

[[steps]]
id = "do"
title = "Do {{issue}}"
metadata = { "gc.run_target" = "{{worker}}" }
"#;

const CHILD: &str = "formula = \"child\"\nextends = [\"base\"]\ntarget_required = true\n";

/// Creates a repository with a base pack, and a pack that imports it and replaces one of its texts.
fn packs() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("packs/base/pack.toml", "[pack]\nname = \"base\"\n")
        .write("packs/base/formulas/base.toml", BASE)
        .write("packs/base/formulas/item.formula.toml", ITEM)
        .write("packs/base/assets/report.md", "Report in general.\n")
        .write(
            "packs/own/pack.toml",
            "[pack]\nname = \"own\"\n[imports.base]\nsource = \"../base\"\n",
        )
        .write("packs/own/formulas/child.formula.toml", CHILD)
        .write("packs/own/assets/report.md", "Report our way.\n");
    sandbox
}

#[test]
fn folder_of_all_files_is_no_search_path() {
    let sandbox = Sandbox::git();
    for folder in ["/", "/usr/.."] {
        let refused = by(&sandbox, "ann", &["formula", "path", "add", folder]).exits_with(2);
        let want = "error: `/` is not a folder of formulas: it contains the whole file system";
        assert!(refused.stderr.contains(want), "{}", refused.stderr);
        assert!(
            refused
                .stderr
                .contains("help: run `windlass formula path add ")
        );
    }
}

#[test]
fn pack_import_inherits_and_replaces_text() {
    let sandbox = packs();
    let cook = |name: &str| {
        let cooked = by(
            &sandbox,
            "ann",
            &["formula", "cook", name, "--format", "json"],
        );
        cooked.succeeds().json()["steps"][1]["description"].clone()
    };
    assert_eq!(cook("child"), "Report our way.\n");
    assert_eq!(cook("base"), "Report in general.\n");
    // A staged formula is a link, with texts from its own pack.
    sandbox.write(".beads/formulas/README", "");
    let link = sandbox.root().join(".beads/formulas/staged.toml");
    symlink("../../packs/own/formulas/child.formula.toml", link).unwrap();
    assert_eq!(cook("staged"), "Report our way.\n");
    assert_eq!(cook(".beads/formulas/staged.toml"), "Report our way.\n");
    let listed = by(&sandbox, "ann", &["formula", "list"]).succeeds().stdout;
    assert!(
        listed.contains("packs/base/formulas/base.toml") && listed.contains("staged"),
        "{listed}"
    );
}

#[test]
fn formula_path_reads_packs_outside() {
    let sandbox = packs();
    let other = Sandbox::git();
    let folder = sandbox.root().to_string_lossy().into_owned();
    let cook = ["formula", "cook", "child"];
    let missing = by(&other, "ann", &cook).exits_with(3).stderr;
    assert!(missing.contains("there is no formula `child`"), "{missing}");
    by(&other, "ann", &["formula", "path", "add", &folder]).succeeds();
    let cooked = by(&other, "ann", &cook).succeeds().stdout;
    assert!(cooked.contains("town.reporter"), "{cooked}");
    other.write(".beads/formulas/README", "");
    let link = other.root().join(".beads/formulas/led.toml");
    symlink(
        sandbox.root().join("packs/own/formulas/child.formula.toml"),
        link,
    )
    .unwrap();
    by(&other, "ann", &["formula", "cook", "led"]).succeeds();
    by(&other, "ann", &["formula", "path", "remove", &folder]).succeeds();
    by(&other, "ann", &cook).exits_with(3);
}

#[test]
fn import_outside_repository_needs_consent() {
    let other = packs();
    let sandbox = Sandbox::git();
    let base = other.root().join("packs/base").canonicalize().unwrap();
    let import = format!(
        "[pack]\nname = \"own\"\n[imports.base]\nsource = \"{}\"\n",
        base.display()
    );
    sandbox
        .write("packs/own/pack.toml", import)
        .write("packs/own/formulas/child.formula.toml", CHILD);
    let cook = ["formula", "cook", "child"];
    let refused = |manifest: &str| {
        let refused = by(&sandbox, "ann", &cook).exits_with(4);
        let want = format!(
            "error: `packs/own/pack.toml` imports `{manifest}`, which is outside the repository"
        );
        assert!(refused.stderr.contains(&want), "{}", refused.stderr);
        // The folder is quoted where a shell needs it.
        let help = refused
            .stderr
            .lines()
            .find(|line| line.starts_with("help: "));
        let help = help.unwrap_or_default();
        assert!(help.contains("`windlass formula path add "), "{help}");
        assert!(help.contains(&*base.to_string_lossy()), "{help}");
        assert!(refused.stdout.is_empty(), "{}", refused.stdout);
    };
    refused(&base.to_string_lossy());
    // A link leads there as well.
    symlink(&base, sandbox.root().join("packs/led")).unwrap();
    sandbox.write(
        "packs/own/pack.toml",
        "[imports.base]\nsource = \"../led\"\n",
    );
    refused("../led");
    let folder = base.to_string_lossy().into_owned();
    by(&sandbox, "ann", &["formula", "path", "add", &folder]).succeeds();
    by(&sandbox, "ann", &cook).succeeds();
    // An added folder gives no access to other folders.
    let stray = base.join("formulas/stray.toml");
    symlink(
        other.root().join("packs/own/formulas/child.formula.toml"),
        stray,
    )
    .unwrap();
    let stray = by(&sandbox, "ann", &["formula", "cook", "stray"]);
    assert_ne!(stray.code, 0, "{}", stray.stdout);
    assert!(
        stray.stderr.contains("outside the repository"),
        "{}",
        stray.stderr
    );
}

#[test]
fn drain_makes_molecule_per_child() {
    let sandbox = packs();
    let unfit = by(&sandbox, "ann", &["mol", "pour", "child"])
        .exits_with(2)
        .stderr;
    assert!(
        unfit.contains("formula `child` works on a bead, and none is given"),
        "{unfit}"
    );
    let epic = create(&sandbox, &["All", "--type", "epic"]);
    let second = create(&sandbox, &["Second", "--parent", &epic]);
    let first = create(&sandbox, &["First", "--parent", &epic]);
    by(&sandbox, "ann", &["bead", "dep", "add", &second, &first]).succeeds();
    let pour = ["mol", "pour", "child", "--bead", &epic, "--format", "json"];
    let poured = by(&sandbox, "ann", &pour).succeeds().json();
    let mol = poured["id"].as_str().unwrap();
    let shown = by(&sandbox, "ann", &["mol", "list", "--format", "json"])
        .succeeds()
        .json();
    let titles: Vec<String> = shown["molecules"].as_array().unwrap()[1..]
        .iter()
        .map(|molecule| molecule["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(titles.len(), 2, "{shown}");
    // The report has to wait for the items of the drain.
    let refused = by(&sandbox, "ann", &["mol", "claim", mol, "report"]);
    refused.exits_with(5);
    for bead in [&first, &second] {
        let claimed = by(
            &sandbox,
            "rig/town.worker-1",
            &["mol", "claim", "--format", "json"],
        );
        let claimed = claimed.succeeds().json();
        assert_eq!(
            claimed["title"],
            format!("Do {bead}"),
            "in the order of the beads"
        );
        // With `single_lane`, the second worker has to wait for the first one.
        let idle = by(&sandbox, "rig/town.worker-2", &["mol", "claim"]);
        idle.exits_with(3);
        by(&sandbox, "rig/town.worker-1", &["mol", "complete"]).succeeds();
    }
    let other = by(
        &sandbox,
        "rig/town.worker-1",
        &["mol", "claim", mol, "report"],
    );
    let other = other.exits_with(4).stderr;
    assert!(
        other.contains("is for `town.reporter` alone, not for `rig/town.worker-1`"),
        "{other}"
    );
    by(&sandbox, "town.reporter", &["mol", "claim", mol]).succeeds();
    let graph = by(&sandbox, "ann", &["mol", "graph", mol])
        .succeeds()
        .stdout;
    assert!(
        graph.contains("drain to item") && graph.contains("agent town.reporter"),
        "{graph}"
    );
}

#[test]
fn drain_of_taken_bead_fails() {
    let sandbox = packs();
    let bead = create(&sandbox, &["One"]);
    let epic = create(&sandbox, &["All", "--type", "epic"]);
    let child = create(&sandbox, &["Child", "--parent", &epic]);
    by(
        &sandbox,
        "ann",
        &["mol", "pour", "item", "--bead", &child, "--var", "worker=x"],
    )
    .succeeds();
    let pour = |bead: &str| {
        let pour = ["mol", "pour", "child", "--bead", bead, "--format", "json"];
        let poured = by(&sandbox, "ann", &pour).succeeds().json();
        let mol = poured["id"].as_str().unwrap().to_owned();
        by(&sandbox, "ann", &["mol", "show", &mol])
            .succeeds()
            .stdout
    };
    // The molecule above already works on the child, so the drain fails.
    let shown = pour(&epic);
    assert!(
        shown.contains(&format!("works on bead `{child}`")),
        "{shown}"
    );
    // A bead without children is its own only member.
    let shown = pour(&bead);
    assert!(shown.contains("completed    spread"), "{shown}");
}

#[test]
fn concurrent_drains_share_no_bead() {
    let sandbox = packs();
    let epic = create(&sandbox, &["All", "--type", "epic"]);
    for title in ["One", "Two", "Three", "Four", "Five", "Six"] {
        create(&sandbox, &[title, "--parent", &epic]);
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| by(&sandbox, "ann", &["mol", "pour", "child", "--bead", &epic]));
        }
    });
    let list = ["mol", "list", "--format", "json"];
    let listed = by(&sandbox, "ann", &list).succeeds().json();
    let molecules = listed["molecules"].as_array().unwrap();
    let of = |formula: &str| {
        molecules
            .iter()
            .filter(|found| found["formula"] == formula)
            .count()
    };
    // However the drains interleave, one molecule works on each of the six beads.
    assert_eq!((of("child"), of("item")), (4, 6), "{listed}");
}

#[test]
fn github_issues_update_on_second_import() {
    let sandbox = Sandbox::git();
    let issues = |title: &str, updated: &str| {
        format!(
            r#"[{{ "number": 5, "title": "{title}", "body": "b", "state": "OPEN", "labels": [{{ "name": "bug" }}],
                "url": "https://github.com/acme/rocket/issues/5", "createdAt": "2026-01-01T00:00:00Z",
                "updatedAt": "{updated}", "milestone": {{ "title": "1.0" }} }}]"#
        )
    };
    let import = |text: String| {
        sandbox.write("issues.json", text);
        let import = ["bead", "import", "issues.json", "--format", "json"];
        by(&sandbox, "ann", &import).succeeds().json()
    };
    let first = import(issues("Old", "2026-01-01T00:00:00Z"));
    let id = first["added"][0].as_str().unwrap();
    assert_eq!(import(issues("Old", "2026-01-01T00:00:00Z"))["same"], 1);
    let second = import(issues("New", "2026-01-02T00:00:00Z"));
    assert_eq!(second["changed"][0], id);
    let show = by(&sandbox, "ann", &["bead", "show", id, "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(
        (&show["title"], &show["labels"][0]),
        (&"New".into(), &"bug".into())
    );
    assert_eq!(show["metadata"]["github"]["milestone"]["title"], "1.0");
}

/// Records as written by current versions of `bd`, including a memory, and the same as a list.
#[test]
fn bd_export_and_list_imported() {
    let sandbox = Sandbox::git();
    let issue = r#"{"_type":"issue","id":"bd-a1","title":"One","status":"open","priority":1,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","external_ref":"gh-9","dependency_count":0}"#;
    let memory = r#"{"_type":"memory","key":"style","value":"short"}"#;
    sandbox.write("export.jsonl", format!("{issue}\n{memory}\n"));
    // Omitted content counts as a finding.
    let done = by(&sandbox, "ann", &["bead", "import", "export.jsonl"]).exits_with(1);
    assert!(
        done.stderr
            .contains("export.jsonl:2: a `memory`, not an issue"),
        "{}",
        done.stderr
    );
    sandbox.write("memories.jsonl", memory);
    let done = by(&sandbox, "ann", &["bead", "import", "memories.jsonl"]).exits_with(1);
    assert!(!done.stderr.contains("error"), "{}", done.stderr);
    sandbox.write(
        "list.json",
        format!("[{}]", issue.replace("bd-a1", "bd-a2")),
    );
    let done = by(
        &sandbox,
        "ann",
        &["bead", "import", "list.json", "--format", "json"],
    );
    assert_eq!(done.succeeds().json()["added"][0], "bd-a2");
}
