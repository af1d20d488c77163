//! Formulas: their search path, cooking, and errors with locations.

use crate::support::Sandbox;

const SHIP: &str = "formula = 'ship'
description = 'Ship it.'
extends = ['base']
[[steps]]
id = 'release'
title = 'Release {{what}}'
needs = ['try']
[vars.what]
description = 'what is shipped'
required = true
[compose]
aspects = ['scan']
";

const BASE: &str = "formula = 'base'
[[steps]]
id = 'build'
title = 'Build'
[[steps]]
id = 'try'
title = 'Try'
needs = ['build']
loop = { count = 2, body = [{ id = 'run', title = 'Run' }] }
";

const SCAN: &str = "formula = 'scan'
type = 'aspect'
[[advice]]
target = 'release'
before = { id = '{step.id}-scan', title = 'Scan' }
";

/// Creates a repository with formulas in its own folder and in the user's.
fn with_formulas() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write(".beads/formulas/ship.formula.toml", SHIP);
    sandbox.write(".beads/formulas/base.toml", BASE);
    let own = sandbox.home().join(".beads/formulas");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("scan.formula.toml"), SCAN).unwrap();
    std::fs::write(own.join("base.formula.toml"), "formula = 'base'\n").unwrap();
    sandbox
}

#[test]
fn cook_composes_all_sources() {
    let sandbox = with_formulas();
    let cook = [
        "formula", "cook", "ship", "--var", "what=it", "--format", "json",
    ];
    let cooked = sandbox.windlass(&cook).exits_with(0).json();
    let ids: Vec<_> = cooked["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "build",
            "try.iter1.run",
            "try.iter2.run",
            "release-scan",
            "release"
        ]
    );
    assert_eq!(cooked["steps"][4]["title"], "Release it");
    assert_eq!(cooked["steps"][3]["needs"][0]["step"], "try.iter2.run");
    // The first file on the search path wins over the empty one in the home folder.
    assert_eq!(cooked["sources"][1]["file"], ".beads/formulas/base.toml");
    assert_eq!(
        cooked["sources"][2]["file"],
        "~/.beads/formulas/scan.formula.toml"
    );
    let again = sandbox.windlass(&cook).exits_with(0).json();
    assert_eq!(again, cooked);
}

#[test]
fn formula_errors_have_places() {
    let sandbox = with_formulas();
    let missing = sandbox
        .windlass(&["formula", "cook", "ship"])
        .exits_with(2)
        .stderr;
    assert!(
        missing.contains(".beads/formulas/ship.formula.toml:8:1"),
        "{missing}"
    );
    assert!(missing.contains("--var what=…"), "{missing}");
    let unknown = sandbox
        .windlass(&["formula", "show", "shipp"])
        .exits_with(3)
        .stderr;
    assert!(unknown.contains("did you mean `ship`?"), "{unknown}");
    assert!(unknown.contains("~/.beads/formulas"), "{unknown}");
    sandbox.write(
        ".beads/formulas/bad.formula.toml",
        "formula = 'bad'\n[[steps]]\nid = 'a'\ntitle = 'A'\nneed = ['b']\n",
    );
    let checked = sandbox
        .windlass(&["check", ".beads/formulas/bad.formula.toml"])
        .exits_with(2)
        .stderr;
    assert!(checked.contains("did you mean `needs`?"), "{checked}");
    let all = sandbox.windlass(&["formula", "lint"]).exits_with(2);
    assert!(
        all.stdout.contains("ship.formula.toml: valid"),
        "{}",
        all.stdout
    );
    assert!(
        all.stderr.contains("bad.formula.toml:5:1"),
        "{}",
        all.stderr
    );
}

#[test]
fn formulas_are_listed_drawn_and_shown() {
    let sandbox = with_formulas();
    let listed = sandbox.windlass(&["formula", "list"]).exits_with(0).stdout;
    assert!(listed.contains("workflow: Ship it."), "{listed}");
    assert!(
        listed.contains("shadowed by .beads/formulas/base.toml"),
        "{listed}"
    );
    let drawn = sandbox
        .windlass(&["formula", "graph", "ship", "--format", "mermaid"])
        .exits_with(0)
        .stdout;
    assert!(drawn.starts_with("flowchart"), "{drawn}");
    let shown = sandbox
        .windlass(&["formula", "show", "ship"])
        .exits_with(0)
        .stdout;
    assert!(shown.contains("woven around release by scan"), "{shown}");
    let limited = [
        "formula",
        "cook",
        "ship",
        "--var",
        "what=it",
        "--max-steps",
        "2",
    ];
    let refused = sandbox.windlass(&limited).exits_with(2).stderr;
    assert!(refused.contains("limit of 2 steps"), "{refused}");
}

/// A formula may keep its step texts in another folder, but not outside of the repository.
#[test]
fn descriptions_may_lie_anywhere_in_repo() {
    let sandbox = Sandbox::git();
    let formula = |path: &str| {
        format!(
            "formula = \"pack\"\n[[steps]]\nid = \"do\"\ntitle = \"Do\"\ndescription_file = \"{path}\"\n"
        )
    };
    let file = ".beads/formulas/pack.formula.toml";
    sandbox.write("assets/do.md", "Do it with care.\n");
    let cook = |path: &str| {
        sandbox.write(file, formula(path));
        sandbox.windlass(&["formula", "cook", "pack", "--format", "json"])
    };
    let cooked = cook("../../assets/do.md").succeeds().json();
    assert!(cooked.to_string().contains("Do it with care."));
    for (path, why) in [
        ("../../assets/none.md", "does not exist"),
        ("../../none/none.md", "does not exist"),
        ("../../../outside.md", "leads out of the repository"),
        ("/etc/hostname", "leads out of the folder of the formula"),
    ] {
        let said = cook(path).exits_with(2).stderr;
        assert!(said.contains(why), "{path}: {said}");
    }
}
