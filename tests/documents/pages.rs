//! vContext documents, page by page within a budget.

use crate::support::Sandbox;
use crate::vcontext::PLAYBOOK;

/// Returns all pages of a list, each within `budget` characters.
fn pages(sandbox: &Sandbox, command: &[&str], budget: usize, key: &str) -> Vec<serde_json::Value> {
    let (budget, mut all, mut cursor) = (budget.to_string(), Vec::new(), None::<String>);
    loop {
        let mut args = [command, &["--format", "json", "--max-chars", &budget]].concat();
        args.extend(cursor.as_deref().map(|_| "--cursor"));
        args.extend(cursor.as_deref());
        let answer = sandbox.windlass(&args);
        assert!(
            answer.stdout.chars().count() <= budget.parse().unwrap(),
            "{}",
            answer.stdout
        );
        let page = answer.json();
        match key {
            "documents" => {
                let documents = page[key].as_array().unwrap().iter();
                all.extend(documents.flat_map(|one| one["findings"].as_array().unwrap().clone()));
            }
            key => all.extend(page[key].as_array().unwrap().clone()),
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return all,
        }
    }
}

#[test]
fn items_and_entries_are_paged() {
    let sandbox = Sandbox::git();
    let items: Vec<String> = (0..40)
        .map(|at| format!(r#"{{"id": "i{at}", "title": "Item {at}", "status": "pending", "tags": ["t{}"], "x": {at}}}"#, at % 2))
        .collect();
    let list = format!(
        r#"{{"vContextInfo": {{"version": "0.4"}}, "todoList": {{"items": [{}]}}}}"#,
        items.join(",\n")
    );
    sandbox.write("tasks.json", &list);
    let all = sandbox
        .windlass(&["doc", "show", "tasks.json", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(
        (&all["total"], all["items"].as_array().unwrap().len()),
        (&serde_json::json!(40), 40)
    );
    assert_eq!(all["items"][7]["x"], 7);
    let paged = pages(&sandbox, &["doc", "show", "tasks.json"], 900, "items");
    assert_eq!(serde_json::json!(paged), all["items"]);
    let some = pages(
        &sandbox,
        &["doc", "show", "tasks.json", "--tag", "t1"],
        900,
        "items",
    );
    assert_eq!(some.len(), 20);
    // Text pages keep to the budget too, and TRON never takes more than JSON.
    let text = sandbox
        .windlass(&["doc", "show", "tasks.json", "--max-chars", "300"])
        .succeeds();
    assert!(
        text.stdout.chars().count() <= 300
            && text
                .stdout
                .contains(" more  windlass doc show tasks.json --max-chars 300 --cursor "),
        "{}",
        text.stdout
    );
    let tron = sandbox
        .windlass(&["doc", "show", "tasks.json", "--format", "auto"])
        .succeeds();
    let json = sandbox
        .windlass(&["doc", "show", "tasks.json", "--format", "json"])
        .succeeds();
    assert!(tron.stdout.starts_with("class ") && tron.stdout.len() < json.stdout.len());
    // One list's cursor is refused for another list.
    let first = sandbox
        .windlass(&[
            "doc",
            "show",
            "tasks.json",
            "--format",
            "json",
            "--max-chars",
            "900",
        ])
        .json();
    let cursor = first["next_cursor"].as_str().unwrap();
    let stale = [
        "doc",
        "show",
        "tasks.json",
        "--format",
        "json",
        "--max-chars",
        "900",
        "--cursor",
        cursor,
    ];
    sandbox.windlass(&stale).succeeds();
    sandbox.edit("tasks.json", "Item 39", "Item forty");
    sandbox.windlass(&stale).exits_with(3);
    sandbox
        .windlass(&["doc", "show", "tasks.json", "--max-chars", "5"])
        .exits_with(2);
    sandbox
        .windlass(&["doc", "show", "tasks.json", "--kind", "rule"])
        .exits_with(2);

    let events: Vec<String> = (0..12)
        .map(|at| format!(r#"{{"eventId": "e{at}", "targetId": "t{at:02}", "operation": "append", "kind": "rule", "narrative": {{"Overview": "Do {at}."}}, "createdAt": "2025-01-01T00:00:00Z"}}"#))
        .collect();
    sandbox.write(
        "book.json",
        PLAYBOOK.replace(
            "\"items\": []",
            &format!("\"items\": [{}]", events.join(",")),
        ),
    );
    for command in [
        &["doc", "show", "book.json"][..],
        &["doc", "playbook", "show", "book.json"],
    ] {
        let entries = pages(&sandbox, command, 800, "entries");
        let names: Vec<&str> = entries
            .iter()
            .map(|one| one["targetId"].as_str().unwrap())
            .collect();
        assert_eq!((names.len(), names[0], names[11]), (12, "t00", "t11"));
    }
}

#[test]
fn findings_are_paged() {
    let sandbox = Sandbox::git();
    let items: Vec<&str> = std::iter::repeat_n(r#"{"title": "x", "status": "done"}"#, 30).collect();
    let list = |items: &str| {
        format!(r#"{{"vContextInfo": {{"version": "0.4"}}, "todoList": {{"items": [{items}]}}}}"#)
    };
    sandbox.write("a.json", list(&items.join(",\n")));
    sandbox.write("b.json", list(r#"{"title": "x"}"#));
    sandbox.write("c.json", list(""));
    let command = ["doc", "check", "a.json", "b.json", "c.json"];
    let all = sandbox
        .windlass(&[&command[..], &["--format", "json"]].concat())
        .exits_with(2)
        .json();
    let whole: Vec<serde_json::Value> = (all["documents"].as_array().unwrap().iter())
        .flat_map(|one| one["findings"].as_array().unwrap().clone())
        .collect();
    assert_eq!(whole.len(), 31);
    assert_eq!(pages(&sandbox, &command, 1_500, "documents"), whole);
    let text = sandbox
        .windlass(&[&command[..], &["--max-chars", "1500"]].concat())
        .exits_with(2);
    let printed = text.stdout.chars().count() + text.stderr.chars().count();
    assert!(
        printed <= 1_500
            && text
                .stdout
                .contains("c.json: valid\n… more  windlass doc check"),
        "{}",
        text.stdout
    );
}
