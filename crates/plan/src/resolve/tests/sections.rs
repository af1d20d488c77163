//! Tests sections, the policy and unused parts.

use insta::assert_snapshot;

use super::*;

#[test]
fn sections_checked() {
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
    rb.yaml:8:11: error[duplicate-output]: duplicate section `a`
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
      help: this value has no fields
    rb.yaml:11:20: warning[unreachable-output]: step `never` never runs, so this section stays empty
      help: remove the section, or the condition of the step
    ");
}

#[test]
fn section_sort_key_checked() {
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
    rb.yaml:10:30: error[unknown-field]: the section of step `s` (`search`) has nothing at `-/lien`
      help: did you mean `-/line`?
    ");
    assert_snapshot!(sorted("from: s, select: '$.files[*]', sort: /file"), @"
    rb.yaml:10:52: error[unknown-field]: the section of step `s` (`search`) has nothing at `/file`
      help: this value has no fields
    ");
    assert_snapshot!(sorted("from: s, select: '$.matches[*]', sort: /total"), @"
    rb.yaml:10:54: error[unknown-field]: the section of step `s` (`search`) has nothing at `/total`
      help: it has `/file`, `/line`, `/more`
    ");
    assert_snapshot!(sorted("from: each, sort: /total"), @"
    rb.yaml:10:33: error[unknown-field]: the section of step `each` (`search`) has nothing at `/total`
      help: it has `/file`, `/line`, `/more`
    ");
}

#[test]
fn inputs_policy_times_checked() {
    assert_snapshot!(check("inputs:\n  n: { type: integer, default: x, enum: [1, b] }\n  'a b': {}\n  r: { default: 1, required: true }\n  size: { type: integer }\npolicy:\n  budget: { max_chars: { $ref: '#/inputs/size' }, max_tokens: 5 }\n  freshness: { $ref: '#/steps/a/status' }\n  max_items_per_section: { $ref: '#/inputs/nn' }\nsteps:\n  - id: a\n    uses: command\n    timeout: 5 minutes\n    max_duration: 0s\n    retry: { max_attempts: 2, backoff: 5s, max_backoff: 1s }\n  - { id: b, uses: command, timeout: 5s, max_duration: 1s }\n"), @r#"
    rb.yaml:2:5: warning[no-outputs]: this runbook shows nothing
      help: add `outputs` with the sections to show
    rb.yaml:4:3: warning[unused-input]: nothing uses the input `n`
      help: refer to it with `{ $ref: '#/inputs/n' }`, or remove it
    rb.yaml:4:32: error[bad-default]: the default does not fit: input `n` must be an integer within 2^53, not `x`
      help: change the default, the type or `enum`
    rb.yaml:4:45: error[wrong-type]: `"b"` is not of the type `integer`
      help: change the value or the type
    rb.yaml:5:3: error[bad-id]: `a b` cannot be the name of an input: ` ` is not allowed in an identifier: use letters, digits, `_`, and after the first `.` and `-`
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
      help: it is resolved before any step runs: write `#/inputs/NAME`
    rb.yaml:11:34: error[unknown-input]: there is no input `nn`
      help: the inputs are `a b`, `n`, `r`, `size`
    rb.yaml:15:14: error[bad-duration]: `5 minutes` is not a duration
      help: write it like `250ms`, `5s`, `2m` or `1m30s`
    rb.yaml:16:19: error[bad-duration]: a duration must not be zero
      help: write it like `250ms`, `5s`, `2m` or `1m30s`
    rb.yaml:17:40: error[timeout-too-long]: `backoff` is longer than `max_backoff`
      help: make `backoff` shorter or `max_backoff` longer
    rb.yaml:18:38: error[timeout-too-long]: one attempt may take longer (`timeout`) than all together (`max_duration`)
      help: make `timeout` shorter or `max_duration` longer
    "#);
}

#[test]
fn unused_parts_warned() {
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
