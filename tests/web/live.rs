//! Changed files reach open pages.

use std::io::{BufRead as _, BufReader};

use serde_json::Value;

use crate::furnished;
use crate::server::Server;

#[test]
fn change_of_work_is_reported() {
    let sandbox = furnished();
    let server = Server::of(&sandbox);
    let host = format!("Host: {}", server.address);
    let stream = server.send("GET /live HTTP/1.1", &[&host], "");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let head = lines.by_ref().find(|line| line.starts_with("content-type"));
    assert_eq!(head.as_deref(), Some("content-type: text/event-stream"));
    sandbox
        .windlass(&["--actor", "ann", "bead", "create", "Another one"])
        .succeeds();
    let data = lines.by_ref().find(|line| line.starts_with("data: "));
    assert!(data.unwrap().contains("work"));
    sandbox.windlass(&["run", "api"]).succeeds();
    assert!(lines.any(|line| line.starts_with("data: ") && line.contains("runs")));
}

#[test]
fn edit_of_evidence_is_reported_to_the_pages_with_it() {
    let sandbox = furnished();
    let server = Server::of(&sandbox);
    let host = format!("Host: {}", server.address);
    let stream = server.send("GET /live HTTP/1.1", &[&host], "");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.by_ref().find(|line| line.starts_with("content-type"));
    let stale = |server: &Server| server.json("/")["stale_total"].clone();
    assert_eq!(stale(&server), 1);
    sandbox.edit("docs/limits.md", "429", "503");
    let data = lines.by_ref().find(|line| line.starts_with("data: "));
    assert_eq!(data.as_deref(), Some("data: evidence"));
    assert_eq!(stale(&server), 2);
}

#[test]
fn held_version_is_answered_by_its_changes() {
    let sandbox = furnished();
    let server = Server::of(&sandbox);
    let host = format!("Host: {}", server.address);
    let get = |more: &[&str]| {
        let headers = [&[&*host, "Accept: text/html"], more].concat();
        server.raw("GET /work HTTP/1.0", &headers, "")
    };
    let version = |head: &str| {
        let etag = head.lines().find_map(|line| line.strip_prefix("etag: "));
        format!("If-None-Match: {}", etag.unwrap())
    };
    let first = get(&[]);
    let held = version(&first.head);
    let same = get(&[&held, "A-IM: parts"]);
    assert_eq!((same.status, &*same.body), (304, ""));
    sandbox
        .windlass(&["--actor", "ann", "bead", "create", "Another one"])
        .succeeds();
    let changed = get(&[&held, "A-IM: parts"]);
    assert_eq!(changed.status, 226, "{}", changed.body);
    assert!(changed.head.contains("im: parts"), "{}", changed.head);
    let parts: Value = serde_json::from_str(&changed.body).unwrap();
    let parts = parts.as_array().unwrap();
    assert!(
        parts
            .iter()
            .any(|part| part.as_str().unwrap().contains("Another one"))
    );
    assert!(
        !changed.body.contains("Build the module"),
        "{}",
        changed.body
    );
    // Without the header, a client with an old version gets the whole page.
    let whole = get(&[&held]);
    assert_eq!(whole.status, 200);
    assert!(whole.body.contains("<html"), "{}", whole.body);
    assert_eq!(get(&[&version(&whole.head)]).status, 304);
}

#[test]
fn unreachable_shared_ledger_is_shown() {
    let sandbox = furnished();
    let shared = sandbox.outside().join("shared");
    let location = format!("file:{}", shared.display());
    std::fs::create_dir(&shared).unwrap();
    sandbox
        .windlass(&["--actor", "ann", "ledger", "share", &location])
        .succeeds();
    let server = Server::of(&sandbox);
    assert_eq!(server.json("/")["shared"], Value::Null);
    std::fs::rename(&shared, sandbox.outside().join("away")).unwrap();
    sandbox.windlass(&["--actor", "ann", "bead", "create", "Lost"]);
    let problem = format!("cannot reach `{location}`");
    let status = sandbox.windlass(&["status"]).succeeds().stdout;
    assert!(status.contains(&problem), "{status}");
    let now = server.json("/");
    assert!(
        now["shared"].as_str().unwrap().starts_with(&problem),
        "{now:#}"
    );
    assert!(now["status"]["shared"]["problem"].is_string(), "{now:#}");
}
