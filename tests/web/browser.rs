//! The pages in a real browser, driven by Playwright: every screen on a desktop and a phone, in
//! light and dark. A click approves a gate, and a run's states change while its page is open.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::server::Server;
use crate::support::Sandbox;
use crate::{furnished, molecule};

/// Names of Chromium-based browsers.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A runbook with a step that runs until a file exists.
const SLOW: &str = "schema_version: 1\nid: slow\nsteps:\n  - { id: first, uses: files, with: { globs: ['src/**'] } }\n\
    \x20 - { id: waits, uses: command, needs: [first], with: { argv: [sh, -c, 'until [ -e ../outside/go ]; do sleep 0.05; done'] } }\n\
    outputs:\n  - { id: first, title: Files, from: first }\n";

fn path_of(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

fn by_bob(sandbox: &Sandbox, call: &[&str]) -> Value {
    let call = [&["--actor", "bob"], call, &["--format", "json"]].concat();
    sandbox.windlass(&call).succeeds().json()
}

#[test]
#[ignore = "needs Chromium, Node.js, and `npm install --prefix FOLDER playwright-core axe-core`, with FOLDER in WINDLASS_WEB_TOOLS"]
fn screens_fit_and_follow_the_work() {
    let browser = BROWSERS.into_iter().find_map(path_of);
    let browser = browser.unwrap_or_else(|| panic!("none of {} is here", BROWSERS.join(", ")));
    let tools = std::env::var_os("WINDLASS_WEB_TOOLS").expect("WINDLASS_WEB_TOOLS names a folder");
    let sandbox = furnished();
    sandbox.write("runbooks/slow.yaml", SLOW);
    let mol = molecule(&sandbox);
    let pour = |_| {
        by_bob(&sandbox, &["mol", "pour", "release"])["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let gates: Vec<String> = (0..4).map(pour).collect();
    for mol in gates.iter().chain([&mol]) {
        let claim = by_bob(&sandbox, &["mol", "claim", mol, "build"]);
        let token = claim["token"].as_str().unwrap();
        by_bob(
            &sandbox,
            &["mol", "complete", mol, "build", "--token", token],
        );
    }
    let server = Server::with(&sandbox, &["--allow-actions", "--actor", "eve"]);
    let runs = server.json("/runs?runbook=api");
    let id = |at: usize| runs["runs"][at]["id"].as_str().unwrap();
    let screens = json!({
        "now": "/", "runs": "/runs", "run": format!("/runs/{}", id(0)),
        "compare": format!("/runs/compare?before={}&after={}", id(1), id(0)),
        "graph": format!("/runs/{}/graph", id(0)), "work": "/work", "board": "/work/board", "molecule": format!("/work/molecules/{mol}"), "step": format!("/work/molecules/{mol}/steps/build"),
        "beads": "/work/beads?state=all", "mail": "/work/mail", "events": "/work/events",
        "health": "/health", "citations": "/health/citations", "memory": "/memory", "recall": "/memory?q=limits", "packs": "/memory/packs",
        "zoo": "/zoo", "problem": "/runs?page=0",
    });
    // A developer can keep the pictures.
    let pictures =
        std::env::var_os("WINDLASS_WEB_PICTURES").map_or_else(|| sandbox.outside(), PathBuf::from);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/web/browser.mjs");
    let mut node = Command::new("node");
    node.arg(script)
        .arg(format!("http://{}", server.address))
        .arg(&pictures)
        .arg(screens.to_string());
    node.env("WINDLASS_CHROMIUM", browser)
        .env("WINDLASS_WEB_TOOLS", tools);
    node.env("WINDLASS_WEB_MOLECULE", format!("/work/molecules/{mol}"))
        .env("WINDLASS_WEB_GATES", json!(gates).to_string());
    let mut node = node.stdout(Stdio::piped()).spawn().expect("Node.js starts");
    let mut run = None;
    for asked in BufReader::new(node.stdout.take().unwrap()).lines() {
        let asked = asked.unwrap();
        let (word, about) = asked.split_once(' ').unwrap_or((&asked, ""));
        match word {
            "approve" => drop(by_bob(&sandbox, &["mol", "approve", about, "approve"])),
            "claim" => drop(by_bob(&sandbox, &["mol", "claim", &mol, "approve"])),
            "bead" => drop(by_bob(&sandbox, &["bead", "create", "Look at the limits"])),
            "run" => {
                let mut command =
                    sandbox.command(sandbox.root(), &["run", "slow", "--allow-commands"]);
                run = Some(
                    command
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .spawn()
                        .unwrap(),
                );
            }
            "end" => std::fs::write(sandbox.outside().join("go"), "").unwrap(),
            other => panic!("{other}"),
        }
    }
    let ended = node.wait().unwrap();
    // The run must not outlive the test, even if the page was wrong.
    std::fs::write(sandbox.outside().join("go"), "").unwrap();
    drop(run.map(|mut run| run.wait()));
    assert!(ended.success(), "the problems are above");
}
