//! Known defects of existing engines, each with the correct behaviour, through the real command.
//!
//! The details are tested in the crates below: cooking in `plan`, molecules in `ledger`.

use serde_json::{Value, json};

use crate::support::{Answer, Sandbox};
use crate::{by, create, ids};

fn with(formulas: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::git();
    for (name, text) in formulas {
        let file = format!(".beads/formulas/{name}.formula.toml");
        sandbox.write(&file, format!("formula = \"{name}\"\n{text}"));
    }
    sandbox
}

fn of(text: &str) -> Sandbox {
    with(&[("it", text)])
}

#[track_caller]
fn json(sandbox: &Sandbox, args: &[&str]) -> Value {
    let asked = [args, &["--format", "json"]].concat();
    by(sandbox, "ann", &asked).succeeds().json()
}

#[track_caller]
fn pour(sandbox: &Sandbox, more: &[&str]) -> String {
    let made = json(sandbox, &[&["mol", "pour", "it"], more].concat());
    made["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn graph(sandbox: &Sandbox, mol: &str) -> String {
    let shown = json(sandbox, &["mol", "show", mol]);
    let told = shown["steps"].as_array().unwrap().iter().map(|step| {
        let needs = [&step["needs"], &step["after"]];
        let needs: Vec<&str> = needs
            .iter()
            .flat_map(|list| list.as_array().into_iter().flatten())
            .map(|need| need.as_str().unwrap())
            .collect();
        format!("{}<{}", step["id"].as_str().unwrap(), needs.join("+"))
    });
    told.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn statuses(sandbox: &Sandbox, mol: &str) -> String {
    let shown = json(sandbox, &["mol", "show", mol]);
    let told = shown["steps"].as_array().unwrap().iter().map(|step| {
        let [id, status] = ["id", "status"].map(|field| step[field].as_str().unwrap());
        format!("{id}={status}")
    });
    told.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn end(sandbox: &Sandbox, mol: &str, step: &str, how: &str, more: &[&str]) -> Answer {
    let claimed = json(sandbox, &["mol", "claim", mol, step]);
    let token = claimed["token"].as_str().unwrap();
    let args = ["mol", how, mol, step, "--token", token];
    by(sandbox, "ann", &[&args[..], more].concat())
}

#[track_caller]
fn done(sandbox: &Sandbox, mol: &str, step: &str, output: &str) {
    end(sandbox, mol, step, "complete", &["-o", output]).succeeds();
}

#[test]
fn edges_survive_loop_expand_and_condition() {
    let sandbox = with(&[
        (
            "it",
            "vars = { on = \"\" }\nsteps = [\n{ id = \"a\", title = \"A\" },\n\
             { id = \"l\", title = \"L\", needs = [\"a\"], loop = { count = 2, body = [{ id = \"x\", title = \"X\" }] } },\n\
             { id = \"e\", title = \"E\", needs = [\"l\"], expand = \"two\" },\n\
             { id = \"c\", title = \"C\", needs = [\"e\"], condition = \"{{on}}\" },\n\
             { id = \"z\", title = \"Z\", needs = [\"c\"] }]\n",
        ),
        (
            "two",
            "type = \"expansion\"\ntemplate = [{ id = \"{target}.m\", title = \"M\" }, { id = \"{target}.n\", title = \"N\" }]\n",
        ),
    ]);
    let mol = pour(&sandbox, &[]);
    assert_eq!(
        graph(&sandbox, &mol),
        "a< l.iter1.x<a l.iter2.x<l.iter1.x e.m<l.iter2.x e.n<l.iter2.x z<e.m+e.n"
    );
}

#[test]
fn cycles_are_refused() {
    let sandbox = of(
        "steps = [{ id = \"a\", title = \"A\", needs = [\"b\"] }, { id = \"b\", title = \"B\", needs = [\"a\"] }]\n",
    );
    let said = by(&sandbox, "ann", &["mol", "pour", "it"])
        .exits_with(2)
        .stderr;
    assert!(said.contains("in a circle: a -> b -> a"), "{said}");
    // Beads can form a cycle too, if a child waits for a parent that waits for its children.
    let parent = create(&sandbox, &["Whole"]);
    let child = create(&sandbox, &["Part", "--parent", &parent]);
    let add = ["bead", "dep", "add", &child, &parent];
    let said = by(&sandbox, "ann", &add).exits_with(2).stderr;
    assert!(said.contains("would close a cycle"), "{said}");
}

#[test]
fn inheritance_keeps_every_field() {
    let sandbox = with(&[
        ("it", "extends = [\"base\"]\n"),
        (
            "base",
            "phase = \"vapor\"\nsteps = [{ id = \"a\", title = \"A\" }, { id = \"b\", title = \"B\" }, { id = \"c\", title = \"C\" }]\n\
             advice = [{ target = \"b\", before = { id = \"pre\" } }]\nsquash = { trigger = \"on_complete\" }\n\
             [compose]\nbranch = [{ from = \"a\", steps = [\"b\"], join = \"c\" }]\n\
             gate = [{ before = \"c\", condition = \"b.output.ok == true\" }]\n",
        ),
    ]);
    let said = by(&sandbox, "ann", &["mol", "pour", "it"])
        .succeeds()
        .stderr;
    assert!(
        said.contains("declared as vapor but poured as a lasting molecule"),
        "{said}"
    );
    let mol = json(&sandbox, &["mol", "list"])["molecules"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(graph(&sandbox, &mol), "a< pre<a b<pre c<b");
    for (step, output) in [("a", "1"), ("pre", "1"), ("b", "{\"ok\":true}"), ("c", "1")] {
        done(&sandbox, &mol, step, output);
    }
    assert_eq!(
        json(&sandbox, &["mol", "show", &mol])["put_away"],
        "squashed"
    );
}

#[test]
fn templates_and_loops_keep_step_fields() {
    let step = "id = \"w\", title = \"W\", notes = \"n\", metadata = { k = \"v\" }, labels = [\"l\"], gate = { type = \"human\" }, \
                assignee = \"bob\", priority = 0, waits_for = \"children-of(a)\"";
    let sandbox = with(&[
        (
            "it",
            &format!(
                "steps = [{{ id = \"a\", title = \"A\" }}, {{ id = \"e\", title = \"E\", needs = [\"a\"], expand = \"one\" }}, \
                 {{ id = \"l\", title = \"L\", needs = [\"a\"], loop = {{ count = 1, body = [{{ {step} }}] }} }}]\n"
            ),
        ),
        (
            "one",
            &format!("type = \"expansion\"\ntemplate = [{{ {step} }}]\n"),
        ),
    ]);
    let mol = pour(&sandbox, &[]);
    let [expanded, looped] = ["w", "l.iter1.w"].map(|step| {
        let mut shown = json(&sandbox, &["mol", "show", &mol, step]);
        shown["step_id"] = Value::Null;
        shown
    });
    // Apart from their IDs, the two steps are the same.
    assert_eq!(expanded, looped);
    for (field, value) in [
        ("notes", json!("n")),
        ("metadata", json!({ "k": "v" })),
        ("labels", json!(["l"])),
        ("meant_for", json!("bob")),
        ("priority", json!(0)),
        ("gates", json!([{ "type": "human" }])),
    ] {
        assert_eq!(expanded[field], value, "{field}");
    }
}

#[test]
fn loop_rounds_run_in_order_with_variables() {
    let sandbox = of(
        "vars = { n = \"2\" }\nsteps = [{ id = \"l\", title = \"L\", loop = { range = \"1..{n}\", var = \"k\", body = [\
         { id = \"a{k}\", title = \"A\" }, { id = \"b\", title = \"B\" }] } }]\n",
    );
    let mol = pour(&sandbox, &[]);
    assert_eq!(
        graph(&sandbox, &mol),
        "l.iter1.a1< l.iter1.b< l.iter2.a2<l.iter1.a1+l.iter1.b l.iter2.b<l.iter1.a1+l.iter1.b"
    );
}

#[test]
fn cooking_is_deterministic() {
    let steps: String = (0..20)
        .map(|at| format!("{{ id = \"s{at}\", title = \"S\" }},"))
        .collect();
    let sandbox = with(&[
        (
            "it",
            &format!(
                "steps = [{steps}]\n[compose]\nmap = [{{ select = \"*\", with = \"one\" }}]\n"
            ),
        ),
        (
            "one",
            "type = \"expansion\"\ntemplate = [{ id = \"{target}.x\", title = \"X\" }]\n",
        ),
    ]);
    let cook = || {
        by(
            &sandbox,
            "ann",
            &["formula", "cook", "it", "--format", "json"],
        )
        .succeeds()
        .stdout
    };
    let first = cook();
    assert!((0..3).all(|_| cook() == first));
    let ids: Vec<_> = (0..20).map(|at| format!("s{at}.x<")).collect();
    assert_eq!(graph(&sandbox, &pour(&sandbox, &[])), ids.join(" "));
}

#[test]
fn waits_for_children_waits_for_fan_out() {
    let sandbox = with(&[
        (
            "it",
            "[[steps]]\nid = \"survey\"\ntitle = \"S\"\non_complete = { for_each = \"output.parts\", bond = \"part\" }\n\
             [[steps]]\nid = \"all\"\ntitle = \"All\"\nneeds = [\"survey\"]\nwaits_for = \"all-children\"\n\
             [[steps]]\nid = \"any\"\ntitle = \"Any\"\nneeds = [\"survey\"]\nwaits_for = \"any-children\"\n\
             [[steps]]\nid = \"named\"\ntitle = \"Named\"\nwaits_for = \"children-of(survey)\"\n",
        ),
        ("part", "[[steps]]\nid = \"do\"\ntitle = \"Do\"\n"),
    ]);
    let mol = pour(&sandbox, &[]);
    assert_eq!(
        statuses(&sandbox, &mol),
        "survey=ready all=pending any=pending named=pending"
    );
    done(&sandbox, &mol, "survey", "{\"parts\":[1,2]}");
    assert_eq!(
        statuses(&sandbox, &mol),
        "survey=completed all=blocked any=blocked named=blocked"
    );
    let children = || -> Vec<String> {
        let ready = json(&sandbox, &["mol", "ready"]);
        let steps = ready["steps"].as_array().unwrap().iter();
        let of_part = steps.filter(|step| step["step_id"] == "do");
        of_part
            .map(|step| step["mol_id"].as_str().unwrap().to_owned())
            .collect()
    };
    let both = children();
    assert_eq!(both.len(), 2);
    done(&sandbox, &both[0], "do", "1");
    assert_eq!(
        statuses(&sandbox, &mol),
        "survey=completed all=blocked any=ready named=blocked"
    );
    done(&sandbox, &both[1], "do", "1");
    assert_eq!(
        statuses(&sandbox, &mol),
        "survey=completed all=ready any=ready named=ready"
    );
    // Without children, the wait ends, but only once we know that there are none.
    let empty = pour(&sandbox, &[]);
    assert!(statuses(&sandbox, &empty).contains("all=pending"));
    done(&sandbox, &empty, "survey", "{\"parts\":[]}");
    assert_eq!(
        statuses(&sandbox, &empty),
        "survey=completed all=ready any=ready named=ready"
    );
    let lost = of("[[steps]]\nid = \"a\"\ntitle = \"A\"\nwaits_for = \"all-children\"\n");
    let said = by(&lost, "ann", &["mol", "pour", "it"])
        .exits_with(2)
        .stderr;
    assert!(
        said.contains("waits for children, but needs no step"),
        "{said}"
    );
}

#[test]
fn conditional_step_starts_after_failure() {
    let sandbox = Sandbox::git();
    let [good, bad] = ["Good", "Bad"].map(|title| create(&sandbox, &[title]));
    let [after_good, after_bad] = [&good, &bad].map(|on| {
        let bead = create(&sandbox, &["Repair"]);
        by(
            &sandbox,
            "ann",
            &[
                "bead",
                "dep",
                "add",
                &bead,
                on,
                "--type",
                "conditional-blocks",
            ],
        )
        .succeeds();
        bead
    });
    by(&sandbox, "ann", &["bead", "close", &good]).succeeds();
    by(&sandbox, "ann", &["bead", "close", &bad, "--failed"]).succeeds();
    assert_eq!(ids(&sandbox, &["ready"]), [after_bad]);
    let why = by(&sandbox, "ann", &["bead", "blocked"]).succeeds().stdout;
    assert!(
        why.contains(&after_good) && why.contains("never begins:"),
        "{why}"
    );
}

#[test]
fn until_gates_hooks_pointcuts_take_effect() {
    let sandbox = with(&[
        (
            "it",
            "steps = [{ id = \"r\", title = \"R\", loop = { until = \"fix.output.ok == true\", max = 3, body = [{ id = \"fix\", title = \"F\" }] } },\n\
             { id = \"ship\", title = \"Ship\", needs = [\"r\"], labels = [\"risky\"] }]\n\
             advice = [{ before = { id = \"look\" } }]\npointcuts = [{ label = \"risky\" }]\n\
             [compose]\ngate = [{ before = \"ship\", condition = \"file.exists('open.txt')\" }]\n\
             hooks = [{ trigger = \"label:security\", attach = \"audit\" }]\n",
        ),
        ("audit", "[[steps]]\nid = \"sec\"\ntitle = \"Sec\"\n"),
    ]);
    let bead = create(&sandbox, &["Work", "-l", "security"]);
    let mol = pour(&sandbox, &["--bead", &bead]);
    assert_eq!(
        graph(&sandbox, &mol),
        "r.iter1.fix< r.iter2.fix<r.iter1.fix r.iter3.fix<r.iter2.fix look<r.iter3.fix ship<look audit.sec<ship"
    );
    done(&sandbox, &mol, "r.iter1.fix", "{\"ok\":false}");
    done(&sandbox, &mol, "r.iter2.fix", "{\"ok\":true}");
    done(&sandbox, &mol, "look", "1");
    // The condition holds after the second round, so the third one is skipped.
    assert_eq!(
        statuses(&sandbox, &mol),
        "r.iter1.fix=completed r.iter2.fix=completed r.iter3.fix=skipped look=completed ship=blocked audit.sec=pending"
    );
    sandbox.write("open.txt", "");
    assert!(statuses(&sandbox, &mol).contains("ship=ready"));
    let wrong = of(
        "vars = { mode = { enum = [\"a\"], default = \"b\" } }\nsteps = [{ id = \"a\", title = \"A\" }]\n",
    );
    by(&wrong, "ann", &["mol", "pour", "it"]).exits_with(2);
}

#[test]
fn timer_starts_when_step_is_reached() {
    let sandbox = of("[[steps]]\nid = \"a\"\ntitle = \"A\"\n\
         [[steps]]\nid = \"later\"\ntitle = \"L\"\nneeds = [\"a\"]\ngate = { type = \"timer\", duration = \"1h\" }\n\
         [[steps]]\nid = \"asked\"\ntitle = \"Q\"\ngate = { type = \"human\", timeout = \"1ms\" }\n\
         [[steps]]\nid = \"gate\"\ntitle = \"G\"\ntype = \"gate\"\ngate = { type = \"file\", path = \"there.txt\" }\n");
    sandbox.write("there.txt", "");
    let mol = pour(&sandbox, &[]);
    // The timer only starts when its step is reached. A human gate has a timeout too, enforced by
    // any command.
    assert_eq!(
        statuses(&sandbox, &mol),
        "a=ready later=pending asked=failed gate=ready"
    );
    done(&sandbox, &mol, "a", "1");
    assert!(statuses(&sandbox, &mol).contains("later=blocked"));
    // A step of type `gate` is one step, which doesn't wait for itself.
    done(&sandbox, &mol, "gate", "1");
    let wrong = of(
        "[[steps]]\nid = \"a\"\ntitle = \"A\"\ngate = { type = \"tmier\", duration = \"1h\" }\n",
    );
    let said = by(&wrong, "ann", &["mol", "pour", "it"])
        .exits_with(2)
        .stderr;
    assert!(said.contains("did you mean `timer`?"), "{said}");
}

#[test]
fn poured_needs_and_order_are_kept() {
    let text = "[[steps]]\nid = \"c\"\ntitle = \"C\"\ndepends_on = [\"a\"]\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n\
                [[steps]]\nid = \"b\"\ntitle = \"B\"\nneeds = [\"c\"]\n";
    let sandbox = of(text);
    let poured = pour(&sandbox, &[]);
    let wisp = json(&sandbox, &["mol", "wisp", "it"]);
    for mol in [poured.as_str(), wisp["id"].as_str().unwrap()] {
        assert_eq!(graph(&sandbox, mol), "c<a a< b<c");
        by(&sandbox, "ann", &["mol", "claim", mol, "b"]).exits_with(5);
    }
    // Another working tree shares the ledger.
    sandbox.commit("formulas");
    sandbox.run_git(&["worktree", "add", "-q", "../elsewhere"]);
    let elsewhere = sandbox.root().parent().unwrap().join("elsewhere");
    let add = [
        "--actor",
        "bob",
        "bead",
        "create",
        "Made elsewhere",
        "--format",
        "json",
    ];
    let made = sandbox.windlass_in(&elsewhere, &add).succeeds().json();
    assert_eq!(ids(&sandbox, &["list"]), [made["id"].as_str().unwrap()]);
}

#[test]
fn formula_error_is_not_called_missing() {
    let sandbox = of("[[steps]]\nid = \"a\"\ntitle = \"A\"\nneeds = [\"b\"]\n");
    for how in ["pour", "wisp"] {
        let said = by(&sandbox, "ann", &["mol", how, "it"])
            .exits_with(2)
            .stderr;
        assert!(
            said.starts_with("error[unknown-step]") && said.contains("it.formula.toml:5:10"),
            "{said}"
        );
    }
    let said = by(&sandbox, "ann", &["mol", "pour", "ti"])
        .exits_with(3)
        .stderr;
    assert!(
        said.contains("ti") && !said.contains("unknown-step"),
        "{said}"
    );
}

#[test]
fn values_are_whole_and_reach_all_fields() {
    let sandbox = of(
        "vars = { what = {}, who = {} }\n[[steps]]\nid = \"a\"\ntitle = \"T\"\ndescription = \"{{what}} ${{undeclared}}\"\n\
         assignee = \"{{who}}\"\nlabels = [\"for-{{who}}\"]\nmetadata = { text = \"{{what}}\" }\n",
    );
    let mol = pour(&sandbox, &["--var", "what=one\ntwo", "--var", "who=bob"]);
    let step = json(&sandbox, &["mol", "show", &mol, "a"]);
    assert_eq!(step["description"], "one\ntwo ${{undeclared}}");
    assert_eq!(step["meant_for"], "bob");
    assert_eq!(step["labels"], json!(["for-bob"]));
    assert_eq!(step["metadata"], json!({ "text": "one\ntwo" }));
}

#[test]
fn misspelled_field_is_refused() {
    let sandbox = of(
        "[[steps]]\nid = \"a\"\ntitle = \"A\"\n[[steps]]\nid = \"b\"\ntitle = \"B\"\nneed = [\"a\"]\n",
    );
    let said = by(&sandbox, "ann", &["mol", "pour", "it"])
        .exits_with(2)
        .stderr;
    assert!(said.contains("did you mean `needs`?"), "{said}");
    let harmless = of("owner = \"ann\"\n[[steps]]\nid = \"a\"\ntitle = \"A\"\n");
    let said = by(&harmless, "ann", &["formula", "cook", "it"])
        .succeeds()
        .stderr;
    assert!(said.contains("`owner`"), "{said}");
    by(&harmless, "ann", &["formula", "cook", "it", "--strict"]).exits_with(2);
}

#[test]
fn burn_and_squash_spare_claimed_work() {
    let sandbox = of(
        "[[steps]]\nid = \"a\"\ntitle = \"A\"\n[[steps]]\nid = \"b\"\ntitle = \"B\"\nneeds = [\"a\"]\n",
    );
    let wisp = json(&sandbox, &["mol", "wisp", "it", "--ttl", "1h"]);
    let mol = wisp["id"].as_str().unwrap();
    let token = json(&sandbox, &["mol", "claim", mol])["token"]
        .as_str()
        .unwrap()
        .to_owned();
    // Nobody else may put away a molecule while ann works on a step of it.
    by(&sandbox, "bob", &["mol", "burn", mol]).exits_with(5);
    by(&sandbox, "bob", &["mol", "squash", mol]).exits_with(5);
    assert_eq!(statuses(&sandbox, mol), "a=in_progress b=pending");
    by(
        &sandbox,
        "ann",
        &["mol", "complete", mol, "a", "--token", &token],
    )
    .succeeds();
    assert_eq!(
        json(&sandbox, &["mol", "show", mol])["outcome"],
        Value::Null
    );
    // A molecule with an open step can't be squashed, even by its owner.
    by(&sandbox, "ann", &["mol", "squash", mol]).exits_with(2);
    // An expired molecule without claims is burned.
    let forgotten = json(&sandbox, &["mol", "wisp", "it", "--ttl", "1ms"]);
    by(&sandbox, "ann", &["mol", "ready"]).succeeds();
    let listed = json(&sandbox, &["mol", "list", "--all"]);
    let status = |id: &Value| {
        let mut all = listed["molecules"].as_array().unwrap().iter();
        all.find(|mol| mol["id"] == *id).unwrap()["status"].clone()
    };
    assert_eq!(
        (status(&forgotten["id"]), status(&wisp["id"])),
        (json!("burned"), json!("open"))
    );
    // A failed step doesn't complete the molecule.
    let failing = pour(&sandbox, &[]);
    end(&sandbox, &failing, "a", "fail", &["--reason", "no"]).succeeds();
    assert_eq!(
        json(&sandbox, &["mol", "show", &failing])["outcome"],
        "failed"
    );
    assert_eq!(statuses(&sandbox, &failing), "a=failed b=blocked");
}

#[test]
fn edited_formula_keeps_poured_graph() {
    let sandbox = of(
        "[[steps]]\nid = \"a\"\ntitle = \"A\"\n[[steps]]\nid = \"b\"\ntitle = \"B\"\nneeds = [\"a\"]\n",
    );
    let mol = pour(&sandbox, &[]);
    sandbox.edit(".beads/formulas/it.formula.toml", "needs = [\"a\"]\n", "");
    assert_eq!(graph(&sandbox, &mol), "a< b<a");
    let said = by(&sandbox, "ann", &["mol", "show", &mol])
        .succeeds()
        .stdout;
    assert!(
        said.contains("the files of the formula changed after it was poured"),
        "{said}"
    );
}
