//! Differences between two packs.

use proptest::prelude::*;
use serde_json::json;
use windlass_base::Entry;
use windlass_packs::{Change, Pack, SectionDiff, diff};

use crate::support::{Sandbox, item, observation, pack};

/// Formats differences as `+ label a.rs:1` or `~ label a.rs:1 -> a.rs:2`, and observations as JSON.
fn summary(diffs: &[SectionDiff<'_>]) -> Vec<String> {
    let tell = |change: &Change<'_>| match change {
        Change::Evidence {
            kind,
            before,
            after,
        } => {
            let label = after.or(*before).map_or("", |(item, _)| &item.label);
            let at = |side: Option<(&windlass_base::Item, &windlass_base::Evidence)>| {
                side.map_or("-".to_owned(), |(_, evidence)| evidence.pointer.to_string())
            };
            format!(
                "{} {label} {} -> {}",
                kind.as_str(),
                at(*before),
                at(*after)
            )
        }
        Change::Observation {
            kind,
            before,
            after,
        } => format!("{} {:?} -> {:?}", kind.as_str(), before, after)
            .replace("Some(", "")
            .replace("String(", "")
            .replace(')', ""),
    };
    diffs
        .iter()
        .flat_map(|section| section.changes.iter().map(tell))
        .collect()
}

fn with(sandbox: &Sandbox, entries: Vec<Entry>) -> Pack {
    pack(vec![sandbox.section("one", 10, entries)])
}

/// Items that each cover a single line of `file`.
fn found(sandbox: &Sandbox, file: &str, lines: &[u32]) -> Pack {
    let entry = |line: &u32| item("", vec![sandbox.fresh(file, *line, *line)]);
    with(sandbox, lines.iter().map(entry).collect())
}

#[test]
fn equal_packs_have_no_changes() {
    let sandbox = Sandbox::with([("a.rs", "one\ntwo\none\n")]);
    let same = found(&sandbox, "a.rs", &[1, 2, 3]);
    let diffs = diff(&same, &same);
    assert_eq!(summary(&diffs), [""; 0]);
    assert_eq!(diffs[0].unchanged, 3);
}

#[test]
fn inserted_line_moves_the_rest() {
    let sandbox = Sandbox::with([("a.rs", "fn one\nfn two\n")]);
    let before = found(&sandbox, "a.rs", &[1, 2]);
    sandbox.write("a.rs", "fn new\nfn one\nfn two\n");
    let after = found(&sandbox, "a.rs", &[1, 2, 3]);
    assert_eq!(
        summary(&diff(&before, &after)),
        [
            "added  - -> a.rs:1",
            "moved  a.rs:1 -> a.rs:2",
            "moved  a.rs:2 -> a.rs:3",
        ]
    );
    assert_eq!(
        summary(&diff(&after, &before)),
        [
            "moved  a.rs:2 -> a.rs:1",
            "moved  a.rs:3 -> a.rs:2",
            "removed  a.rs:1 -> -",
        ]
    );
}

#[test]
fn rewritten_line_is_changed() {
    let sandbox = Sandbox::with([("a.rs", "fn one()\nfn two()\n")]);
    let before = found(&sandbox, "a.rs", &[1, 2]);
    sandbox.write("a.rs", "fn one(x)\nfn two()\n");
    let after = found(&sandbox, "a.rs", &[1, 2]);
    assert_eq!(
        summary(&diff(&before, &after)),
        ["changed  a.rs:1 -> a.rs:1"]
    );
}

#[test]
fn equal_lines_pair_in_order() {
    let sandbox = Sandbox::with([("a.rs", "end\nend\nend\n")]);
    let (before, after) = (
        found(&sandbox, "a.rs", &[1, 2]),
        found(&sandbox, "a.rs", &[1, 2, 3]),
    );
    assert_eq!(summary(&diff(&before, &after)), ["added  - -> a.rs:3"]);
}

#[test]
fn named_item_is_followed_across_files() {
    let sandbox = Sandbox::with([("a.rs", "old text\n"), ("b.rs", "new text\n")]);
    let named = |file| {
        let Entry::Item(mut found) = item("The entry point", vec![sandbox.fresh(file, 1, 1)])
        else {
            unreachable!()
        };
        found.id = Some("main".to_owned());
        with(&sandbox, vec![Entry::Item(found)])
    };
    assert_eq!(
        summary(&diff(&named("a.rs"), &named("b.rs"))),
        ["changed The entry point a.rs:1 -> b.rs:1"]
    );
}

#[test]
fn new_verdict_is_status_change() {
    let sandbox = Sandbox::with([("a.rs", "the text\n")]);
    let evidence = sandbox.fresh("a.rs", 1, 1);
    let shown = |sandbox: &Sandbox| with(sandbox, vec![item("It", vec![evidence.clone()])]);
    let before = shown(&sandbox);
    sandbox.write("a.rs", "another\n");
    assert_eq!(
        summary(&diff(&before, &shown(&sandbox))),
        ["status It a.rs:1 -> a.rs:1"]
    );
}

#[test]
fn observations_pair_by_value() {
    let sandbox = Sandbox::with([]);
    let seen = |values: &[&str]| {
        let entries = values.iter().map(|value| observation(json!(value)));
        with(&sandbox, entries.collect())
    };
    assert_eq!(
        summary(&diff(&seen(&["a"]), &seen(&["b"]))),
        [r#"changed "a" -> "b""#]
    );
    assert_eq!(
        summary(&diff(&seen(&["a", "b"]), &seen(&["c", "a"]))),
        [r#"added None -> "c""#, r#"removed "b" -> None"#]
    );
}

#[test]
fn unmatched_section_is_added_or_removed() {
    let sandbox = Sandbox::with([("a.rs", "fn one\n")]);
    let entries = || vec![item("", vec![sandbox.fresh("a.rs", 1, 1)])];
    let one = pack(vec![sandbox.section("one", 10, entries())]);
    let two = pack(vec![sandbox.section("two", 10, entries())]);
    let diffs = diff(&one, &two);
    assert_eq!(
        summary(&diffs),
        ["added  - -> a.rs:1", "removed  a.rs:1 -> -"]
    );
    assert_eq!((diffs[0].before, diffs[1].after), (None, None));
}

proptest! {
    /// Each piece of evidence must be in exactly one change, or be counted as unchanged.
    #[test]
    fn every_piece_is_reported_once(
        before in prop::collection::vec((0u32..12, 0usize..2), 0..20),
        after in prop::collection::vec((0u32..12, 0usize..2), 0..20),
    ) {
        let text: String = (0..12).map(|line| format!("line {}\n", line % 5)).collect();
        let sandbox = Sandbox::with([("a.rs", &*text), ("b.rs", &*text)]);
        let entries = |places: &[(u32, usize)]| {
            let place = |(line, file): &(u32, usize)| {
                let evidence = sandbox.fresh(["a.rs", "b.rs"][*file], line + 1, (line + 2).min(12));
                item(["", "named"][*line as usize % 2], vec![evidence])
            };
            with(&sandbox, places.iter().map(place).collect())
        };
        let (old, new) = (entries(&before), entries(&after));
        let diffs = diff(&old, &new);
        let [section] = &diffs[..] else { panic!("one section") };
        let sides = |side: fn(&Change<'_>) -> bool| section.changes.iter().filter(|c| side(c)).count();
        let olds = sides(|change| matches!(change, Change::Evidence { before: Some(_), .. }));
        let news = sides(|change| matches!(change, Change::Evidence { after: Some(_), .. }));
        prop_assert_eq!(olds + section.unchanged, before.len());
        prop_assert_eq!(news + section.unchanged, after.len());
        prop_assert!(summary(&diff(&old, &old)).is_empty());
        prop_assert_eq!(diffs, diff(&old, &new));
    }
}
