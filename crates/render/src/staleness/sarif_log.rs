//! Writes SARIF 2.1.0 logs (OASIS) of a single run. Code hosts show the findings next to the lines.

use serde_json::{Value, json};
use windlass::base::{Digest, encode_hex};

use crate::uri_path;

/// The rule behind a finding. Code hosts track findings by the ID of their rule, so existing IDs
/// must never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SarifRule {
    StaleAnchor,
    StaleSection,
    StaleCitation,
    WrongCitation,
    InvalidRunbook,
    UnreadableDocument,
}

impl SarifRule {
    const ALL: [Self; 6] = [
        Self::StaleAnchor,
        Self::StaleSection,
        Self::StaleCitation,
        Self::WrongCitation,
        Self::InvalidRunbook,
        Self::UnreadableDocument,
    ];

    fn id(self) -> &'static str {
        match self {
            Self::StaleAnchor => "stale-anchor",
            Self::StaleSection => "stale-section",
            Self::StaleCitation => "stale-citation",
            Self::WrongCitation => "wrong-citation",
            Self::InvalidRunbook => "invalid-runbook",
            Self::UnreadableDocument => "unreadable-document",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::StaleAnchor => {
                "The text that an anchor points to is no longer where it was captured."
            }
            Self::StaleSection => "A section of a runbook no longer has its earlier evidence.",
            Self::StaleCitation => "A document cites lines that have changed.",
            Self::WrongCitation => "A document cites a file or lines that do not exist.",
            Self::InvalidRunbook => "A changed runbook is not valid.",
            Self::UnreadableDocument => "A document cannot be scanned for citations.",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::StaleAnchor => "Run `windlass anchor repair`, then `windlass notebook export`.",
            Self::StaleSection => "Run the runbook with `windlass run` to see its present output.",
            Self::StaleCitation => {
                "Run `windlass anchor scan --fix`, which writes the new lines of moved text; change the rest by hand."
            }
            Self::WrongCitation => "Correct the path or the lines by hand.",
            Self::InvalidRunbook => "Run `windlass check` on the runbook.",
            Self::UnreadableDocument => "Store the document as UTF-8 text.",
        }
    }
}

pub(super) struct SarifResult {
    pub(super) rule: SarifRule,
    /// One of `error`, `warning` and `note`.
    pub(super) level: &'static str,
    pub(super) message: String,
    /// Path of the file, relative to the root, or `None` for a finding without a file.
    pub(super) file: Option<String>,
    /// First and last line (1-based), or `None` for the whole file.
    pub(super) lines: Option<(u32, u32)>,
    /// Identity of the finding, which becomes its fingerprint. It must not depend on the line or
    /// the message.
    pub(super) identity: String,
}

/// Builds the log. Columns count Unicode characters. `command` becomes part of the category, so
/// that logs of different commands don't replace each other.
pub(super) fn sarif_log(command: &str, results: impl Iterator<Item = SarifResult>) -> Value {
    let rules: Vec<Value> = SarifRule::ALL.iter().map(|rule| rule_of(*rule)).collect();
    let results: Vec<Value> = results.map(|result| result_of(&result)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "windlass",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            } },
            "automationDetails": { "id": format!("windlass/{command}/") },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule_of(rule: SarifRule) -> Value {
    json!({
        "id": rule.id(),
        "shortDescription": { "text": rule.description() },
        "fullDescription": { "text": rule.description() },
        "help": { "text": rule.help() },
    })
}

fn result_of(result: &SarifResult) -> Value {
    let id = result.rule.id();
    let print = Digest::of_bytes(format!("{id} {}", result.identity).as_bytes());
    let place = result.file.as_ref().map(|file| {
        let artifact = json!({ "uri": uri_path(file), "uriBaseId": "%SRCROOT%" });
        let mut place = json!({ "artifactLocation": artifact });
        if let Some((first, last)) = result.lines {
            place["region"] = json!({ "startLine": first, "endLine": last });
        }
        json!({ "physicalLocation": place })
    });
    json!({
        "ruleId": id,
        "ruleIndex": SarifRule::ALL.iter().position(|rule| *rule == result.rule),
        "level": result.level,
        "message": { "text": without_links(&result.message) },
        "locations": Vec::from_iter(place),
        "partialFingerprints": { "windlass/v1": encode_hex(&print.as_bytes()[..16]) },
    })
}

/// Escapes brackets in a message, which SARIF would show as links.
fn without_links(message: &str) -> String {
    match message.contains("](") {
        true => message
            .replace('\\', "\\\\")
            .replace('[', "\\[")
            .replace(']', "\\]"),
        false => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_in_message_is_escaped() {
        assert_eq!(without_links("a [b] c"), "a [b] c");
        assert_eq!(without_links("[a](http://b)"), "\\[a\\](http://b)");
    }

    #[test]
    fn rule_index_names_the_rule() {
        let results = SarifRule::ALL.map(|rule| SarifResult {
            rule,
            level: "error",
            message: String::new(),
            file: None,
            lines: None,
            identity: String::new(),
        });
        let log = sarif_log("x", results.into_iter());
        let run = &log["runs"][0];
        for result in run["results"].as_array().unwrap() {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            let rules = &run["tool"]["driver"]["rules"];
            assert_eq!(rules[index]["id"], result["ruleId"]);
        }
    }
}
