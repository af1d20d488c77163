//! Tests that the tables and the schemas are consistent.

use serde_json::{Map, Value, json};
use windlass_vcontext::{
    CheckOptions, Container, Document, Kind, Shape, Version, check, document_schema,
    playbook_schema,
};

/// Creates an entity with all its fields, `depth` levels deep.
fn full(shape: &Shape, depth: usize) -> Value {
    let fields = shape.fields.iter().filter_map(|field| {
        let depth = if field.is_required {
            depth.max(1)
        } else {
            depth
        };
        let value = sample(&field.kind, depth)?;
        Some((field.name.clone(), value))
    });
    let mut object: Map<String, Value> = fields.collect();
    if shape.name == "PlaybookItem" {
        object.insert("operation".into(), "update".into());
    }
    if let Some(geo) = object.get_mut("geo") {
        *geo = json!([47.37, 8.54]);
    }
    Value::Object(object)
}

fn sample(kind: &Kind, depth: usize) -> Option<Value> {
    Some(match kind {
        Kind::Any => json!({"x": [1, "y"]}),
        Kind::Text | Kind::Name => json!("some text"),
        Kind::DateTime => json!("2025-12-28T07:35:00Z"),
        Kind::TimeZone => json!("Europe/Zurich"),
        Kind::Uri => json!("https://example.com/"),
        Kind::Duration => json!("-PT15M"),
        Kind::Whole { min, .. } => json!((*min).max(1)),
        Kind::Number { .. } => json!(0.5),
        Kind::Choice(words) => json!(words[0]),
        Kind::List(inner) => match sample(inner, depth) {
            Some(item) => json!([item]),
            None => json!([]),
        },
        Kind::Texts => json!({"Overview": "text"}),
        Kind::Open => json!({"any": [null]}),
        Kind::Entity(_) if depth == 0 => return None,
        Kind::Entity(shape) => full(Shape::of(shape), depth - 1),
    })
}

fn whole(container: Container) -> Value {
    let mut info = full(Shape::of_info(), 1);
    info["version"] = json!("0.4");
    info["metadata"] = json!({});
    json!({ "vContextInfo": info, container.field(): full(container.shape(), 6) })
}

#[test]
fn schema_accepts_every_field() {
    let schema = document_schema(Version::first());
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for container in Container::ALL {
        let json = whole(container);
        let wrong: Vec<String> = validator
            .iter_errors(&json)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{container}: {wrong:?}");
    }
    let playbook = playbook_schema();
    jsonschema::meta::validate(&playbook).unwrap();
    let validator = jsonschema::validator_for(&playbook).unwrap();
    let mut json = full(Container::Playbook.shape(), 6);
    assert!(validator.is_valid(&json));
    json["items"][0]["operation"] = json!("append");
    assert!(!validator.is_valid(&json), "an append has no predecessor");
}

#[test]
fn schema_refuses_invalid_documents() {
    let validator = jsonschema::validator_for(&document_schema(Version::first())).unwrap();
    let good = json!({"vContextInfo": {"version": "0.4"}, "todoList": {"items": []}});
    assert!(validator.is_valid(&good));
    for (pointer, value) in [
        ("/vContextInfo/version", json!("0.3")),
        ("/todoList/items", json!(null)),
        ("/todoList", json!({})),
        (
            "/todoList/items",
            json!([{"title": "", "status": "pending"}]),
        ),
        ("/todoList/items", json!([{"title": "x", "status": "done"}])),
        ("/todoList", json!({"items": [], "sequence": -1})),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&bad), "{bad}");
    }
    let mut two = good;
    two["plan"] = json!({"title": "x", "status": "draft", "narratives": {"proposal": "x"}});
    assert!(!validator.is_valid(&two));
}

/// The check and the schema both find an error in each part of a document.
#[test]
fn schema_is_as_strict_as_check() {
    let schema = document_schema(Version::first());
    assert_eq!(
        schema["$id"],
        "https://vcontext.dev/schemas/vcontext-core.schema.json"
    );
    assert_eq!(
        playbook_schema()["$id"],
        "https://vcontext.dev/schemas/vcontext-extension-playbooks.schema.json"
    );
    let validator = jsonschema::validator_for(&schema).unwrap();
    let info = json!({"version": "0.4"});
    let item = |fields: Value| {
        let mut item = json!({"title": "x", "status": "pending"});
        item.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        json!({"vContextInfo": info, "todoList": {"items": [item]}})
    };
    let plan = |fields: Value| {
        let mut plan = json!({"title": "x", "status": "draft", "narratives": {"proposal": "x"}});
        plan.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        json!({"vContextInfo": info, "plan": plan})
    };
    let event = |fields: Value| {
        let mut event = json!({"eventId": "e", "targetId": "t", "operation": "append", "kind": "rule",
            "narrative": {"Overview": "x"}, "createdAt": "2025-01-01T00:00:00Z"});
        for (name, value) in fields.as_object().unwrap() {
            match value.is_null() {
                true => drop(event.as_object_mut().unwrap().remove(name)),
                false => event[name] = value.clone(),
            }
        }
        json!({"vContextInfo": info, "playbook": {"version": 1, "created": "2025-01-01T00:00:00Z",
            "updated": "2025-01-01T00:00:00Z", "items": [event]}})
    };
    let is_valid = |json: &Value| {
        let document = Document::parse("d.json", json.to_string().as_bytes()).unwrap();
        let found = check(&document, &CheckOptions::default());
        (!found.has_errors(), validator.is_valid(json))
    };
    let geo = |geo: Value| {
        plan(json!({"items": [{"title": "a", "status": "pending", "location": {"geo": geo}}]}))
    };
    let mut later = item(json!({}));
    later["vBRIEFInfo"] = json!({});
    for good in [
        item(json!({})),
        plan(json!({})),
        event(json!({})),
        geo(json!([-90, 180])),
        item(json!({"percentComplete": 50.5, "uris": [{"uri": "file://../x#y"}]})),
        event(json!({"delta": {"helpfulCount": -3}, "confidence": 1})),
    ] {
        assert_eq!(is_valid(&good), (true, true), "{good}");
    }
    for bad in [
        later,
        plan(json!({"narratives": {"proposal": ""}})),
        plan(json!({"status": "pending"})),
        item(json!({"id": ""})),
        item(json!({"percentComplete": 100.5})),
        item(json!({"created": "2025-01-01T00:00:00"})),
        item(json!({"created": "2025-13-01T00:00:00Z"})),
        item(json!({"created": "2025-01-01 00:00:00Z"})),
        item(json!({"uris": [{"uri": "./x"}]})),
        item(json!({"uris": [{"uri": "file://a b"}]})),
        item(json!({"tags": [1]})),
        item(json!({"dependencies": [null]})),
        item(json!({"sequence": 18_446_744_073_709_551_615_u64})),
        item(json!({"recurrence": {"frequency": "daily", "byMonth": [13]}})),
        geo(json!([91, 0])),
        geo(json!([1])),
        geo(json!([1, 2, 3])),
        event(json!({"prevEventId": "d"})),
        event(json!({"kind": null})),
        event(json!({"narrative": {}})),
        event(json!({"operation": "update", "prevEventId": "", "narrative": {}})),
        event(json!({"delta": {"likes": 1}})),
        event(json!({"delta": {"helpfulCount": 1.5}})),
        event(json!({"confidence": 1.01})),
        event(json!({"status": "retired"})),
        event(json!({"createdAt": null})),
    ] {
        assert_eq!(is_valid(&bad), (false, false), "{bad}");
    }
}
