//! Hostile titles, file names and outputs have no effect.

use crate::server::Server;
use crate::support::Sandbox;

const SCRIPT: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'";

#[test]
fn hostile_texts_are_shown_as_text() {
    let sandbox = Sandbox::git();
    let name = "src/<img src=x onerror=alert(3)>\u{202e}.rs";
    sandbox.write(
        name,
        format!("// {SCRIPT} \u{1b}[31m\u{202e}\n{}\n", "x".repeat(1 << 20)),
    );
    sandbox.write("runbooks/bad.yaml", format!("schema_version: 1\nid: bad\ntitle: {}\nsteps:\n  - {{ id: s, uses: search, with: {{ pattern: 'alert', paths: [src] }} }}\noutputs:\n  - {{ id: s, title: {}, from: s }}\n", serde_json::json!(SCRIPT), serde_json::json!(SCRIPT)));
    sandbox.commit("first");
    sandbox.windlass(&["run", "bad"]).succeeds();
    for call in [
        &[
            "bead",
            "create",
            SCRIPT,
            "--description",
            "\u{1b}]0;x\u{7}\u{202e}<svg onload=alert(4)>",
        ][..],
        &["mail", "send", "bob", "--subject", SCRIPT, "--body", SCRIPT],
        &["memory", "init"],
    ] {
        let call = [&["--actor", "a<b>\"c"], call].concat();
        sandbox.windlass(&call);
    }
    let server = Server::of(&sandbox);
    let run = server.json("/runs")["runs"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let query = "/memory?q=%3Cscript%3Ealert(1)%3C/script%3E";
    for path in [
        "/",
        "/runs",
        &format!("/runs/{run}"),
        "/work",
        "/work/beads?state=all",
        "/work/mail",
        "/work/events",
        "/health",
        query,
        "/work/beads?q=%22%3E%3Cscript%3E",
        "/%3Cscript%3E",
    ] {
        let page = server.get(path).body;
        assert_eq!(
            page.matches("<script").count(),
            1,
            "only the script of the server: {path}: {page}"
        );
        for bad in ["<img", "<svg onload", "\u{1b}", "\u{202e}", "\u{7}"] {
            assert!(!page.contains(bad), "{path} has {bad:?}");
        }
        // The page of a file with a long line stays small.
        assert!(page.len() < 1 << 20, "{path}: {}", page.len());
    }
}

#[test]
fn secrets_are_neither_in_page_nor_data() {
    let sandbox = Sandbox::git();
    let secret = ["ghp_", "016C7e8fN2mZ4xT5bV9qR1sW3yU6oP8aL0dX"].concat();
    sandbox.write("a.txt", "one\n").commit("first");
    sandbox
        .windlass(&["--actor", "ann", "bead", "create", "Rotate PLACEHOLDER"])
        .succeeds();
    // The ledger refuses secrets itself, but a log may come from elsewhere.
    let log = ".git/windlass/ledger/events.jsonl";
    sandbox.edit(log, "PLACEHOLDER", &secret);
    let server = Server::of(&sandbox);
    let beads = server.json("/work/beads?state=all").to_string();
    assert!(beads.contains("Rotate "), "{beads}");
    for path in [
        "/",
        "/work/beads?state=all",
        "/work/events",
        &format!("/memory?q={secret}"),
    ] {
        let data = server.raw(
            &format!("GET {path} HTTP/1.0"),
            &[
                &format!("Host: {}", server.address),
                "Accept: application/json",
            ],
            "",
        );
        assert!(!data.body.contains(&secret), "{path}");
        let page = server.get(path).body;
        assert!(!page.contains(&secret), "{path}");
    }
}
