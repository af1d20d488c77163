use serde::Deserialize;

use crate::ZooError;
use crate::documents::read;

const TOPICS: &str = include_str!("../../../../eval-zoo/topics.toml");

/// A topic: a function, its documentation, and questions about it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Topic {
    pub(super) id: String,
    name: String,
    comment: Vec<String>,
    args: Vec<String>,
    body: Vec<String>,
    doc: Vec<String>,
    pub(super) questions: Vec<String>,
    pub(super) paraphrases: Vec<String>,
    pub(super) behaviour: Vec<String>,
    pub(super) both: Vec<String>,
    /// Texts that a user of the program would see.
    pub(super) strings: Vec<String>,
    pub(super) caller: Written,
}

/// A function, and a section of documentation that says the same.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    pub(super) name: String,
    pub(super) comment: Vec<String>,
    pub(super) args: Vec<String>,
    pub(super) body: Vec<String>,
    /// The heading of the section, followed by its text.
    pub(super) doc: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topics {
    topics: Vec<Topic>,
}

pub(super) fn topics() -> Result<Vec<Topic>, ZooError> {
    read::<Topics>("eval-zoo/topics.toml", TOPICS).map(|all| all.topics)
}

impl Topic {
    /// The topic's function with its documentation.
    pub(super) fn written(&self) -> Written {
        Written {
            name: self.name.clone(),
            comment: self.comment.clone(),
            args: self.args.clone(),
            body: self.body.clone(),
            doc: self.doc.clone(),
        }
    }

    /// Returns a test of the function. It has all of the names, but does not answer the questions.
    pub(super) fn tried(&self, number: usize) -> Written {
        let name = &self.name;
        let given: Vec<String> = (0..self.args.len())
            .map(|at| (at + number).to_string())
            .collect();
        Written {
            name: format!("test_{name}_{number}"),
            comment: vec![format!("Tries {} with numbers.", name.replace('_', " "))],
            args: vec!["checks".to_owned()],
            body: vec![
                format!("got = {name}({})", given.join(", ")),
                format!("again = {name}({})", given.join(", ")),
                "if got == again return checks".to_owned(),
                "call fail_check(checks)".to_owned(),
                "return checks".to_owned(),
            ],
            doc: vec![
                format!("Minutes {number}"),
                format!(
                    "We talked about \"{}\". Somebody will look at {} until next week. Nothing was decided.",
                    self.doc.first().map_or("", String::as_str),
                    name.replace('_', " ")
                ),
            ],
        }
    }

    /// Returns what the changelog says about the topic.
    pub(super) fn changes(&self) -> [String; 3] {
        let heading = self.doc.first().map_or("", String::as_str);
        [
            format!("- `{}` takes a tenth less time.", self.name),
            format!("- Spelling under \"{heading}\"."),
            format!("- More tests of {}.", self.name.replace('_', " ")),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::tests::stems;
    use super::*;

    #[test]
    fn paraphrases_share_no_name() {
        let mut wrong = Vec::new();
        for topic in topics().unwrap() {
            let own = topic.written();
            let names = format!("{} {} {}", own.name, own.args.join(" "), own.body.join(" "));
            let names = stems(&names);
            for question in topic.paraphrases.iter().chain(&topic.behaviour) {
                let shared: Vec<String> = stems(question).intersection(&names).cloned().collect();
                if !shared.is_empty() {
                    wrong.push(format!("{}: `{question}` has {shared:?}", topic.id));
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn topics_have_questions_of_each_kind() {
        let all = topics().unwrap();
        for topic in &all {
            assert!(
                topic.questions.len() == 3 && topic.paraphrases.len() == 2 && topic.both.len() == 1,
                "{}",
                topic.id
            );
            assert!(
                topic
                    .caller
                    .body
                    .iter()
                    .any(|line| line.contains(&format!("{}(", topic.name))),
                "{} is not called",
                topic.id
            );
        }
        let questions: BTreeSet<&String> = all
            .iter()
            .flat_map(|one| [&one.questions, &one.paraphrases, &one.behaviour, &one.both])
            .flatten()
            .collect();
        assert_eq!(questions.len(), all.len() * 7, "no question is asked twice");
    }
}
