use serde_json::{Value, json};

use super::client::Era;
use super::{ERAS, anchored, client};

#[test]
fn resources_are_read_by_uri() {
    for era in ERAS {
        let sandbox = anchored();
        let mut client = client(&sandbox, era);
        let listed = client.request("resources/list", json!({}));
        assert_eq!(listed["resources"][0]["uri"], "windlass://pack/api");
        let templates = client.request("resources/templates/list", json!({}));
        assert_eq!(
            templates["resourceTemplates"].as_array().map(Vec::len),
            Some(6)
        );
        let asked = json!({ "action": "build", "goal": "Raise the limits" });
        let built = client.data("context_pack", asked);
        let context = format!("windlass://context/{}", built["packId"].as_str().unwrap());
        for (uri, said) in [
            ("windlass://pack/api", "line number 10"),
            ("windlass://runbook/api", "schema_version: 1"),
            ("windlass://anchor/limits", "At most 100"),
            ("windlass://schema/transaction", "upsert_anchor"),
            (context.as_str(), "Raise the limits"),
        ] {
            let read = client.request("resources/read", json!({ "uri": uri }));
            assert_eq!(read["contents"][0]["uri"], uri);
            let text = read["contents"][0]["text"].as_str().unwrap();
            assert!(text.contains(said), "{uri}: {text}");
        }
    }
}

#[test]
fn unknown_uri_is_refused_and_not_read() {
    let sandbox = anchored();
    sandbox.write(".env", "TOKEN=abcdef\n");
    let mut client = client(&sandbox, Era::Sessions);
    for uri in [
        "file:///etc/passwd",
        "windlass://runbook/../.env",
        "windlass://runbook/.env",
        "windlass://pack/.env",
        "windlass://pack/nothing",
        "windlass://anchor/nothing",
        "windlass://molecule/mol-000",
        "windlass://schema/pakc",
        "windlass://",
    ] {
        let id = client.send("resources/read", json!({ "uri": uri }));
        let answer = client.answer_to(id);
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
        assert!(!answer.to_string().contains("abcdef"));
    }
}

#[test]
fn secret_in_request_is_not_echoed() {
    let sandbox = anchored();
    let secret = format!("ghp_{}", "8XKh9wAbsaWhqaYf".repeat(3));
    for era in ERAS {
        let mut client = client(&sandbox, era);
        for (method, parameters) in [
            ("tools/call", json!({ "name": secret, "arguments": {} })),
            (
                "resources/read",
                json!({ "uri": format!("windlass://pack/{secret}") }),
            ),
            ("resources/read", json!({ "uri": secret })),
            ("prompts/get", json!({ "name": secret })),
            (
                "prompts/get",
                json!({ "name": "resume", "arguments": { "runbook": secret } }),
            ),
            (&format!("x/{secret}"), json!({})),
        ] {
            let id = client.send(method, parameters);
            let answer = client.answer_to(id).to_string();
            assert!(answer.contains("[redacted:github-token]"), "{answer}");
            assert!(!answer.contains("8XKh9wAbsaWhqaYf"), "{answer}");
        }
    }
}

#[test]
fn prompts_are_listed_and_given() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Stateless);
    let prompts = client.request("prompts/list", json!({}));
    let names: Vec<&Value> = prompts["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| &prompt["name"])
        .collect();
    assert_eq!(names, ["resume", "refresh", "hand_over"]);
    let resume = client.request(
        "prompts/get",
        json!({ "name": "resume", "arguments": { "runbook": "api" } }),
    );
    assert!(
        resume["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .contains(r#"{"runbook": "api"}"#)
    );
    let id = client.send("prompts/get", json!({ "name": "nothing" }));
    assert_eq!(client.answer_to(id)["error"]["code"], -32602);
}
