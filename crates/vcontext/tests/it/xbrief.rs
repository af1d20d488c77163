//! Tests xBRIEF 0.5 to 0.8 with documents that were written for these tests.

use proptest::prelude::*;
use serde_json::json;
use windlass_vcontext::{
    AgentKind, Author, CheckOptions, Document, EditError, Encoding, ItemStatus, Layout,
    MigrateError, Object, PlanStatus, Version, add_item, as_formula, as_plan, check,
    document_schema, exact, lightest_tron, markdown, merge_documents, migrate, migrate_to,
    set_item, set_plan_status, without_nulls, work_items, write,
};

use crate::support::{PAIRS, any_json, document, json_text, named, object, rules};

macro_rules! own {
    ($name:literal, $version:literal) => {
        (
            $name,
            $version,
            include_str!(concat!("../data/xbrief/", $name)),
        )
    };
}

pub(crate) const CORPUS: [(&str, &str, &str); 4] = [
    own!("release.xbrief.json", "0.8"),
    own!("harvest.vbrief.tron", "0.5"),
    own!("outage.xbrief.json", "0.6"),
    own!("tasks.xbrief.json", "0.7"),
];

fn release() -> Document {
    named(CORPUS[0].0, CORPUS[0].2)
}

fn author() -> Author {
    Author {
        id: "ann".to_owned(),
        kind: AgentKind::Human,
        now: "2026-07-10T09:00:00Z".to_owned(),
    }
}

fn fields(json: &serde_json::Value) -> Object<'static> {
    exact(json).unwrap().as_object().unwrap().clone()
}

#[test]
fn corpus_is_valid_by_its_version() {
    for (name, version, text) in CORPUS {
        assert!(Document::is_likely(name, text.as_bytes()), "{name}");
        let read = named(name, text);
        assert_eq!(read.version().number(), version, "{name}");
        let found = check(&read, &CheckOptions::default());
        assert!(found.is_empty(), "{name}: {found}");
    }
}

#[test]
fn schema_of_a_version_is_as_strict_as_check() {
    let changes = [
        ("/plan/title", json!(1)),
        ("/plan/status", json!("someday")),
        ("/plan/items/0/title", json!("")),
        ("/plan/items/0/status", json!("inProgress")),
        ("/plan/items/0/dueDate", json!("2026-13-01")),
        ("/plan/items/0/priority", json!(7)),
        ("/plan/edges", json!([{ "from": "a", "to": "b" }])),
    ];
    for (name, number, text) in CORPUS {
        let version = Version::named(number).unwrap();
        let schema = document_schema(version);
        jsonschema::meta::validate(&schema).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let good: serde_json::Value =
            serde_json::from_str(&json_text(&without_nulls(named(name, text).value()))).unwrap();
        let header = good.as_object().unwrap().keys().next().unwrap();
        if header == version.header() {
            let wrong = validator.iter_errors(&good).next();
            assert!(wrong.is_none(), "{name}: {wrong:?}");
        }
        for (pointer, value) in &changes {
            let mut bad = good.clone();
            let (at, field) = pointer.rsplit_once('/').unwrap();
            bad.pointer_mut(at).unwrap()[field] = value.clone();
            assert!(!validator.is_valid(&bad), "{name}: {pointer}");
            let found = check(&document(&bad.to_string()), &CheckOptions::default());
            assert!(found.has_errors(), "{name}: {pointer}");
        }
    }
}

#[test]
fn corpus_survives_both_encodings() {
    for (name, _, text) in CORPUS {
        let value = without_nulls(named(name, text).value());
        for tron in [
            write(&value, Encoding::Tron, &Layout::pretty()),
            lightest_tron(&value),
        ] {
            let again = named("again.tron", &tron);
            let again = without_nulls(again.value());
            assert_eq!(json_text(&again), json_text(&value), "{name}\n{tron}");
        }
    }
}

#[test]
fn edges_and_parts_decide_what_waits() {
    let read = release();
    let items = work_items(&read).unwrap();
    let shown: Vec<String> = items
        .iter()
        .map(|item| {
            let status = item.status().map_or("?", ItemStatus::as_str);
            format!(
                "{} {status} {}",
                item.name(),
                item.waits_for_open(&items).join("+")
            )
        })
        .collect();
    let want = [
        "format inProgress ",
        "format.reader completed ",
        "format.writer inProgress ",
        "format.convert pending format.writer",
        "docs pending ",
        "audit failed ",
        "announce pending ga",
        "ga pending format+audit",
    ];
    let mut sorted = shown;
    sorted.sort();
    let mut want = want.map(str::to_owned);
    want.sort();
    assert_eq!(sorted, want);
}

#[test]
fn items_without_edges_are_independent() {
    let read = named(CORPUS[3].0, CORPUS[3].2);
    assert_eq!(as_plan(&read).unwrap().layers().len(), 1);
    let read = named(CORPUS[1].0, CORPUS[1].2);
    let plan = as_plan(&read).unwrap();
    let step = |id: &str| {
        plan.iter()
            .find(|(_, step)| step.id.as_str() == id)
            .unwrap()
            .1
    };
    let needs = |id: &str| -> Vec<String> {
        let needs = step(id).needs.iter();
        needs
            .map(|at| plan.step(*at).unwrap().id.to_string())
            .collect()
    };
    assert_eq!(needs("press.run"), ["pick", "press.clean"]);
    assert_eq!(needs("store"), ["press"]);
}

#[test]
fn formula_has_gates_of_failed_items() {
    let read = release();
    let formula = as_formula(&read, "release.xbrief.json").unwrap();
    let step = |id: &str| formula.steps.iter().find(|step| step.id == id).unwrap();
    assert_eq!(formula.left_out.len(), 1);
    assert_eq!(step("audit").gates.len(), 1);
    assert!(step("format").gates.is_empty());
    assert_eq!(
        step("format").description,
        "Everything that touches the files on disk."
    );
    assert_eq!(step("format").children, ["format.writer", "format.convert"]);
    let mut needs: Vec<&str> = step("ga")
        .needs
        .iter()
        .map(|need| need.step.as_str())
        .collect();
    needs.sort_unstable();
    assert_eq!(needs, ["audit", "format"]);
}

#[test]
fn markdown_has_types_edges_and_words() {
    let text = markdown(&release());
    for part in [
        "- [ ] `format` Storage format (auto, group)",
        "  Everything that touches the files on disk.",
        "  - [x] `format.reader` Read both formats",
        "`format.writer` Write the new format (running, high, 40 %, after `format.reader`)",
        "`audit` External audit (failed)",
        "- `docs` informs `announce`",
        "## Rollback",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn edit_writes_the_words_of_the_version() {
    let read = release();
    let edit = |id: &str, json| {
        set_item(&read, id, &fields(&json), &author(), None).map(|edited| edited.value)
    };
    let value = edit(
        "format.convert",
        json!({"status": "inProgress", "dependencies": ["audit"]}),
    )
    .unwrap();
    let text = json_text(&value);
    assert!(
        text.contains(r#""title":"Convert archives in place","status":"running""#),
        "{text}"
    );
    assert!(
        text.contains(r#"{"from":"audit","to":"format.convert","type":"blocks"}"#),
        "{text}"
    );
    assert!(
        !text.contains(r#""from":"format.writer","to":"format.convert""#),
        "{text}"
    );
    assert!(text.contains(r#"{"from":"audit","to":"format.convert","type":"invalidates"}"#));
    assert!(
        text.contains(r#""updated":"2026-07-10T09:00:00Z""#),
        "{text}"
    );
    let found = check(&document(&text), &CheckOptions::default());
    assert!(found.is_empty(), "{found}");
    let added = add_item(
        &read,
        Some("format"),
        &fields(&json!({"id": "format.test", "title": "Test", "status": "pending"})),
        &author(),
        None,
    );
    let items = added.unwrap().value;
    assert!(
        json_text(&items)
            .contains(r#"{"id":"format.test","title":"Test","status":"pending"}]},{"id":"docs""#)
    );
    let tasks = named(CORPUS[3].0, CORPUS[3].2);
    let error = set_item(
        &tasks,
        "Fix the door",
        &fields(&json!({"dependencies": ["x"]})),
        &author(),
        None,
    );
    assert_eq!(
        error.unwrap_err(),
        EditError::NoId("Fix the door".to_owned())
    );
    let plan = set_plan_status(&read, PlanStatus::InProgress, &author()).unwrap();
    assert_eq!(
        plan.get("plan").unwrap().get("status").unwrap().as_str(),
        Some("running")
    );
}

/// If a version doesn't have the word, we write the nearest one.
#[test]
fn statuses_without_a_word_are_the_nearest() {
    let status = |number: &str| {
        Version::named(number)
            .unwrap()
            .item_word(ItemStatus::Failed)
            .to_owned()
    };
    assert_eq!(
        ["0.4", "0.5", "0.6", "0.8"].map(status),
        ["blocked", "blocked", "failed", "failed"]
    );
}

#[track_caller]
fn finds(plan: &str, want: &[&str]) {
    let text = format!(r#"{{"xBRIEFInfo": {{"version": "0.8"}}, "plan": {plan}}}"#);
    let found = check(&document(&text), &CheckOptions::default());
    assert_eq!(rules(&found), want, "{found}");
}

#[test]
fn check_finds_what_each_rule_forbids() {
    let items = |items: &str, more: &str| {
        format!(r#"{{"title": "P", "status": "running", "items": [{items}]{more}}}"#)
    };
    let two = r#"{"id": "a", "title": "A", "status": "pending"}, {"id": "b", "title": "B", "status": "pending"}"#;
    let edges = |edges: &str| items(two, &format!(r#", "edges": [{edges}]"#));
    for (plan, want) in [
        (items("", ""), &[][..]),
        (
            r#"{"title": "P", "status": "inProgress"}"#.to_owned(),
            &["missing-field", "unknown-word"],
        ),
        (
            edges(
                r#"{"from": "a", "to": "b", "type": "blocks"}, {"from": "b", "to": "a", "type": "blocks"}"#,
            ),
            &["dependency-cycle"],
        ),
        (
            edges(
                r#"{"from": "a", "to": "b", "type": "blocks"}, {"from": "b", "to": "a", "type": "informs"}"#,
            ),
            &["edge-cycle"],
        ),
        (
            edges(r#"{"from": "a", "to": "a", "type": "suggests"}"#),
            &["edge-cycle"],
        ),
        (
            edges(r#"{"from": "a", "to": "c", "type": "blocks"}"#),
            &["unknown-dependency"],
        ),
        (
            edges(
                r#"{"from": "a", "to": "b", "type": "x"}, {"from": "a", "to": "b", "type": "x"}"#,
            ),
            &["duplicate-dependency"],
        ),
        (edges(r#"{"from": "a", "to": "b"}"#), &["missing-field"]),
        (
            items(r#"{"id": "a b", "title": "A", "status": "pending"}"#, ""),
            &["item-id"],
        ),
        (
            items(
                r#"{"id": "a", "title": "A", "status": "pending", "items": [{"id": "b", "title": "B", "status": "pending"}]}"#,
                "",
            ),
            &["item-id-path"],
        ),
        (
            items(
                r#"{"title": "A", "status": "auto", "items": [{"title": "B", "status": "pending"}]}"#,
                "",
            ),
            &["auto-status"],
        ),
        (
            items(r#"{"title": "A", "status": "auto", "type": "group"}"#, ""),
            &["auto-status"],
        ),
        (
            items(
                r#"{"title": "A", "status": "pending", "type": "story"}"#,
                "",
            ),
            &["unknown-word"],
        ),
        (
            items(
                r##"{"title": "A", "status": "pending", "planRef": "plan.json", "planRefs": ["#x"]}"##,
                "",
            ),
            &["plan-ref", "link-fragment"],
        ),
        (
            items(
                r#"{"title": "A", "status": "pending", "items": [], "subItems": [{"title": "B", "status": "pending"}]}"#,
                "",
            ),
            &["two-names"],
        ),
        (
            items(
                r#"{"title": "A", "status": "pending", "x-core/a": 1, "x-Acme/b": 2, "x-acme/c": 3}"#,
                "",
            ),
            &["extension-name", "extension-name"],
        ),
        (
            items(
                "",
                r#", "references": [{"uri": "https://e.org", "type": "issue"}]"#,
            ),
            &["reference-type"],
        ),
        (
            items("", r#", "narratives": {"proposal": "x"}"#),
            &["narrative-title"],
        ),
    ] {
        finds(&plan, want);
    }
    let text = r#"{"xBRIEFInfo": {"version": "0.6"}, "plan": {"title": "P", "status": "failed", "items": []}, "playbook": {}}"#;
    let found = check(&document(text), &CheckOptions::default());
    assert_eq!(rules(&found), ["foreign-container"], "{found}");
}

/// A document of version 0.4 that only got the later name has an older form.
#[test]
fn renamed_header_of_version_0_4_is_older() {
    let text = r#"{"vBRIEFInfo": {"version": "0.4"}, "todoList": {"items": [{"title": "a", "status": "inProgress"}]}}"#;
    let found = check(&document(text), &CheckOptions::default());
    assert_eq!(rules(&found), ["older-shape"], "{found}");
    let done = migrate(document(text).value()).unwrap();
    assert!(json_text(&done.value).starts_with(r#"{"vContextInfo":{"version":"0.4"}"#));
}

fn version(number: &str) -> &'static Version {
    Version::named(number).unwrap()
}

#[test]
fn equal_ids_are_numbered_in_order() {
    const COUNT: usize = 20_000;
    let mut items = vec![json!({"id": "a-3", "title": "t", "status": "pending"})];
    items.resize(COUNT, json!({"id": "a", "title": "t", "status": "pending"}));
    let list = json!({"vContextInfo": {"version": "0.4"}, "todoList": {"items": items}});
    let raised = migrate_to(document(&list.to_string()).value(), Version::newest()).unwrap();
    let items = raised.value.get("plan").unwrap().get("items").unwrap();
    let items = items.as_array().unwrap().iter();
    let ids: Vec<&str> = items
        .map(|item| item.get("id").unwrap().as_str().unwrap())
        .collect();
    assert_eq!(ids[..5], ["a-3", "a", "a-2", "a-4", "a-5"]);
    assert_eq!(ids.last(), Some(&"a-20000"));
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), COUNT);
}

#[test]
fn older_versions_are_raised_to_the_newest() {
    for (name, number, text) in CORPUS {
        let read = named(name, text);
        let done = migrate(read.value()).unwrap();
        assert_eq!(done.changes.is_empty(), number == "0.8", "{name}");
        assert!(
            done.changes
                .iter()
                .all(|change| !change.is_lossy && !change.left)
        );
        let again = named(name, &read.rewritten(&done.value));
        let found = check(&again, &CheckOptions::default());
        assert!(found.is_empty(), "{name}: {found}");
        assert_eq!(again.version().number(), "0.8");
        assert_eq!(migrate(again.value()).unwrap().changes, []);
        let error = migrate_to(again.value(), version("0.6")).unwrap_err();
        assert_eq!(error, MigrateError::NoTarget("0.6".to_owned()));
    }
}

#[test]
fn lowered_document_is_valid_and_comes_back() {
    for (name, _, text) in CORPUS {
        let read = named(name, text);
        let newest = migrate(read.value()).unwrap().value;
        let low = migrate_to(read.value(), version("0.4")).unwrap();
        let low_text = json_text(&low.value);
        let found = check(&document(&low_text), &CheckOptions::default());
        assert!(!found.has_errors(), "{name}: {found}\n{low_text}");
        let back = migrate_to(&low.value, version("0.8")).unwrap();
        let back_text = json_text(&back.value);
        let found = check(&document(&back_text), &CheckOptions::default());
        assert!(!found.has_errors(), "{name}: {found}\n{back_text}");
        let statuses = |text: &str| -> Vec<String> {
            let read = document(text);
            let items = work_items(&read).unwrap();
            let each = items.iter();
            each.map(|item| {
                format!(
                    "{} {:?} {:?}",
                    item.name(),
                    item.node.text_of("status"),
                    item.waits_for
                )
            })
            .collect()
        };
        assert_eq!(
            statuses(&back_text),
            statuses(&json_text(&newest)),
            "{name}"
        );
    }
}

#[test]
fn report_names_what_has_no_counterpart() {
    let low = migrate_to(release().value(), version("0.4")).unwrap();
    let lossy: Vec<(&str, &str)> = low
        .changes
        .iter()
        .filter(|change| change.is_lossy)
        .map(|change| (change.at.as_str(), change.what.as_str()))
        .collect();
    let has = |at: &str, part: &str| {
        lossy
            .iter()
            .any(|(own, what)| *own == at && what.contains(part))
    };
    for (at, part) in [
        ("/plan/edges/4", "`informs`"),
        ("/plan/edges/5", "`invalidates`"),
        ("/plan/items/0/type", "`type`"),
        (
            "/plan/items/0/status",
            "`auto` has no counterpart, and becomes `inProgress`",
        ),
        ("/plan/items/1/planRefs", "`planRefs`"),
        (
            "/plan/items/2/status",
            "`failed` has no counterpart, and becomes `blocked`",
        ),
        ("/plan/items/2/planRef", "`planRef`"),
        ("/plan/items/3/x-mailer~1list", "`x-mailer/list`"),
        ("/plan/items/0/items/1/priority", "`priority`"),
        ("/plan/x-planner~1board", "`x-planner/board`"),
    ] {
        assert!(has(at, part), "{at} {part}\n{lossy:#?}");
    }
    let text = json_text(&low.value);
    assert!(
        text.contains(r#""subItems":[{"id":"format.reader""#),
        "{text}"
    );
    assert!(
        text.contains(r#""dependencies":["format","audit"]"#),
        "{text}"
    );
    assert!(text.contains(r#""proposal":"Ship the new"#), "{text}");
}

#[test]
fn examples_of_version_0_4_are_raised_and_come_back() {
    for (name, json, _) in PAIRS {
        let read = named("d.json", json);
        let raised = migrate_to(read.value(), version("0.8")).unwrap();
        let text = json_text(&raised.value);
        let found = check(&document(&text), &CheckOptions::default());
        assert!(!found.has_errors(), "{name}: {found}\n{text}");
        let back = migrate_to(&raised.value, version("0.4")).unwrap();
        let text = json_text(&back.value);
        let found = check(&document(&text), &CheckOptions::default());
        assert!(!found.has_errors(), "{name}: {found}\n{text}");
        if name.starts_with("playbook") {
            assert_eq!(back.value.get("playbook"), read.value().get("playbook"));
        }
        if name.starts_with("plan") {
            let steps = |document: &Document| as_formula(document, "d").unwrap().steps.len();
            assert_eq!(steps(&named("d.json", &text)), steps(&read), "{name}");
        }
    }
}

#[test]
fn nested_ids_name_the_enclosing_item() {
    let text = r#"{"vContextInfo": {"version": "0.4"}, "plan": {"title": "P", "status": "draft", "narratives": {"proposal": "p"},
        "items": [{"id": "a", "title": "A", "status": "pending", "dependencies": ["b"],
            "todoList": {"title": "L", "items": [{"id": "b", "title": "B", "status": "pending"}, {"title": "C d", "status": "pending", "dependencies": ["b"]}]}},
            {"id": "b", "title": "B", "status": "completed"}]}}"#;
    let raised = migrate_to(document(text).value(), version("0.8")).unwrap();
    let text = json_text(&raised.value);
    for part in [
        r#""items":[{"id":"a.b","title":"B","status":"pending","x-vcontext/id":"b"}"#,
        r#"{"from":"b","to":"a","type":"blocks"}"#,
        r#"{"from":"a.b","to":"a.C-d","type":"blocks"}"#,
        r#""x-vcontext/todoList":{"title":"L"}"#,
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn merge_joins_edges_and_nested_items() {
    let plan = |reader: &str, edges: &str| {
        document(&format!(
            r#"{{"xBRIEFInfo": {{"version": "0.8"}}, "plan": {{"title": "P", "status": "running", "items": [
            {{"id": "a", "title": "A", "status": "pending", "items": [{{"id": "a.r", "title": "R", "status": "{reader}"}}]}},
            {{"id": "b", "title": "B", "status": "pending"}}, {{"id": "c", "title": "C", "status": "pending"}}], "edges": [{edges}]}}}}"#
        ))
    };
    let edge =
        |from: &str, to: &str| format!(r#"{{"from": "{from}", "to": "{to}", "type": "blocks"}}"#);
    let (ab, bc, ac) = (edge("a", "b"), edge("b", "c"), edge("a", "c"));
    let base = plan("pending", &ab);
    let ours = plan("running", &format!("{ab}, {bc}"));
    let theirs = plan("pending", &ac);
    let merged = merge_documents(base.value(), ours.value(), theirs.value(), &author());
    assert!(merged.conflicts.is_empty(), "{:?}", merged.conflicts);
    let text = json_text(&merged.value);
    assert!(text.contains(r#""status":"running"}]"#), "{text}");
    let edges =
        r#""edges":[{"from":"b","to":"c","type":"blocks"},{"from":"a","to":"c","type":"blocks"}]"#;
    assert!(text.contains(edges), "{text}");
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    #[test]
    fn any_document_is_checked_and_migrated(
        number in prop::sample::select(vec!["0.4", "0.5", "0.8", "0.9"]),
        header in prop::sample::select(vec!["xBRIEFInfo", "vBRIEFInfo", "vContextInfo"]),
        body in object(any_json()),
        items in prop::collection::vec(object(any_json()), 0..4),
        target in prop::sample::select(vec!["0.4", "0.8"]),
    ) {
        let items = items.join(",");
        let text = format!(r#"{{"{header}":{{"version":"{number}"}},"plan":{{"items":[{items}],"more":{body}}}}}"#);
        let read = Document::parse("d.json", text.as_bytes()).unwrap();
        let _ = check(&read, &CheckOptions::default());
        let _ = markdown(&read);
        if let Ok(done) = migrate_to(read.value(), version(target)) {
            prop_assert_eq!(Version::of(&done.value).number(), target);
            let again = migrate_to(&done.value, version(target)).unwrap();
            prop_assert_eq!(json_text(&again.value), json_text(&done.value));
        }
    }
}
