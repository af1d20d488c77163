//! Packs as web pages.

use serde_json::json;
use windlass_packs::{Format, ViewOptions};

use crate::support::{Sandbox, item, observation, options, pack};

const HOSTILE: &str =
    "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\u{1b}[31m\u{202e}\"'&";

fn page(sandbox: &Sandbox, pack: &windlass_packs::Pack, max: usize) -> String {
    let options = ViewOptions {
        format: Format::Html,
        ..options(max)
    };
    sandbox.show(pack, &options).unwrap()
}

#[test]
fn page_of_hostile_pack_is_inert() {
    let file = "a <b onclick=x>.rs";
    let sandbox = Sandbox::with([(file, HOSTILE)]);
    let mut section = sandbox.section(
        "s",
        9,
        vec![
            item(HOSTILE, vec![sandbox.fresh(file, 1, 1)]),
            item(HOSTILE, vec![sandbox.stale(file, 1, 1)]),
            observation(json!({ HOSTILE: HOSTILE, "long": format!("{HOSTILE}\nb") })),
        ],
    );
    section.title = HOSTILE.to_owned();
    section.help = Some(HOSTILE.to_owned());
    section.reason = Some(HOSTILE.to_owned());
    section.notes = vec![HOSTILE.to_owned()];
    let mut pack = pack(vec![section]);
    pack.runbook.title = HOSTILE.to_owned();
    pack.runbook.purpose = HOSTILE.to_owned();
    pack.notes = vec![HOSTILE.to_owned()];
    let text = page(&sandbox, &pack, 100_000);
    for bad in [
        "<script", "<img", "<b ", "\u{1b}", "\u{202e}", "<a ", "<iframe",
    ] {
        assert!(!text.contains(bad), "{bad}: {text}");
    }
    assert!(text.contains("&lt;script&gt;alert(1)"), "{text}");
    assert_eq!(text, page(&sandbox, &pack, 100_000));
}

#[test]
fn page_shows_state_place_and_lines() {
    let sandbox = Sandbox::with([("a.rs", "fn a() {}\nfn b() {}\n")]);
    let fresh = item("Both", vec![sandbox.fresh("a.rs", 1, 2)]);
    let pack = pack(vec![sandbox.section("s", 9, vec![fresh])]);
    let text = page(&sandbox, &pack, 100_000);
    assert!(text.starts_with("<!DOCTYPE html>"), "{text}");
    assert!(text.contains("<code>a.rs:1-2</code> Both"), "{text}");
    assert!(text.contains("<i>2</i>fn b() {}"), "{text}");
    assert!(text.contains("prefers-color-scheme:dark"), "{text}");
}

#[test]
fn page_budget_applies_to_its_text() {
    let lines: String = (0..200).map(|nr| format!("line {nr} of it\n")).collect();
    let sandbox = Sandbox::with([("a.txt", lines.as_str())]);
    let long = item("Long", vec![sandbox.fresh("a.txt", 1, 200)]);
    let pack = pack(vec![sandbox.section("s", 9, vec![long])]);
    let text = page(&sandbox, &pack, 1_000);
    assert!(
        text.len() > 2_000 && !text.contains("line 150 of it"),
        "{text}"
    );
    assert!(text.contains("more lines"), "{text}");
}
