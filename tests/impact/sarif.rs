//! SARIF logs conform to the properties in the published schema (OASIS SARIF 2.1.0).

use serde_json::Value;

use super::support::{Sandbox, numbered};

/// Objects in logs written by windlass: path, required properties, and further properties, as in
/// the schema.
const OBJECTS: [(&str, &[&str], &[&str]); 12] = [
    ("", &["version", "runs"], &["$schema"]),
    (
        "/runs/*",
        &["tool"],
        &["automationDetails", "columnKind", "results"],
    ),
    ("/runs/*/tool", &["driver"], &[]),
    (
        "/runs/*/tool/driver",
        &["name"],
        &["version", "informationUri", "rules"],
    ),
    (
        "/runs/*/tool/driver/rules/*",
        &["id"],
        &["shortDescription", "fullDescription", "help"],
    ),
    ("/runs/*/tool/driver/rules/*/help", &["text"], &[]),
    ("/runs/*/automationDetails", &["id"], &[]),
    (
        "/runs/*/results/*",
        &["message"],
        &[
            "ruleId",
            "ruleIndex",
            "level",
            "locations",
            "partialFingerprints",
        ],
    ),
    ("/runs/*/results/*/message", &["text"], &[]),
    ("/runs/*/results/*/locations/*", &["physicalLocation"], &[]),
    (
        "/runs/*/results/*/locations/*/physicalLocation",
        &["artifactLocation"],
        &["region"],
    ),
    (
        "/runs/*/results/*/locations/*/physicalLocation/artifactLocation",
        &["uri"],
        &["uriBaseId"],
    ),
];

/// Returns all values at `path`, in which `*` stands for every item of a list.
fn at<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    path.split('/').skip(1).fold(vec![value], |values, part| {
        let next = |value: &'v Value| match part {
            "*" => value.as_array().unwrap().iter().collect(),
            part => Vec::from_iter(value.get(part)),
        };
        values.into_iter().flat_map(next).collect()
    })
}

fn check(log: &Value) {
    for (path, required, others) in OBJECTS {
        let objects = at(log, path);
        assert!(!objects.is_empty(), "nothing at `{path}`");
        for object in objects {
            let object = object.as_object().unwrap();
            for name in required {
                assert!(object.contains_key(*name), "`{path}` lacks `{name}`");
            }
            for name in object.keys() {
                let is_known = required.iter().chain(others).any(|known| known == name);
                assert!(is_known, "`{path}` has `{name}`");
            }
        }
    }
    assert_eq!(log["version"], "2.1.0");
    for result in at(log, "/runs/*/results/*") {
        let level = result["level"].as_str().unwrap();
        assert!(
            ["none", "note", "warning", "error"].contains(&level),
            "{level}"
        );
        let rule = result["ruleIndex"].as_u64().unwrap() as usize;
        let rules = &log["runs"][0]["tool"]["driver"]["rules"];
        assert_eq!(rules[rule]["id"], result["ruleId"]);
        let prints = result["partialFingerprints"].as_object().unwrap();
        assert!(prints.values().all(Value::is_string) && !prints.is_empty());
    }
    let place = "/runs/*/results/*/locations/*/physicalLocation";
    for uri in at(log, &format!("{place}/artifactLocation/uri")) {
        let uri = uri.as_str().unwrap();
        assert!(
            !uri.starts_with('/') && !uri.contains([':', ' ', '#']),
            "{uri}"
        );
    }
    for region in at(log, &format!("{place}/region")) {
        let line = |name: &str| region[name].as_u64().unwrap();
        assert!(1 <= line("startLine") && line("startLine") <= line("endLine"));
    }
}

#[test]
fn logs_have_only_properties_of_the_schema() {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 40))
        .write(
            "a b#.md",
            "See `src/a.rs:30`, `src/a.rs:5` and again `src/a.rs:30`.\n",
        )
        .write("bad.md", b"\xff `src/a.rs:30`")
        .commit("base");
    sandbox
        .windlass(&["anchor", "add", "late", "src/a.rs:30-33"])
        .succeeds();
    sandbox
        .edit("src/a.rs", "line number 20\n", "line number 20\nnew\n")
        .edit("src/a.rs", "line number 5\n", "line of number 5\n")
        .write("new.md", "See `src/a.rs:99`.\n");
    let log = |args: &[&str]| {
        let args = [args, &["--format", "sarif"]].concat();
        sandbox.windlass(&args).exits_with(1).json()
    };
    let rules = |log: &Value| -> Vec<String> {
        let ids = at(log, "/runs/*/results/*/ruleId").into_iter();
        ids.map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    let found = log(&["impact"]);
    check(&found);
    let stale = [
        "stale-anchor",
        "stale-citation",
        "stale-citation",
        "stale-citation",
    ];
    assert_eq!(rules(&found), [&stale[..], &["wrong-citation"]].concat());
    let scan = log(&["anchor", "scan"]);
    check(&scan);
    let expected = [
        &["unreadable-document"][..],
        &stale[1..],
        &["wrong-citation"],
    ]
    .concat();
    assert_eq!(rules(&scan), expected);
    // The fingerprint survives a move of the citing line, but differs between equal citations.
    let prints = |log: &Value| -> Vec<Value> {
        let prints = at(log, "/runs/*/results/*/partialFingerprints").into_iter();
        prints.cloned().collect()
    };
    let before = prints(&scan);
    let text = sandbox.read("a b#.md");
    sandbox.write("a b#.md", format!("A new line.\n\n{text}"));
    assert_eq!(prints(&log(&["anchor", "scan"])), before);
    let distinct: std::collections::BTreeSet<String> =
        before.iter().map(Value::to_string).collect();
    assert_eq!(distinct.len(), before.len());
}

#[test]
fn scan_prints_a_markdown_report() {
    let sandbox = Sandbox::git();
    let name = "docs/@all|<b>`x`.md";
    sandbox
        .write("src/a.rs", numbered(1, 40))
        .write(name, "See `src/a.rs:30`.\n")
        .commit("base");
    let args = ["anchor", "scan", "--format", "markdown"];
    let valid = sandbox.windlass(&args).succeeds().stdout;
    assert!(
        valid.contains("\n### ✅ Citations\n\n1 of 1 citation"),
        "{valid}"
    );
    sandbox.edit("src/a.rs", "line number 20\n", "");
    let report = sandbox.windlass(&args).exits_with(1).stdout;
    assert!(
        report.starts_with("<!-- windlass anchor scan -->\n"),
        "{report}"
    );
    let row = "| moved | `` docs/@all\\|<b>`x`.md:1 `` | `src/a.rs:30` | now at src/a.rs:29 |\n";
    assert!(report.contains(row), "{report}");
    assert!(report.contains("anchor scan"), "{report}");
}
