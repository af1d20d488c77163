//! Molecules shared by many agents, through the real command.

use serde_json::{Value, json};

use crate::support::{Answer, Sandbox};
use crate::{by, one_of_eight_gets, rounds};

const FORMULA: &str = r#"formula = "feature"
description = "Build a feature"
version = 1

[vars]
name = { description = "what is built", default = "it" }

[[steps]]
id = "design"
title = "Design {{name}}"
description = "Think first."

[[steps]]
id = "build"
title = "Build {{name}}"
needs = ["design"]
retry = { max_attempts = 2 }

[[steps]]
id = "docs"
title = "Describe {{name}}"
needs = ["design"]
priority = 0

[[steps]]
id = "ship"
title = "Ship {{name}}"
needs = ["build", "docs"]
gate = { type = "human" }
"#;

fn with(formula: &str) -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write(".beads/formulas/feature.formula.toml", formula);
    sandbox
}

fn json(sandbox: &Sandbox, actor: &str, args: &[&str]) -> Value {
    by(sandbox, actor, &[args, &["--format", "json"]].concat())
        .succeeds()
        .json()
}

#[track_caller]
fn pour(sandbox: &Sandbox, more: &[&str]) -> String {
    let made = json(
        sandbox,
        "mayor",
        &[&["mol", "pour", "feature"], more].concat(),
    );
    made["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn claim(sandbox: &Sandbox, actor: &str, mol: &str, step: &str) -> String {
    let claimed = json(sandbox, actor, &["mol", "claim", mol, step]);
    claimed["token"].as_str().unwrap().to_owned()
}

#[track_caller]
fn complete(sandbox: &Sandbox, actor: &str, mol: &str, step: &str) -> Answer {
    let token = claim(sandbox, actor, mol, step);
    by(
        sandbox,
        actor,
        &["mol", "complete", mol, step, "--token", &token],
    )
    .succeeds()
}

fn statuses(sandbox: &Sandbox, mol: &str) -> String {
    let shown = json(sandbox, "mayor", &["mol", "show", mol]);
    let steps = shown["steps"].as_array().unwrap().iter();
    let told = steps.map(|step| {
        let [id, status] = ["id", "status"].map(|field| step[field].as_str().unwrap());
        format!("{id}={status}")
    });
    told.collect::<Vec<_>>().join(" ")
}

#[test]
fn formula_is_poured_worked_and_squashed() {
    let sandbox = with(FORMULA);
    let mol = pour(&sandbox, &["--var", "name=search"]);
    assert_eq!(
        statuses(&sandbox, &mol),
        "design=ready build=pending docs=pending ship=pending"
    );
    let ready = by(&sandbox, "ann", &["mol", "ready"]).succeeds().stdout;
    assert_eq!(ready, format!("{mol}  design  P2  Design search\n"));
    let claimed = json(&sandbox, "ann", &["mol", "claim"]);
    assert_eq!(claimed["description"], "Think first.");
    let token = claimed["token"].as_str().unwrap();
    let current = by(&sandbox, "ann", &["mol", "current"]).succeeds().stdout;
    assert!(
        current.contains(token) && current.contains("Think first."),
        "{current}"
    );
    by(
        &sandbox,
        "ann",
        &["mol", "heartbeat", &mol, "design", "--token", token],
    )
    .succeeds();
    by(
        &sandbox,
        "ann",
        &["mol", "complete", &mol, "design", "--token", "1-wrong"],
    )
    .exits_with(5);
    let done = by(
        &sandbox,
        "ann",
        &[
            "mol",
            "complete",
            &mol,
            "design",
            "--token",
            token,
            "-o",
            "{\"ok\":true}",
            "--claim-next",
        ],
    )
    .succeeds()
    .stdout;
    assert!(
        done.starts_with(&format!("completed design\nclaimed {mol}  docs")),
        "{done}"
    );
    // Releasing needs a token as well, but its owner can look it up.
    let docs = json(&sandbox, "ann", &["mol", "show", &mol, "docs"]);
    let token = docs["token"].as_str().unwrap();
    by(
        &sandbox,
        "ann",
        &["mol", "release", &mol, "docs", "--token", token],
    )
    .succeeds();
    complete(&sandbox, "bob", &mol, "docs");
    let token = claim(&sandbox, "bob", &mol, "build");
    let failed = by(
        &sandbox,
        "bob",
        &[
            "mol", "fail", &mol, "build", "--token", &token, "-r", "it broke",
        ],
    );
    // The step has a second attempt left.
    assert_eq!(failed.succeeds().stdout, "build is ready\n");
    complete(&sandbox, "bob", &mol, "build");
    assert_eq!(
        statuses(&sandbox, &mol),
        "design=completed build=completed docs=completed ship=blocked"
    );
    let refused = by(&sandbox, "bob", &["mol", "claim", &mol, "ship"])
        .exits_with(5)
        .stderr;
    assert!(refused.contains("waits for its gate: human"), "{refused}");
    let progress = by(&sandbox, "ann", &["mol", "progress", &mol]).succeeds();
    // Three steps within a minute are too few for a forecast.
    assert!(
        progress.stdout.contains("75%  3 of 4 steps") && !progress.stdout.contains("an hour"),
        "{}",
        progress.stdout
    );
    by(
        &sandbox,
        "mayor",
        &["mol", "approve", &mol, "ship", "--input", "version=7"],
    )
    .succeeds();
    let claimed = json(&sandbox, "bob", &["mol", "claim", &mol]);
    assert_eq!(claimed["answers"][0]["inputs"], json!({ "version": 7 }));
    let token = claimed["token"].as_str().unwrap();
    by(
        &sandbox,
        "bob",
        &["mol", "complete", &mol, "ship", "--token", token],
    )
    .succeeds();
    // Completing the step twice with the same token is fine, so a caller may simply retry.
    let again = by(
        &sandbox,
        "bob",
        &["mol", "complete", &mol, "ship", "--token", token],
    );
    again.succeeds();
    let progress = by(&sandbox, "ann", &["mol", "progress", &mol])
        .succeeds()
        .stdout;
    assert_eq!(
        progress,
        format!("{mol}  100%  4 of 4 steps  (4 completed)\n")
    );
    by(&sandbox, "ann", &["mol", "squash", &mol]).succeeds();
    let archive: Value =
        serde_json::from_str(&sandbox.read(&format!(".beads/mols/{mol}.archive.json"))).unwrap();
    assert_eq!(archive["put_away"], "squashed");
    assert!(
        !sandbox
            .root()
            .join(format!(".beads/mols/{mol}.json"))
            .exists()
    );
    by(&sandbox, "ann", &["events", "rebuild"]).succeeds();
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
}

#[test]
fn molecule_reports_changed_formula() {
    let sandbox = with(FORMULA);
    let mol = pour(&sandbox, &[]);
    let shown = by(&sandbox, "ann", &["mol", "show", &mol])
        .succeeds()
        .stdout;
    assert!(!shown.contains("changed"), "{shown}");
    sandbox.edit(
        ".beads/formulas/feature.formula.toml",
        "Think first.",
        "Think twice.",
    );
    let shown = by(&sandbox, "ann", &["mol", "show"]).succeeds().stdout;
    assert!(
        shown.contains("changed  the files of the formula changed"),
        "{shown}"
    );
    let claimed = json(&sandbox, "ann", &["mol", "claim", &mol]);
    assert_eq!(
        claimed["description"], "Think first.",
        "it goes on as it was poured"
    );
    sandbox.remove(".beads/formulas/feature.formula.toml");
    let shown = by(&sandbox, "ann", &["mol", "show"]).succeeds().stdout;
    assert!(shown.contains("no longer cooks"), "{shown}");
}

#[test]
fn doctor_names_blockers_and_remedies() {
    let sandbox = with(FORMULA);
    by(&sandbox, "ann", &["mol", "doctor"]).succeeds();
    by(&sandbox, "ann", &["mol", "claim"]).exits_with(3);
    by(&sandbox, "ann", &["mol", "show", "mol-none"]).exits_with(3);
    // The claim below expires at once.
    let mol = pour(&sandbox, &["--lease", "1ms"]);
    claim(&sandbox, "ann", &mol, "design");
    let found = by(&sandbox, "bob", &["mol", "doctor", "--format", "json"])
        .exits_with(1)
        .json();
    assert_eq!(found["findings"][0]["trouble"], "expired");
    let token = claim(&sandbox, "bob", &mol, "design");
    // A token starts with the number of the attempt.
    assert!(token.starts_with("2-"), "{token}");
    let failed = [
        "mol", "fail", &mol, "design", "--token", &token, "-r", "no idea",
    ];
    by(&sandbox, "bob", &failed).succeeds();
    let found = by(&sandbox, "bob", &["mol", "doctor"]).exits_with(1).stdout;
    assert_eq!(
        found,
        format!(
            "`design` of `{mol}` failed and will not be retried: no idea\n    windlass --actor bob mol push-back {mol} design --reason TEXT\n"
        )
    );
    by(
        &sandbox,
        "bob",
        &["mol", "push-back", &mol, "design", "-r", "a better idea"],
    )
    .succeeds();
    complete(&sandbox, "bob", &mol, "design");
    assert_eq!(
        statuses(&sandbox, &mol),
        "design=completed build=ready docs=ready ship=pending"
    );
    let stale = by(&sandbox, "bob", &["mol", "stale", "--after", "1ms"])
        .succeeds()
        .stdout;
    assert!(stale.contains(&mol), "{stale}");
    let burn = by(&sandbox, "bob", &["mol", "burn", &mol, "-r", "enough"]);
    burn.succeeds();
    by(&sandbox, "bob", &["mol", "doctor"]).succeeds();
    by(&sandbox, "bob", &["mol", "skip", &mol, "build"]).exits_with(3);
}

#[test]
fn expired_wisp_is_named_until_burned() {
    let sandbox = with(FORMULA);
    let wisp = json(&sandbox, "ann", &["mol", "wisp", "feature", "--ttl", "1ms"]);
    let mol = wisp["id"].as_str().unwrap();
    let listed = json(&sandbox, "ann", &["mol", "list"]);
    assert_eq!(listed["molecules"][0]["status"], "expired");
    let found = by(&sandbox, "ann", &["mol", "doctor"]).exits_with(1).stdout;
    assert!(
        found.starts_with(&format!("`{mol}` expired at 20")),
        "{found}"
    );
    assert!(
        found.ends_with(&format!("    windlass --actor ann mol burn {mol}\n")),
        "{found}"
    );
    // Unlike `list` and `doctor`, this command burns an expired wisp.
    let ready = sandbox.windlass(&["mol", "ready"]).succeeds();
    assert!(
        ready.stderr.contains("no step is ready"),
        "{}",
        ready.stderr
    );
    let shown = sandbox.windlass(&["mol", "show", mol]).succeeds().stdout;
    assert!(shown.contains("  burned   20"), "{shown}");
    by(&sandbox, "ann", &["mol", "doctor"]).succeeds();
}

#[test]
fn steps_of_other_actors_are_not_claimed() {
    let sandbox = with(
        "formula = \"feature\"\nversion = 1\n\
         [[steps]]\nid = \"hers\"\ntitle = \"Hers\"\nassignee = \"rig/crew/eve\"\n\
         [[steps]]\nid = \"review\"\ntitle = \"Review\"\nassignee = \"reviewer\"\n",
    );
    let mol = pour(&sandbox, &[]);
    let names = |actor: &str, more: &[&str]| -> Vec<String> {
        let ready = json(&sandbox, actor, &[&["mol", "ready"], more].concat());
        let steps = ready["steps"].as_array().unwrap().iter();
        steps
            .map(|step| step["step_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("rig/crew/bob", &[]), [""; 0]);
    assert_eq!(names("rig/crew/bob", &["--all"]), ["hers", "review"]);
    assert_eq!(names("rig/crew/eve", &[]), ["hers"]);
    assert_eq!(names("rig/reviewers/bob", &[]), ["review"]);
    let said = by(&sandbox, "rig/crew/bob", &["mol", "ready"])
        .succeeds()
        .stderr;
    assert!(said.contains("ready for other actors: 2 steps"), "{said}");
    let said = by(&sandbox, "rig/crew/bob", &["mol", "claim"])
        .exits_with(3)
        .stderr;
    assert!(said.contains("2 are assigned to other actors"), "{said}");
    assert!(
        said.contains("windlass --actor rig/crew/bob mol ready --all"),
        "{said}"
    );
    by(&sandbox, "rig/reviewers/bob", &["mol", "claim"]).succeeds();
    // Naming the step overrides the assignment.
    claim(&sandbox, "rig/crew/bob", &mol, "hers");
}

#[test]
fn handoff_keeps_step_for_next_session() {
    let sandbox = with(FORMULA);
    let mol = pour(&sandbox, &[]);
    let token = claim(&sandbox, "rig/crew/ann", &mol, "design");
    let handoff = [
        "mol",
        "handoff",
        &mol,
        "design",
        "--token",
        &token,
        "-m",
        "half done",
    ];
    by(&sandbox, "rig/crew/ann", &handoff).succeeds();
    let found = by(&sandbox, "rig/crew/ann", &["hook", "check"])
        .succeeds()
        .stdout;
    assert!(found.starts_with(&format!("mol:{mol}  ")), "{found}");
    let inbox = json(&sandbox, "rig/crew/ann", &["mail", "inbox"]);
    let message = &inbox["messages"][0];
    assert_eq!(message["metadata"]["token"], token);
    assert_eq!(
        (&message["message_type"], &message["body"]),
        (&json!("HANDOFF"), &json!("half done"))
    );
    let done = ["mol", "complete", &mol, "design", "--token", &token];
    by(&sandbox, "rig/crew/ann", &done).succeeds();
    for step in ["build", "docs", "ship"] {
        by(
            &sandbox,
            "mayor",
            &["mol", "skip", &mol, step, "-r", "enough"],
        )
        .succeeds();
    }
    // A finished step leaves the hook.
    by(&sandbox, "rig/crew/ann", &["hook", "check"]).exits_with(3);
}

#[test]
fn one_of_eight_step_claims_succeeds() {
    let sandbox = with(FORMULA);
    for _ in 0..rounds(4) {
        let mol = pour(&sandbox, &[]);
        one_of_eight_gets(&sandbox, &["mol", "claim", &mol, "design"]);
    }
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
}

#[test]
fn formula_features_work_or_are_refused() {
    let sandbox = with(
        "formula = \"feature\"\nversion = 1\n[[steps]]\nid = \"a\"\nneed = [\"b\"]\ntitle = \"A\"\n",
    );
    by(&sandbox, "ann", &["mol", "pour", "feature"]).exits_with(2);
    by(&sandbox, "ann", &["mol", "pour", "missing"]).exits_with(3);
    let sandbox = with(FORMULA);
    by(
        &sandbox,
        "ann",
        &["mol", "pour", "feature", "--bead", "t-none"],
    )
    .exits_with(3);
    assert_eq!(by(&sandbox, "ann", &["mol", "list"]).succeeds().stdout, "");
    let wisp = json(&sandbox, "ann", &["mol", "wisp", "feature", "--ttl", "1h"]);
    assert_eq!(wisp["state"], "vapor");
    assert!(wisp["expires_at"].is_string());
}

#[test]
fn step_output_creates_molecules() {
    let sandbox = with(
        "formula = \"feature\"\nversion = 1\n[[steps]]\nid = \"plan\"\ntitle = \"Plan\"\n\
         on_complete = { for_each = \"output.parts\", bond = \"part\", vars = { name = \"{item.name}\" }, sequential = true }\n\
         [[steps]]\nid = \"end\"\ntitle = \"End\"\nneeds = [\"plan\"]\nwaits_for = \"all-children\"\n",
    );
    sandbox.write(
        ".beads/formulas/part.formula.toml",
        "formula = \"part\"\nversion = 1\n[vars]\nname = { required = true }\n[[steps]]\nid = \"do\"\ntitle = \"Do {{name}}\"\n",
    );
    let mol = pour(&sandbox, &[]);
    let token = claim(&sandbox, "ann", &mol, "plan");
    let complete = |output: &str| {
        by(
            &sandbox,
            "ann",
            &[
                "mol", "complete", &mol, "plan", "--token", &token, "-o", output,
            ],
        )
    };
    let said = complete("{}").exits_with(1).stderr;
    assert!(said.contains("its output has no list `parts`"), "{said}");
    complete("{\"parts\":[{\"name\":\"x\"},{\"name\":\"y\"}]}").succeeds();
    assert_eq!(statuses(&sandbox, &mol), "plan=completed end=blocked");
    for title in ["Do x", "Do y"] {
        let ready = json(&sandbox, "bob", &["mol", "ready"]);
        assert_eq!(
            ready["steps"].as_array().unwrap().len(),
            1,
            "one after the other: {ready}"
        );
        let claimed = json(&sandbox, "bob", &["mol", "claim"]);
        assert_eq!(claimed["title"], title);
        let [child, token] = ["mol_id", "token"].map(|field| claimed[field].as_str().unwrap());
        by(
            &sandbox,
            "bob",
            &["mol", "complete", child, "do", "--token", token],
        )
        .succeeds();
    }
    assert_eq!(statuses(&sandbox, &mol), "plan=completed end=ready");
}

#[test]
fn bonded_molecule_waits_for_the_first() {
    let sandbox = with(FORMULA);
    let (first, second) = (pour(&sandbox, &[]), pour(&sandbox, &[]));
    by(&sandbox, "ann", &["mol", "bond", &first, &second]).succeeds();
    // Bonding the two in reverse as well would close a cycle.
    by(&sandbox, "ann", &["mol", "bond", &second, &first]).exits_with(2);
    let ready = by(&sandbox, "ann", &["mol", "ready"]).succeeds().stdout;
    assert!(
        ready.contains(&first) && !ready.contains(&second),
        "{ready}"
    );
    let shown = by(&sandbox, "ann", &["mol", "show", &second])
        .succeeds()
        .stdout;
    let waits = format!("after    {first} (sequential, not met yet: steps are blocked)");
    assert!(
        shown.contains(&waits) && !shown.contains("ready "),
        "{shown}"
    );
    assert_eq!(
        statuses(&sandbox, &second),
        "design=pending build=pending docs=pending ship=pending"
    );
    let step = json(&sandbox, "ann", &["mol", "show", &second, "design"]);
    assert_eq!(step["reason"], format!("its molecule waits for {first}"));
    for step in ["design", "build", "docs", "ship"] {
        by(&sandbox, "ann", &["mol", "skip", &first, step]).succeeds();
    }
    let ready = by(&sandbox, "ann", &["mol", "ready"]).succeeds().stdout;
    assert!(ready.contains(&second), "{ready}");
}

#[test]
fn finished_epic_becomes_a_formula() {
    let sandbox = with(FORMULA);
    let make = |args: &[&str]| crate::create(&sandbox, args);
    make(&[
        "Ship search",
        "--id",
        "t-e",
        "-t",
        "epic",
        "-d",
        "All of \"search\".\nAnd more.",
    ]);
    let one = make(&["Design search", "--parent", "t-e", "-p", "1", "-l", "think"]);
    let two = make(&[
        "Build search",
        "--parent",
        "t-e",
        "--needs",
        &one,
        "-d",
        "C:\\path",
    ]);
    let three = make(&["Build search", "--parent", "t-e", "--needs", &two]);
    let distill = ["mol", "distill", "t-e", "--var", "name=search"];
    // Without `--all`, every bead of the epic has to be closed.
    let refused = by(&sandbox, "ann", &distill).exits_with(2).stderr;
    assert!(refused.contains("--all"), "{refused}");
    by(&sandbox, "ann", &["bead", "close", &one, &two, &three]).succeeds();
    let text = by(&sandbox, "ann", &distill).succeeds().stdout;
    sandbox.write(".beads/formulas/ship-search.formula.toml", &text);
    let cooked = json(
        &sandbox,
        "ann",
        &["formula", "cook", "ship-search", "--var", "name=mail"],
    );
    let told = |field: &str| {
        let steps = cooked["steps"].as_array().unwrap().iter();
        steps.map(|step| step[field].clone()).collect::<Vec<_>>()
    };
    assert_eq!(told("title"), ["Design mail", "Build mail", "Build mail"]);
    assert_eq!(
        told("id"),
        ["design-search", "build-search", "build-search-2"]
    );
    assert_eq!(told("priority"), [1, 2, 2]);
    assert_eq!(cooked["steps"][2]["needs"][0]["step"], "build-search");
    assert_eq!(cooked["steps"][1]["description"], "C:\\path");
    assert_eq!(cooked["description"], "All of \"mail\".\nAnd more.");
    by(&sandbox, "ann", &["mol", "distill", &one]).exits_with(2);
    by(&sandbox, "ann", &["mol", "distill", "t-none"]).exits_with(3);
}

const ASKING: &str = r#"formula = "asking"
agent = "writer"
phase = "vapor"
[squash]
trigger = "on_complete"
template_type = "work"
include_metrics = true
[[steps]]
id = "ship"
title = "Ship"
agent = "critic"
review_only = true
parallel = false
priority = 1
labels = ["api"]
timeout = "2h"
[steps.gate]
type = "human"
[steps.gate.inputs]
version = { description = "which one", required = true, pattern = "^[0-9.]+$" }
copies = { type = "int", default = 1 }
"#;

#[test]
fn gate_inputs_are_shown_and_validated() {
    let sandbox = with(ASKING);
    sandbox.write(".beads/formulas/asking.formula.toml", ASKING);
    let poured = by(
        &sandbox,
        "ann",
        &["mol", "pour", "asking", "--format", "json"],
    )
    .succeeds();
    let said = &poured.stderr;
    assert!(
        said.contains("asking is declared as vapor but poured as a lasting molecule"),
        "{said}"
    );
    let mol = poured.json()["id"].as_str().unwrap().to_owned();
    for (inputs, why) in [
        (&[][..], "`version` needs a value (which one)"),
        (
            &["version=new"],
            "`version` is `new`, which does not match `^[0-9.]+$`",
        ),
        (
            &["version=1.10", "copies=some"],
            "`copies` is `some`, not a whole number",
        ),
        (
            &["version=1.10", "copys=2"],
            "unknown input `copys`; known inputs: `copies`, `version`",
        ),
    ] {
        let inputs = inputs.iter().flat_map(|input| ["--input", input]);
        let approve: Vec<&str> = ["mol", "approve", &mol, "ship"]
            .into_iter()
            .chain(inputs)
            .collect();
        let said = by(&sandbox, "mayor", &approve).exits_with(2).stderr;
        assert!(
            said.contains(&format!("the gate of `ship` stays closed: {why}")),
            "{said}"
        );
    }
    by(
        &sandbox,
        "mayor",
        &["mol", "approve", &mol, "ship", "--input", "version=1.10"],
    )
    .succeeds();
    let ready = by(&sandbox, "rig/critic", &["mol", "ready"]).succeeds();
    assert_eq!(
        ready.stdout,
        format!("{mol}  ship  P1  Ship  [agent: critic]  [alone]\n")
    );
    // The step is meant for a critic, so bob only gets it by its name.
    by(&sandbox, "bob", &["mol", "claim", &mol]).exits_with(3);
    let claimed = json(&sandbox, "bob", &["mol", "claim", &mol, "ship"]);
    assert_eq!(
        claimed["answers"][0]["inputs"],
        json!({ "version": "1.10", "copies": 1 })
    );
    let shown = by(&sandbox, "ann", &["mol", "show", &mol, "ship"])
        .succeeds()
        .stdout;
    for line in [
        "  agent    critic\n",
        "  only     review: no changes\n",
        "  alone    no other step of the molecule runs meanwhile\n",
        "  labels   api\n",
        "  timeout  2h\n",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    let token = claimed["token"].as_str().unwrap();
    by(
        &sandbox,
        "bob",
        &["mol", "complete", &mol, "ship", "--token", token],
    )
    .succeeds();
    let archive = sandbox.read(&format!(".beads/mols/{mol}.archive.json"));
    let archive: Value = serde_json::from_str(&archive).unwrap();
    assert_eq!(archive["put_away"], "squashed");
    assert_eq!(archive["digest"]["template_type"], "work");
    assert_eq!(archive["digest"]["metrics"]["attempts"], 1);
    by(&sandbox, "ann", &["events", "sync"]).succeeds();
    by(&sandbox, "ann", &["events", "verify"]).succeeds();
}
