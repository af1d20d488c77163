use serde_json::{Value, json};

use super::client::{Era, text};
use super::{ERAS, anchored, client};

#[test]
fn invalid_request_does_not_end_server() {
    for era in ERAS {
        let sandbox = anchored();
        let mut client = client(&sandbox, era);
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        for line in [
            "",
            "{",
            "null",
            "[]",
            "\"x\"",
            "{\"jsonrpc\":\"2.0\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"nothing/here\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"y\",\"method\":\"tools/call\",\"params\":[]}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"z\",\"method\":\"tools/call\",\"params\":{\"name\":5}}",
            "{\"jsonrpc\":\"1.0\",\"id\":7000,\"method\":\"ping\"}",
            "\u{feff}{}",
            deep.as_str(),
        ] {
            client.write(line);
        }
        client.data("runbook_pack", json!({ "runbook": "api" }));
    }
}

#[test]
fn invalid_arguments_are_tool_errors() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Sessions);
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let values = [
        json!(null),
        json!(5),
        json!(-1),
        json!(1e300),
        json!([]),
        json!({}),
        json!([[]]),
        json!(true),
        json!("\u{0}"),
        json!("../../etc/passwd"),
        json!("x".repeat(100_000)),
        deep,
    ];
    let list = client.request("tools/list", json!({}));
    for tool in list["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let fields = tool["inputSchema"]["properties"].as_object().unwrap();
        for field in fields.keys() {
            for value in &values {
                let mut arguments = json!({ field: value });
                // Fill in the other required arguments, so that the call doesn't just fail for a
                // lack of them.
                for required in tool["inputSchema"]["required"]
                    .as_array()
                    .into_iter()
                    .flatten()
                {
                    let required = required.as_str().unwrap();
                    let first = &fields[required]["enum"][0];
                    if required != field {
                        arguments[required] = if first.is_null() {
                            json!([])
                        } else {
                            first.clone()
                        };
                    }
                }
                let result = client.tool(name, arguments);
                let code = &result["structuredContent"]["error"]["code"];
                assert_ne!(code, "internal", "{name} {field}: {result}");
                assert!(text(&result).chars().count() <= 8_000, "{name} {field}");
            }
        }
    }
}

#[test]
fn unknown_tool_suggests_nearest() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Sessions);
    let id = client.send(
        "tools/call",
        json!({ "name": "runbook_pak", "arguments": {} }),
    );
    let answer = client.answer_to(id);
    assert_eq!(answer["error"]["code"], -32602);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("did you mean `runbook_pack`?")
    );
}

#[test]
fn outside_files_are_not_read() {
    let sandbox = anchored();
    let outside = sandbox.outside();
    let secret = "id: hidden\ntitle: out of reach\n";
    std::fs::write(outside.join("outside.yaml"), secret).unwrap();
    sandbox.write(".env", "TOKEN=abcdef\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        outside.join("outside.yaml"),
        sandbox.root().join("link.yaml"),
    )
    .unwrap();
    let mut client = client(&sandbox, Era::Sessions);
    let absolute = outside.join("outside.yaml");
    for name in [
        "../outside/outside.yaml",
        absolute.to_str().unwrap(),
        "link.yaml",
        ".env",
        "./../outside/outside.yaml",
    ] {
        let calls = [
            ("runbook_pack", json!({ "runbook": name })),
            (
                "notebook_edit",
                json!({ "operations": [{ "op": "upsert_runbook", "file": name }] }),
            ),
            (
                "notebook_edit",
                json!({ "operations": [{ "op": "upsert_anchor", "anchor": { "id": "x", "at": format!("{name}:1") } }] }),
            ),
        ];
        for (tool, arguments) in calls {
            let result = client.tool(tool, arguments);
            assert_eq!(result["isError"], true, "{tool} {name}: {result}");
            assert!(
                !result.to_string().contains("out of reach"),
                "{tool} {name}: {result}"
            );
            assert!(
                !result.to_string().contains("abcdef"),
                "{tool} {name}: {result}"
            );
        }
    }
}

#[test]
fn many_concurrent_calls_are_answered() {
    for era in ERAS {
        let sandbox = anchored();
        let mut client = client(&sandbox, era);
        let call = |nr: u64| match nr % 3 {
            0 => json!({ "name": "runbook_pack", "arguments": { "runbook": "api" } }),
            1 => json!({ "name": "notebook_pack", "arguments": {} }),
            _ => json!({ "name": "notebook_edit", "arguments": { "operations": [
                { "op": "upsert_anchor", "anchor": { "id": format!("a{nr}"), "at": "src/routes.rs:5" } }
            ] } }),
        };
        let ids: Vec<u64> = (0..100)
            .map(|nr| client.send("tools/call", call(nr)))
            .collect();
        for id in ids {
            let answer = client.answer_to(id);
            assert_ne!(answer["result"]["isError"], true, "{answer}");
        }
        let list = client.data("notebook_pack", json!({ "ids": [], "max_chars": 100_000 }));
        // There are the two anchors of `anchored`, and one for every third call.
        assert_eq!(
            list["anchors"].as_array().map(Vec::len),
            Some(2 + 33),
            "{list}"
        );
    }
}

#[test]
fn endless_line_is_not_buffered() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Sessions);
    client.write(&"x".repeat(40 << 20));
    let _: Value = client.data("runbook_pack", json!({ "runbook": "api" }));
}

#[test]
fn invalid_message_gets_parse_error() {
    let sandbox = anchored();
    for era in ERAS {
        let mut client = client(&sandbox, era);
        for line in [
            "{",
            "no json",
            &format!("{{\"id\":9,\"x\":{}}}", "[".repeat(100_000)),
        ] {
            client.write(line);
            let told = client.until(|message| message.get("error").is_some());
            assert_eq!(
                (&told["id"], &told["error"]["code"]),
                (&Value::Null, &json!(-32700))
            );
        }
        client.data("runbook_pack", json!({ "runbook": "api" }));
    }
}
