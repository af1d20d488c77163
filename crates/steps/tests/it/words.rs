use std::collections::BTreeMap;

use windlass_plan::{Given, bind_known_inputs, explain};

use crate::load;

/// Returns the description of a step in a run with default inputs.
fn touches(step: &str) -> String {
    let plan = load(step).expect("is right");
    let given = BTreeMap::<String, Given>::new();
    let inputs = bind_known_inputs(plan.inputs(), given).expect("fit");
    let steps = explain(&plan, &windlass_steps::catalog(), &inputs);
    steps[1].touches.join("\n")
}

#[test]
fn file_steps_described() {
    assert_eq!(
        touches(
            "uses: search\nwith: { pattern: 'fn x', paths: [{ $ref: '#/inputs/focus' }], globs: ['*.rs', '!b.rs'], hidden: true }"
        ),
        "searches the files under `src` that match `*.rs` and `!b.rs` (also hidden ones) for lines that match the regular expression `fn x`"
    );
    assert_eq!(
        touches(
            "uses: search\nwith: { pattern: x, fixed: true, word: true, paths: { $ref: '#/steps/before/output/files' } }"
        ),
        "searches the files under `files` of step `before` for lines that hold the text `x` as whole words"
    );
    assert_eq!(
        touches("uses: files\nwith: { paths: { $ref: '#/inputs/open' } }"),
        "lists the files under input `open` (not given yet)"
    );
    assert_eq!(touches("uses: files"), "lists all files of the repository");
    assert_eq!(
        touches("uses: read\nwith: { file: README.md, heading: Usage }"),
        "reads the section under the heading `Usage` of `README.md`"
    );
    assert_eq!(
        touches("uses: read\nwith: { file: README.md, introduction: true }"),
        "reads the introduction of `README.md`"
    );
    assert_eq!(
        touches("uses: suggestions\nwith: { kinds: [ci], paths: [{ $ref: '#/inputs/focus' }] }"),
        "finds places of the kinds `ci` under `src` that deserve an anchor and have none"
    );
    assert_eq!(
        touches("uses: evidence\nwith: { items: { $ref: '#/steps/before/output/files' } }"),
        "reads the lines that `files` of step `before` point to, and compares their hashes"
    );
    assert_eq!(
        touches("uses: anchors\nwith: { kinds: [contract, ci] }"),
        "takes all saved anchors of the kinds `contract` and `ci` from the notebook\n\
         reads the files they point to, and compares the hashes of their lines"
    );
}

#[test]
fn pack_step_described() {
    assert_eq!(
        touches(
            "uses: pack\nwith: { goal: Retry, docs: ['docs/PLAN.md#retries'], files: { $ref: '#/steps/before/output/files' } }"
        ),
        "puts a context pack together for `Retry`, and keeps it\n\
         with the documents `docs/PLAN.md#retries`\n\
         with the files `files` of step `before`"
    );
}

#[test]
fn document_steps_described() {
    assert_eq!(
        touches(
            "uses: doc\nwith: { file: tasks.tron, statuses: [pending, blocked], tags: [api], text: login }"
        ),
        "takes the items of `tasks.tron` that are `pending` and `blocked` with the tags `api` that speak of `login`"
    );
    assert_eq!(
        touches("uses: doc\nwith: { file: { $ref: '#/inputs/focus' }, ids: [a] }"),
        "takes the items `a` of `src`"
    );
    assert_eq!(
        touches("uses: playbook\nwith: { file: p.json, any_tags: [db] }"),
        "takes the rules and warnings of `p.json` that are to be followed with one of the tags `db`"
    );
    assert_eq!(
        touches("uses: playbook\nwith: { file: p.json, kinds: [note] }"),
        "takes the entries of the kinds `note` of `p.json` that are to be followed"
    );
}

#[test]
fn program_steps_described() {
    assert_eq!(
        touches("uses: command\nwith: { argv: [cargo, test], cwd: crates }"),
        "starts a program in the folder `crates`, without a shell; name and arguments: `cargo` and `test`\n\
         what the program reads is up to the program"
    );
    assert_eq!(
        touches("uses: git\nwith: { show: changes, paths: [src] }"),
        "asks git for what changed since `HEAD` in `src`, committed or not"
    );
    assert_eq!(
        touches("uses: runbook\nwith: { name: other, inputs: { a: 1 } }"),
        "runs the runbook `other`, giving it `a`\n`windlass plan other --explain` shows what it reads"
    );
    assert_eq!(
        touches(
            "uses: select\nwith: { from: { $ref: '#/steps/before/output' }, path: '$.files[*]' }"
        ),
        "reads no files: picks `$.files[*]` out of the output of step `before`"
    );
    assert_eq!(
        touches(
            "uses: join\nwith: { left: { $ref: '#/steps/found/output/matches' }, right: [1], on: /file }"
        ),
        "reads no files: joins `matches` of step `found` with `1` where the values at `/file` are the same"
    );
}
