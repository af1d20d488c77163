//! TRON output has the same contents as JSON, in fewer tokens.

use serde_json::Value;

use crate::bounds::long;
use crate::support::{Answer, Sandbox};

fn tron(answer: &Answer) -> Value {
    windlass_tron::from_str(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}:\n{}", answer.stdout))
}

fn json_and_tron(sandbox: &Sandbox, args: &[&str]) -> (Answer, Answer) {
    let printed = |format| sandbox.windlass(&[args, &["--format", format]].concat());
    (printed("json"), printed("tron"))
}

#[test]
fn tron_equals_json_for_every_command() {
    let sandbox = long();
    for id in ["one", "two", "three", "four"] {
        sandbox
            .windlass(&["anchor", "add", id, "big.txt:10-20"])
            .succeeds();
    }
    sandbox.windlass(&["run", "long"]).succeeds();
    for args in [
        &["plan", "long"][..],
        &["plan", "long", "--explain"],
        &["check"],
        &["runs", "list"],
        &["runs", "show"],
        &["anchor", "list"],
        &["anchor", "check"],
        &["anchor", "show", "one", "two", "three"],
        &["trust", "--list"],
        &["notebook", "show"],
        &["notebook", "history"],
    ] {
        let (json, printed) = json_and_tron(&sandbox, args);
        assert_eq!(json.code, printed.code, "{args:?}");
        assert!(printed.stdout.len() <= json.stdout.len(), "{args:?}");
        assert_eq!(tron(&printed), json.json(), "{args:?}");
    }
}

#[test]
fn tron_pack_is_equal_and_shorter() {
    let sandbox = long();
    let args = ["run", "long", "--max-chars", "200000"];
    let (json, printed) = json_and_tron(&sandbox, &args);
    let (mut own, mut other) = (tron(&printed.succeeds()), json.succeeds().json());
    assert!(own["budget"]["used"].as_u64() < other["budget"]["used"].as_u64());
    own["budget"]["used"] = other["budget"]["used"].take();
    other["budget"]["used"] = own["budget"]["used"].clone();
    let text = own.to_string().replace("tron", "json");
    assert_eq!(text, other.to_string());
}

#[test]
fn tron_pack_holds_more_in_the_budget() {
    let sandbox = long();
    for budget in [["--max-chars", "3000"], ["--max-tokens", "1000"]] {
        let (json, printed) = json_and_tron(&sandbox, &[&["run", "long"][..], &budget].concat());
        let items = |pack: &Value| pack["sections"][0]["items"].as_array().unwrap().len();
        let pack = tron(&printed);
        assert!(items(&pack) >= items(&json.json()), "{}", printed.stdout);
        if budget[0] == "--max-chars" {
            assert!(items(&pack) > items(&json.json()), "{}", printed.stdout);
            let used = printed.stdout.chars().count();
            assert_eq!(pack["budget"]["used"], used);
        }
    }
}

#[test]
fn tron_pages_continue() {
    let sandbox = long();
    let mut lines = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..60 {
        let mut args = vec!["run", "--format", "tron", "--max-chars", "3000"];
        match &cursor {
            Some(cursor) => args.extend(["--cursor", cursor]),
            None => args.push("long"),
        }
        let answer = sandbox.windlass(&args).succeeds();
        assert!(answer.stdout.chars().count() <= 3000);
        let pack = tron(&answer);
        let section = &pack["sections"][0];
        let items = section["items"].as_array().unwrap();
        lines.extend(
            items
                .iter()
                .map(|item| item["evidence"][0]["start_line"].clone()),
        );
        cursor = section["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    let expected: Vec<Value> = (1..=300).map(Value::from).collect();
    // Remainders of entries cut on their page come last.
    let rest = lines.split_off(expected.len());
    assert_eq!(lines, expected);
    assert!(rest.len() < 10 && rest.iter().all(|line| expected.contains(line)));
}

#[test]
fn auto_picks_the_shorter_format() {
    let sandbox = long();
    let auto = sandbox.windlass(&["plan", "long", "--format", "auto"]);
    let (json, printed) = json_and_tron(&sandbox, &["plan", "long"]);
    assert_eq!(auto.stdout, printed.stdout);
    assert!(auto.stdout.len() <= json.stdout.len());
}
