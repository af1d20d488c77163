//! Tests large and damaged runbooks.

use super::*;

#[test]
fn findings_over_limit_counted() {
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

/// If we handled unknown fields one by one, the time would be quadratic.
#[test]
fn unknown_fields_many_linear() {
    let many = |count: usize, indent: &str| -> String {
        (0..count).map(|at| format!("{indent}k{at}: 1\n")).collect()
    };
    let steps = "steps:\n  - id: s\n    uses: serach\n";
    for (before, indent) in [("", ""), ("", "    "), ("policy:\n", "  ")] {
        let text = |count| match before {
            "" => format!("{steps}{}", many(count, indent)),
            before => format!("{before}{}{steps}", many(count, indent)),
        };
        // The rest is still resolved, and its errors are counted. The 301 unknown fields alone
        // exceed the limit by 101.
        let found = check(&text(300));
        assert!(found.contains("[more]: and 10"), "{found}");
        let found = check(&text(100_000));
        assert_eq!(found.matches("[unknown-field]").count(), 200);
        assert!(found.contains("[more]: and at least 9800 more"), "{found}");
    }
}

#[test]
fn suggestions_many_names_limited() {
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
fn json_paths_total_size_limited() {
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
fn cycle_long_shown_shortened() {
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
fn document_many_steps_resolved() {
    let steps: String = (0..100_000)
        .map(|at| format!("  - {{id: s{at}, uses: command}}\n"))
        .collect();
    let text = format!("schema_version: 1\nid: rb\nsteps:\n{steps}");
    assert!(text.len() < 4 * 1024 * 1024);
    assert_eq!(load(&text).unwrap().0.steps().len(), 100_000);
}

#[test]
fn arguments_deep_fully_checked() {
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

    /// A damaged runbook gives a plan, or at least one error with a position.
    #[test]
    fn damaged_runbook_no_panic(
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
