//! GitHub issues as `gh issue list --json …` or the REST API print them.
//!
//! We convert issues to the records that `bd` would write, and leave the rest to the import of
//! records. The two sources spell most fields differently (`createdAt` or `created_at`), so we look
//! for both.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::bead::{Bead, USUAL_PRIORITY};
use crate::event::Fields;
use crate::state::State;

/// Bead field for the issue's URL. A later import finds the bead by it, whatever the bead's id is.
const REFERENCE: &str = "external_ref";
/// Bead field for the system that the bead was imported from.
const SOURCE: &str = "source_system";
/// Issue fields that become fields of the bead. Any other field goes to its `metadata.github`.
const MAPPED: [&str; 20] = [
    "title",
    "body",
    "state",
    "closed",
    "stateReason",
    "state_reason",
    "createdAt",
    "created_at",
    "updatedAt",
    "updated_at",
    "closedAt",
    "closed_at",
    "author",
    "user",
    "assignees",
    "assignee",
    "labels",
    "comments",
    "url",
    "html_url",
];

pub(super) struct GithubIssue(Fields);

/// Parses a list of issues, a single issue, or one issue per line. Returns `None` for anything
/// else.
///
/// The REST API lists pull requests as issues, so we skip those.
pub(super) fn parse(text: &str) -> Option<Vec<GithubIssue>> {
    let values: Vec<Value> = match serde_json::from_str(text) {
        Ok(Value::Array(values)) => values,
        Ok(one @ Value::Object(_)) => vec![one],
        _ => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let values: Result<_, _> = lines.map(serde_json::from_str).collect();
            values.ok()?
        }
    };
    let mut issues = Vec::new();
    for value in values {
        let Value::Object(fields) = value else {
            return None;
        };
        let is_issue = fields.get("number").is_some_and(Value::is_u64)
            && fields.get("title").is_some_and(Value::is_string);
        if !is_issue {
            return None;
        }
        if !fields.contains_key("pull_request") {
            issues.push(GithubIssue(fields));
        }
    }
    (!issues.is_empty()).then_some(issues)
}

/// Converts issues to records, each with its bead's id. If an issue was imported before, even by
/// another program, we find its bead by the URL.
pub(super) fn records(
    issues: &[GithubIssue],
    state: &State,
    prefix: &str,
) -> Vec<(String, Fields)> {
    let known = state.beads.iter().filter_map(|(_, found)| found.record());
    let mut known: BTreeMap<String, String> = known
        .filter_map(|bead| Some((reference(&bead)?.to_owned(), bead.id)))
        .collect();
    // Determine all ids before we convert any issue, because issues refer to each other.
    let mut given = BTreeSet::new();
    for issue in issues {
        if let Entry::Vacant(new) = known.entry(issue.reference()) {
            // Without a URL, the number is all that an earlier import can be told by.
            let is_same = |bead: &Bead| {
                issue.repository().is_none() && bead.rest.get(SOURCE) == Some(&json!("github"))
            };
            let is_free = |id: &str| {
                let there = state.beads.get(id);
                !given.contains(id) && there.is_none_or(|bead| is_same(&bead))
            };
            let id = issue.id(prefix, is_free);
            given.insert(id.clone());
            new.insert(id);
        }
    }
    let record = |issue: &GithubIssue| {
        let id = known.get(&issue.reference())?;
        Some((id.clone(), issue.record(id, &known)))
    };
    issues.iter().filter_map(record).collect()
}

fn reference(bead: &Bead) -> Option<&str> {
    bead.rest.get(REFERENCE)?.as_str()
}

impl GithubIssue {
    fn text(&self, names: &[&str]) -> Option<&str> {
        let mut found = names.iter().filter_map(|name| self.0.get(*name)?.as_str());
        found.find(|text| !text.is_empty())
    }

    fn number(&self) -> u64 {
        let number = self.0.get("number").and_then(Value::as_u64);
        number.unwrap_or_default()
    }

    /// Identifies the issue by its URL, or by its number if there is none.
    fn reference(&self) -> String {
        let url = self.text(&["html_url", "url"]).map(str::to_owned);
        url.unwrap_or_else(|| format!("gh-{}", self.number()))
    }

    fn repository(&self) -> Option<(&str, &str)> {
        let url = self.text(&["html_url", "url"])?;
        let (repository, _) = url.split_once("/issues/")?;
        let mut parts = repository.rsplit('/');
        let name = parts.next()?;
        Some((parts.next()?, name))
    }

    /// Returns the id for a new bead, such as `bd-gh_rocket_12` for issue 12 of `acme/rocket`.
    ///
    /// We leave out the repository if it is named like the prefix. If the id is taken, we add the
    /// owner, and then a count, for example for a mirror on another host.
    fn id(&self, prefix: &str, is_free: impl Fn(&str) -> bool) -> String {
        let number = self.number();
        let (short, long) = match self.repository() {
            None => (format!("gh{number}"), format!("gh_{number}")),
            Some((owner, name)) => {
                let name = plain(name);
                let long = format!("gh_{}_{name}_{number}", plain(owner));
                match name == plain(prefix) {
                    true => (format!("gh{number}"), long),
                    false => (format!("gh_{name}_{number}"), long),
                }
            }
        };
        let counted = (2..=u64::MAX).map(|count| format!("{long}_{count}"));
        let mut ids = [short, long.clone()].into_iter().chain(counted);
        let id = ids.find_map(|end| {
            let id = format!("{prefix}-{end}");
            is_free(&id).then_some(id)
        });
        id.unwrap_or_default()
    }

    /// Converts the issue to a record as `bd` writes it. `known` maps issue URLs to bead ids.
    fn record(&self, id: &str, known: &BTreeMap<String, String>) -> Fields {
        let mut names = self.names("labels", "name");
        names.sort_unstable();
        let assignees = self.names("assignees", "login");
        let mut record = Map::new();
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                record.insert(name.to_owned(), value);
            }
        };
        let text = |names: &[&str]| {
            self.text(names)
                .map(|text| Value::from(text.replace("\r\n", "\n")))
        };
        let is_closed = self
            .text(&["state"])
            .is_some_and(|state| state.eq_ignore_ascii_case("closed"));
        set("id", Some(id.into()));
        set("title", text(&["title"]));
        set("description", text(&["body"]));
        set(
            "status",
            Some(if is_closed { "closed" } else { "open" }.into()),
        );
        set("priority", Some(priority(&names).into()));
        set("issue_type", Some(self.kind(&names).into()));
        set("created_at", text(&["createdAt", "created_at"]));
        set("updated_at", text(&["updatedAt", "updated_at"]));
        set(
            "created_by",
            self.login("author").or_else(|| self.login("user")),
        );
        set("assignee", assignees.first().map(|login| (*login).into()));
        set("labels", Some(names.iter().copied().collect()));
        set("dependencies", Some(self.dependencies(id, known)));
        set("comments", self.comments(id));
        if is_closed {
            set("closed_at", text(&["closedAt", "closed_at"]));
            let reason = self
                .text(&["stateReason", "state_reason"])
                .unwrap_or("completed");
            set(
                "close_reason",
                Some(reason.to_lowercase().replace('_', " ").into()),
            );
        }
        set(REFERENCE, Some(self.reference().into()));
        set(SOURCE, Some("github".into()));
        let mut rest: Fields = self.0.clone();
        // `comments` may be a mere count, which stays in the metadata.
        rest.retain(|name, value| !MAPPED.contains(&name.as_str()) || value.is_u64());
        if assignees.len() > 1 {
            rest.insert("assignees".to_owned(), assignees.into());
        }
        set("metadata", Some(json!({ "github": rest })));
        record
    }

    fn login(&self, field: &str) -> Option<Value> {
        let login = self.0.get(field)?.get("login")?.as_str()?;
        (!login.is_empty()).then(|| login.into())
    }

    fn names(&self, field: &str, name: &str) -> Vec<&str> {
        let list = self.0.get(field).and_then(Value::as_array);
        let list = list.into_iter().flatten();
        list.filter_map(|one| one.get(name).unwrap_or(one).as_str())
            .collect()
    }

    /// Derives the type of work from the issue type or a label. The default is `task`.
    fn kind(&self, labels: &[&str]) -> &'static str {
        let kind = ["issueType", "type"].iter().find_map(|field| {
            let kind = self.0.get(*field)?;
            kind.get("name").unwrap_or(kind).as_str()
        });
        let mut words = kind.into_iter().chain(labels.iter().copied());
        let word = words.find_map(|word| match word.to_lowercase().as_str() {
            "bug" => Some("bug"),
            "feature" | "enhancement" => Some("feature"),
            "epic" => Some("epic"),
            _ => None,
        });
        word.unwrap_or("task")
    }

    /// Collects the dependencies on the parent and on blocking issues. We have to leave out issues
    /// that are not in `known`, because they have no bead.
    fn dependencies(&self, id: &str, known: &BTreeMap<String, String>) -> Value {
        let blocking = self.0.get("blockedBy");
        let blocking = blocking.and_then(|list| list.get("nodes").unwrap_or(list).as_array());
        let blocking = blocking.into_iter().flatten().map(|on| (on, "blocks"));
        let parent = self.0.get("parent").map(|on| (on, "parent-child"));
        let on = |(on, kind): (&Value, &str)| {
            let url = on.get("html_url").or_else(|| on.get("url"))?.as_str()?;
            let on = known.get(url)?;
            Some(json!({ "issue_id": id, "depends_on_id": on, "type": kind }))
        };
        parent.into_iter().chain(blocking).filter_map(on).collect()
    }

    /// The comments as `bd` writes them, or `None` if the issue only has their count.
    fn comments(&self, id: &str) -> Option<Value> {
        let comments = self.0.get("comments")?.as_array()?;
        let one = |comment: &Value| {
            let text = |names: &[&str]| {
                let mut found = names.iter().filter_map(|name| comment.get(*name)?.as_str());
                found.next().unwrap_or_default().to_owned()
            };
            let author = comment.get("author").or_else(|| comment.get("user"));
            let author = author.and_then(|author| author.get("login")?.as_str());
            json!({
                "id": text(&["url", "html_url", "id"]),
                "issue_id": id,
                "author": author.unwrap_or("unknown"),
                "text": text(&["body"]),
                "created_at": text(&["createdAt", "created_at"]),
            })
        };
        (!comments.is_empty()).then(|| comments.iter().map(one).collect())
    }
}

fn priority(labels: &[&str]) -> u8 {
    let stated = labels.iter().find_map(|label| {
        let number: u8 = label.strip_prefix(['P', 'p'])?.parse().ok()?;
        (number <= 4).then_some(number)
    });
    stated.unwrap_or(USUAL_PRIORITY)
}

/// Makes a name fit for an id: only lower-case letters, digits and `_`.
fn plain(name: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '_',
    };
    let name: String = name.chars().map(plain).collect();
    name.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bead::bead_of_record;
    use crate::event::BeadImported;
    use crate::tests::{Folder, emit};

    #[test]
    fn parse_other_shapes_none() {
        for text in [
            "[]",
            "{\"id\":\"bd-1\",\"title\":\"x\"}",
            "{\"number\":1}\n{\"id\":\"bd-1\"}",
            "not json",
            "",
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
        let lines =
            "{\"number\":1,\"title\":\"a\"}\n{\"number\":2,\"title\":\"b\",\"pull_request\":{}}\n";
        assert_eq!(parse(lines).map(|issues| issues.len()), Some(1));
    }

    /// Two linked issues with labels and a comment, as `gh issue list --json …` prints them.
    const ISSUES: &str = r#"[
        { "number": 12, "title": "Crash on start", "body": "It crashes.\r\nAlways.", "state": "OPEN", "stateReason": "",
          "url": "https://github.com/acme/rocket/issues/12", "id": "I_1", "author": { "login": "ann" },
          "assignees": [{ "login": "bob" }], "labels": [{ "name": "bug" }, { "name": "P1" }],
          "createdAt": "2026-01-02T03:04:05Z", "updatedAt": "2026-01-03T03:04:05Z", "closedAt": null,
          "milestone": { "title": "1.0" }, "comments": [{ "author": { "login": "eve" }, "body": "Same here.",
          "createdAt": "2026-01-03T03:04:05Z", "url": "https://github.com/acme/rocket/issues/12#c1" }],
          "parent": { "number": 7, "url": "https://github.com/acme/rocket/issues/7" } },
        { "number": 7, "title": "Release", "body": "", "state": "CLOSED", "stateReason": "NOT_PLANNED",
          "url": "https://github.com/acme/rocket/issues/7", "createdAt": "2026-01-01T00:00:00Z",
          "updatedAt": "2026-01-04T00:00:00Z", "closedAt": "2026-01-04T00:00:00Z" }
    ]"#;

    #[test]
    fn issues_become_linked_beads() {
        let folder = Folder::new(false);
        let ledger = folder.open();
        let issues = parse(ISSUES).unwrap();
        let found = records(&issues, ledger.state(), "rocket");
        let [(first, crash), (second, release)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(
            (first.as_str(), second.as_str()),
            ("rocket-gh12", "rocket-gh7")
        );
        let bead = bead_of_record(crash, crate::Stamp::default(), USUAL_PRIORITY).unwrap();
        assert_eq!((bead.priority, bead.labels.len()), (1, 2));
        assert_eq!(bead.description, "It crashes.\nAlways.");
        assert_eq!(bead.parent(), Some("rocket-gh7"));
        assert_eq!(bead.rest["comments"][0]["text"], "Same here.");
        assert_eq!(bead.metadata["github"]["milestone"]["title"], "1.0");
        assert_eq!(release["status"], "closed");
        assert_eq!(release["close_reason"], "not planned");
    }

    /// The URL identifies an issue, so this updates a bead that another program imported under a
    /// different id.
    #[test]
    fn issue_imported_before_keeps_its_bead() {
        let folder = Folder::new(false);
        let mut ledger = folder.open();
        let known = json!({ "id": "t-x1", "title": "old", "external_ref": "https://github.com/acme/rocket/issues/12" });
        let taken = json!({ "id": "t-gh_rocket_7", "title": "other", "external_ref": "https://github.com/b/rocket/issues/7" });
        for record in [known, taken] {
            let imported = BeadImported {
                bead_id: record["id"].as_str().unwrap().to_owned(),
                record: record.as_object().cloned().unwrap(),
                ..BeadImported::default()
            };
            emit(&mut ledger, 1, imported).unwrap();
        }
        let issues = parse(ISSUES).unwrap();
        let found = records(&issues, ledger.state(), "t");
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["t-x1", "t-gh_acme_rocket_7"]);
        for (source, want) in [("github", "t-gh9"), ("jira", "t-gh_9")] {
            let imported = BeadImported {
                bead_id: "t-gh9".to_owned(),
                record: json!({ "id": "t-gh9", "title": "x", "source_system": source })
                    .as_object()
                    .cloned()
                    .unwrap(),
                ..BeadImported::default()
            };
            let folder = Folder::new(false);
            let mut ledger = folder.open();
            emit(&mut ledger, 1, imported).unwrap();
            let issues = parse("[{\"number\":9,\"title\":\"x\"}]").unwrap();
            assert_eq!(records(&issues, ledger.state(), "t")[0].0, want);
        }
    }

    #[test]
    fn issues_of_namesakes_get_beads_of_their_own() {
        let folder = Folder::new(false);
        let ledger = folder.open();
        let issue = |url: &str| json!({ "number": 7, "title": "x", "url": url });
        let text = json!([
            issue("https://github.com/a/rocket/issues/7"),
            issue("https://github.com/b/rocket/issues/7"),
            issue("https://example.org/b/rocket/issues/7"),
            { "number": 7, "title": "x" },
        ]);
        let issues = parse(&text.to_string()).unwrap();
        let found = records(&issues, ledger.state(), "t");
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        let want = [
            "t-gh_rocket_7",
            "t-gh_b_rocket_7",
            "t-gh_b_rocket_7_2",
            "t-gh7",
        ];
        assert_eq!(ids, want);
    }

    #[test]
    fn labels_give_priority_and_type() {
        let issue = |labels: Value| {
            let text = json!([{ "number": 1, "title": "x", "labels": labels }]).to_string();
            let record = parse(&text).unwrap()[0].record("t-1", &BTreeMap::new());
            (record["priority"].clone(), record["issue_type"].clone())
        };
        let named = |name: &str| json!([{ "name": name }]);
        assert_eq!(issue(named("P0")), (0.into(), "task".into()));
        assert_eq!(issue(named("Enhancement")), (2.into(), "feature".into()));
        assert_eq!(issue(json!(["p3", "bug"])), (3.into(), "bug".into()));
        assert_eq!(issue(named("P9")), (2.into(), "task".into()));
    }
}
