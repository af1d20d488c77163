//! TodoLists and Plans (vContext documents) as part of the contract. They have narratives and items
//! in place of sections.

use windlass_base::{Diagnostics, RepoPath, one_line};
use windlass_packs::context::{Section, anchor_of};
use windlass_repo::SourceFile;
use windlass_vcontext::{Container, Document, ItemStatus, Node, WorkItem, work_items};

use super::ticked::ticked;

/// For the goal or a constraint, we cut a narrative to this many characters.
const MAX_NARRATIVE: usize = 400;
/// Names of narratives that state the objective, best first.
const OBJECTIVES: [&str; 4] = ["overview", "problem", "proposal", "background"];
/// If the name of a narrative contains one of these, it's a list of conditions.
const DONE: [&str; 5] = [
    "acceptance",
    "definition of done",
    "done when",
    "success criteria",
    "exit criteria",
];

/// Parts of a TodoList or a Plan that a pack uses.
pub(super) struct WorkDocument {
    /// The title, followed by the objective if there is one.
    pub(super) goal: Option<String>,
    /// The head of the file, and then narratives and items in the order of the file.
    pub(super) sections: Vec<Section>,
    /// Conditions, each with the anchors of the item that states it. A condition of the document as
    /// a whole has no anchors.
    done: Vec<(Vec<String>, String)>,
    /// Constraints by name.
    pub(super) constraints: Vec<(String, String)>,
}

impl WorkDocument {
    /// Reads a document. The result is `Ok(None)` for a playbook, or if this isn't a vContext
    /// document at all.
    ///
    /// # Errors
    /// Returns an error if the file looks like a vContext document, but is neither valid JSON nor
    /// valid TRON.
    pub(super) fn read(path: &RepoPath, file: &SourceFile) -> Result<Option<Self>, Diagnostics> {
        let bytes = file.shown().bytes();
        if !Document::is_likely(path.as_str(), &bytes) {
            return Ok(None);
        }
        let document = Document::parse(path.as_str(), &bytes)?;
        let Some((container, node)) = document.container() else {
            return Ok(None);
        };
        if container == Container::Playbook {
            return Ok(None);
        }
        let items = work_items(&document).unwrap_or_default();
        let mut read = Self {
            goal: goal(node),
            sections: Vec::new(),
            done: Vec::new(),
            constraints: Vec::new(),
        };
        for (name, text) in narratives(node) {
            read.take_narrative(name, &text, &[]);
        }
        for at in 0..items.len() {
            read.take_item(&items, at);
        }
        read.sections
            .sort_by_key(|section| (section.first, section.last));
        let first = read
            .sections
            .first()
            .map_or(file.line_count() + 1, |it| it.first);
        if first > 1 {
            let head = Section {
                first: 1,
                last: first - 1,
                anchor: None,
                under: Vec::new(),
            };
            read.sections.insert(0, head);
        }
        Ok(Some(read))
    }

    /// The conditions for the items with one of `anchors`, or all conditions if there are no
    /// anchors. Those of the document as a whole always apply.
    pub(super) fn done(&self, anchors: &[String]) -> impl Iterator<Item = &str> {
        let is_meant = move |under: &[String]| {
            anchors.is_empty() || under.is_empty() || under.iter().any(|own| anchors.contains(own))
        };
        let meant = self.done.iter().filter(move |(under, _)| is_meant(under));
        meant.map(|(_, text)| text.as_str())
    }

    fn take_narrative(&mut self, name: &str, node: &Node<'_>, under: &[String]) {
        let Some(text) = node.text() else { return };
        let key = name.to_lowercase();
        if DONE.iter().any(|word| key.contains(word)) {
            let conditions = conditions(text).into_iter();
            self.done.extend(conditions.map(|it| (under.to_vec(), it)));
        } else if under.is_empty() && key.starts_with("constraint") {
            self.constraints.push((name.to_owned(), short(text)));
        }
        if under.is_empty() {
            let (from, to) = (node.key_place(), node.lines());
            let first = from.source.position(from.range.start).line;
            let anchor = anchor_of(name);
            self.sections.push(Section {
                first: u32::try_from(first).unwrap_or(to.start()),
                last: to.end(),
                under: vec![anchor.clone()],
                anchor: Some(anchor),
            });
        }
    }

    fn take_item(&mut self, items: &[WorkItem<'_>], at: usize) {
        let item = &items[at];
        let mut under = vec![anchor_of(item.name())];
        let mut above = item.part_of;
        // Go up, and then reverse the order: the outermost item comes first.
        while let Some(whole) = above.and_then(|at| items.get(at)) {
            under.push(anchor_of(whole.name()));
            above = whole.part_of;
        }
        under.reverse();
        for span in item.own_lines() {
            self.sections.push(Section {
                first: span.start(),
                last: span.end(),
                anchor: under.last().cloned(),
                under: under.clone(),
            });
        }
        let is_open = !matches!(
            item.status(),
            Some(ItemStatus::Completed | ItemStatus::Cancelled)
        );
        if !is_open {
            return;
        }
        for (name, text) in narratives(item.node) {
            self.take_narrative(name, &text, &under);
        }
        let has_parts = items.iter().any(|other| other.part_of == Some(at));
        if !has_parts && !item.title().trim().is_empty() {
            self.done.push((under, item.title().trim().to_owned()));
        }
    }
}

/// Returns the narratives of a node. They're called `narratives` in a Plan, and `narrative`
/// elsewhere.
fn narratives<'a>(node: Node<'a>) -> Vec<(&'a str, Node<'a>)> {
    let both = ["narratives", "narrative"].into_iter();
    let found = both.filter_map(|name| node.get(name));
    found.flat_map(Node::members).collect()
}

/// The title, followed by the first paragraph of the objective.
fn goal(node: Node<'_>) -> Option<String> {
    let title = node.text_of("title").map(str::trim);
    let title = title.filter(|title| !title.is_empty())?;
    let all = narratives(node);
    let about = OBJECTIVES.iter().find_map(|wanted| {
        let (_, text) = all
            .iter()
            .find(|(name, _)| name.to_lowercase() == *wanted)?;
        text.text()
    });
    Some(match about.map(short).filter(|text| !text.is_empty()) {
        Some(about) => format!("{title}. {about}"),
        None => title.to_owned(),
    })
}

/// The first paragraph, on one line and cut to [`MAX_NARRATIVE`].
fn short(text: &str) -> String {
    let first = text.trim().split("\n\n").next().unwrap_or_default();
    one_line(first).chars().take(MAX_NARRATIVE).collect()
}

/// Splits a narrative into the items of its list. Without a list, each paragraph is a condition.
fn conditions(text: &str) -> Vec<String> {
    let item = |line: &str| {
        let line = line.trim();
        let numbered = line
            .split_once(['.', ')'])
            .filter(|(number, _)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
            .map(|(_, rest)| rest);
        let rest = line
            .strip_prefix("- ")
            .or_else(|| line.strip_prefix("* "))
            .or(numbered)?;
        let (is_done, rest) = ticked(line).unwrap_or((false, rest.trim()));
        (!rest.is_empty()).then(|| (is_done, rest.to_owned()))
    };
    let listed: Vec<(bool, String)> = text.lines().filter_map(item).collect();
    if !listed.is_empty() {
        let open = listed.into_iter().filter(|(is_done, _)| !is_done);
        return open.map(|(_, text)| text).collect();
    }
    let paragraphs = text.split("\n\n").map(short);
    paragraphs.filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> WorkDocument {
        let file = SourceFile::from_bytes(text.as_bytes().to_vec());
        let path = RepoPath::parse("docs/plan.tron").unwrap();
        WorkDocument::read(&path, &file).unwrap().unwrap()
    }

    const PLAN: &str = r#"{
  "vContextInfo": { "version": "0.4" },
  "plan": {
    "title": "Retries",
    "status": "approved",
    "narratives": {
      "proposal": "Try again.\n\nMore words.",
      "constraints": "No new\ndependency.",
      "Acceptance": "- [ ] three times\n- [x] done before\n- the log says so"
    },
    "items": [
      { "title": "Find the place", "status": "completed" },
      {
        "id": "loop",
        "title": "Write the loop",
        "status": "pending",
        "narrative": { "Definition of Done": "It ends." },
        "subItems": [{ "title": "Count", "status": "pending" }]
      }
    ]
  }
}
"#;

    #[test]
    fn plan_yields_goal_and_conditions() {
        let plan = read(PLAN);
        assert_eq!(plan.goal.as_deref(), Some("Retries. Try again."));
        let all: Vec<&str> = plan.done(&[]).collect();
        assert_eq!(all, ["three times", "the log says so", "It ends.", "Count"]);
        let one: Vec<&str> = plan.done(&["count".to_owned()]).collect();
        assert_eq!(one, ["three times", "the log says so", "Count"]);
        assert_eq!(
            plan.constraints,
            [("constraints".to_owned(), "No new dependency.".to_owned())]
        );
        let anchors: Vec<&str> = (plan.sections.iter())
            .filter_map(|section| section.anchor.as_deref())
            .collect();
        assert_eq!(
            anchors,
            [
                "proposal",
                "constraints",
                "acceptance",
                "find-the-place",
                "loop",
                "count"
            ]
        );
    }

    #[test]
    fn tron_plan_reads_like_json() {
        let tron = "class Plan: title, status, narratives, items\nclass PlanItem: title, status\n\nvContextInfo: {\"version\": \"0.4\"}\nplan: Plan(\n  \"Retries\",\n  \"approved\",\n  {\"proposal\": \"Try again.\"},\n  [\n    PlanItem(\"Count\", \"pending\")\n  ]\n)\n";
        let plan = read(tron);
        assert_eq!(plan.goal.as_deref(), Some("Retries. Try again."));
        assert_eq!(plan.done(&[]).collect::<Vec<_>>(), ["Count"]);
    }

    #[test]
    fn other_file_ignored_broken_reported() {
        let read = |name: &str, text: &str| {
            let file = SourceFile::from_bytes(text.as_bytes().to_vec());
            WorkDocument::read(&RepoPath::parse(name).unwrap(), &file)
        };
        assert!(read("PLAN.md", "# Plan\n").unwrap().is_none());
        assert!(read("x.json", "{\"a\": 1}").unwrap().is_none());
        let found = read("p.vcontext.json", "{\"plan\": ").err().unwrap();
        assert!(found.has_errors());
    }
}
