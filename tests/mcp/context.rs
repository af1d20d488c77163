use serde_json::{Value, json};

use super::client::{Era, text};
use super::support::Sandbox;
use super::{ERAS, client, next_calls};

/// Creates a repository with a plan and the code described by it.
fn planned() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "docs/PLAN.md",
            "# Plan\n\n## Retries\n\nA failing step is tried again, as `src/retry.rs` says.\n",
        )
        .write(
            "src/lib.rs",
            "mod retry;\n\npub fn run() {\n    retry::again();\n}\n",
        )
        .write(
            "src/retry.rs",
            "//! Trying again.\n\npub fn again() {\n    once()\n}\n",
        )
        .commit("one");
    sandbox
}

fn build(goal: &str) -> Value {
    json!({ "action": "build", "goal": goal })
}

#[test]
fn pack_is_built_shown_and_rebuilt() {
    for era in ERAS {
        let sandbox = planned();
        let mut client_now = client(&sandbox, era);
        let mut asked = build("Retry failing steps three times");
        asked["constraints"] = json!({ "dependencies": "none are added" });
        asked["search"] = json!(["fn again"]);
        let result = client_now.tool("context_pack", asked);
        assert_ne!(result["isError"], true, "{result}");
        let pack = &result["structuredContent"];
        assert_eq!(pack["docRefs"][0]["path"], "docs/PLAN.md", "{pack}");
        assert_eq!(pack["relevantFiles"][0]["path"], "src/retry.rs");
        assert!(
            text(&result).contains("none are added"),
            "{}",
            text(&result)
        );
        // The pack is stored for later servers.
        client_now = client(&sandbox, era);
        let id = pack["packId"].as_str().unwrap();
        let shown = client_now.data("context_pack", json!({ "action": "show", "pack": id }));
        assert_eq!(shown["packId"], id);
        let again = client_now.data("context_pack", json!({ "action": "rebuild", "pack": id }));
        assert_eq!(again["reproduced"], true, "{again}");
        sandbox.edit("src/retry.rs", "once()", "twice()");
        let again = client_now.data("context_pack", json!({ "action": "rebuild", "pack": id }));
        assert_eq!(again["parts"][0]["state"], "from_commit", "{again}");
    }
}

#[test]
fn merged_packs_name_their_conflict() {
    let sandbox = planned();
    let mut client = client(&sandbox, Era::Sessions);
    let ids = ["none", "one at most"].map(|rule| {
        let mut asked = build("Retry failing steps");
        asked["constraints"] = json!({ "dependencies": rule });
        client.data("context_pack", asked)["packId"].clone()
    });
    let merged = client.data("context_pack", json!({ "action": "merge", "packs": ids }));
    assert_eq!(
        merged["conflicts"][0]["item"], "constraints/dependencies",
        "{merged}"
    );
    let odd = json!({ "action": "merge", "packs": ids, "policy": "most" });
    let wrong = client.tool("context_pack", odd);
    assert!(text(&wrong).contains("`quorum:2`"), "{}", text(&wrong));
}

#[test]
fn named_call_shows_the_cut_part() {
    let sandbox = planned();
    let body: String = (0..400)
        .map(|nr| format!("    retry_step({nr});\n"))
        .collect();
    sandbox.write("src/retry.rs", format!("pub fn again() {{\n{body}}}\n"));
    sandbox.commit("two");
    let mut client = client(&sandbox, Era::Stateless);
    for limit in [1_500, 1_501, 2_000] {
        let mut asked = build("Retry failing steps three times");
        asked["max_chars"] = json!(limit);
        let cut = client.tool("context_pack", asked);
        let data = &cut["structuredContent"];
        assert!(data.to_string().chars().count() <= limit, "{data}");
        assert!(text(&cut).chars().count() <= limit);
        let (tool, arguments) = next_calls(data).remove(0);
        let whole = client.data(&tool, arguments);
        assert_eq!(whole["packId"], data["packId"]);
        assert!(whole.to_string().len() > data.to_string().len());
    }
}

#[test]
fn oversized_pack_is_shown_by_pages() {
    let sandbox = planned();
    let body: String = (0..110)
        .map(|nr| format!("    retry_step({nr});\n"))
        .collect();
    for file in 0..9 {
        let text = format!("pub fn again_{file}() {{\n{body}}}\n");
        sandbox.write(&format!("src/retry_{file}.rs"), text);
    }
    sandbox.commit("two");
    let mut client = client(&sandbox, Era::Stateless);
    let mut asked = build("Retry failing steps three times");
    asked["search"] = json!(["retry_step"]);
    let pack = client.data("context_pack", asked);
    let whole = sandbox
        .windlass(&["pack", "show", pack["packId"].as_str().unwrap()])
        .succeeds()
        .stdout;
    let cut = json!({ "action": "show", "pack": "last", "max_chars": 3_000 });
    let cut = client.data("context_pack", cut);
    let (tool, mut arguments) = next_calls(&cut).remove(0);
    assert_eq!(arguments["cursor"], "start", "{cut}");
    arguments.as_object_mut().unwrap().remove("max_tokens");
    arguments["max_chars"] = json!(3_000);
    let (mut lines, mut pages) = (Vec::new(), 0);
    loop {
        let page = client.tool(&tool, arguments);
        let data = &page["structuredContent"];
        assert!(data.to_string().chars().count() <= 3_000, "{data}");
        assert!(text(&page).chars().count() <= 3_000);
        assert_eq!(data["packId"], pack["packId"]);
        let own = data["lines"].as_array().unwrap();
        lines.extend(own.iter().map(|line| line.as_str().unwrap().to_owned()));
        pages += 1;
        let budget = &data["budget"];
        let next = next_calls(data);
        assert_eq!(next.is_empty(), budget["used"] == budget["whole"], "{data}");
        match next.into_iter().next() {
            Some((_, next)) => arguments = next,
            None => break,
        }
    }
    assert!(pages > 2, "{pages}");
    assert_eq!(lines.join("\n"), whole.trim_end());
    // An invalid cursor and another pack's cursor are refused.
    for cursor in ["no", "start0"] {
        let wrong = json!({ "action": "show", "pack": "last", "cursor": cursor });
        assert_eq!(client.tool("context_pack", wrong)["isError"], true);
    }
}

#[test]
fn outside_paths_are_not_disclosed() {
    let sandbox = planned();
    let there = sandbox.outside().join("there.md");
    std::fs::write(&there, "# There\n").unwrap();
    let no = sandbox.outside().join("no.md");
    let mut client = client(&sandbox, Era::Sessions);
    for field in ["files", "docs"] {
        for (there, no) in [
            (there.to_str().unwrap(), no.to_str().unwrap()),
            ("../outside/there.md", "../outside/no.md"),
        ] {
            let said = [there, no].map(|name| {
                let mut asked = build("Retry");
                asked[field] = json!([name]);
                let result = client.tool("context_pack", asked);
                assert_eq!(result["isError"], true, "{result}");
                result.to_string().replace(name, "it")
            });
            assert_eq!(said[0], said[1]);
            assert!(
                said[0].contains("outside of this repository"),
                "{}",
                said[0]
            );
        }
    }
}

#[test]
fn too_small_limit_names_sufficient_one() {
    let sandbox = planned();
    let mut client = client(&sandbox, Era::Sessions);
    let mut asked = build("Retry failing steps");
    asked["max_chars"] = json!(50);
    let mut told = 0;
    // Text and data each have their own minimum.
    while told < 3 {
        let result = client.tool("context_pack", asked.clone());
        if result["isError"] != true {
            return;
        }
        let help = result["structuredContent"]["error"]["help"]
            .as_str()
            .unwrap();
        let enough = help.split(' ').find_map(|word| word.parse::<u64>().ok());
        asked["max_chars"] = json!(enough.unwrap());
        told += 1;
    }
    panic!("{asked} is not enough");
}

#[test]
fn outside_files_stay_out_of_packs() {
    let sandbox = planned();
    let outside = sandbox.outside().join("results.txt");
    let said =
        "test out_of_reach ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
    std::fs::write(&outside, said).unwrap();
    let mut client = client(&sandbox, Era::Sessions);
    for name in [outside.to_str().unwrap(), "../outside/results.txt"] {
        for field in ["results", "files", "docs", "packs"] {
            let mut asked = build("Retry");
            asked[field] = json!([name]);
            let result = client.tool("context_pack", asked);
            assert_eq!(result["isError"], true, "{field}: {result}");
            assert!(
                !result.to_string().contains("out_of_reach"),
                "{field}: {result}"
            );
        }
        for asked in [
            json!({ "action": "show", "pack": name }),
            json!({ "action": "merge", "packs": [name] }),
            json!({ "action": "rebuild", "pack": name }),
        ] {
            let result = client.tool("context_pack", asked);
            assert_eq!(result["isError"], true, "{result}");
        }
    }
}
