//! Properties that hold for arbitrary events.

use proptest::prelude::*;

use super::*;

/// Events about a molecule. Most of them are invalid, which makes for many rejections.
fn some_event() -> impl Strategy<Value = Value> {
    let step = prop_oneof![Just("a"), Just("b"), Just("c"), Just("z")];
    let token = prop_oneof![Just("1-x"), Just("2-x"), Just("1-y")];
    let kind = prop_oneof![
        4 => Just("mol.step_started"),
        4 => Just("mol.step_completed"),
        2 => Just("mol.step_failed"),
        1 => Just("mol.step_skipped"),
        1 => Just("mol.step_released"),
        1 => Just("mol.step_lease_expired"),
        1 => Just("mol.step_heartbeat"),
        1 => Just("mol.step_packed"),
        1 => Just("mol.step_retry_due"),
        1 => Just("mol.pushed_back"),
        1 => Just("mol.gate_opened"),
        1 => Just("mol.gate_closed"),
        1 => Just("mol.step_condition_held"),
        1 => Just("mol.completed"),
        1 => Just("mol.burned"),
    ];
    (kind, step, token, 1..9_u32, 0..2_u32, "[a-z]{6}", any::<bool>()).prop_map(
        |(kind, step, token, second, seq, id, first)| {
            let data = json!({ "mol_id": "mol-a", "step_id": step, "token": token, "reason": "r", "gate": 0, "pack_id": id,
                "lease_until": format!("2026-01-01T00:00:0{}.000Z", second / 2), "output": second });
            json!({ "event_id": format!("evt-{id}"), "event_type": kind, "actor": if first { "ann" } else { "bob" },
                "timestamp": format!("2026-01-01T00:00:0{second}.000Z"), "seq": seq, "data": data })
        },
    )
}

fn describe(state: &crate::State) -> String {
    let lines = state
        .molecules
        .iter()
        .map(|(_, found)| found.line().into_owned());
    let lines: Vec<_> = lines.map(|line| String::from_utf8(line).unwrap()).collect();
    format!("{lines:#?}\n{:#?}", state.rejected())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn fold_any_events_order_independent(
        events in prop::collection::vec(some_event(), 0..40),
    ) {
        let with = json!({ "b": { "retry": { "max_attempts": 2 } }, "c": { "gates": [{ "type": "human" }] } });
        let made = json!({ "event_id": "evt-0", "event_type": "mol.created", "actor": "ann",
            "timestamp": "2026-01-01T00:00:00.000Z", "data": poured("mol-a", "a; b: a; c: a", with) });
        let lines: Vec<String> = std::iter::once(&made).chain(&events).map(|event| format!("{event}\n")).collect();
        let all = fold::fold(lines.concat().as_bytes(), None);
        let mut turned = lines.clone();
        // Some lines are there twice, as after a merge.
        turned.reverse();
        turned.extend(lines.iter().take(5).cloned());
        prop_assert_eq!(describe(&fold::fold(turned.concat().as_bytes(), None)), describe(&all));
        // Apply one event at a time, and load the molecule again in between, like checkpoints do.
        let mut sorted = lines;
        sorted.sort_by_key(|line| fold::event_of(line.trim_end().as_bytes()).unwrap().key());
        let mut state = crate::State::default();
        for line in &sorted {
            state.apply(&fold::event_of(line.trim_end().as_bytes()).unwrap());
            if let Some(molecule) = state.molecules.get("mol-a") {
                let text = serde_json::to_vec(&molecule).unwrap();
                state.molecules.insert(serde_json::from_slice(&text).unwrap(), ());
            }
        }
        prop_assert_eq!(describe(&state), describe(&all));
        // A step has a holder if and only if it's in progress.
        if let Some(molecule) = all.molecules.get("mol-a") {
            for step in &molecule.steps {
                let is_held = step.token.is_some() && step.holder.is_some() && step.lease_until.is_some();
                prop_assert_eq!(step.status == Status::InProgress, is_held && !step.has_ended(), "{:?}", step);
            }
        }
    }
}
