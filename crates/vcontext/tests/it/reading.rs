use windlass_vcontext::{Container, Document, Encoding, Node};

use crate::support::{document, named};

#[track_caller]
fn refused(name: &str, text: impl AsRef<[u8]>) -> (String, String) {
    let found = Document::parse(name, text.as_ref()).expect_err("it is refused");
    let first = found.iter().next().unwrap();
    (first.rule.to_owned(), first.to_string())
}

#[test]
fn parse_invalid_has_location() {
    for (name, text, rule, place) in [
        ("d.json", "{\n  \"a\": 01\n}", "json-syntax", "d.json:2:"),
        ("d.tron", "class A: x\n\nA(1", "tron-syntax", "d.tron:3:"),
        (
            "d.json",
            "{\"a\": 1,\n \"a\": 2}",
            "duplicate-key",
            "d.json:2:2",
        ),
        (
            "d.json",
            "\u{feff}{\"a\": 1,\n \"a\": 2}",
            "duplicate-key",
            "d.json:2:2",
        ),
        (
            "d.json",
            "class A: x\n\n{\"a\": A(1)}",
            "not-json",
            "d.json:1:",
        ),
        ("d.json", "{\"a\": 1,}", "not-json", "d.json:1:"),
        ("d.json", "", "json-syntax", "d.json:1:1"),
    ] {
        let (found, said) = refused(name, text);
        assert_eq!(found, rule, "{text}: {said}");
        assert!(said.starts_with(place), "{said}");
    }
    assert_eq!(refused("d.json", [b'{', 0xff]).0, "document-encoding");
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    assert_eq!(refused("d.json", deep).0, "document-limit");
    let long = " ".repeat(windlass_vcontext::MAX_DOCUMENT_BYTES + 1);
    assert_eq!(refused("d.json", long).0, "document-size");
}

#[test]
fn encoding_is_detected_from_text() {
    assert_eq!(named("d.tron", "{\"a\": 1}").encoding(), Encoding::Json);
    assert_eq!(named("d.tron", "{a: 1}").encoding(), Encoding::Tron);
    assert_eq!(named("d", "a: 1").encoding(), Encoding::Tron);
}

#[test]
fn nodes_have_locations() {
    let text = "\u{feff}class Item: title, status\nvContextInfo: {version: \"0.4\"}\ntodoList: {items: [\n  Item(\"ü\", \"pending\"), Item(status=null, title=\"b\")\n]}";
    let read = named("d.tron", text);
    let (container, list) = read.container().unwrap();
    assert_eq!(container, Container::TodoList);
    let items: Vec<Node<'_>> = list.items_of("items").collect();
    assert_eq!(items.len(), 2);
    let status = items[0].get("status").unwrap();
    assert_eq!(status.place().to_string(), "d.tron:4:13");
    assert_eq!(status.key_place().to_string(), "d.tron:4:13");
    assert!(items[1].get("status").is_none() && items[1].member("status").is_some());
    let status = items[1].member("status").unwrap();
    assert_eq!(status.key_place().to_string(), "d.tron:4:30");
    assert_eq!(list.key_place().to_string(), "d.tron:3:1");
}

#[test]
fn likely_documents_are_detected() {
    for (name, text, want) in [
        ("x.vcontext.json", "", true),
        ("a/b.tron", "", true),
        ("x.json", "{\"vContextInfo\": {}}", true),
        ("x.json", "\n{\"vAgendaInfo\": {}}", true),
        ("x.json", "{\"anchors\": []}", false),
        ("x.yaml", "id: x\npurpose: vContextInfo\n", false),
        ("vcontext.json/x.yaml", "", false),
    ] {
        assert_eq!(Document::is_likely(name, text.as_bytes()), want, "{name}");
    }
}

#[test]
fn container_must_be_unique() {
    assert!(document("{}").container().is_none());
    assert!(
        document(r#"{"plan": {}, "todoList": {}}"#)
            .container()
            .is_none()
    );
    let one = document(r#"{"plan": {}, "todoList": null}"#);
    assert_eq!(one.container().unwrap().0, Container::Plan);
}
