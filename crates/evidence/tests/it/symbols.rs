//! Symbols that contain texts, and zones of files that are searched first.

use windlass_evidence::{Captured, explain};
use windlass_repo::Repo;

use crate::history::{History, function, functions};

fn beta() -> (History, Captured) {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    assert_eq!(captured.capture.symbol.as_deref(), Some("beta"));
    (history, captured)
}

/// Returns the explanation for the stage `symbol`.
fn said_of_the_symbol(history: &History, captured: &Captured) -> Vec<String> {
    let snapshot = Repo::open(history.root()).unwrap().snapshot();
    let (_, steps) = explain(&snapshot, &captured.pointer, Some(&captured.capture));
    let steps = steps.into_iter().filter(|step| step.stage == "symbol");
    steps.map(|step| step.found).collect()
}

fn candidates(history: &History, captured: &Captured) -> Vec<String> {
    let repair = history.judge(captured).repair.unwrap();
    repair.candidates.iter().map(ToString::to_string).collect()
}

const REWRITTEN: &str = "struct Unlike;\n\npub const fn beta(kind: Kind, depth: usize) -> Option<Zebra> {\n    \
    loop {\n        if kind.quux(depth) {\n            break None;\n        }\n    }\n}\n\n";

#[test]
fn what_its_symbol_became_is_named_and_not_claimed() {
    let (history, captured) = beta();
    history.step(&[(
        "a.rs",
        &(function("alpha") + REWRITTEN + &function("gamma")),
    )]);
    assert_eq!(history.said(&captured), "ambiguous");
    assert_eq!(candidates(&history, &captured), ["a.rs:12-18"]);
    let said = said_of_the_symbol(&history, &captured);
    assert_eq!(said, ["its symbol `beta` is at a.rs:12-18"]);
    // A symbol with another name is not the same one.
    let other = REWRITTEN.replace("beta", "delta");
    history.step(&[("a.rs", &(function("alpha") + &other + &function("gamma")))]);
    assert_eq!(history.said(&captured), "gone");
    assert!(said_of_the_symbol(&history, &captured).is_empty());
}

#[test]
fn a_symbol_that_is_there_twice_says_nothing() {
    let (history, captured) = beta();
    let twice = function("alpha") + REWRITTEN + &function("gamma") + REWRITTEN;
    history.step(&[("a.rs", &twice)]);
    assert!(said_of_the_symbol(&history, &captured).is_empty());
}

#[test]
fn many_files_zone_is_compared_first() {
    let (history, mut captured) = beta();
    let beta = function("beta");
    // More files than are compared contain some of its lines.
    let lines: Vec<&str> = beta.lines().collect();
    let files: Vec<(String, String)> = (0..80)
        .map(|nr| (format!("f{nr:02}.rs"), format!("{}\n", lines[nr % 4])))
        .collect();
    for (file, text) in &files {
        history.write(&[(file, text)]);
    }
    std::fs::create_dir(history.root().join("zone")).unwrap();
    let edited = beta.replace("store_beta(entry)?", "keep(entry)");
    history.write(&[
        ("a.rs", &functions(&["alpha", "gamma"])),
        ("zone/z.rs", &edited),
    ]);
    history.commit();
    captured.capture.symbol = None;
    let is_compared = |captured: &Captured| {
        let best = candidates(&history, captured).into_iter().next();
        best.as_deref() == Some("zone/z.rs:1-8")
    };
    assert!(!is_compared(&captured));
    captured.capture.zone = vec!["zone/**".to_owned()];
    assert!(is_compared(&captured));
    // An invalid glob has no effect.
    captured.capture.zone = vec!["{".to_owned()];
    assert!(!is_compared(&captured));
}

/// Returns two functions that have the same body, and another one.
fn twins(names: [&str; 2]) -> String {
    let twin = |name: &str| {
        format!(
            "def {name}(self, reader):\n    if reader is None:\n        return None\n    \
             frame = self.reader.route(alpha, beta)\n    token = self.handler.reader(cache, reader)\n    \
             return frame + token\n\n"
        )
    };
    format!(
        "import os\n\n{}{}def last(self, offset):\n    return self.buffer.alpha(buffer, cache)\n",
        twin(names[0]),
        twin(names[1])
    )
}

#[test]
fn swapped_twins_in_renamed_file_differ() {
    let history = History::with(&[("d.py", &twins(["read_buffer", "read_limit"]))]);
    let body = history.capture("d.py", (13, 15));
    history.remove("d.py");
    // The functions change places in the renamed file, so `read_limit` is at the top.
    history.write(&[("e.py", &twins(["read_limit", "read_buffer"]))]);
    for state in ["written", "committed"] {
        let said = history.said(&body);
        assert!(
            said == "ambiguous" || said == "moved e.py:6-8",
            "{state}: {said}"
        );
        history.commit();
    }
}

#[test]
fn a_blank_line_at_the_end_belongs_to_no_symbol() {
    let history = History::with(&[("d.py", &twins(["read_buffer", "read_limit"]))]);
    let body = history.capture("d.py", (13, 16));
    assert_eq!(body.capture.symbol.as_deref(), Some("read_limit"));
    history.step(&[("d.py", &twins(["read_limit", "read_buffer"]))]);
    let said = history.said(&body);
    assert!(said == "ambiguous" || said == "moved d.py:6-9", "{said}");
}

/// Returns a function of eleven lines called `name`. The body is always the same.
fn total(name: &str) -> String {
    format!(
        "fn {name}(order: &Order, rates: &Rates) -> Money {{\n    let mut total = Money::zero();\n    for line in order.lines() {{\n        \
         let mut price = line.price() * line.amount();\n        if let Some(voucher) = line.voucher() {{\n            \
         price = price - voucher.value();\n        }}\n        total += price * rates.of(line.kind());\n    }}\n    total.rounded(2)\n}}\n\n"
    )
}

#[test]
fn renamed_copy_is_not_edited_text() {
    let (own, rest) = (total("total_of_order"), function("list"));
    let history = History::with(&[("o.rs", &(own.clone() + &rest))]);
    let captured = history.capture("o.rs", (1, 11));
    let edited = own
        .replace("price - voucher.value()", "voucher.applied_to(price)")
        .replace("Money::zero()", "Money::from(0)")
        .replace("rounded(2)", "rounded(3)");
    // The copy above has the captured body, while the text itself is edited.
    history.step(&[("o.rs", &(total("total_of_draft") + &edited + &rest))]);
    let said = history.said(&captured);
    assert!(said == "ambiguous" || said == "edited o.rs:13-23", "{said}");
}

#[test]
fn what_was_edited_in_its_function_is_not_in_a_copy_of_that() {
    let (own, rest) = (total("total_of_order"), function("list"));
    let history = History::with(&[("o.rs", &(own.clone() + &rest))]);
    let captured = history.capture("o.rs", (2, 8));
    let edited = own
        .replace("price - voucher.value()", "voucher.applied_to(price)")
        .replace("rounded(2)", "rounded(3)");
    history.step(&[("o.rs", &(edited + &total("total_of_draft") + &rest))]);
    let said = history.said(&captured);
    assert!(said == "ambiguous" || said == "edited o.rs:2-8", "{said}");
    // The lines were extracted into another function, which was moved there.
    let body: String = own.lines().skip(2).take(7).collect::<Vec<_>>().join("\n");
    let outer = own.replace(&body, "    total += sum_of(order, rates);");
    let inner = format!("fn sum_of(order: &Order, rates: &Rates) -> Money {{\n{body}\n}}\n\n");
    let history = History::with(&[("o.rs", &(own + &rest))]);
    let captured = history.capture("o.rs", (3, 9));
    history.step(&[("o.rs", &(outer + &inner + &rest))]);
    assert_eq!(history.said(&captured), "moved o.rs:8-14");
}
