//! Damaged notebooks are recovered. The readable parts are used, and the rest is never lost.

use std::fs;

use proptest::prelude::*;
use windlass_notebook::{DamageState, EditMode, Notebook, Writer};

use crate::support::{Changing as _, Shelf, anchor, document};

fn ids(notebook: &Notebook) -> Vec<String> {
    let ids = notebook.anchors().map(|anchor| anchor.id.to_string());
    ids.collect()
}

fn good(id: &str) -> String {
    serde_json::to_string(&anchor(id)).unwrap()
}

#[test]
fn invalid_anchor_reported_and_kept() {
    for (bad, says) in [
        (
            r#"{"id":"bad","evidence":[]}"#,
            "anchor `bad`: missing field `label`",
        ),
        (r#"{"label":"x"}"#, "anchor: missing field `id`"),
        ("7", "anchor: invalid type: integer `7`"),
        (
            r#"{"id":"bad","kind":"odd","label":"L","evidence":[]}"#,
            "anchor `bad`: unknown variant `odd`",
        ),
        (
            r#"{"id":"bad","label":"L","evidence":[{"file":"../x","start_line":1,"end_line":1}]}"#,
            "anchor `bad`: `../x`",
        ),
    ] {
        let shelf = Shelf::with_anchors(&format!("{},\n{bad},{}", good("a"), good("b")));
        let notebook = shelf.file.read().unwrap();
        assert_eq!(ids(&notebook), ["a", "b"]);
        let [damage] = notebook.damage() else {
            panic!("{bad}")
        };
        assert_eq!(
            (damage.state, damage.lost[0].line, damage.lost[0].column),
            (DamageState::Kept, 2, 1)
        );
        assert!(damage.lost[0].what.starts_with(says), "{damage}");
        shelf.edit(|n| n.add(anchor("c"))).unwrap();
        // A write must keep the anchor that we couldn't read.
        assert!(shelf.text().contains(bad), "{}", shelf.text());
        assert_eq!(ids(&shelf.file.read().unwrap()), ["a", "b", "c"]);
    }
}

#[test]
fn invalid_anchor_replaceable() {
    let bad = r#"{"id":"bad","x":1}"#;
    let shelf = Shelf::with_anchors(&format!("{bad},{}", good("a")));
    shelf.edit(|n| n.add(anchor("bad"))).unwrap();
    assert_eq!(ids(&shelf.file.read().unwrap()), ["bad", "a"]);
    let shelf = Shelf::with_anchors(bad);
    shelf.edit(|n| n.remove_anchor("bad")).unwrap();
    assert_eq!(shelf.file.read().unwrap().damage(), []);
}

#[test]
fn broken_part_reported_and_set_aside() {
    let runbook = r#"{"id":"r","text":"t"}"#;
    let (a, b) = (good("a"), good("b"));
    let whole = document(&format!("{a},{b}")).replace(
        "\"anchors\"",
        &format!("\"runbooks\":[{runbook}],\"anchors\""),
    );
    let broken_b = b.replace("\"label\"", "label");
    for (name, text, anchors, runbooks) in [
        (
            "cut off in an anchor",
            whole[..whole.len() - 20].to_owned(),
            &["a"][..],
            1,
        ),
        (
            "cut off after an anchor",
            whole[..whole.len() - 2].to_owned(),
            &["a", "b"],
            1,
        ),
        (
            "a bad anchor among good ones",
            whole.replace(&a, &format!("{a},{{\"id\":\"x\", oops}}")),
            &["a", "b"],
            1,
        ),
        ("a bad last anchor", whole.replace(&b, &broken_b), &["a"], 1),
        (
            "no comma",
            whole.replace(&format!("{a},"), &a),
            &["a", "b"],
            1,
        ),
        (
            "a brace too few",
            whole.replace(&a, &a[..a.len() - 1]),
            &["b"],
            1,
        ),
        (
            "a brace too many",
            whole.replace(&a, &format!("{a}}}")),
            &["a", "b"],
            1,
        ),
        (
            "something after the end",
            format!("{whole} {{"),
            &["a", "b"],
            1,
        ),
        (
            "anchors twice",
            whole.replace("]}", "],\"anchors\":[]}"),
            &["a", "b"],
            1,
        ),
        (
            "a broken runbook",
            whole.replace("\"text\":", "\"text\""),
            &["a", "b"],
            0,
        ),
        (
            "no list of runbooks",
            whole.replace(&format!("[{runbook}]"), "7"),
            &["a", "b"],
            0,
        ),
        (
            "a field that is no JSON",
            whole.replace("\"runbooks\"", "\"x\":oops,\"runbooks\""),
            &["a", "b"],
            1,
        ),
    ] {
        // Make sure that the damage isn't a no-op.
        assert_ne!(text, whole, "{name}");
        let shelf = Shelf::holding(&text);
        let notebook = shelf
            .file
            .read()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(ids(&notebook), anchors, "{name}");
        assert_eq!(notebook.runbooks().len(), runbooks, "{name}");
        assert_eq!(
            shelf.file.runbooks().unwrap().runbooks.len(),
            runbooks,
            "{name}"
        );
        let [damage] = notebook.damage() else {
            panic!("{name}: {:?}", notebook.damage())
        };
        assert_eq!(damage.state, DamageState::Broken, "{name}: {damage}");
        assert_eq!(shelf.text(), text, "{name}: reading changes nothing");

        let edited = shelf
            .file
            .edit(&Writer::default(), EditMode::Write, |n| {
                n.add(anchor("new"))
            })
            .unwrap();
        let aside = edited.set_aside.unwrap_or_else(|| panic!("{name}"));
        assert_eq!(fs::read_to_string(&aside.path).unwrap(), text, "{name}");
        let notebook = shelf.file.read().unwrap();
        assert_eq!(ids(&notebook), [anchors, &["new"]].concat(), "{name}");
        let [damage] = notebook.damage() else {
            panic!("{name}: {:?}", notebook.damage())
        };
        assert_eq!(
            (damage.state, &damage.path),
            (DamageState::SetAside, &aside.path),
            "{name}"
        );
        // As soon as the user has removed the file, there's nothing to report any more.
        fs::remove_file(&aside.path).unwrap();
        assert_eq!(shelf.file.read().unwrap().damage(), [], "{name}");
    }
}

#[test]
fn bad_utf_8_loses_one_anchor() {
    let text = document(&format!("{},{},{}", good("a"), good("b"), good("c")));
    let mut bytes = text.into_bytes();
    let at = bytes
        .windows(8)
        .position(|part| part == b"\"id\":\"b\"")
        .unwrap();
    bytes[at + 6] = 0xff;
    let shelf = Shelf::holding(&bytes);
    let notebook = shelf.file.read().unwrap();
    assert_eq!(ids(&notebook), ["a", "c"]);
    assert_eq!(notebook.damage().len(), 1);
    shelf.edit(|n| n.add(anchor("d"))).unwrap();
    let notebook = shelf.file.read().unwrap();
    assert_eq!(fs::read(&notebook.damage()[0].path).unwrap(), bytes);
}

#[test]
fn damage_message_complete() {
    let text = document(&format!("{},\n{{\"id\":\"x\",\n", good("a")));
    let shelf = Shelf::holding(&text);
    let told = shelf.file.read().unwrap().damage()[0].to_string();
    for part in [
        "notebook.json",
        "line 2, column 1: `x`: an anchor that is not JSON",
        "rollback",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

proptest! {
    /// Replaces some part of a notebook with random bytes.
    ///
    /// Everything we read from it must have been there before, and the old text must still be
    /// available after the next write.
    #[test]
    fn any_damage_loses_nothing(
        from in 0_usize..900,
        length in 0_usize..60,
        bytes in proptest::collection::vec(any::<u8>(), 0..4),
    ) {
        let anchors: Vec<String> = (0..6).map(|at| good(&format!("a{at}"))).collect();
        let mut text = document(&anchors.join(",")).into_bytes();
        // Don't touch the owner, because a notebook without one is refused.
        let from = (45 + from).min(text.len());
        let end = (from + length).min(text.len());
        text.splice(from..end, bytes);
        let shelf = Shelf::holding(&text);
        let Ok(notebook) = shelf.file.read() else {
            // The owner was damaged after all, e.g. by another `repo` field. We must not overwrite
            // such a notebook.
            let edited = shelf.edit(|n| n.add(anchor("new")));
            prop_assert!(edited.is_err());
            prop_assert_eq!(fs::read(shelf.file.path()).unwrap(), text);
            return Ok(());
        };
        let read = ids(&notebook);
        prop_assert!(read.len() <= 6);
        shelf.edit(|n| n.add(anchor("new"))).unwrap();
        let again = shelf.file.read().unwrap();
        for id in &read {
            prop_assert!(again.anchor(id).is_ok(), "{}", id);
        }
        prop_assert!(again.anchor("new").is_ok());
        // If the text was valid, it's in the history, and otherwise it was moved aside.
        let folder = shelf.file.path().parent().unwrap();
        let kept = [folder.join("history/0000000000.json"), folder.join("notebook.damaged-1.json")];
        prop_assert!(kept.iter().any(|path| fs::read(path).is_ok_and(|kept| kept == text)));
    }
}
