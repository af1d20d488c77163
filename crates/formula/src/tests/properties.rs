//! Tests properties of arbitrary formulas.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
struct Made {
    needs: Vec<usize>,
    off: bool,
    shape: u8,
}

fn made() -> impl Strategy<Value = Vec<Made>> {
    let step = (
        proptest::collection::vec(0..64usize, 0..4),
        any::<bool>(),
        0..7u8,
    );
    let step = step.prop_map(|(needs, off, shape)| Made { needs, off, shape });
    proptest::collection::vec(step, 1..16)
}

const PAIR: &str = "formula = 'pair'\ntype = 'expansion'\n[[template]]\nid = '{target}.one'\ntitle = 'O'\n[[template]]\nid = '{target}.two'\ntitle = 'T'\n[[template]]\nid = '{target}.three'\ntitle = 'T'\nneeds = ['{target}.one']\n";

fn text(steps: &[Made]) -> String {
    let mut text = "formula = 'x'\n[vars]\noff = ''\n".to_owned();
    for (at, step) in steps.iter().enumerate() {
        // Steps only need earlier ones, so there can't be a cycle.
        let needs: Vec<_> = step
            .needs
            .iter()
            .filter(|_| at > 0)
            .map(|need| format!("'s{}'", need % at))
            .collect();
        text += &format!(
            "[[steps]]\nid = 's{at}'\ntitle = 'S'\nneeds = [{}]\n",
            needs.join(", ")
        );
        if step.off {
            text += "condition = '{{off}}'\n";
        }
        text += match step.shape {
            1 => "expand = 'pair'\n",
            2 => {
                "loop = { count = 2, body = [{ id = 'a', title = 'A' }, { id = 'b', title = 'B' }] }\n"
            }
            3 => "children = [{ id = 'CHILD', title = 'C' }]\n",
            4 => "loop = { count = 2, body = [{ id = 'a', title = 'A', expand = 'pair' }] }\n",
            _ => "",
        };
        text = text.replace("CHILD", &format!("s{at}-child"));
        if step.shape == 5 {
            text += &format!(
                "[[advice]]\ntarget = 's{at}'\nbefore = {{ id = '{{step.id}}-pre' }}\nafter = {{ id = '{{step.id}}-post' }}\n"
            );
        }
    }
    text
}

fn reach(cooked: &CookedFormula) -> BTreeMap<String, BTreeSet<String>> {
    let mut reach: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // A step can come before its needs, so we repeat this until nothing changes.
    loop {
        let mut changed = false;
        for step in &cooked.steps {
            let mut all = BTreeSet::new();
            for need in &step.needs {
                all.insert(need.step.clone());
                all.extend(reach.get(&need.step).into_iter().flatten().cloned());
            }
            changed |= reach.insert(step.id.clone(), all.clone()) != Some(all);
        }
        if !changed {
            return reach;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn removed_steps_lose_no_edge(steps in made()) {
        let text = text(&steps);
        let on = cooked_with(&[&text, PAIR], &options(&[("off", "yes")])).unwrap();
        let all = reach(&on);
        let Ok(off) = cooked_with(&[&text, PAIR], &options(&[])) else {
            prop_assert!(steps.iter().all(|step| step.off));
            return Ok(());
        };
        let left: BTreeSet<_> = off.steps.iter().map(|step| step.id.clone()).collect();
        for (step, waits) in reach(&off) {
            let want: BTreeSet<_> = all[&step].intersection(&left).cloned().collect();
            prop_assert_eq!(waits, want, "{}", step);
        }
        prop_assert_eq!(on.steps.len(), off.steps.len() + off.left_out.len());
    }

    /// The replacement of a step waits for what the step needs, and the step's dependents wait for
    /// all of the replacement.
    #[test]
    fn needs_survive_replacement(steps in made()) {
        let cooked = cooked_with(&[&text(&steps), PAIR], &options(&[("off", "yes")])).unwrap();
        let reach = reach(&cooked);
        let parts = |at: usize| -> Vec<&String> {
            let name = format!("s{at}");
            reach.keys().filter(|id| **id == name || id.starts_with(&format!("{name}.")) || id.starts_with(&format!("{name}-"))).collect()
        };
        for (at, step) in steps.iter().enumerate().skip(1) {
            for need in &step.needs {
                for part in parts(at) {
                    for needed in parts(need % at) {
                        prop_assert!(reach[part].contains(needed), "{} -> {}", part, needed);
                    }
                }
            }
        }
    }

    #[test]
    fn cook_same_input_same_output(steps in made()) {
        let text = text(&steps);
        let cook = || cooked_with(&[&text, PAIR], &options(&[])).map(|cooked| serde_json::to_string(&cooked).unwrap());
        prop_assert_eq!(cook(), cook());
    }

    /// Any formula is either cooked or rejected, without a panic.
    #[test]
    fn cook_any_formula_no_panic(steps in made(), field in 0..FIELDS.len(), value in 0..VALUES.len(), at in 0..16usize) {
        let mut text = text(&steps);
        let line = format!("title = 'S'\n{} = {}\n", FIELDS[field], VALUES[value]);
        let nth = text.match_indices("title = 'S'\n").nth(at % steps.len()).map(|(at, _)| at);
        if let Some(nth) = nth {
            text.replace_range(nth..nth + 12, &line);
        }
        let _ = cooked_with(&[&text, PAIR], &options(&[]));
    }
}

const FIELDS: [&str; 16] = [
    "waits_for",
    "expand",
    "loop",
    "gate",
    "on_complete",
    "acceptance",
    "retry",
    "check",
    "timeout",
    "with",
    "uses",
    "children",
    "depends_on",
    "metadata",
    "description",
    "priority",
];

const VALUES: [&str; 14] = [
    "'all-children'",
    "'children-of(s0)'",
    "'pair'",
    "'{{off}}'",
    "['s0', 'x']",
    "[]",
    "{}",
    "1",
    "'{target}'",
    "{ type = 'human' }",
    "{ count = 3, body = [{ id = 'q', title = 'Q', needs = ['s0'] }] }",
    "{ until = \"output.ok == true\", max = 3, body = [{ id = 'q', title = 'Q' }] }",
    "{ for_each = 'output.x', bond = 'pair' }",
    "[{ id = 's0', title = 'X' }]",
];
