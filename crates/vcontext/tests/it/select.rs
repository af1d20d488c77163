use windlass_vcontext::{EntryQuery, ItemKind, ItemQuery, ItemStatus, fold, work_items};

use crate::support::{PAIRS, document, named};

fn webhooks() -> windlass_vcontext::Document {
    named("d.json", PAIRS[4].1)
}

fn ids(query: &ItemQuery) -> Vec<String> {
    let document = webhooks();
    let items = work_items(&document).unwrap();
    let taken = items.iter().filter(|item| query.takes(item));
    taken
        .map(|item| item.id().unwrap_or(item.title()).to_owned())
        .collect()
}

#[test]
fn due_is_shown_in_item_time_zone() {
    let due = |list: &str, item: &str| {
        let text = format!(
            r#"{{"vContextInfo":{{"version":"0.4"{list}}},"todoList":{{"items":[{{"title":"a","status":"pending","dueDate":"2026-07-01T07:00:00Z"{item}}}]}}}}"#
        );
        let document = named("d.json", &text);
        work_items(&document).unwrap()[0].due().unwrap()
    };
    let zurich = r#","timezone":"Europe/Zurich""#;
    assert_eq!(due("", ""), "2026-07-01T07:00:00Z");
    assert_eq!(due(zurich, ""), "2026-07-01 09:00 Europe/Zurich");
    assert_eq!(
        due(zurich, r#","timezone":"Asia/Tokyo""#),
        "2026-07-01 16:00 Asia/Tokyo"
    );
}

#[test]
fn item_query_filters_items() {
    let text = |text: &str| ItemQuery {
        text: text.to_owned(),
        ..ItemQuery::default()
    };
    assert_eq!(ids(&ItemQuery::default()).len(), 7);
    let named = ItemQuery {
        ids: vec!["p1-2".to_owned(), "p3".to_owned()],
        ..ItemQuery::default()
    };
    assert_eq!(ids(&named), ["p1-2", "p3"]);
    let open = ItemQuery {
        statuses: vec![ItemStatus::InProgress],
        ..ItemQuery::default()
    };
    assert_eq!(ids(&open), ["p1", "p1-1", "Add query batching"]);
    let tagged = ItemQuery {
        tags: vec!["root-cause".to_owned()],
        ..ItemQuery::default()
    };
    assert_eq!(ids(&tagged), ["p1"]);
    // The text is found in a title and in a narrative, whatever the case.
    assert_eq!(ids(&text("n+1")), ["p1", "p1-1"]);
    assert_eq!(ids(&text("nowhere")), [""; 0]);
}

#[test]
fn items_have_dependencies_and_parents() {
    let document = webhooks();
    let items = work_items(&document).unwrap();
    let at = |id: &str| items.iter().position(|item| item.id() == Some(id)).unwrap();
    assert_eq!(items[at("p3")].waits_for, [at("p1"), at("p2")]);
    assert_eq!(items[at("p1-2")].part_of, Some(at("p1")));
    assert!(items[at("p1")].is_stage);
    let inner = items.iter().find(|item| item.id().is_none()).unwrap();
    assert!(!inner.is_stage && inner.part_of == Some(at("p1")));
}

#[test]
fn own_lines_exclude_parts() {
    let text = r#"{"vContextInfo": {"version": "0.4"}, "plan": {"title": "P", "status": "draft", "narratives": {"proposal": "x"}, "items": [
{
  "id": "a", "title": "a", "status": "pending",
  "subItems": [
    {"id": "b",
     "title": "b", "status": "pending"},
    {"id": "c", "title": "c", "status": "pending"}
  ],
  "tags": ["late"]
},
{"id": "d", "title": "d", "status": "pending", "subItems": [{"id": "e", "title": "e", "status": "pending"}]},
{"id": "f", "title": "f", "status": "pending", "subItems": [{"id": "g",
  "title": "g",
  "status": "pending"}], "tags": []}
]}}"#;
    let document = document(text);
    let items = work_items(&document).unwrap();
    let own = |id: &str| -> Vec<String> {
        let item = items.iter().find(|item| item.id() == Some(id)).unwrap();
        item.own_lines().iter().map(ToString::to_string).collect()
    };
    assert_eq!(own("a"), ["2-4", "8-10"]);
    assert_eq!(own("b"), ["5-6"]);
    assert_eq!(own("d"), ["11"]);
    assert_eq!(own("f"), ["12", "14"]);
}

#[test]
fn own_lines_work_in_tron() {
    let document = named("d.tron", PAIRS[4].2);
    let items = work_items(&document).unwrap();
    let lines: Vec<String> = PAIRS[4].2.lines().map(str::to_owned).collect();
    for item in &items {
        let own = item.own_lines();
        let text: String = (own.iter())
            .flat_map(|span| span.start()..=span.end())
            .map(|line| format!("{}\n", lines[line as usize - 1]))
            .collect();
        assert!(text.contains(item.title()), "{}\n{text}", item.title());
        assert_eq!(
            text.contains("Split reconciliation"),
            item.id() == Some("p1-2")
        );
    }
}

#[test]
fn entry_query_filters_entries() {
    let (_, json, _) = PAIRS[5];
    let document = named("d.json", json);
    let playbook = document.playbook().unwrap();
    let items = playbook.get("items").unwrap().value().as_array().unwrap();
    let folded = fold(items);
    let taken = |query: EntryQuery| -> Vec<&str> {
        let taken = folded.entries.iter().filter(|entry| query.takes(entry));
        taken.map(|entry| entry.target_id.as_str()).collect()
    };
    let tag = |tag: &str| vec![tag.to_owned()];
    assert_eq!(taken(EntryQuery::default()).len(), 3);
    assert_eq!(
        taken(EntryQuery {
            kinds: vec![ItemKind::Rule, ItemKind::Warning],
            ..EntryQuery::default()
        }),
        ["pb-rollback-drill", "pb-scale-first-antipattern"]
    );
    assert_eq!(
        taken(EntryQuery {
            any_tags: [tag("database"), tag("runbook")].concat(),
            ..EntryQuery::default()
        }),
        ["pb-rollback-drill", "pb-scale-first-antipattern"]
    );
    assert_eq!(
        taken(EntryQuery {
            tags: [tag("latency"), tag("triage")].concat(),
            ..EntryQuery::default()
        }),
        ["pb-latency-regression-triage"]
    );
    assert_eq!(
        taken(EntryQuery {
            text: "QUEUE BOUNDS".to_owned(),
            ..EntryQuery::default()
        }),
        ["pb-scale-first-antipattern"]
    );
}

#[test]
fn playbook_has_no_work_items() {
    let (_, json, _) = PAIRS[5];
    let found = work_items(&named("d.json", json)).unwrap_err();
    assert!(found.to_string().contains("no work items"), "{found}");
}
