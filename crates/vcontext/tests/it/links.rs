use std::collections::BTreeMap;

use windlass_vcontext::{CheckOptions, Linked, LinkedFile, check};

use crate::support::{document, rules};

struct Files(BTreeMap<&'static str, &'static str>);

impl Linked for Files {
    fn file(&self, path: &str) -> LinkedFile {
        if path.starts_with("../..") {
            return LinkedFile::Outside;
        }
        let found = self.0.get(path);
        found.map_or(LinkedFile::Missing, |text| {
            LinkedFile::Bytes(text.as_bytes().to_vec())
        })
    }
}

const TASKS: &str = r#"{"vContextInfo": {"version": "0.4"}, "todoList": {"id": "tasks", "items": [{"id": "one", "title": "x", "status": "pending"}]}}"#;

#[track_caller]
fn finds(link: &str, want: &[&str]) {
    let text = format!(
        r#"{{"vContextInfo": {{"version": "0.4"}}, "plan": {{"title": "Feature Implementation", "status": "draft", "narratives": {{"proposal": "x"}}, "uris": [{link}]}}}}"#
    );
    let files = Files(BTreeMap::from([
        ("tasks.vcontext.json", TASKS),
        ("notes.md", "# x"),
        ("a b.md", "# y"),
        ("../up.md", "# z"),
    ]));
    let options = CheckOptions {
        linked: Some(&files),
        ..CheckOptions::default()
    };
    let found = check(&document(&text), &options);
    assert_eq!(rules(&found), want, "{link}: {found}");
    assert!(!found.has_errors());
}

#[test]
fn link_targets_are_checked() {
    let link = |path: &str, kind: &str| format!(r#"{{"uri": "file://{path}", "type": "{kind}"}}"#);
    let list = "x-vcontext/todoList";
    finds(&link("./tasks.vcontext.json", list), &[]);
    finds(&link("./tasks.vcontext.json#one", list), &[]);
    finds(&link("./tasks.vcontext.json#tasks", list), &[]);
    finds(&link("./tasks.vcontext.json#two", list), &["link-fragment"]);
    finds(
        &link("./tasks.vcontext.json", "x-vcontext/plan"),
        &["link-target"],
    );
    finds(&link("./notes.md", list), &["link-target"]);
    finds(&link("./notes.md#anything", "text/markdown"), &[]);
    finds(&link("./gone.md", "text/markdown"), &["link-missing"]);
    finds(&link("/elsewhere/x.json", list), &[]);
    finds(r#"{"uri": "https://example.com/tasks.vcontext.json"}"#, &[]);
}

#[test]
fn links_are_parsed_as_uris() {
    let link = |uri: &str| format!(r#"{{"uri": "{uri}"}}"#);
    finds(&link("file://../up.md"), &[]);
    finds(&link("file://../none.md"), &["link-missing"]);
    finds(&link("file:../up.md"), &[]);
    finds(&link("FILE://./notes.md"), &[]);
    finds(&link("file://./../../up.md"), &["link-outside"]);
    finds(&link("file://../../up.md"), &["link-outside"]);
    finds(&link("file://../%2e%2e/up.md"), &["link-outside"]);
    finds(&link("file://./a%20b.md"), &[]);
    finds(&link("file://./a%2.md"), &["link-missing"]);
    finds(&link("file://./gone.md?x=1"), &["link-missing"]);
    // What follows `//` is a host.
    finds(&link("file://plans/a.json"), &["link-host"]);
    finds(&link("file://.hidden/a.json"), &["link-host"]);
    finds(&link("file://localhost/a.json"), &[]);
    finds(&link("file:///a.json"), &[]);
}
