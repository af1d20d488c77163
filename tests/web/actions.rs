//! Actions on pages: gates, claims, feedback.

use crate::server::Server;
use crate::{furnished, molecule};

const ALLOWED: [&str; 3] = ["--allow-actions", "--actor", "eve"];

#[test]
fn gate_is_approved_with_a_comment() {
    let sandbox = furnished();
    let mol = molecule(&sandbox);
    sandbox
        .windlass(&["--actor", "bob", "mol", "claim", &mol, "build"])
        .succeeds();
    sandbox.windlass(&[
        "--actor", "bob", "mol", "complete", "--mol", &mol, "--step", "build",
    ]);
    let token = sandbox
        .windlass(&["--actor", "bob", "mol", "current", "--format", "json"])
        .succeeds()
        .json();
    if let Some(token) = token["steps"][0]["token"].as_str() {
        sandbox
            .windlass(&[
                "--actor", "bob", "mol", "complete", &mol, "build", "--token", token,
            ])
            .succeeds();
    }
    let server = Server::with(&sandbox, &ALLOWED);
    let page = format!("/work/molecules/{mol}");
    let token = server.form_token(&page);
    let form = format!(
        "token={token}&molecule={mol}&step=approve&gate=0&answer=approve&comment=Looks+good"
    );
    let forged = form.replace(&token, "0000");
    assert_eq!(server.post("/actions/gate", &forged).status, 403);
    let done = server.post("/actions/gate", &form);
    assert_eq!(done.status, 303, "{}", done.body);
    assert!(
        done.head.contains(&format!("location: {page}")),
        "{}",
        done.head
    );
    let data = server.json(&page);
    assert_eq!(data["steps"][1]["status"], "ready", "{data:#}");
    let history = server.json(&format!("{page}/steps/approve"));
    let opened = &history["events"][0];
    assert_eq!(
        (&opened["actor"], &opened["data"]["reason"]),
        (&"eve".into(), &"approved: Looks good".into()),
        "{history:#}"
    );
    assert_eq!(server.post("/actions/gate", &form).status, 409);
}

#[test]
fn rejection_needs_a_comment() {
    let sandbox = furnished();
    let mol = molecule(&sandbox);
    let server = Server::with(&sandbox, &ALLOWED);
    // The memory's page has a form for every question.
    let token = server.form_token("/memory?q=limits");
    let form = format!("token={token}&molecule={mol}&step=approve&gate=0&answer=reject&comment=");
    let refused = server.post("/actions/gate", &form);
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("a rejection needs a comment"),
        "{}",
        refused.body
    );
}

#[test]
fn claim_is_released_for_a_reason() {
    let sandbox = furnished();
    let mol = molecule(&sandbox);
    let claim = [
        "--actor", "bob", "mol", "claim", &mol, "build", "--format", "json",
    ];
    let claim = sandbox.windlass(&claim).succeeds().json();
    let claim_token = claim["token"].as_str().unwrap();
    let server = Server::with(&sandbox, &ALLOWED);
    let now = server.json("/");
    assert_eq!(now["claims"][0]["holder"], "bob");
    assert!(!now.to_string().contains(claim_token), "{now:#}");
    assert!(!server.get("/").body.contains(claim_token));
    let token = server.form_token("/");
    let form = format!("token={token}&molecule={mol}&step=build&reason=Bob+is+away");
    assert_eq!(server.post("/actions/release", &form).status, 303);
    assert_eq!(server.json("/")["claims"], serde_json::json!([]));
    let mail = server.json("/work/mail");
    assert_eq!(mail["messages"][0]["to"], "bob", "{mail:#}");
}

#[test]
fn actions_need_an_actor() {
    let sandbox = furnished();
    let refused = sandbox.windlass(&["web", "--allow-actions"]).exits_with(2);
    assert!(
        refused.stderr.contains("no actor") || refused.stderr.contains("needs an actor"),
        "{}",
        refused.stderr
    );
}

#[test]
fn action_connects_to_a_shared_ledger_and_a_page_does_not() {
    let sandbox = furnished();
    let mol = molecule(&sandbox);
    let shared = sandbox.outside().join("shared");
    std::fs::create_dir_all(&shared).unwrap();
    let location = format!("file:{}", shared.display());
    let claim = ["--actor", "bob", "mol", "claim", &mol, "build"];
    for call in [&["ledger", "share", &location][..], &claim] {
        sandbox.windlass(call).succeeds();
    }
    std::fs::remove_dir_all(&shared).unwrap();
    let server = Server::with(&sandbox, &ALLOWED);
    assert_eq!(server.json("/")["claims"][0]["holder"], "bob");
    let token = server.form_token("/");
    let form = format!("token={token}&molecule={mol}&step=build&reason=Bob+is+away");
    let refused = server.post("/actions/release", &form);
    assert!(refused.status >= 400, "{}", refused.status);
    assert!(
        refused.body.contains("cannot be reached"),
        "{}",
        refused.body
    );
    // A page that connects would warn about the failed connection.
    let page = server.get("/").body;
    assert!(!page.contains("shows its state of"), "{page}");
}
