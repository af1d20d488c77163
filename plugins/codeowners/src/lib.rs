//! Who owns files, by the rules of a `CODEOWNERS` file.

mod rules;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_step::{Failure, Plugin, Purity, export};

use crate::rules::Rules;

/// Says who owns files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The files: paths, or what other steps found, which names its file.
    files: Vec<FileOrFound>,
    /// The lines of `CODEOWNERS`, as a `search` step finds them. Of several such files the one in `.github` counts, else the
    /// one at the root, else the one in `docs`.
    rules: Vec<FoundLine>,
}

/// A path, or something that was found in a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FileOrFound {
    /// The path.
    Path(String),
    /// What was found.
    Found {
        /// Its file.
        file: String,
    },
}

/// A line that a `search` step found.
#[derive(Debug, Deserialize, JsonSchema)]
struct FoundLine {
    /// The file it stands in.
    file: String,
    /// Its text.
    #[serde(default)]
    text: Option<String>,
    /// Where it stands.
    evidence: Vec<Value>,
}

/// Who owns which files.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The files that have owners, in their order, each with the rule that says so.
    owned: Vec<Owned>,
    /// The files that nobody owns.
    unowned: Vec<String>,
    /// The owners, sorted, with their files.
    owners: Vec<Owner>,
}

/// A file that has owners.
#[derive(Debug, Serialize, JsonSchema)]
struct Owned {
    /// The file and its owners.
    label: String,
    /// What sort of thing this is.
    kind: &'static str,
    /// The file.
    path: String,
    /// Its owners, in the order of the rule.
    owners: Vec<String>,
    /// The rule: the last one that matches.
    evidence: Vec<Value>,
}

/// An owner with all files.
#[derive(Debug, Serialize, JsonSchema)]
struct Owner {
    /// A user, a team, or a mail address.
    owner: String,
    /// The files.
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
    fn the_last_rule_that_matches_counts() {
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
    fn of_several_files_one_counts() {
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
    fn a_rule_that_makes_no_sense_does_not_count() {
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
