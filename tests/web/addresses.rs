//! Every address, as a page and as data.

use crate::server::Server;
use crate::{furnished, molecule};

#[test]
fn every_address_is_page_and_data() {
    let sandbox = furnished();
    let server = Server::of(&sandbox);
    let mol = molecule(&sandbox);
    let run = server.json("/runs")["runs"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let bead = server.json("/work/beads")["beads"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let addresses = [
        ("/".to_owned(), "Next"),
        ("/runs".to_owned(), &*run),
        (format!("/runs/{run}"), "Timeline"),
        (format!("/runs/{run}?step=files"), "Timeline"),
        (format!("/runs/{run}/graph"), "data-step"),
        ("/runs/compare".to_owned(), "Contracts"),
        ("/work".to_owned(), &*mol),
        ("/work/board".to_owned(), "Approve the release"),
        (format!("/work/board?molecule={mol}"), "Build the module"),
        ("/work/board?state=ready".to_owned(), "Build the module"),
        (format!("/work/molecules/{mol}"), "Build the module"),
        (format!("/work/molecules/{mol}/graph"), "data-step"),
        (format!("/work/molecules/{mol}/steps/build"), "History"),
        ("/work/beads?state=all".to_owned(), "Write the limits down"),
        (
            "/work/beads?state=blocked".to_owned(),
            "windlass bead create",
        ),
        (format!("/work/beads/{bead}"), "bead.created"),
        ("/work/mail".to_owned(), "They moved."),
        ("/work/events?type=mol.*".to_owned(), "mol.created"),
        ("/health".to_owned(), "Contracts"),
        ("/health/citations".to_owned(), "Citations"),
        ("/memory".to_owned(), "Recall"),
        ("/memory?q=limits".to_owned(), "Recall"),
        ("/memory/packs".to_owned(), "windlass pack build"),
        ("/zoo".to_owned(), "windlass zoo run"),
    ];
    for (address, text) in addresses {
        let page = server.get(&address);
        assert_eq!(page.status, 200, "{address}: {}", page.body);
        assert!(
            page.body.contains(text),
            "{address} has no {text}: {}",
            page.body
        );
        assert!(page.head.contains("content-type: text/html"), "{address}");
        assert!(page.head.contains("vary: accept"), "{address}");
        server.json(&address);
    }
    for missing in [
        "/nothing",
        "/runs/20200101-000000-0000",
        "/work/molecules/mol-none",
        "/work/beads/x-none",
    ] {
        let page = server.get(missing);
        assert_eq!(page.status, 404, "{missing}: {}", page.body);
        assert!(page.body.contains("<h1>Not found</h1>"), "{missing}");
    }
}

#[test]
fn unknown_value_is_refused_with_the_known_ones() {
    let sandbox = furnished();
    let server = Server::of(&sandbox);
    let run = server.json("/runs")["runs"][0]["id"].clone();
    let run = run.as_str().unwrap();
    for (address, known) in [
        (
            "/work/beads?state=bogus",
            "`ready`, `blocked`, `open`, `all`",
        ),
        ("/work/board?state=bogus", "`in_progress`"),
        ("/runs?runbook=bogus", "`api`"),
        ("/health?runbook=bogus", "`api`"),
        ("/zoo?of=bogus", "`samples`"),
        ("/memory?noted=bogus", "`helpful`"),
        ("/runs?sort=name", "`page`, `runbook`"),
        ("/?state=open", "known: none"),
        ("/runs?page=0", "a number from 1"),
        ("/runs/compare?before=x", "`after`"),
        (&format!("/runs/{run}?step=bogus"), "no step `bogus`"),
    ] {
        let page = server.get(address);
        assert_eq!(page.status, 400, "{address}: {}", page.body);
        let host = format!("Host: {}", server.address);
        let json = "Accept: application/json";
        let data = server.raw(&format!("GET {address} HTTP/1.0"), &[&host, json], "");
        assert_eq!(data.status, 400, "{address}");
        let data: serde_json::Value = serde_json::from_str(&data.body).unwrap();
        let error = data["error"].as_str().unwrap();
        assert!(error.contains(known), "{address}: {error}");
    }
}

#[test]
fn long_run_is_paged_and_its_graph_apart() {
    let sandbox = furnished();
    let steps: String = (0..120)
        .map(|n| format!("  - {{ id: s{n}, uses: files, with: {{ globs: ['src/**'] }} }}\n"))
        .collect();
    let runbook = format!(
        "schema_version: 1\nid: long\nsteps:\n{steps}outputs:\n  - {{ id: s0, title: Files, from: s0 }}\n"
    );
    sandbox.write("runbooks/long.yaml", runbook);
    sandbox.windlass(&["run", "long"]).succeeds();
    let server = Server::of(&sandbox);
    let run = server.json("/runs")["runs"][0]["id"].clone();
    let run = run.as_str().unwrap();
    let data = server.json(&format!("/runs/{run}"));
    assert_eq!(data["pages"]["total"], 120);
    assert_eq!(data["steps"].as_array().unwrap().len(), 50);
    let name = data["steps"][7]["step"].as_str().unwrap();
    let page = server.get(&format!("/runs/{run}")).body;
    assert!(
        page.contains(&format!("href=\"&#x2f;runs&#x2f;{run}&#x2f;graph\"")),
        "{page}"
    );
    assert!(!page.contains("data-step"), "{page}");
    assert!(page.len() < 64 << 10, "{}", page.len());
    let found = server.json(&format!("/runs/{run}?page=3&step={name}"));
    assert_eq!(found["pages"]["first"], 1);
    let graph = server.get(&format!("/runs/{run}/graph")).body;
    assert_eq!(graph.matches("data-step").count(), 120);
    assert!(!graph.contains("<part"), "{graph}");
}

#[test]
fn run_shows_graph_states_and_repairs() {
    let sandbox = furnished();
    let server = Server::of(&sandbox);
    let runs = server.json("/runs?runbook=api");
    assert_eq!(runs["pages"]["total"], 2);
    let run = runs["runs"][0]["id"].as_str().unwrap();
    let data = server.json(&format!("/runs/{run}"));
    assert_eq!(data["counts"]["completed"], 2, "{data:#}");
    assert_eq!(data["runbook_changed"], false);
    assert_eq!(data["pack"]["runbook"]["id"], "api");
    let page = server.get(&format!("/runs/{run}")).body;
    assert!(page.contains("data-step=\"anchors\""), "{page}");
    assert!(page.contains("state-completed"), "{page}");
    assert!(
        !page.contains("<style"),
        "the policy forbids styles in the page"
    );
    let root = sandbox.root().to_str().unwrap();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._~-".contains(byte);
    let escaped = root.bytes().map(|byte| match byte {
        b'/' => "&#x2f;".to_owned(),
        plain if is_plain(&plain) => char::from(plain).to_string(),
        other => format!("%{other:02X}"),
    });
    let place = format!(
        "href=\"vscode:&#x2f;&#x2f;file&#x2f;{}",
        escaped.collect::<String>()
    );
    assert!(page.contains(&place), "{place}: {page}");
    let older = runs["runs"][1]["id"].as_str().unwrap();
    let changes = server.json(&format!("/runs/compare?before={older}&after={run}"));
    assert_eq!(changes["comparison"]["before"], older);
}

#[test]
fn lists_are_paged_on_the_server() {
    let sandbox = furnished();
    let lines: String = (0..120)
        .map(|n| format!("{{\"id\":\"x-{n}\",\"title\":\"Bead {n}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-02T03:04:05Z\",\"updated_at\":\"2026-01-02T03:04:05Z\",\"created_by\":\"ann\"}}\n"))
        .collect();
    sandbox.write("beads.in.jsonl", lines);
    sandbox
        .windlass(&["--actor", "ann", "bead", "import", "beads.in.jsonl"])
        .succeeds();
    let server = Server::of(&sandbox);
    let first = server.json("/work/beads?state=open");
    assert_eq!(
        (
            &first["pages"]["total"],
            first["beads"].as_array().unwrap().len()
        ),
        (&121.into(), 50)
    );
    let last = server.json("/work/beads?state=open&page=3");
    assert_eq!(last["beads"].as_array().unwrap().len(), 21);
    assert_eq!(last["pages"]["next"], serde_json::Value::Null);
    let page = server.get("/work/beads?state=open&page=2").body;
    assert!(page.contains("page=3&amp;state=open"), "{page}");
    let searched = server.json("/work/beads?state=open&q=Bead+117");
    assert_eq!(searched["pages"]["total"], 1, "{searched:#}");
}

#[test]
fn reading_changes_nothing() {
    let sandbox = furnished();
    let before = sandbox
        .windlass(&["events", "stats", "--format", "json"])
        .succeeds()
        .json();
    let mut command = sandbox.command(sandbox.root(), &["web", "--help"]);
    assert!(command.output().unwrap().status.success());
    let server = Server::with(&sandbox, &["--actor", "ann"]);
    let mol = molecule(&sandbox);
    for path in [
        "/",
        "/work",
        "/health",
        "/memory?q=limits",
        &format!("/work/molecules/{mol}"),
    ] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    let after = sandbox
        .windlass(&["events", "stats", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(before["events"], after["events"]);
    assert_eq!(server.post("/actions/gate", "answer=approve").status, 403);
}
