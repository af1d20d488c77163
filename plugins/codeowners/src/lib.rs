//! The plugin `codeowners`: owners of files by the rules in a `CODEOWNERS` file.

mod rules;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_step::{Failure, Plugin, Purity, export};

use crate::rules::Rules;

/// Finds the owners of files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Files: paths, or results of other steps that name a file.
    files: Vec<FileOrFound>,
    /// Lines of `CODEOWNERS`, as found by a `search` step. If there are several such files, the one in
    /// `.github` counts, then the one at the root, then the one in `docs`.
    rules: Vec<FoundLine>,
}

/// Path, or a result that names a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FileOrFound {
    /// Path.
    Path(String),
    /// Result of another step.
    Found {
        /// File of the result.
        file: String,
    },
}

/// Line found by a `search` step.
#[derive(Debug, Deserialize, JsonSchema)]
struct FoundLine {
    /// File of the line.
    file: String,
    /// Text of the line.
    #[serde(default)]
    text: Option<String>,
    /// Location of the line.
    evidence: Vec<Value>,
}

/// Files by owner.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Files with owners in input order, each with the rule that matches.
    owned: Vec<Owned>,
    /// Files without owners.
    unowned: Vec<String>,
    /// Owners, sorted, with their files.
    owners: Vec<Owner>,
}

/// File with owners.
#[derive(Debug, Serialize, JsonSchema)]
struct Owned {
    /// File and owners.
    label: String,
    /// Kind of result.
    kind: &'static str,
    /// File.
    path: String,
    /// Owners, in the order of the rule.
    owners: Vec<String>,
    /// Rule: the last one that matches.
    evidence: Vec<Value>,
}

/// Owner with all files.
#[derive(Debug, Serialize, JsonSchema)]
struct Owner {
    /// User, team or mail address.
    owner: String,
    /// Files.
    files: Vec<String>,
}

struct Codeowners;

impl Plugin for Codeowners {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "codeowners";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const PURPOSE: &'static str = "say who owns files, by the rules of CODEOWNERS";
    const PURITY: Purity = Purity::Pure;
    const MAIN: Option<&'static str> = Some("owned");

    fn run(input: Input) -> Result<Output, Failure> {
        let rules = Rules::of(input.rules);
        let mut seen = BTreeSet::new();
        let mut output = Output {
            owned: Vec::new(),
            unowned: Vec::new(),
            owners: Vec::new(),
        };
        let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in input.files {
            let path = match file {
                FileOrFound::Path(path) | FileOrFound::Found { file: path } => path,
            };
            if !seen.insert(path.clone()) {
                continue;
            }
            match rules.of_file(&path) {
                Some(rule) if !rule.owners.is_empty() => {
                    for owner in &rule.owners {
                        owners.entry(owner.clone()).or_default().push(path.clone());
                    }
                    output.owned.push(Owned {
                        label: format!("{path}: {}", rule.owners.join(" ")),
                        kind: "owners",
                        path,
                        owners: rule.owners.clone(),
                        evidence: rule.evidence.clone(),
                    });
                }
                _ => output.unowned.push(path),
            }
        }
        let owners = owners.into_iter();
        output.owners = owners
            .map(|(owner, files)| Owner { owner, files })
            .collect();
        Ok(output)
    }
}

export!(Codeowners);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(file: &str, number: u32, text: &str) -> Value {
        json!({ "file": file, "text": text, "evidence": [{ "file": file, "start_line": number, "end_line": number }] })
    }

    fn run(input: &Value) -> Result<Value, Failure> {
        windlass_step::run_json::<Codeowners>(&input.to_string())
            .map(|text| serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn last_matching_rule_counts() {
        let rules = [
            line("CODEOWNERS", 1, "# who"),
            line("CODEOWNERS", 2, "*       @all"),
            line("CODEOWNERS", 3, "*.rs    @rust @more # comment"),
            line("CODEOWNERS", 5, "/secret.rs"),
        ];
        let files = json!(["a.rs", { "file": "b.md", "label": "x" }, "secret.rs", "a.rs"]);
        let given = run(&json!({ "files": files, "rules": rules })).unwrap();
        assert_eq!(given["owned"][0]["owners"], json!(["@rust", "@more"]));
        assert_eq!(given["owned"][0]["evidence"][0]["start_line"], 3);
        assert_eq!(given["owned"][1]["label"], "b.md: @all");
        assert_eq!(given["owned"].as_array().unwrap().len(), 2);
        assert_eq!(given["unowned"], json!(["secret.rs"]));
        let owners: Vec<_> = given["owners"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["owner"])
            .collect();
        assert_eq!(owners, ["@all", "@more", "@rust"]);
    }

    #[test]
    fn several_files_only_one_counts() {
        let rules = [
            line("CODEOWNERS", 1, "* @root"),
            line(".github/CODEOWNERS", 1, "* @github"),
            line("vendor/CODEOWNERS", 1, "* @vendor"),
        ];
        let given = run(&json!({ "files": ["a"], "rules": rules })).unwrap();
        assert_eq!(given["owners"][0]["owner"], "@github");
        let none = run(&json!({ "files": ["a"], "rules": [] })).unwrap();
        assert_eq!(none["unowned"], json!(["a"]));
        let elsewhere = run(&json!({ "files": ["a"], "rules": [rules[2]] })).unwrap();
        assert_eq!(elsewhere["unowned"], json!(["a"]));
    }

    #[test]
    fn invalid_rule_ignored() {
        let rules = [
            line("CODEOWNERS", 6, "* @all"),
            line("CODEOWNERS", 7, "*.rs nobody"),
            line("CODEOWNERS", 8, "!README.md @y"),
        ];
        let given = run(&json!({ "files": ["src/a.rs", "README.md"], "rules": rules })).unwrap();
        assert_eq!(given["owners"].as_array().unwrap().len(), 1);
        assert_eq!(
            given["owners"][0]["files"],
            json!(["src/a.rs", "README.md"])
        );
        assert!(run(&json!({ "files": [1], "rules": [] })).is_err());
    }
}
