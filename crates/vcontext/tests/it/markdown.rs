use windlass_vcontext::{differences, markdown};

use crate::support::{PAIRS, document, named};

#[test]
fn markdown_list_has_checkboxes() {
    let text = markdown(&document(
        r#"{"vContextInfo": {"version": "0.4", "author": "me"}, "todoList": {"title": "T\n x", "items": [
            {"id": "a", "title": "one", "status": "completed"},
            {"id": "b", "title": "two", "status": "blocked", "dependencies": ["a"], "narrative": {"Background": "why\nso"}},
            {"title": "three", "status": "cancelled"}], "uris": [{"uri": "https://x.y/z", "title": "Z"}]}}"#,
    ));
    let want = "\
# T x

author: me

- [x] `a` one
- [ ] `b` two (blocked, after `a`)
  why
  so
- [ ] ~~three~~ (cancelled)

## Links

- [Z](<https://x.y/z>)
";
    assert_eq!(text, want);
}

#[test]
fn markdown_renders_every_example() {
    for (name, json, _) in PAIRS {
        let text = markdown(&named("d.json", json));
        assert!(
            text.starts_with("# ") && text.lines().count() > 3,
            "{name}\n{text}"
        );
    }
    let (_, json, _) = PAIRS[4];
    let text = markdown(&named("d.json", json));
    for want in [
        "## Hypothesis",
        "  - [ ] `p1-2` Split",
        "  - [ ] Add query batching (inProgress)",
    ] {
        assert!(text.contains(want), "{want}\n{text}");
    }
}

#[test]
fn differences_between_encodings_are_listed() {
    for (name, json, tron) in PAIRS {
        let found = differences(named("a.json", json).value(), named("a.tron", tron).value());
        let places: Vec<&str> = found.iter().map(|one| one.at.as_str()).collect();
        if name == "playbook-reliability" {
            assert_eq!(places.len(), 7, "{places:?}");
            assert_eq!(
                places[..2],
                ["/playbook/items/0/narrative", "/playbook/items/0/text"]
            );
        } else {
            assert!(places.is_empty(), "{name}: {places:?}");
        }
    }
}
