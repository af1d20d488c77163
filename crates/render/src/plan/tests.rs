use insta::assert_snapshot;

use super::sample_plan::{EXAMPLE, load};
use super::*;

#[test]
fn plan_text_matches_golden() {
    let plan = load(EXAMPLE);
    assert_snapshot!(plan_text(&plan, &StepStates::default()), @r#"
    api-contracts
    API contracts
    What callers of the HTTP API may rely on.
      --input focus=<string> (default "crates/api")  the crate to look at

    1
    └─ routes  search

    2
    └─ owners  plugin:codeowners@1  ← routes
         up to 3 attempts
         timeout 5s
         run continues on failure

    3
    └─ each  files  ← routes, owners
         if steps.routes.output.total > 0 and steps.owners.status == 'completed'
         for each of #/steps/routes/output/matches

    4 (finally)
    └─ tidy  command  ← each

    sections
      Routes  from routes $.matches[*], sorted by /file, at most 20
      texts  from each $[*].text
    "#);
}

#[test]
fn plan_json_matches_golden() {
    let plan = load(EXAMPLE);
    let json = serde_json::to_string_pretty(&plan_json(&plan)).unwrap();
    assert_snapshot!(json, @r##"
    {
      "schema_version": 1,
      "id": "api-contracts",
      "title": "API contracts",
      "purpose": "What callers of the HTTP API may rely on.",
      "inputs": [
        {
          "name": "focus",
          "type": "string",
          "required": false,
          "default": "crates/api",
          "description": "the crate to look at"
        }
      ],
      "policy": {
        "budget": {
          "max_chars": 6000
        },
        "freshness": "repair",
        "noise_budget": 0.2
      },
      "steps": [
        {
          "id": "routes",
          "uses": "search",
          "with": {
            "pattern": "Router::new",
            "paths": [
              {
                "$ref": "#/inputs/focus"
              }
            ]
          },
          "needs": []
        },
        {
          "id": "owners",
          "uses": "plugin:codeowners@1",
          "with": {
            "files": {
              "$ref": "#/steps/routes/output/files"
            }
          },
          "needs": [
            {
              "step": "routes",
              "reasons": [
                {
                  "kind": "ref",
                  "at": "/with/files",
                  "ref": "#/steps/routes/output/files"
                }
              ]
            }
          ],
          "timeout_ms": 5000,
          "backoff_ms": 200,
          "max_attempts": 3,
          "on_failure": "continue"
        },
        {
          "id": "each",
          "uses": "files",
          "with": {
            "files": [
              {
                "$ref": "#/item/file"
              }
            ]
          },
          "needs": [
            {
              "step": "routes",
              "reasons": [
                {
                  "kind": "ref",
                  "at": "/for_each",
                  "ref": "#/steps/routes/output/matches"
                },
                {
                  "kind": "if"
                }
              ]
            },
            {
              "step": "owners",
              "reasons": [
                {
                  "kind": "if"
                }
              ]
            }
          ],
          "if": "steps.routes.output.total > 0 and steps.owners.status == 'completed'",
          "for_each": {
            "$ref": "#/steps/routes/output/matches"
          }
        },
        {
          "id": "tidy",
          "uses": "command",
          "with": {},
          "needs": [
            {
              "step": "each",
              "reasons": [
                {
                  "kind": "needs"
                }
              ]
            }
          ],
          "finally": true
        }
      ],
      "layers": [
        [
          "routes"
        ],
        [
          "owners"
        ],
        [
          "each"
        ],
        [
          "tidy"
        ]
      ],
      "outputs": [
        {
          "id": "routes",
          "title": "Routes",
          "from": "routes",
          "select": "$.matches[*]",
          "sort": "/file",
          "limit": 20
        },
        {
          "id": "texts",
          "title": "texts",
          "from": "each",
          "select": "$[*].text"
        }
      ]
    }
    "##);
}

#[test]
fn plan_graphs_match_golden() {
    let plan = load(EXAMPLE);
    assert_snapshot!(plan_dot(&plan, &StepStates::default()), @r#"
    digraph plan {
      rankdir=LR;
      node [shape=box];
      label="API contracts";
      "routes" [label="routes\nsearch"];
      "owners" [label="owners\nplugin:codeowners@1\nup to 3 attempts\ntimeout 5s\nrun continues on failure"];
      "each" [label="each\nfiles\nif steps.routes.output.total > 0 and steps.owners.status == 'completed'\nfor each of #/steps/routes/output/matches"];
      "tidy" [label="tidy\ncommand", style=dashed];
      "routes" -> "owners";
      "routes" -> "each";
      "owners" -> "each";
      "each" -> "tidy" [style=dashed];
    }
    "#);
    assert_snapshot!(plan_mermaid(&plan, &StepStates::default()), @r#"
    flowchart LR
      s0["routes<br/>search"]
      s1["owners<br/>plugin:codeowners@1<br/>up to 3 attempts<br/>timeout 5s<br/>run continues on failure"]
      s2["each<br/>files<br/>if steps.routes.output.total #62; 0 and steps.owners.status == 'completed'<br/>for each of #35;/steps/routes/output/matches"]
      s3(["tidy<br/>command"])
      s0 --> s1
      s0 --> s2
      s1 --> s2
      s2 -.-> s3
    "#);
}

#[test]
fn text_cannot_break_out_of_graph() {
    let plan = load(
        "schema_version: 1\nid: rb\ntitle: 'a\"]; evil'\nsteps:\n  - { id: end, uses: command, if: '''\"]--><b>'' == ''x''' }\n",
    );
    assert_snapshot!(plan_dot(&plan, &StepStates::default()), @r#"
    digraph plan {
      rankdir=LR;
      node [shape=box];
      label="a\"]; evil";
      "end" [label="end\ncommand\nif '\"]--><b>' == 'x'"];
    }
    "#);
    assert_snapshot!(plan_mermaid(&plan, &StepStates::default()), @r#"
    flowchart LR
      s0["end<br/>command<br/>if '#34;#93;--#62;#60;b#62;' == 'x'"]
    "#);
}
