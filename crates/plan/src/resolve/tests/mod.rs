mod bounds;
mod graph;
mod plugins;
mod references;
mod sections;

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::json;

use crate::tests::shown;
use crate::{Catalog, Effects, InputReading, KindSpec, Lookup, Plan, Way, load_runbook};

fn kind(name: &str, input: serde_json::Value, output: serde_json::Value) -> KindSpec {
    KindSpec {
        name: name.to_owned(),
        summary: format!("does {name}"),
        input_schema: input,
        output_schema: output.into(),
        main: (name == "search").then(|| "matches".to_owned()),
        effects: Effects {
            reads_files: true,
            runs_processes: name == "command",
            nested: false,
            reproducible: true,
        },
        asks: BTreeSet::new(),
        worst_first: false,
        reads: InputReading::default(),
    }
}

fn looks_up(with: &serde_json::Value) -> Vec<Lookup<'_>> {
    let mut ways = match with.get("path").and_then(|path| path.as_str()) {
        Some(text) => vec![Way::Path { at: "path", text }],
        None => vec![Way::Elements],
    };
    if let Some(text) = with.get("key").and_then(|key| key.as_str()) {
        ways.push(Way::Pointer { at: "key", text });
    }
    vec![Lookup { of: "from", ways }]
}

pub(crate) fn catalog() -> Catalog {
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    Catalog::from_iter([
        kind("pick", json!(true), json!(true)).looking_up(looks_up),
        kind(
            "search",
            json!({
                "type": "object",
                "properties": {
                    "pattern": { "type": "string", "description": "What to look for.\nAs a regex." },
                    "paths": { "anyOf": [strings, { "type": "null" }] },
                    "max": { "type": ["integer", "null"], "minimum": 1 },
                    "mode": { "oneOf": [
                        { "const": "regex", "description": "A regex." },
                        { "const": "literal", "description": "A text." },
                    ] },
                },
                "required": ["pattern"],
                "additionalProperties": false,
            }),
            json!({
                "type": "object",
                "$defs": { "Match": {
                    "type": "object",
                    "properties": {
                        "file": { "type": "string" },
                        "line": { "type": "integer" },
                        "more": { "type": "object" },
                    },
                    "required": ["file", "line"],
                } },
                "properties": {
                    "matches": { "type": "array", "items": { "$ref": "#/$defs/Match" } },
                    "files": strings,
                    "total": { "type": "integer" },
                },
            }),
        ),
        kind(
            "files",
            json!({ "type": "object", "properties": { "files": strings }, "required": ["files"] }),
            json!({ "type": "object", "properties": { "text": { "type": "string" } } }),
        ),
        kind(
            "command",
            json!({ "type": "object" }),
            json!({ "type": "object" }),
        ),
        kind("plugin:codeowners@1", json!(true), json!(true)),
    ])
}

pub(crate) fn load(text: &str) -> Result<(Plan, String), String> {
    load_runbook("rb.yaml", text.as_bytes(), &catalog())
        .map(|(plan, warnings)| (plan, shown(&warnings)))
        .map_err(|found| shown(&found))
}

fn check(rest: &str) -> String {
    match load(&format!("schema_version: 1\nid: rb\n{rest}")) {
        Ok((_, warnings)) if warnings.is_empty() => "fine".to_owned(),
        Ok((_, warnings)) => warnings,
        Err(found) => found,
    }
}

/// Returns the findings about a step that follows a search called `look-up`.
///
/// `step` is the step's text, i.e. `with`, `if` and so on.
fn check_step(step: &str) -> String {
    let indented = step.replace('\n', "\n    ");
    check(&format!(
        "inputs: {{ focus: {{ default: src }}, names: {{ type: array }} }}\n\
         steps:\n  - {{ id: look-up, uses: search, with: {{ pattern: x }} }}\n  - id: it\n    {indented}\n\
         outputs:\n  - {{ id: it, from: it }}\n"
    ))
    .lines()
    .filter(|line| !line.contains("unused-input") && !line.contains("#/inputs/focus' }`, or remove") && !line.contains("#/inputs/names' }`, or remove") && !line.contains("unused-step") && !line.contains("show it in `outputs`"))
    .collect::<Vec<_>>()
    .join("\n")
}

pub(crate) const EXAMPLE: &str = include_str!("api_contracts.yaml");

#[test]
fn runbook_example_planned() {
    let (plan, warnings) = load(EXAMPLE).unwrap();
    assert_eq!(warnings, "");
    let steps = plan
        .iter()
        .map(|(at, step)| format!("{at} {} needs {:?}\n", step.id, step.needs));
    assert_snapshot!(steps.collect::<String>(), @"
    0 routes needs []
    1 owners needs [StepIndex(0)]
    2 each needs [StepIndex(0), StepIndex(1)]
    3 tidy needs [StepIndex(2)]
    ");
    let reasons = plan.reasons(plan.find("each").unwrap(), plan.find("routes").unwrap());
    let places = reasons
        .iter()
        .map(|reason| reason.place().unwrap().to_string());
    assert_eq!(
        places.collect::<Vec<_>>(),
        ["rb.yaml:25:23", "rb.yaml:27:9"]
    );
    assert_eq!(plan.layers().len(), 4);
    assert_eq!(plan.dependents(plan.find("routes").unwrap()).len(), 2);
}

#[test]
fn format_errors_all_reported() {
    assert_snapshot!(check("titel: x\nsteps:\n  - id: a\n    uze: search\n    timeout: 5\n    needs: b\n  - uses: search\n    retry: { max_attempts: 50 }\n  - 7\noutputs: {}\npolicy: { freshness: strikt, noise_budget: 2, budget: [] }\ninputs: { a: { type: text, requird: true } }\n"), @"
    rb.yaml:3:1: error[unknown-field]: there is no field `titel`
      help: did you mean `title`?
    rb.yaml:5:5: error[missing-field]: item 1 of `steps`: the field `uses` is missing
      help: add `uses: …` (Step kind: `search`, `plugin:codeowners@1`)
    rb.yaml:6:5: error[unknown-field]: there is no field `uze`
      help: the fields are `id`, `uses`, `with`, `needs`, `if`, `for_each`, `timeout`, `max_duration`, `retry`, `on_failure`
    rb.yaml:7:14: error[wrong-type]: `timeout`: expected a string, found the number 5
      help: write it like `250ms`
    rb.yaml:8:12: error[wrong-type]: `needs`: expected a list, found the string `b`
      help: write a list: `[b]`
    rb.yaml:9:5: error[missing-field]: `search`: the field `pattern` is missing
      help: add `pattern: …` (What to look for)
    rb.yaml:9:5: error[missing-field]: item 2 of `steps`: the field `id` is missing
      help: add `id: …` (Name, unique in the runbook)
    rb.yaml:10:28: error[out-of-range]: `max_attempts`: expected a number from 1 to 20, found 50
    rb.yaml:11:5: error[wrong-type]: item 3 of `steps`: expected a mapping, found the number 7
    rb.yaml:12:10: error[wrong-type]: `outputs`: expected a list, found a mapping
    rb.yaml:13:22: error[not-allowed]: `freshness`: expected one of `strict`, `repair`, `report`, found the string `strikt`
      help: did you mean `strict`?
    rb.yaml:13:44: error[out-of-range]: `noise_budget`: expected a number from 0 to 1, found 2
    rb.yaml:13:55: error[wrong-type]: `budget`: expected a mapping, found a list
    rb.yaml:14:22: error[not-allowed]: `type`: expected one of `string`, `integer`, `boolean`, `array`, found the string `text`
    rb.yaml:14:28: error[unknown-field]: there is no field `requird`
      help: did you mean `required`?
    ");
    assert_snapshot!(load("id: x\nsteps: []\n").unwrap_err(), @"
    rb.yaml:1:1: error[missing-version]: the field `schema_version` is missing
      help: add `schema_version: 1` as the first line
    ");
    assert_snapshot!(load("schema_version: 2\nid: x\nunknown: 1\n").unwrap_err(), @"
    rb.yaml:1:17: error[newer-version]: this runbook has schema_version 2; this program reads 1
      help: update windlass, or use the version of the file that fits this program
    ");
    assert_snapshot!(load("schema_version: '1'\nid: x\n").unwrap_err(), @"
    rb.yaml:1:1: error[missing-field]: the field `steps` is missing
      help: add `steps: …` (Steps, in reading order; they run as their needs allow)
    rb.yaml:1:17: error[wrong-type]: `schema_version`: expected an integer, found the string `1`
    ");
    assert_snapshot!(load("- a\n").unwrap_err(), @"
    rb.yaml:1:1: error[wrong-type]: a runbook is a mapping of fields
      help: start it with `schema_version: 1`, `id: …` and `steps: …`
    ");
    assert_snapshot!(load("---\n").unwrap_err(), @"
    rb.yaml:2:1: error[wrong-type]: a runbook is a mapping of fields
      help: start it with `schema_version: 1`, `id: …` and `steps: …`
    ");
}

#[test]
fn format_and_meaning_both_checked() {
    assert_snapshot!(check("steps:\n  - { id: a, uses: serach, tiemout: 5s }\n  - { id: b, uses: search, with: { pattern: { $ref: '#/steps/c/output' } } }\n"), @"
    rb.yaml:4:20: error[unknown-step-kind]: there is no step kind `serach`
      help: did you mean `search`?
    rb.yaml:4:28: error[unknown-field]: there is no field `tiemout`
      help: did you mean `timeout`?
    rb.yaml:5:53: error[unknown-step]: there is no step `c`
      help: the steps are `a`, `b`
    ");
}

#[test]
fn kinds_and_arguments_checked() {
    assert_snapshot!(check_step("uses: serach"), @"
    rb.yaml:7:11: error[unknown-step-kind]: there is no step kind `serach`
      help: did you mean `search`?
    ");
    assert_snapshot!(check_step("uses: docker"), @"
    rb.yaml:7:11: error[unknown-step-kind]: there is no step kind `docker`
      help: the step kinds are `command`, `files`, `pick`, `plugin:codeowners@1`, `search`
    ");
    assert_snapshot!(check_step("uses: plugin:codeowner@1"), @"
    rb.yaml:7:11: error[unknown-step-kind]: there is no step kind `plugin:codeowner@1`
      help: did you mean `plugin:codeowners@1`?
    ");
    assert_snapshot!(check_step("uses: search"), @"
    rb.yaml:7:5: error[missing-field]: `search`: the field `pattern` is missing
      help: add `pattern: …` (What to look for)
    ");
    assert_snapshot!(check_step("uses: search\nwith: { patern: x, max: 0, mode: rejex, paths: src }"), @"
    rb.yaml:8:5: error[missing-field]: `search`: the field `pattern` is missing
      help: add `pattern: …` (What to look for)
    rb.yaml:8:13: error[unknown-field]: there is no field `patern`
      help: did you mean `pattern`?
    rb.yaml:8:29: error[out-of-range]: `max`: expected a number of at least 1, found 0
    rb.yaml:8:38: error[not-allowed]: `mode`: expected one of `regex`, `literal`, found the string `rejex`
      help: did you mean `regex`?
    rb.yaml:8:52: error[wrong-type]: `paths`: expected a list, found the string `src`
      help: write a list: `[src]`
    ");
    assert_snapshot!(check_step("uses: search\nwith: { pattern: 5, paths: [1], max: 1.5, mode: 1 }"), @"
    rb.yaml:8:22: error[wrong-type]: `pattern`: expected a string, found the number 5
      help: put the value in quotes
    rb.yaml:8:33: error[wrong-type]: item 1 of `paths`: expected a string, found the number 1
      help: put the value in quotes
    rb.yaml:8:42: error[wrong-type]: `max`: expected an integer, found the number 1.5
    rb.yaml:8:53: error[not-allowed]: `mode`: expected one of `regex`, `literal`, found the number 1
    ");
    assert_snapshot!(check_step("uses: search\nwith: { pattern: { $ref: '#/inputs/focus' }, mode: { $ref: '#/inputs/focus' }, max: { $ref: '#/steps/look-up/output/total' } }"), @"");
}
