//! Tests the targets of references.

use insta::assert_snapshot;

use super::*;

#[test]
fn reference_target_checked() {
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
      help: this value has no fields
    ");
    assert_snapshot!(reference("#/steps/look-up/output/files"), @"rb.yaml:8:30: error[wrong-type]: `#/steps/look-up/output/files` is a list, and a string is expected here");
    assert_snapshot!(reference("#/steps/look-up/output/matches/0/file/x"), @"
    rb.yaml:8:30: error[unknown-field]: the output of step `look-up` (`search`) has no `x` there
      help: this value has no fields
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
    rb.yaml:8:21: warning[literal-reference]: this is a literal, not a reference
      help: a reference has the keys `$ref` and, if need be, `$default`, and no others
    rb.yaml:8:21: error[wrong-type]: item 1 of `files`: expected a string, found a mapping
    ");
    assert_snapshot!(check_step("uses: files\nwith: { files: [{ $ref: 7 }] }"), @"
    rb.yaml:8:29: error[bad-reference]: `$ref` must be a string
      help: write `#/inputs/NAME` or `#/steps/ID/output/…`
    ");
}

#[test]
fn lookup_keys_checked() {
    let pick = |with: &str| check_step(&format!("uses: pick\nwith: {{ {with} }}"));
    let matches = "from: { $ref: '#/steps/look-up/output/matches' }";
    assert_snapshot!(pick(&format!("{matches}, key: /file")), @"");
    assert_snapshot!(pick(&format!("{matches}, key: ''")), @"");
    assert_snapshot!(pick(&format!("{matches}, key: /flie")), @"
    rb.yaml:8:68: error[unknown-field]: the value of `from` (`#/steps/look-up/output/matches`) has nothing at `/flie`
      help: did you mean `/file`?
    ");
    assert_snapshot!(pick(&format!("{matches}, key: /a~1b")), @"
    rb.yaml:8:68: error[unknown-field]: the value of `from` (`#/steps/look-up/output/matches`) has nothing at `/a~1b`
      help: it has `/file`, `/line`, `/more`
    ");
    assert_snapshot!(pick(&format!("{matches}, key: /file/name")), @"
    rb.yaml:8:68: error[unknown-field]: the value of `from` (`#/steps/look-up/output/matches`) has nothing at `/file/name`
      help: this value has no fields
    ");
    let whole = "from: { $ref: '#/steps/look-up/output' }";
    assert_snapshot!(pick(&format!("{whole}, path: '$.machtes[*]', key: /x")), @"
    rb.yaml:8:61: error[unknown-field]: the value of `from` (`#/steps/look-up/output`) has no `machtes` there
      help: did you mean `matches`?
    ");
    assert_snapshot!(pick(&format!("{whole}, path: '$.matches[*]', key: /lien")), @"
    rb.yaml:8:82: error[unknown-field]: the value of `from` (`#/steps/look-up/output`) has nothing at `/lien`
      help: did you mean `/line`?
    ");
    // If the same key is wrong many times, we only count the later errors.
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
fn lookup_unknown_shape_any_key() {
    for with in [
        // The value is a mapping that may have further fields.
        "from: { $ref: '#/steps/look-up/output/matches' }, key: /more/x/y",
        "from: { $ref: '#/steps/look-up/output/matches' }, path: '$[?@.file].x', key: /y",
        "from: { $ref: '#/steps/look-up/output' }, path: '$..file', key: /y",
        "from: { $ref: '#/inputs/names' }, key: /x",
        "from: [{ $ref: '#/steps/look-up/output/matches' }], key: /x",
        // The default has other fields.
        "from: { $ref: '#/steps/look-up/output/matches', $default: [{ x: 1 }] }, key: /x",
        // The key is only known during the run.
        "from: { $ref: '#/steps/look-up/output/matches' }, key: { $ref: '#/inputs/focus' }",
    ] {
        assert_eq!(
            check_step(&format!("uses: pick\nwith: {{ {with} }}")),
            "",
            "{with}"
        );
    }
    // An empty default adds no other possible value.
    let with = "from: { $ref: '#/steps/look-up/output/matches', $default: [] }, key: /x";
    let found = check_step(&format!("uses: pick\nwith: {{ {with} }}"));
    assert!(found.contains("has nothing at `/x`"), "{found}");
}

#[test]
fn item_reference_checked() {
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
    // The types in a literal list are only known once the step runs.
    assert_eq!(with("[{ f: a }, { g: b }]", "$ref: '#/item/f'"), "");
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
