//! Tests loops over items, conditions and dependencies.

use insta::assert_snapshot;

use super::*;

#[test]
fn for_each_checked() {
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
      help: add `$ref: …` (JSON pointer (RFC 6901) after `#`)
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
fn conditions_checked() {
    let condition = |text: &str| check_step(&format!("uses: command\nif: {text}"));
    assert_snapshot!(condition("steps['look-up'].output.total > 0 and 'x' in inputs.names"), @"");
    assert_snapshot!(condition("steps['look-up'].output.totl > 0"), @"
    rb.yaml:8:9: error[unknown-field]: the output of step `look-up` (`search`) has no `totl` there
      help: did you mean `total`?
    ");
    assert_snapshot!(condition("steps.look-up.output.total > 0"), @"
    rb.yaml:8:20: error[bad-condition]: there is no name `up`
      help: a name with `-` needs brackets: `steps['my-step'].output`
    ");
    assert_snapshot!(condition("steps['look-up'] is defined"), @"
    rb.yaml:8:9: error[bad-condition]: a condition can only read `output` and `status` of step `look-up`
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
fn graph_errors_located() {
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
    rb.yaml:5:11: error[duplicate-step]: duplicate step `a`
      see rb.yaml:4:11: the first one
      help: give one of them another id
    rb.yaml:6:11: error[bad-id]: `ü` cannot be the id of a step: `ü` is not allowed in an identifier: use letters, digits, `_`, and after the first `.` and `-`
      help: use letters, digits, `_`, `.` and `-`, at most 128 of them
    rb.yaml:6:37: error[needs-finally]: step `_2` needs `f`, which runs only when all others have ended
      help: move `f` from `finally` to `steps`, or `_2` to `finally`
    ");
}
