//! Texts that moved within their file. Everything that only looks like a move must not be claimed.

use proptest::prelude::*;
use windlass_base::LineHashes;

use crate::history::History;
use crate::support::{ENOUGH, Sandbox, letters, say, verdict, wordy};

#[test]
fn a_text_that_was_and_is_unique_is_found_again() {
    for (name, before, lines, after, want) in [
        (
            "down",
            "a\nb\nc\n",
            (2, 3),
            "x\ny\na\nb\nc\n",
            "stale_hash_mismatch, moved to 4-5",
        ),
        (
            "up",
            "x\na\nb\n",
            (2, 3),
            "a\nb\n",
            "span_invalid, moved to 1-2",
        ),
        (
            "to the end, without terminator",
            "a\nb\nc\n",
            (1, 1),
            "b\nc\na",
            "stale_hash_mismatch, moved to 3",
        ),
        (
            "with other line ends",
            "a\nb\n",
            (1, 2),
            "x\r\na\r\nb\r\n",
            "stale_hash_mismatch, moved to 2-3",
        ),
        (
            "in part",
            "a\nb\nc\n",
            (1, 2),
            "x\na\nB\nb\n",
            "stale_hash_mismatch, unproven",
        ),
    ] {
        assert_eq!(verdict(wordy(before), lines, wordy(after)), want, "{name}");
    }
}

#[test]
fn a_twin_is_never_taken_for_the_original() {
    for (name, before, lines, after) in [
        ("a twin now", "a\nb\n", (1, 1), "x\na\nb\na\n"),
        (
            "a twin then, both here",
            "a\nb\na\n",
            (1, 1),
            "x\na\nb\na\n",
        ),
        (
            "a twin then, the original deleted",
            "a\nb\na\n",
            (1, 1),
            "b\na\n",
        ),
        (
            "a twin then, the twin deleted",
            "a\nb\na\n",
            (3, 3),
            "x\na\nb\n",
        ),
        ("overlapping twins", "a\na\na\n", (1, 2), "x\na\na\n"),
        ("blank lines", "\n\nx\n", (1, 1), "x\n\n"),
        (
            "a twin with other line ends",
            "a\r\nb\na\n",
            (1, 1),
            "b\na\n",
        ),
    ] {
        let found = verdict(wordy(before), lines, wordy(after));
        assert!(found.ends_with(", unproven"), "{name}: {found}");
    }
}

#[test]
fn a_text_in_another_file_that_says_little_is_not_claimed() {
    let sandbox = Sandbox::with(wordy("a\nb\n"));
    let captured = sandbox.capture(1, 2);
    std::fs::rename(sandbox.at("f"), sandbox.at("g")).unwrap();
    assert_eq!(say(&sandbox.judge(&captured)), "missing_file, ambiguous");
}

#[test]
fn line_hashes_that_fit_everywhere_are_no_trouble() {
    // The capture is unique, but nothing in it distinguishes one location from another.
    let sandbox = Sandbox::with("x\n");
    let mut captured = sandbox.capture(1, 1);
    captured.capture.line_hashes = Some(LineHashes::new(vec![LineHashes::LEFT_OUT; 400]));
    sandbox.write("f", "y\n".repeat(1_000_000));
    assert_eq!(
        say(&sandbox.judge(&captured)),
        "stale_hash_mismatch, unproven"
    );
}

#[test]
fn a_file_of_nothing_but_twins_is_no_trouble() {
    let many = "x\n".repeat(200_000);
    let sandbox = Sandbox::with(&many);
    let captured = sandbox.capture(1, 400);
    assert_eq!(captured.capture.copies_in_file, 100);
    sandbox.write("f", format!("y\n{many}"));
    assert_eq!(
        say(&sandbox.judge(&captured)),
        "stale_hash_mismatch, unproven"
    );
}

#[test]
fn a_text_with_copies_is_told_to_have_them() {
    let text = "fn parse(input: &str) -> Result<Tree, Error>;\n";
    for (before, span, after, why) in [
        (
            format!("{text}a\n{text}"),
            1,
            format!("new\n{text}a\n{text}"),
            "the same text stands at lines 2, 4, and stood twice",
        ),
        (
            format!("{text}a\n"),
            1,
            format!("new\n{text}a\n{text}"),
            "the same text stands at lines 2, 4, and stood once",
        ),
        (
            format!("{text}a\n{text}{text}"),
            1,
            format!("b\n{text}"),
            "the same text stands at line 2, and stood several times",
        ),
        (
            text.repeat(2),
            1,
            format!("b\n{}", text.repeat(9)),
            "the same text stands at lines 2, 3, 4 and more, and stood twice",
        ),
    ] {
        let sandbox = Sandbox::with(&before);
        let captured = sandbox.capture(span, span);
        sandbox.write("f", after);
        let judgement = sandbox.judge(&captured);
        assert_eq!(say(&judgement), "stale_hash_mismatch, unproven");
        let want = format!(
            "other lines stand there now; {why} in the file when it was captured, so no place is proven"
        );
        assert_eq!(judgement.reason.as_deref(), Some(&*want));
    }
}

#[test]
fn a_text_that_says_nothing_proves_nothing() {
    let reason = |place: &str| {
        format!(
            "the same text stands at {place}, but has too few letters and digits to prove that it moved"
        )
    };
    for (name, before, lines, after, why) in [
        ("a bracket", "}\nb\n", (1, 1), "b\nc\n}\n", reason("line 3")),
        (
            "a blank line",
            "\nb\n",
            (1, 1),
            "b\nc\n\n",
            reason("line 3"),
        ),
        (
            "a keyword",
            "else\nb\n",
            (1, 1),
            "b\nelse\n",
            reason("line 2"),
        ),
        (
            "eleven letters",
            "b\nreturn\n false;\n",
            (2, 3),
            "return\n false;\nb\n",
            reason("lines 1-2"),
        ),
        (
            "past the end",
            "b\nc\n}\n",
            (3, 3),
            "}\nb\n",
            format!(
                "the file has 2 lines, so lines 3 are not in it; {}",
                reason("line 1")
            ),
        ),
    ] {
        let sandbox = Sandbox::with(before);
        let captured = sandbox.capture(lines.0, lines.1);
        sandbox.write("f", after);
        let judgement = sandbox.judge(&captured);
        assert!(say(&judgement).ends_with(", unproven"), "{name}");
        let reason = judgement.reason.unwrap();
        let told = reason == why || reason == format!("other lines stand there now; {why}");
        assert!(told, "{name}: {reason}");
    }
    // One character more is enough.
    assert_eq!(
        verdict("b\nreturn\n false1;\n", (2, 3), "return\n false1;\nb\n"),
        "stale_hash_mismatch, moved to 1-2"
    );
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-c]{0,2}", 1 => "[a-zé ]{0,12}", 3 => "[ab]{11,13}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn edits_elsewhere_never_mislead(
        before in prop::collection::vec(line(), 0..12),
        own in prop::collection::vec(line(), 1..5),
        after in prop::collection::vec(line(), 0..12),
        new_before in prop::option::of(prop::collection::vec(line(), 0..12)),
        new_after in prop::option::of(prop::collection::vec(line(), 0..12)),
        (crlf_then, crlf_now, terminated) in any::<(bool, bool, bool)>(),
    ) {
        let text = |before: &[String], after: &[String], crlf: bool| {
            let end = if crlf { "\r\n" } else { "\n" };
            let lines: Vec<&str> = before.iter().chain(&own).chain(after).map(String::as_str).collect();
            // An empty last line counts only if it has a line end.
            let tail = if terminated || lines.last() == Some(&"") { end } else { "" };
            format!("{}{tail}", lines.join(end))
        };
        let (now_before, now_after) = (new_before.as_ref().unwrap_or(&before), new_after.as_ref().unwrap_or(&after));
        let (start, now) = (before.len() + 1, now_before.len() + 1);
        let twins = |before: &[String], after: &[String]| {
            let lines: Vec<&String> = before.iter().chain(&own).chain(after).collect();
            lines.windows(own.len()).filter(|window| window.iter().copied().eq(own.iter())).count()
        };
        let found = verdict(
            text(&before, &after, crlf_then),
            (start as u32, (start + own.len() - 1) as u32),
            text(now_before, now_after, crlf_now),
        );
        let lines: Vec<&String> = now_before.iter().chain(&own).chain(now_after).collect();
        let in_place = lines.get(start - 1..start - 1 + own.len()).is_some_and(|there| there.iter().copied().eq(own.iter()));
        let unique = twins(&before, &after) == 1 && twins(now_before, now_after) == 1;
        if in_place {
            // Without git, nothing tells the text from a copy that's at the captured location now.
            prop_assert_eq!(found, "fresh");
        } else if unique && letters(&own.concat()) >= ENOUGH {
            let end = now + own.len() - 1;
            let place = if now == end { now.to_string() } else { format!("{now}-{end}") };
            prop_assert!(found.ends_with(&format!(", moved to {place}")), "{}", found);
        } else {
            prop_assert!(found.ends_with(", unproven"), "{}", found);
        }
    }
}

/// Returns a function whose documentation is longer than its body.
fn documented(name: &str, body: &str) -> String {
    format!(
        "def {name}_order(order, user, rates):\n    \"\"\"{name} what was ordered.\n\n    :param order: the order, which has to be paid\n    \
         :param user: who asks for it, its owner or an administrator\n    :raises Forbidden: if it is an order of somebody else\n    \"\"\"\n{body}\n\n"
    )
}

#[test]
fn what_stayed_of_a_text_that_went_to_another_file_is_not_it() {
    let body = |name: &str| {
        format!(
            "    if order.owner != user.id:\n        abort(403, \"not yours to {name}\")\n    return sum(rates[{name}] for _ in order)\n"
        )
    };
    let whole = |name: &str| documented(name, &body(name));
    let facade = |name: &str| documented(name, &format!("    return util.{name}_order(order)\n"));
    let all = |of: &dyn Fn(&str) -> String| ["archive", "cancel", "close"].map(of).concat();
    let helpers = "\"\"\"Helpers.\"\"\"\n\nimport os\n\n\n";
    let history = History::with(&[("orders.py", &*all(&whole)), ("util.py", helpers)]);
    let captured = history.capture("orders.py", (13, 22));
    let util = helpers.to_owned() + &all(&whole);
    // The functions go to `util.py`. Their documentation also stays, above bodies that only call
    // them.
    history.write(&[("orders.py", &all(&facade)), ("util.py", &util)]);
    for state in ["written", "committed"] {
        assert_eq!(history.said(&captured), "ambiguous", "{state}");
        history.commit();
    }
}

#[test]
fn header_of_new_file_is_not_renamed_one() {
    let licence =
        "# Copyright of the Shop Authors. All rights reserved.\n# Governed by a licence.\n\n";
    let file = |names: &[&str]| {
        let functions = names.iter().map(|name| documented(name, "    pass\n"));
        licence.to_owned() + &functions.collect::<String>()
    };
    let history = History::with(&[("a.py", &file(&["archive", "close"]))]);
    let captured = history.capture("a.py", (1, 5));
    history.git(&["mv", "a.py", "orders.py"]);
    history.write(&[("a.py", &file(&["refund"]))]);
    for state in ["written", "committed"] {
        let said = history.said(&captured);
        assert!(
            ["ambiguous", "unproven", "moved orders.py:1-5"].contains(&&*said),
            "{state}: {said}"
        );
        history.commit();
    }
}
