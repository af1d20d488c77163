//! Levels of detail of a pack.

use serde_json::Value;
use windlass_base::{Entry, ResponseMode};
use windlass_packs::{Format, PackSection, SectionStatus, ViewOptions};

use crate::support::{FORMATS, MODES, Sandbox, item, options, pack};

fn sections(sandbox: &Sandbox) -> Vec<PackSection> {
    let mut stale = item("old", vec![sandbox.stale("a.rs", 1, 1)]);
    if let Entry::Item(item) = &mut stale {
        item.id = Some("anchor-1".to_owned());
    }
    let fresh = item("new", vec![sandbox.fresh("a.rs", 1, 2)]);
    let mut found = sandbox.section("found", 9, vec![stale, fresh]);
    found.notes.push("diagnostic of a section".to_owned());
    let mut failed = sandbox.section("broken", 9, Vec::new());
    failed.status = SectionStatus::Failed;
    failed.reason = Some("it broke".to_owned());
    vec![found, failed]
}

#[test]
fn modes_show_their_documented_parts() {
    let sandbox = Sandbox::with([("a.rs", "the text\nmore\n")]);
    let mut pack = pack(sections(&sandbox));
    pack.notes.push("diagnostic of the pack".to_owned());
    for format in FORMATS {
        for mode in MODES {
            let shown = sandbox
                .show(
                    &pack,
                    &ViewOptions {
                        format,
                        mode,
                        ..options(9_000)
                    },
                )
                .unwrap();
            let says = |what: &str, when: &[ResponseMode]| {
                assert_eq!(
                    shown.contains(what),
                    when.contains(&mode),
                    "{what} {mode:?}:\n{shown}"
                );
            };
            use ResponseMode::{Facts, Full, Minimal};
            says("diagnostic of", &[Full, Facts]);
            says("What it is for.", &[Full, Facts]);
            says("the text", &[Full, Facts]);
            says("anchor show", &[Full, Facts]);
            for always in [
                "A book",
                "Section found",
                "Section broken",
                "it broke",
                "a.rs",
                "stale",
                "fresh",
            ] {
                says(always, &[Full, Facts, Minimal]);
            }
            if format == Format::Json {
                let json: Value = serde_json::from_str(&shown).unwrap();
                let tools: Vec<&str> = json["next_actions"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|action| action["tool"].as_str().unwrap())
                    .collect();
                assert_eq!(
                    tools,
                    if mode == Minimal {
                        vec![]
                    } else {
                        vec!["plan", "anchor show"]
                    }
                );
            }
        }
    }
}

#[test]
fn text_pack_matches_snapshot() {
    let sandbox = Sandbox::with([("a.rs", "the text\nmore\n")]);
    let shown = sandbox.text(&pack(sections(&sandbox)));
    let want = "\
A book  ok
What it is for.

Section found  stale  2
  stale    a.rs:1  old (anchor-1)  the lines changed
  fresh    a.rs:1-2  new
        1  the text
        2  more

Section broken  failed: it broke

Next
  windlass plan book --explain  # explain step `broken` of section `broken`
  windlass anchor show anchor-1  # see the current text
";
    assert_eq!(shown, want);
}
