//! Exports and imports lose nothing. A damaged file is refused, with the position of each error.

use proptest::prelude::*;
use windlass_base::Ident;
use windlass_notebook::{Mark, SharedAnchor, SharedAnchors};

use crate::support::{Shelf, document};

fn anchor(id: &str, more: &str) -> String {
    format!(
        r#"{{"id":"{id}","label":"L","evidence":[{{"file":"x","start_line":1,"end_line":1}}]{more}}}"#
    )
}

/// The anchors that an export of a notebook would write.
fn handed_over(anchors: &str) -> SharedAnchors {
    let shelf = Shelf::holding(document(anchors));
    let mut shared = SharedAnchors::default();
    shelf
        .edit(|edit| {
            for anchor in edit.shared_anchors().into_values() {
                shared.put(anchor.unwrap());
            }
            Ok(())
        })
        .unwrap();
    shared
}

/// Position and message of each error in a file.
fn said(text: impl AsRef<[u8]>) -> Vec<String> {
    let found = SharedAnchors::read(".windlass/anchors.json", text.as_ref()).unwrap_err();
    let said = found.iter().map(|wrong| {
        // The file was edited by people, so each error has to come with advice.
        assert!(wrong.help.is_some(), "{}: what to do?", wrong.message);
        let place = wrong.place.as_ref().unwrap().position();
        format!("{}:{}: {}", place.line, place.column, wrong.message)
    });
    said.collect()
}

#[test]
fn damaged_file_refused_with_place() {
    for (text, wanted) in [
        (
            "",
            &["1:1: not an anchor document: EOF while parsing a value"][..],
        ),
        (
            "[]",
            &["1:1: not an anchor document: invalid type: sequence, expected an object"],
        ),
        (
            "{\"schema_version\": 1,\n \"anchors\": [}",
            &["2:14: not an anchor document: expected value"],
        ),
        (
            "{\"anchors\": []}",
            &["1:1: the field `schema_version` is missing"],
        ),
        (
            "{\"schema_version\": 1}",
            &["1:1: the field `anchors` is missing"],
        ),
        (
            "{\"schema_version\": 1, \"anchors\": {}}",
            &["1:34: `anchors` must be a list"],
        ),
        (
            "{\"schema_version\": 2, \"anchors\": 7}",
            &["1:20: this file has schema_version 2; this program reads versions up to 1"],
        ),
        (
            "{\"schema_version\": \"1\", \"anchors\": []}",
            &["1:20: `schema_version` must be a whole number from 1"],
        ),
        (
            "{\"schema_version\": 1, \"schema_version\": 1}",
            &["1:38: not an anchor document: `schema_version` is duplicated"],
        ),
        (
            "{\"schema_version\": 1, \"anchors\": [\n  7,\n  {\"id\": \"é\"},\n  {\"id\": \"a\",\n   \"evidence\": [{\"file\": \"../x\"}]}\n]}",
            &[
                "2:3: anchor: an anchor must be an object",
                "3:13: anchor `é`: `é` is not allowed in an identifier: use letters, digits, `_`, and after the first `.` and `-`",
                "5:32: anchor `a`: `../x` leads upwards (`..`): give a path inside the repository",
            ],
        ),
        (
            "{\n<<<<<<< HEAD\n  \"schema_version\": 1,\n=======\n>>>>>>> theirs\n}",
            &["2:1: unresolved merge conflict markers"],
        ),
    ] {
        assert_eq!(said(text), wanted, "{text}");
    }
    let not_utf8 = [b"{\n \"a\": \"".as_slice(), b"\xff\"}"].concat();
    assert_eq!(said(not_utf8), ["2:8: this is not UTF-8 from here on"]);
    let twice = format!(
        "{{\"schema_version\":1,\"anchors\":[{},\n{}]}}",
        anchor("a", ""),
        anchor("a", "")
    );
    assert_eq!(said(twice), ["2:1: duplicate anchor `a`"]);
}

#[test]
fn hostile_file_bounded() {
    let deep = |end: &str| {
        let (open, close) = ("[".repeat(1 << 17), "]".repeat(1 << 17));
        format!("{{\"schema_version\":1,\"anchors\":[],\"x\":{open}{close}{end}")
    };
    for (end, says) in [("}", "more than 32 levels"), ("", "EOF")] {
        let found = said(deep(end));
        assert!(found[0].contains(says), "{found:?}");
    }
    let fields: String = (0..200_000).map(|at| format!(",\"f{at}\":0")).collect();
    let wide = format!("{{\"schema_version\":1{fields},\"anchors\":[]}}");
    assert!(said(wide)[0].contains("more than 1000 fields"), "wide");
    let wide = format!(
        "{{\"schema_version\":1,\"anchors\":[{}]}}",
        anchor("a", &fields)
    );
    assert!(said(wide)[0].contains("more than 1000 fields"), "wide");
    let many = vec![anchor("a", ""); 20_001].join(",");
    let many = format!("{{\"schema_version\":1,\"anchors\":[{many}]}}");
    assert!(
        said(many)[0].contains("20001 anchors are more than"),
        "many"
    );
    let bad = vec!["0"; 10_000].join(",");
    let bad = format!("{{\"schema_version\":1,\"anchors\":[{bad}]}}");
    let found = SharedAnchors::read("x", bad.as_bytes()).unwrap_err();
    // One hundred errors, and the number of the others.
    assert_eq!(found.iter().count(), 101);
}

#[test]
fn bom_and_line_endings_kept() {
    let shared = handed_over(&anchor("a", ""));
    let text = shared.to_text();
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let mut read = SharedAnchors::read("x", windows.as_bytes()).unwrap();
    assert_eq!(read.get("a"), shared.get("a"));
    read.put(shared.get("a").unwrap().clone());
    assert_eq!(read.to_text(), text.replace('\n', "\r\n"));
}

#[test]
fn export_drops_times_sorts() {
    let early = r#","freshness":{"captured_at":"2026-01-01T00:00:00Z"},"tags":[]"#;
    let late = r#","freshness":{"captured_at":"2026-02-02T00:00:00Z"}"#;
    let (a, b) = (anchor("a", early), anchor("b", ""));
    let one = handed_over(&format!("{a},{b}")).to_text();
    let other = handed_over(&format!("{b},{}", anchor("a", late))).to_text();
    assert_eq!(one, other);
    assert!(!one.contains("2026"), "{one}");
}

/// Valid JSON in unusual forms: numbers beyond doubles, lone surrogates, and spaces everywhere.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1e400".to_owned()),
        Just("12345678901234567890123".to_owned()),
        Just(r#""\ud800""#.to_owned()),
        any::<i32>().prop_map(|number| number.to_string()),
        "\\PC{0,8}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|list| format!("[ {} ]", list.join(" , "))),
            proptest::collection::btree_map("[a-z]{1,3}", inner, 0..4).prop_map(|fields| {
                let fields = fields.into_iter().rev();
                let fields: Vec<String> = fields
                    .map(|(key, value)| format!("{key:?} : {value}"))
                    .collect();
                format!("{{ {} }}", fields.join(" , "))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn export_import_lossless(
        entries in proptest::collection::btree_map("[a-z][a-z0-9_.-]{0,5}", (json(), "\\PC{0,9}", json()), 0..5),
        top in json(),
    ) {
        let anchors: Vec<String> = entries
            .iter()
            .map(|(id, (field, label, note))| {
                let label = serde_json::Value::from(label.as_str());
                format!(
                    "{{\"x-{id}\":{field},\"label\":{label},\"id\":\"{id}\",\"evidence\":[{{\"y\":{note},\"start_line\":1,\
                     \"file\":\"x\",\"end_line\":1}}]}}"
                )
            })
            .collect();
        let sent = handed_over(&anchors.join(","));
        prop_assert_eq!(sent.iter().count(), entries.len());
        let text = sent.to_text();
        // Fields that others have added stay in the file.
        let text = text.replacen("\n", &format!("\n  \"added\": {top},\n"), 1);
        let received = SharedAnchors::read("x", text.as_bytes()).unwrap();
        let shelf = Shelf::new();
        shelf.edit(|edit| {
            let put = |anchor: &SharedAnchor| edit.put_shared(anchor);
            received.iter().try_for_each(put)
        }).unwrap();
        let mut back = received;
        shelf.edit(|edit| {
            for anchor in edit.shared_anchors().into_values() {
                back.put(anchor.unwrap());
            }
            Ok(())
        }).unwrap();
        for anchor in sent.iter() {
            let other = back.get(anchor.id().as_str()).unwrap();
            prop_assert_eq!(anchor.text().get(), other.text().get());
        }
        let again = SharedAnchors::read("x", back.to_text().as_bytes()).unwrap();
        prop_assert_eq!(again.to_text(), back.to_text());
        prop_assert!(again.to_text().contains("\n  \"added\": "));
    }

    #[test]
    fn any_bytes_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = SharedAnchors::read("x", &bytes);
        let text = [b"{\"schema_version\":1,\"anchors\":[{".as_slice(), &bytes].concat();
        let _ = SharedAnchors::read("x", &text);
    }
}

#[test]
fn seen_marks_stored_and_restored() {
    let shelf = Shelf::holding(document(&anchor("a", "")));
    let note = |text: &str| {
        shelf.edit(|edit| {
            let mut seen = edit.seen().clone();
            seen.note_anchor("a", Mark::of(text));
            edit.set_seen(seen);
            Ok(())
        })
    };
    note("1").unwrap();
    let text = shelf.text();
    // Marks go last, so that the other fields can be read without them.
    assert!(text.find("\"shared\"") > text.find("\"anchors\""), "{text}");
    note("1").unwrap();
    assert_eq!(shelf.text(), text, "nothing new, so nothing is written");
    // An unrelated change must not touch the marks.
    shelf
        .edit(|edit| {
            let mut anchor = edit.anchor("a").unwrap();
            anchor.id = Ident::parse("b").unwrap();
            edit.put_anchor(&anchor)
        })
        .unwrap();
    shelf
        .edit(|edit| {
            assert_eq!(edit.seen().anchor("a"), [Mark::of("1")]);
            Ok(())
        })
        .unwrap();
    let history = shelf.file.history().unwrap();
    assert!(
        history.iter().any(|revision| revision
            .written
            .as_ref()
            .is_some_and(|written| written.to_string().contains("exported"))),
        "{history:?}"
    );
}

#[test]
fn newer_seen_marks_kept() {
    // We can't read these marks, because they come from a newer version.
    let strange = r#""shared":{"anchors":7}"#;
    let text = document(&anchor("a", "")).replace("\"anchors\"", &format!("{strange},\"anchors\""));
    let shelf = Shelf::holding(text);
    shelf
        .edit(|edit| {
            let mut seen = edit.seen().clone();
            seen.note_anchor("a", Mark::of("1"));
            edit.set_seen(seen);
            edit.remove_anchor("a")
        })
        .unwrap();
    assert_eq!(
        shelf.text().matches("\"shared\"").count(),
        1,
        "{}",
        shelf.text()
    );
    assert!(shelf.text().contains(strange), "{}", shelf.text());
}
