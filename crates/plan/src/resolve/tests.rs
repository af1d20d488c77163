use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::json;

use crate::testing::shown;
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

/// Picks from `from` what `path` selects, and looks at `key` in it.
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

/// The findings about a runbook; its head is added.
fn check(rest: &str) -> String {
    match load(&format!("schema_version: 1\nid: rb\n{rest}")) {
        Ok((_, warnings)) if warnings.is_empty() => "fine".to_owned(),
        Ok((_, warnings)) => warnings,
        Err(found) => found,
    }
}

/// The findings about `with`, `if` and so on of a step that follows a search called `look-up`.
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

pub(crate) const EXAMPLE: &str = "\
schema_version: 1
id: api-contracts
title: API contracts
purpose: What callers of the HTTP API may rely on.
inputs:
  focus: { type: string, default: crates/api, description: the crate to look at }
policy:
  budget: { max_chars: 6000 }
  freshness: repair
  noise_budget: 0.2
steps:
  - id: routes
    uses: search
    with:
      pattern: 'Router::new'
      paths: [{ $ref: '#/inputs/focus' }]
  - id: owners
    uses: plugin:codeowners@1
    with: { files: { $ref: '#/steps/routes/output/files' } }
    timeout: 5s
    retry: { max_attempts: 3, backoff: 200ms }
    on_failure: continue
  - id: each
    uses: files
    for_each: { $ref: '#/steps/routes/output/matches' }
    with: { files: [{ $ref: '#/item/file' }] }
    if: steps.routes.output.total > 0 and steps.owners.status == 'completed'
finally:
  - { id: tidy, uses: command, needs: [each] }
outputs:
  - { id: routes, title: Routes, from: routes, select: '$.matches[*]', limit: 20, sort: /file }
  - { id: texts, from: each, select: '$[*].text' }
";

#[test]
fn a_whole_runbook_becomes_a_plan() {
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
fn the_form_is_checked_all_at_once() {
    assert_snapshot!(check("titel: x\nsteps:\n  - id: a\n    uze: search\n    timeout: 5\n    needs: b\n  - uses: search\n    retry: { max_attempts: 50 }\n  - 7\noutputs: {}\npolicy: { freshness: strikt, noise_budget: 2, budget: [] }\ninputs: { a: { type: text, requird: true } }\n"), @"
    rb.yaml:3:1: error[unknown-field]: there is no field `titel`
      help: did you mean `title`?
    rb.yaml:5:5: error[missing-field]: item 1 of `steps`: the field `uses` is missing
      help: add `uses: …` (The step kind: `search`, `plugin:codeowners@1`)
    rb.yaml:6:5: error[unknown-field]: there is no field `uze`
      help: the fields are `id`, `uses`, `with`, `needs`, `if`, `for_each`, `timeout`, `max_duration`, `retry`, `on_failure`
    rb.yaml:7:14: error[wrong-type]: `timeout`: expected a string, found the number 5
      help: write it like `250ms`
    rb.yaml:8:12: error[wrong-type]: `needs`: expected a list, found the string `b`
      help: write a list: `[b]`
    rb.yaml:9:5: error[missing-field]: `search`: the field `pattern` is missing
      help: add `pattern: …` (What to look for)
    rb.yaml:9:5: error[missing-field]: item 2 of `steps`: the field `id` is missing
      help: add `id: …` (Its name, unique in the runbook)
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
      help: add `steps: …` (The steps, in the order a reader should meet them; they run as their needs allow)
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
fn form_and_meaning_are_checked_together() {
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
fn kinds_and_arguments_are_checked() {
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

#[test]
fn references_are_checked_against_what_they_lead_to() {
    let reference = |to: &str| {
        check_step(&format!(
            "uses: search\nwith: {{ pattern: {{ $ref: '{to}' }} }}"
        ))
    };
    assert_snapshot!(reference("#/steps/look-up/output/matches/0/file"), @"");
    assert_snapshot!(reference("#/steps/look-up/output/matches/0/flie"), @"
    rb.yaml:8:30: error[unknown-field]: the output of step `look-up` (`search`) has no `flie` there
      help: did you mean `file`?
    ");
    assert_snapshot!(reference("#/steps/look-up/output/matches/x"), @"
    rb.yaml:8:30: error[unknown-field]: the output of step `look-up` (`search`) has no `x` there
      help: nothing stands inside this value
    ");
    assert_snapshot!(reference("#/steps/look-up/output/files"), @"rb.yaml:8:30: error[wrong-type]: `#/steps/look-up/output/files` is a list, and a string is expected here");
    assert_snapshot!(reference("#/steps/look-up/output/matches/0/file/x"), @"
    rb.yaml:8:30: error[unknown-field]: the output of step `look-up` (`search`) has no `x` there
      help: nothing stands inside this value
    ");
    assert_snapshot!(reference("#/steps/lookup/output"), @"
    rb.yaml:8:30: error[unknown-step]: there is no step `lookup`
      help: did you mean `look-up`?
    ");
    assert_snapshot!(reference("#/steps/it/output"), @"
    rb.yaml:8:30: error[self-reference]: step `it` needs itself
      help: remove the reference, or name another step
    rb.yaml:8:30: error[wrong-type]: `#/steps/it/output` is a mapping, and a string is expected here
    ");
    assert_snapshot!(reference("#/inputs/fokus"), @"
    rb.yaml:8:30: error[unknown-input]: there is no input `fokus`
      help: did you mean `focus`?
    ");
    assert_snapshot!(reference("#/inputs/focus/x"), @"
    rb.yaml:8:30: error[unknown-field]: input `focus` is a string: it has no `x`
      help: write `#/inputs/focus`
    ");
    assert_snapshot!(reference("#/inputs/names"), @"rb.yaml:8:30: error[wrong-type]: `#/inputs/names` is a list, and a string is expected here");
    assert_snapshot!(reference("#/item"), @"
    rb.yaml:8:30: error[no-loop]: `#/item` is known only in `with` and `if` of a step with `for_each`
      help: add `for_each` to the step, or refer to something else
    ");
    assert_snapshot!(reference("inputs/focus"), @"
    rb.yaml:8:30: error[bad-reference]: `inputs/focus` is not a reference: it must start with `#/`
      help: write `#/inputs/NAME` or `#/steps/ID/output/…`
    ");
    assert_snapshot!(reference("#/steps/look-up/data"), @"
    rb.yaml:8:30: error[bad-reference]: `#/steps/look-up/data` is not a reference: write `#/steps/ID/output/…` or `#/steps/ID/status`
      help: write `#/inputs/NAME` or `#/steps/ID/output/…`
    ");
    assert_snapshot!(check_step("uses: files\nwith: { files: { $ref: '#/inputs/focus' } }"), @"
    rb.yaml:8:28: error[wrong-type]: `#/inputs/focus` is a string, and a list is expected here
      help: write a list: `[{ $ref: '#/inputs/focus' }]`
    ");
    assert_snapshot!(check_step("uses: files\nwith: { files: { $ref: '#/inputs/names', $default: x } }"), @"rb.yaml:8:56: error[wrong-type]: the default is a string, and a list is expected here");
    assert_snapshot!(check_step("uses: files\nwith: { files: [{ $ref: '#/inputs/focus', default: x }] }"), @"
    rb.yaml:8:21: warning[literal-reference]: this is taken as it is, not as a reference
      help: a reference has the keys `$ref` and, if need be, `$default`, and no others
    rb.yaml:8:21: error[wrong-type]: item 1 of `files`: expected a string, found a mapping
    ");
    assert_snapshot!(check_step("uses: files\nwith: { files: [{ $ref: 7 }] }"), @"
    rb.yaml:8:29: error[bad-reference]: `$ref` must be a string
      help: write `#/inputs/NAME` or `#/steps/ID/output/…`
    ");
}

#[test]
fn keys_are_checked_against_what_they_are_looked_up_in() {
    let pick = |with: &str| check_step(&format!("uses: pick\nwith: {{ {with} }}"));
    let matches = "from: { $ref: '#/steps/look-up/output/matches' }";
    assert_snapshot!(pick(&format!("{matches}, key: /file")), @"");
    assert_snapshot!(pick(&format!("{matches}, key: ''")), @"");
    assert_snapshot!(pick(&format!("{matches}, key: /flie")), @"
    rb.yaml:8:68: error[unknown-field]: what `from` brings (`#/steps/look-up/output/matches`) has nothing at `/flie`
      help: did you mean `/file`?
    ");
    assert_snapshot!(pick(&format!("{matches}, key: /a~1b")), @"
    rb.yaml:8:68: error[unknown-field]: what `from` brings (`#/steps/look-up/output/matches`) has nothing at `/a~1b`
      help: it has `/file`, `/line`, `/more`
    ");
    assert_snapshot!(pick(&format!("{matches}, key: /file/name")), @"
    rb.yaml:8:68: error[unknown-field]: what `from` brings (`#/steps/look-up/output/matches`) has nothing at `/file/name`
      help: nothing stands inside this value
    ");
    let whole = "from: { $ref: '#/steps/look-up/output' }";
    assert_snapshot!(pick(&format!("{whole}, path: '$.machtes[*]', key: /x")), @"
    rb.yaml:8:61: error[unknown-field]: what `from` brings (`#/steps/look-up/output`) has no `machtes` there
      help: did you mean `matches`?
    ");
    assert_snapshot!(pick(&format!("{whole}, path: '$.matches[*]', key: /lien")), @"
    rb.yaml:8:82: error[unknown-field]: what `from` brings (`#/steps/look-up/output`) has nothing at `/lien`
      help: did you mean `/line`?
    ");
    // The same key once more is not told again, but counted.
    let steps: String = (0..300)
        .map(|at| format!("  - {{ id: p{at}, uses: pick, with: {{ {matches}, key: /flie }} }}\n"))
        .collect();
    let found = check(&format!(
        "steps:\n  - {{ id: look-up, uses: search, with: {{ pattern: x }} }}\n{steps}"
    ));
    assert_eq!(found.matches("has nothing at `/flie`").count(), 200);
    assert!(found.contains("and 101 more"), "{found}");
}

#[test]
fn of_what_is_not_known_a_key_may_be_anything() {
    for with in [
        // Where anything may stand inside.
        "from: { $ref: '#/steps/look-up/output/matches' }, key: /more/x/y",
        "from: { $ref: '#/steps/look-up/output/matches' }, path: '$[?@.file].x', key: /y",
        "from: { $ref: '#/steps/look-up/output' }, path: '$..file', key: /y",
        "from: { $ref: '#/inputs/names' }, key: /x",
        "from: [{ $ref: '#/steps/look-up/output/matches' }], key: /x",
        // Where something else may come in its stead.
        "from: { $ref: '#/steps/look-up/output/matches', $default: [{ x: 1 }] }, key: /x",
        // Where it comes from a program's free words.
        "from: { $ref: '#/steps/look-up/output/matches' }, key: { $ref: '#/inputs/focus' }",
    ] {
        assert_eq!(
            check_step(&format!("uses: pick\nwith: {{ {with} }}")),
            "",
            "{with}"
        );
    }
    // Of nothing, nothing is said either; a default that is empty brings nothing.
    let with = "from: { $ref: '#/steps/look-up/output/matches', $default: [] }, key: /x";
    let found = check_step(&format!("uses: pick\nwith: {{ {with} }}"));
    assert!(found.contains("has nothing at `/x`"), "{found}");
}

#[test]
fn what_is_taken_of_an_item_is_checked() {
    let with = |items: &str, reference: &str| {
        check_step(&format!(
            "uses: search\nfor_each: {items}\nwith: {{ pattern: {{ {reference} }} }}"
        ))
    };
    let matches = "{ $ref: '#/steps/look-up/output/matches' }";
    assert_eq!(with(matches, "$ref: '#/item/file'"), "");
    assert_snapshot!(with(matches, "$ref: '#/item/fiel'"), @"
    rb.yaml:9:30: error[unknown-field]: an item of `#/steps/look-up/output/matches` has no `fiel` there
      help: did you mean `file`?
    ");
    assert_snapshot!(with(matches, "$ref: '#/item'"), @"rb.yaml:9:30: error[wrong-type]: `#/item` is a mapping, and a string is expected here");
    assert_snapshot!(with("{ $ref: '#/inputs/names' }", "$ref: '#/item/x'"), @"
    rb.yaml:9:30: error[unknown-field]: the items of input `names` are strings: they have no `x`
      help: write `#/item`
    ");
    assert_snapshot!(with("[{ f: a }, { g: b }, { $ref: '#/inputs/focus' }]", "$ref: '#/item/x'"), @"");
    assert_snapshot!(with("[{ f: a }, { g: b }]", "$ref: '#/item/f'"), @"
    rb.yaml:9:30: error[unknown-field]: item 1 of `for_each` has no `f`
      help: write `$default` beside the reference, or give every item that field
    ");
    assert_eq!(
        with("[{ f: a }, { g: b }]", "$ref: '#/item/f', $default: a"),
        ""
    );
    assert_snapshot!(with("[{ f: a }, { g: b }]", "$ref: '#/item/h', $default: a"), @"
    rb.yaml:9:30: error[unknown-field]: no item of `for_each` has `h`
      help: write `$default` beside the reference, or give every item that field
    ");
    assert_snapshot!(with("[{ f: 1 }]", "$ref: '#/item/f'"), @"rb.yaml:9:30: error[wrong-type]: `#/item/f` is an integer, and a string is expected here");
    let condition = |text: &str| {
        check_step(&format!(
            "uses: search\nfor_each: {matches}\nif: {text}\nwith: {{ pattern: {{ $ref: '#/item/file' }} }}"
        ))
    };
    assert_eq!(condition("item.file == 'x'"), "");
    assert_snapshot!(condition("item.nofield == 'x'"), @"
    rb.yaml:9:9: error[unknown-field]: an item of `#/steps/look-up/output/matches` has no `nofield` there
      help: it has `file`, `line`, `more`
    ");
}

#[test]
fn loops_are_checked() {
    assert_snapshot!(check_step("uses: files\nfor_each: { $ref: '#/inputs/names' }\nwith: { files: [{ $ref: '#/item' }, { $ref: '#/index' }] }"), @"rb.yaml:9:49: error[wrong-type]: `#/index` is an integer, and a string is expected here");
    assert_snapshot!(check_step("uses: files\nfor_each: { $ref: '#/inputs/focus' }\nwith: { files: [] }"), @"
    rb.yaml:8:23: error[wrong-type]: `#/inputs/focus` is a string, and a list is expected here
      help: write a list: `[{ $ref: '#/inputs/focus' }]`
    ");
    assert_snapshot!(check_step("uses: files\nfor_each: src\nwith: { files: [] }"), @"
    rb.yaml:8:15: error[wrong-type]: `for_each`: expected a list or a mapping, found the string `src`
      help: write a list: `[src]`
    ");
    assert_snapshot!(check_step("uses: files\nfor_each: { a: 1 }\nwith: { files: [] }"), @"
    rb.yaml:8:5: error[missing-field]: `for_each`: the field `$ref` is missing
      help: add `$ref: …` (A JSON pointer (RFC 6901) after `#`)
    rb.yaml:8:17: error[unknown-field]: there is no field `a`
      help: the fields are `$ref`, `$default`
    ");
    assert_snapshot!(check_step("uses: files\nfor_each: [{ $ref: '#/item' }]\nwith: { files: [] }"), @"
    rb.yaml:8:24: error[no-loop]: `#/item` is known only in `with` and `if` of a step with `for_each`
      help: add `for_each` to the step, or refer to something else
    ");
    assert_snapshot!(check("steps:\n  - { id: a, uses: files, for_each: [x], with: { files: [] } }\n  - { id: b, uses: search, with: { pattern: { $ref: '#/steps/a/output/text' } } }\noutputs:\n  - { id: a, from: a, select: '$.text' }\n  - { id: b, from: b }\n"), @"
    rb.yaml:5:53: error[unknown-field]: step `a` has `for_each`: its output is a list, and `text` is no index
      help: write `#/steps/a/output/0/text`, or use the whole list
    rb.yaml:7:31: error[unreachable-output]: step `a` has `for_each`: its output is a list, and has no `text`
      help: write `$[*].text`
    ");
}

#[test]
fn conditions_are_checked() {
    let condition = |text: &str| check_step(&format!("uses: command\nif: {text}"));
    assert_snapshot!(condition("steps['look-up'].output.total > 0 and 'x' in inputs.names"), @"");
    assert_snapshot!(condition("steps['look-up'].output.totl > 0"), @"
    rb.yaml:8:9: error[unknown-field]: the output of step `look-up` (`search`) has no `totl` there
      help: did you mean `total`?
    ");
    assert_snapshot!(condition("steps.look-up.output.total > 0"), @"
    rb.yaml:8:20: error[bad-condition]: there is no name `up`
      help: a name with `-` stands in brackets: `steps['my-step'].output`
    ");
    assert_snapshot!(condition("steps['look-up'] is defined"), @"
    rb.yaml:8:9: error[bad-condition]: of step `look-up`, a condition can see `output` and `status`
      help: write `steps['look-up'].output` or `steps['look-up'].status`
    ");
    assert_snapshot!(condition("steps[inputs.focus].output"), @"
    rb.yaml:8:9: error[bad-condition]: `steps` must be followed by a name
      help: write `steps.ID.output` or `steps['ID'].output`, with the name as it is: it cannot be computed
    ");
    assert_snapshot!(condition("inputs.fokus == 'a'"), @"
    rb.yaml:8:9: error[unknown-input]: there is no input `fokus`
      help: did you mean `focus`?
    ");
    assert_snapshot!(condition("input.focus == 'a'"), @"
    rb.yaml:8:9: error[bad-condition]: there is no name `input`
      help: did you mean `inputs`?
    ");
    assert_snapshot!(condition("focus == 'a'"), @"
    rb.yaml:8:9: error[bad-condition]: there is no name `focus`
      help: a condition starts from `inputs.NAME`, `steps.ID.output`, `steps.ID.status`, `item` or `index`; texts stand in quotes
    ");
    assert_snapshot!(condition("item == 1"), @"
    rb.yaml:8:9: error[no-loop]: `item` is known only in a step with `for_each`
      help: add `for_each` to the step
    ");
    assert_snapshot!(condition("range(10)"), @"
    rb.yaml:8:9: error[bad-condition]: there is no name `range`
      help: a condition starts from `inputs.NAME`, `steps.ID.output`, `steps.ID.status`, `item` or `index`; texts stand in quotes
    ");
    assert_snapshot!(condition("inputs.focus | uper == 'A'"), @"
    rb.yaml:8:24: error[bad-condition]: there is no filter `uper`
      help: did you mean `upper`?
    ");
    assert_snapshot!(condition("inputs.focus is strnig"), @"
    rb.yaml:8:25: error[bad-condition]: there is no test `strnig`
      help: did you mean `string`?
    ");
    assert_snapshot!(condition("inputs.focus =="), @"
    rb.yaml:8:9: error[bad-condition]: this is not an expression: unexpected end of input, expected expression
      help: an expression looks like `inputs.deep and steps.routes.output.total > 0`
    ");
    assert_snapshot!(condition("\"{{ inputs.focus }}\""), @"
    rb.yaml:8:9: error[bad-condition]: this is not an expression: unexpected `}`, expected `:`
      help: write the expression without braces: `steps.routes.output.total > 0`
    ");
    assert_snapshot!(condition("'1 == 2'"), @"
    rb.yaml:8:9: warning[constant-condition]: this step never runs
      help: remove the condition, or the step
    rb.yaml:10:21: warning[unreachable-output]: step `it` never runs, so this section stays empty
      help: remove the section, or the condition of the step
    ");
    assert_snapshot!(condition("false"), @"
    rb.yaml:8:9: error[wrong-type]: `if`: expected a string, found `false`
      help: put the value in quotes
    ");
}

#[test]
fn the_graph_is_checked() {
    assert_snapshot!(check("steps:\n  - { id: a, uses: command, needs: [b] }\n  - { id: b, uses: command, if: steps.c.status == 'failed' }\n  - { id: c, uses: command, with: { x: { $ref: '#/steps/a/output' } } }\n  - { id: d, uses: command, needs: [e, d] }\n  - { id: e, uses: command, needs: [d, zz] }\n"), @"
    rb.yaml:2:5: warning[no-outputs]: this runbook shows nothing
      help: add `outputs` with the sections to show
    rb.yaml:4:37: error[cycle]: the steps need each other in a circle: a -> b -> c -> a
      see rb.yaml:5:33: `b` needs `c` here
      see rb.yaml:6:48: `c` needs `a` here
      help: `a -> b` means that `a` needs `b`: remove one of these needs
    rb.yaml:7:37: error[cycle]: the steps need each other in a circle: d -> e -> d
      see rb.yaml:8:37: `e` needs `d` here
      help: `a -> b` means that `a` needs `b`: remove one of these needs
    rb.yaml:7:40: error[self-reference]: step `d` needs itself
      help: remove the reference, or name another step
    rb.yaml:8:40: error[unknown-step]: there is no step `zz`
      help: the steps are `a`, `b`, `c`, `d`, `e`
    ");
    assert_snapshot!(check("steps:\n  - { id: a, uses: command }\n  - { id: a, uses: command }\n  - { id: ü, uses: command, needs: [f] }\nfinally:\n  - { id: f, uses: command, needs: [a] }\n"), @"
    rb.yaml:2:5: warning[no-outputs]: this runbook shows nothing
      help: add `outputs` with the sections to show
    rb.yaml:5:11: error[duplicate-step]: there are two steps called `a`
      see rb.yaml:4:11: the first one
      help: give one of them another id
    rb.yaml:6:11: error[bad-id]: `ü` cannot be the id of a step: `ü` may not stand in an identifier: letters, digits, `_`, and after the first `.` and `-`
      help: use letters, digits, `_`, `.` and `-`, at most 128 of them
    rb.yaml:6:37: error[needs-finally]: step `_2` needs `f`, which runs only when all others have ended
      help: move `f` from `finally` to `steps`, or `_2` to `finally`
    ");
}

#[test]
fn sections_are_checked() {
    let outputs = |text: &str| {
        check(&format!(
            "steps:\n  - {{ id: s, uses: search, with: {{ pattern: x }} }}\n  - {{ id: never, uses: command, if: 'false' }}\noutputs:\n{text}"
        ))
    };
    assert_snapshot!(outputs("  - { id: a, from: s, select: '$.matches[*].file' }\n  - { id: b, from: s, sort: -/line, limit: 3 }\n"), @"
    rb.yaml:5:37: warning[constant-condition]: this step never runs
      help: remove the condition, or the step
    ");
    assert_snapshot!(outputs("  - { id: a, from: s, select: '$.machtes[*]' }\n  - { id: a, from: t, sort: file, limit: 0 }\n  - { id: c, from: s, select: '$.matches[' }\n  - { id: d, from: s, select: '$.total[*]' }\n  - { id: e, from: never }\n"), @"
    rb.yaml:5:37: warning[constant-condition]: this step never runs
      help: remove the condition, or the step
    rb.yaml:7:31: error[unreachable-output]: the output of step `s` (`search`) has no `machtes` there
      help: did you mean `matches`?
    rb.yaml:8:11: error[duplicate-output]: there are two sections called `a`
      see rb.yaml:7:11: the first one
      help: give one of them another id
    rb.yaml:8:20: error[unknown-step]: there is no step `t`
      help: the steps are `never`, `s`
    rb.yaml:8:29: error[bad-sort]: this is not a JSON pointer
      help: write `/file`, or `-/score` for the largest first
    rb.yaml:8:42: error[out-of-range]: `limit`: expected a number from 1 to 1000000, found 0
    rb.yaml:9:31: error[bad-jsonpath]: this is not a JSONPath: parser error (at character 10)
      help: a JSONPath (RFC 9535) looks like `$.matches[*]`
    rb.yaml:10:31: error[unreachable-output]: the output of step `s` (`search`) has no `[*]` there
      help: nothing stands inside this value
    rb.yaml:11:20: warning[unreachable-output]: step `never` never runs, so this section stays empty
      help: remove the section, or the condition of the step
    ");
}

#[test]
fn what_sections_are_sorted_by_must_be_there() {
    let sorted = |output: &str| {
        check(&format!(
            "steps:\n  - {{ id: s, uses: search, with: {{ pattern: x }} }}\n  - {{ id: each, uses: search, for_each: [a], with: {{ pattern: x }} }}\n  - {{ id: c, uses: command }}\noutputs:\n  - {{ id: s, from: s }}\n  - {{ id: each, from: each }}\n  - {{ id: it, {output} }}\n"
        ))
    };
    for fine in [
        "from: s, sort: -/line",
        "from: s, sort: /more/x",
        "from: s, select: '$.matches[?@.line > 1]', sort: /x",
        "from: s, select: '$', sort: -/total",
        "from: each, sort: /file",
        "from: each, select: '$[*].matches[*]', sort: /file",
        "from: c, sort: /x",
    ] {
        assert_eq!(sorted(fine), "fine", "{fine}");
    }
    assert_snapshot!(sorted("from: s, sort: -/lien"), @"
    rb.yaml:10:30: error[unknown-field]: what this section shows of step `s` (`search`) has nothing at `-/lien`
      help: did you mean `-/line`?
    ");
    assert_snapshot!(sorted("from: s, select: '$.files[*]', sort: /file"), @"
    rb.yaml:10:52: error[unknown-field]: what this section shows of step `s` (`search`) has nothing at `/file`
      help: nothing stands inside this value
    ");
    assert_snapshot!(sorted("from: s, select: '$.matches[*]', sort: /total"), @"
    rb.yaml:10:54: error[unknown-field]: what this section shows of step `s` (`search`) has nothing at `/total`
      help: it has `/file`, `/line`, `/more`
    ");
    assert_snapshot!(sorted("from: each, sort: /total"), @"
    rb.yaml:10:33: error[unknown-field]: what this section shows of step `each` (`search`) has nothing at `/total`
      help: it has `/file`, `/line`, `/more`
    ");
}

#[test]
fn inputs_policy_and_times_are_checked() {
    assert_snapshot!(check("inputs:\n  n: { type: integer, default: x, enum: [1, b] }\n  'a b': {}\n  r: { default: 1, required: true }\n  size: { type: integer }\npolicy:\n  budget: { max_chars: { $ref: '#/inputs/size' }, max_tokens: 5 }\n  freshness: { $ref: '#/steps/a/status' }\n  max_items_per_section: { $ref: '#/inputs/nn' }\nsteps:\n  - id: a\n    uses: command\n    timeout: 5 minutes\n    max_duration: 0s\n    retry: { max_attempts: 2, backoff: 5s, max_backoff: 1s }\n  - { id: b, uses: command, timeout: 5s, max_duration: 1s }\n"), @r#"
    rb.yaml:2:5: warning[no-outputs]: this runbook shows nothing
      help: add `outputs` with the sections to show
    rb.yaml:4:3: warning[unused-input]: nothing uses the input `n`
      help: refer to it with `{ $ref: '#/inputs/n' }`, or remove it
    rb.yaml:4:32: error[bad-default]: the default does not fit: input `n` must be an integer within 2^53, not `x`
      help: change the default, the type or `enum`
    rb.yaml:4:45: error[wrong-type]: `"b"` is not of the type `integer`
      help: change the value or the type
    rb.yaml:5:3: error[bad-id]: `a b` cannot be the name of an input: ` ` may not stand in an identifier: letters, digits, `_`, and after the first `.` and `-`
      help: rename it
    rb.yaml:5:3: warning[unused-input]: nothing uses the input `a b`
      help: refer to it with `{ $ref: '#/inputs/a b' }`, or remove it
    rb.yaml:6:3: warning[unused-input]: nothing uses the input `r`
      help: refer to it with `{ $ref: '#/inputs/r' }`, or remove it
    rb.yaml:6:17: warning[useless-default]: input `r` is required, so its default is never used
      help: remove `required: true` or the default
    rb.yaml:9:63: error[two-budgets]: a budget counts characters or tokens, not both
      help: remove `max_chars` or `max_tokens`
    rb.yaml:10:22: error[bad-reference]: the policy can refer to inputs only
      help: it holds before any step runs: write `#/inputs/NAME`
    rb.yaml:11:34: error[unknown-input]: there is no input `nn`
      help: the inputs are `a b`, `n`, `r`, `size`
    rb.yaml:15:14: error[bad-duration]: `5 minutes` is not a duration
      help: write it like `250ms`, `5s`, `2m` or `1m30s`
    rb.yaml:16:19: error[bad-duration]: a duration must not be zero
      help: write it like `250ms`, `5s`, `2m` or `1m30s`
    rb.yaml:17:40: error[timeout-too-long]: the first wait is longer than the longest
      help: make `backoff` shorter or `max_backoff` longer
    rb.yaml:18:38: error[timeout-too-long]: one attempt may take longer (`timeout`) than all together (`max_duration`)
      help: make `timeout` shorter or `max_duration` longer
    "#);
}

#[test]
fn what_nobody_uses_is_a_warning() {
    assert_snapshot!(check("inputs: { x: {} }\nsteps:\n  - { id: s, uses: search, with: { pattern: x } }\n  - { id: t, uses: search, with: { pattern: x } }\n  - { id: c, uses: command }\noutputs:\n  - { id: t, from: t }\n"), @"
    rb.yaml:3:11: warning[unused-input]: nothing uses the input `x`
      help: refer to it with `{ $ref: '#/inputs/x' }`, or remove it
    rb.yaml:5:11: warning[unused-step]: nothing uses the output of step `s`
      help: show it in `outputs`, refer to it, or remove the step
    ");
    assert_snapshot!(check("steps: []\n"), @"
    rb.yaml:2:5: warning[no-outputs]: this runbook shows nothing
      help: add `outputs` with the sections to show
    ");
}

#[test]
fn findings_are_bounded() {
    let steps: String = (0..1000)
        .map(|at| format!("  - {{ id: s{at}, uses: x }}\n"))
        .collect();
    let found = check(&format!("steps:\n{steps}"));
    assert_eq!(found.matches("unknown-step-kind").count(), 200);
    assert!(
        found.ends_with("error[more]: and 801 more\n  help: fix these first, then check again\n"),
        "{found}"
    );
}

/// One mapping full of fields there are not; each of them by itself would take as long as all of them.
#[test]
fn many_fields_there_are_not_are_left_out_together() {
    let many = |count: usize, indent: &str| -> String {
        (0..count).map(|at| format!("{indent}k{at}: 1\n")).collect()
    };
    let steps = "steps:\n  - id: s\n    uses: serach\n";
    for (before, indent) in [("", ""), ("", "    "), ("policy:\n", "  ")] {
        let text = |count| match before {
            "" => format!("{steps}{}", many(count, indent)),
            before => format!("{before}{}{steps}", many(count, indent)),
        };
        // The rest is resolved, and what is wrong with it counted: 301 unknown fields would be 101.
        let found = check(&text(300));
        assert!(found.contains("[more]: and 10"), "{found}");
        let found = check(&text(100_000));
        assert_eq!(found.matches("[unknown-field]").count(), 200);
        assert!(found.contains("[more]: and at least 9800 more"), "{found}");
    }
}

#[test]
fn names_are_compared_as_long_as_there_are_not_too_many() {
    let long = "n".repeat(120);
    let inputs: String = (0..1000)
        .map(|at| format!("  {long}{at}: {{ type: string }}\n"))
        .collect();
    let refs = format!("{{ $ref: '#/inputs/{long}x' }}, ").repeat(100);
    let found = check(&format!(
        "inputs:\n{inputs}steps:\n  - {{ id: s, uses: search, with: {{ pattern: x, paths: [{refs}] }} }}\n"
    ));
    let suggested = found.matches("did you mean").count();
    assert!((1..10).contains(&suggested), "{suggested}");
    assert_eq!(found.matches("[unknown-input]").count(), 100);
}

#[test]
fn json_paths_are_bounded_together() {
    let path = format!("$.matches[?@.a == '{}']", "x".repeat(900));
    let outputs: String = (0..400)
        .map(|at| format!("  - {{ id: o{at}, from: s, select: \"{path}\" }}\n"))
        .collect();
    let found = check(&format!(
        "steps:\n  - {{ id: s, uses: search, with: {{ pattern: x }} }}\noutputs:\n{outputs}"
    ));
    assert!(found.contains("[too-long]"), "{found}");
}

#[test]
fn a_cycle_of_ten_thousand_steps_is_told_briefly() {
    let steps: String = (0..10_000)
        .map(|at| {
            format!(
                "  - {{ id: s{at}, uses: command, needs: [s{}] }}\n",
                (at + 1) % 10_000
            )
        })
        .collect();
    let found = check(&format!("steps:\n{steps}"));
    assert_snapshot!(found.lines().filter(|line| line.contains("cycle")).collect::<String>(), @"rb.yaml:4:38: error[cycle]: the steps need each other in a circle: s0 -> s1 -> s2 -> s3 -> s4 -> s5 -> s6 -> s7 -> s8 -> s9 -> s10 -> s11 -> … 9988 more … -> s0");
}

#[test]
fn a_hundred_thousand_steps_fit_a_document() {
    let steps: String = (0..100_000)
        .map(|at| format!("  - {{id: s{at}, uses: command}}\n"))
        .collect();
    let text = format!("schema_version: 1\nid: rb\nsteps:\n{steps}");
    assert!(text.len() < 4 * 1024 * 1024);
    assert_eq!(load(&text).unwrap().0.steps().len(), 100_000);
}

#[test]
fn deep_arguments_are_checked_to_the_bottom() {
    let schema = json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/T" }, "$defs": { "T": {
        "anyOf": [{ "type": "array", "items": { "$ref": "#/$defs/T" } }, { "type": "string" }],
    } } });
    let kinds = Catalog::from_iter([kind("deep", schema, json!(true))]);
    let text = |inside: &str| {
        let with = format!("{}{inside}{}", "[".repeat(58), "]".repeat(58));
        format!(
            "schema_version: 1\nid: rb\nsteps: [{{ id: a, uses: deep, with: {{ x: {with} }} }}]\n"
        )
    };
    let check = |inside: &str| load_runbook("rb.yaml", text(inside).as_bytes(), &kinds);
    assert!(check("a").is_ok());
    assert!(check("{ $ref: '#/inputs/y' }").is_err());
    let found = shown(&check("5").unwrap_err());
    assert!(found.contains("item 1 of"), "{found}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]

    /// However a runbook is damaged: it is a plan, or there is at least one error, each with a place.
    #[test]
    fn damaged_runbooks_are_answered(
        cuts in proptest::collection::vec((0usize..1200, 0usize..12, "[-a-z{}\\[\\]:,#'$/& \n*0-9]{0,6}"), 1..6),
    ) {
        let mut text = EXAMPLE.to_owned();
        for (at, length, insert) in cuts {
            let start = at.min(text.len());
            let end = (start + length).min(text.len());
            text.replace_range(start..end, &insert);
        }
        if let Err(found) = load_runbook("rb.yaml", text.as_bytes(), &catalog()) {
            proptest::prop_assert!(found.has_errors());
            proptest::prop_assert!(found.iter().all(|one| one.place.is_some()));
        }
    }
}

/// Knows two plugins: one that works on its input alone, and one that asks for something.
#[derive(Debug)]
struct Plugins;

impl crate::KindSource for Plugins {
    fn kind(&self, name: &str) -> Option<Result<std::sync::Arc<KindSpec>, crate::Problem>> {
        let plugin = name.strip_prefix("plugin:")?;
        let mut kind = kind(
            name,
            json!({ "type": "object", "required": ["n"] }),
            json!(true),
        );
        kind.asks = match plugin {
            "pure@1" => BTreeSet::new(),
            "reader@1" => [crate::Capability::Read, crate::Capability::List].into(),
            _ => {
                let message = format!("there is no plugin `{plugin}`");
                let (at, help) = (String::new(), Some("look again".to_owned()));
                return Some(Err(crate::Problem { at, message, help }));
            }
        };
        Some(Ok(std::sync::Arc::new(kind)))
    }
}

#[test]
fn plugins_are_looked_up_checked_and_asked_what_they_want() {
    let runbook = "schema_version: 1
id: r
permissions:
  plugins:
    reader: [read]
    nobody: [time]
steps:
  - { id: a, uses: 'plugin:pure@1' }
  - { id: b, uses: 'plugin:reader@1', with: { n: 1 } }
  - { id: c, uses: 'plugin:none@2' }
outputs:
  - { id: a, title: A, from: a }
";
    let catalog = catalog().with_source(std::sync::Arc::new(Plugins));
    let found = load_runbook("r.yaml", runbook.as_bytes(), &catalog).unwrap_err();
    assert_snapshot!(shown(&found), @"
    r.yaml:6:13: warning[unused-permission]: no step uses the plugin `nobody`
      help: leave out what nobody needs
    r.yaml:8:14: error[missing-field]: `plugin:pure@1`: the field `n` is missing
      help: add `n: …`
    r.yaml:9:11: warning[unused-step]: nothing uses the output of step `b`
      help: show it in `outputs`, refer to it, or remove the step
    r.yaml:9:20: error[not-permitted]: `plugin:reader@1` asks for what the runbook does not allow: list
      help: where it may have that, say so at the top: `permissions: { plugins: { 'reader': [read, list] } }`
    r.yaml:10:20: error[unusable-step-kind]: there is no plugin `none@2`
      help: look again
    ");
    let allowed = runbook
        .replace("[read]", "[list, read]")
        .replace("pure@1'", "pure@1', with: { n: 1 }")
        .replace("  - { id: c, uses: 'plugin:none@2' }\n", "");
    let (plan, found) = load_runbook("r.yaml", allowed.as_bytes(), &catalog).unwrap();
    let rules: Vec<&str> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["unused-permission", "unused-step"]);
    let of = |uses: &str| plan.permissions().of_kind(uses).len();
    assert_eq!(
        (of("plugin:reader@1"), of("plugin:pure@1"), of("reader")),
        (2, 0, 0)
    );
}
