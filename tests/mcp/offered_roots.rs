//! Servers whose clients offer the folders open in them.

use serde_json::{Value, json};

use super::anchored;
use super::client::{Client, text};
use super::support::Sandbox;

fn address(sandbox: &Sandbox) -> String {
    format!("file://{}", sandbox.root().display())
}

fn error_code(result: &Value) -> &Value {
    &result["structuredContent"]["error"]["code"]
}

#[test]
fn offered_roots_are_served_and_no_other() {
    let (here, there, third) = (anchored(), anchored(), anchored());
    let offered = vec![address(&there), "file:///nowhere".to_owned()];
    let command = here.command(here.root(), &["mcp"]);
    let mut client = Client::offering(command, Some(offered));
    there.edit("runbooks/api.yaml", "id: api", "id: there");
    let list = client.data("runbook_pack", json!({}));
    assert_eq!(list["runbooks"][0]["name"], "there", "{list}");
    let own = there.root().to_str().unwrap();
    client.data("notebook_pack", json!({ "root": own }));
    for other in [&here, &third] {
        let root = other.root().to_str().unwrap();
        let refused = client.tool("notebook_pack", json!({ "root": root }));
        assert_eq!(error_code(&refused), "refused", "{refused}");
        assert!(text(&refused).contains("not a repository that the client offers"));
    }
    let resources = client.request("resources/list", json!({}));
    assert!(resources.to_string().contains("there"), "{resources}");
}

#[test]
fn named_root_counts_more_than_offered_ones() {
    let (here, there) = (anchored(), anchored());
    let root = here.root().to_str().unwrap();
    let command = here.command(there.root(), &["mcp", "--root", root]);
    let mut client = Client::offering(command, Some(vec![address(&there)]));
    let other = there.root().to_str().unwrap();
    let refused = client.tool("notebook_pack", json!({ "root": other }));
    assert_eq!(error_code(&refused), "refused", "{refused}");
}

#[test]
fn start_folder_is_served_without_offered_roots() {
    // Cursor declares roots, but doesn't know the request.
    for roots in [None, Some(Vec::new())] {
        let sandbox = anchored();
        let command = sandbox.command(sandbox.root(), &["mcp"]);
        let mut client = Client::offering(command, roots);
        client.data("runbook_pack", json!({ "runbook": "api" }));
    }
}

#[test]
fn home_repository_is_served_only_by_root() {
    let sandbox = anchored();
    let inner = sandbox.root().join("projects/one");
    std::fs::create_dir_all(&inner).unwrap();
    let at_home = |folder, args: &[&str]| {
        let mut command = sandbox.command(folder, args);
        command.env("HOME", sandbox.root());
        command
    };
    let offered = |folder: &std::path::Path| Some(vec![format!("file://{}", folder.display())]);
    for (folder, roots) in [
        (sandbox.root(), None),
        (&*inner, None),
        (&*inner, offered(sandbox.root())),
        (&*inner, offered(&inner)),
    ] {
        let mut client = Client::offering(at_home(folder, &["mcp"]), roots);
        let refused = client.tool("notebook_pack", json!({}));
        assert_eq!(error_code(&refused), "refused", "{refused}");
        assert!(
            text(&refused).contains("windlass mcp --root DIR"),
            "{}",
            text(&refused)
        );
        let named = json!({ "root": sandbox.root().to_str().unwrap() });
        assert_eq!(error_code(&client.tool("notebook_pack", named)), "refused");
    }
    let mut client = Client::offering(at_home(sandbox.root(), &["mcp", "--root", "."]), None);
    client.data("notebook_pack", json!({}));
}
