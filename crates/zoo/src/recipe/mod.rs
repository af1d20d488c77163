//! Sample repositories: made from a short recipe, the same bytes on every machine.

mod filler;
mod render;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use windlass_base::{Diagnostic, LineSpan};
use windlass_plan::Document;

use crate::ZooError;
use crate::drift::scripted::kinds::SECRET;
use crate::stats::Draw;
use render::Sort;

/// The lines of files, by path.
pub type Files = BTreeMap<String, Vec<String>>;

/// How a sample repository is made.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    schema_version: u32,
    /// Its name.
    pub id: String,
    /// What it is like.
    pub title: String,
    /// Other seeds make other files.
    pub seed: u64,
    /// How many worktrees lie inside.
    #[serde(default)]
    pub worktrees: u32,
    /// Whether what is done to it is committed.
    #[serde(default = "yes")]
    pub committed: bool,
    #[serde(default)]
    files: Vec<Crowd>,
    #[serde(default)]
    planted: Vec<Planted>,
}

/// Files of a sort that nobody asks for, and that speak of the same things.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Crowd {
    sort: Sort,
    count: usize,
    path: String,
}

/// A topic that is asked for, and where it stands.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Planted {
    topic: String,
    sort: Sort,
    path: String,
    doc: Option<String>,
}

/// Something that people ask for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Topic {
    id: String,
    name: String,
    comment: Vec<String>,
    args: Vec<String>,
    body: Vec<String>,
    doc: Vec<String>,
    questions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topics {
    topics: Vec<Topic>,
}

fn yes() -> bool {
    true
}

/// A question with the places that answer it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its name among the cases.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// The places that answer it.
    pub gold: Vec<Gold>,
}

/// A place that answers a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gold {
    /// The file.
    pub file: String,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
}

/// A sample repository.
#[derive(Debug, Clone)]
pub struct Sample {
    /// How it is made.
    pub recipe: Recipe,
    /// Its files.
    pub files: Files,
    /// What is asked.
    pub questions: Vec<Question>,
    /// The names of what is planted, and where.
    pub planted: Vec<(String, Gold)>,
}

/// The recipes that come with Windlass: the name of each, and its text.
pub const SHIPPED: [(&str, &str); 8] = [
    (
        "research",
        include_str!("../../../../eval-zoo/research.toml"),
    ),
    (
        "dataset-heavy",
        include_str!("../../../../eval-zoo/dataset-heavy.toml"),
    ),
    (
        "polyglot",
        include_str!("../../../../eval-zoo/polyglot.toml"),
    ),
    ("no-docs", include_str!("../../../../eval-zoo/no-docs.toml")),
    (
        "worktrees",
        include_str!("../../../../eval-zoo/worktrees.toml"),
    ),
    (
        "monorepo",
        include_str!("../../../../eval-zoo/monorepo.toml"),
    ),
    (
        "docs-heavy",
        include_str!("../../../../eval-zoo/docs-heavy.toml"),
    ),
    (
        "changing",
        include_str!("../../../../eval-zoo/changing.toml"),
    ),
];

const TOPICS: &str = include_str!("../../../../eval-zoo/topics.toml");

/// Reads a TOML document of the zoo.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(name: &str, text: &str) -> Result<T, ZooError> {
    let document = Document::parse_toml(name, text.as_bytes()).map_err(ZooError::Document)?;
    T::deserialize(document.value()).map_err(|error| {
        let mut finding = Diagnostic::error("zoo", error.to_string());
        finding.place = document.at("").map(|node| node.place());
        ZooError::Document(finding.into())
    })
}

impl Recipe {
    /// The recipe in `text`, which `name` stands for.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(name: &str, text: &str) -> Result<Self, ZooError> {
        let recipe: Self = read(name, text)?;
        match recipe.schema_version {
            1 => Ok(recipe),
            _ => Err(ZooError::Request(format!(
                "{name}: a newer version of Windlass wrote this recipe; update Windlass"
            ))),
        }
    }

    /// Makes it.
    ///
    /// # Errors
    /// When it plants a topic that there is none of.
    pub fn make(self) -> Result<Sample, ZooError> {
        let topics: Topics = read("topics.toml", TOPICS)?;
        let mut sample = Sample {
            files: Files::new(),
            questions: Vec::new(),
            planted: Vec::new(),
            recipe: self,
        };
        let mut draw = Draw::new(sample.recipe.seed);
        for crowd in sample.recipe.files.clone() {
            for number in 0..crowd.count {
                let path = filler::path(&crowd.path, number, &mut draw);
                let lines = filler::file(crowd.sort, number, &mut draw);
                sample.files.insert(path, lines);
            }
        }
        for planted in sample.recipe.planted.clone() {
            let known = topics.topics.iter().find(|topic| topic.id == planted.topic);
            let Some(topic) = known else {
                let known: Vec<&str> = topics
                    .topics
                    .iter()
                    .map(|topic| topic.id.as_str())
                    .collect();
                return Err(ZooError::Unknown {
                    what: "topic",
                    name: planted.topic,
                    known: known.join(", "),
                });
            };
            sample.plant(&planted, topic, &mut draw);
        }
        if sample.recipe.worktrees > 0 {
            sample
                .files
                .insert(".gitignore".to_owned(), vec![".worktrees/".to_owned()]);
        }
        Ok(sample)
    }
}

impl Sample {
    /// Plants a topic between other things, and asks for it.
    fn plant(&mut self, planted: &Planted, topic: &Topic, draw: &mut Draw) {
        let mut gold = vec![self.put(&planted.path, planted.sort, topic, draw)];
        if let Some(doc) = &planted.doc {
            gold.push(self.put(doc, Sort::Markdown, topic, draw));
        }
        self.planted.push((topic.name.clone(), gold[0].clone()));
        for (at, text) in topic.questions.iter().enumerate() {
            self.questions.push(Question {
                id: format!("{}-{}", topic.id, at + 1),
                text: text.clone(),
                gold: gold.clone(),
            });
        }
    }

    /// Puts a topic into the middle of a file of other things: where it stands then.
    fn put(&mut self, path: &str, sort: Sort, topic: &Topic, draw: &mut Draw) -> Gold {
        let mut lines = self
            .files
            .remove(path)
            .unwrap_or_else(|| filler::file(sort, 900 + draw.below(90), draw));
        lines.push(String::new());
        let start = lines.len() as u32 + 1;
        let mut said = render::topic(sort, topic);
        if self.planted.is_empty() && sort != Sort::Markdown {
            // In the middle of what everybody wants to see.
            let at = said.len() / 2;
            said.insert(at, format!("    access_token = \"{SECRET}\""));
        }
        lines.extend(said);
        let end = lines.len() as u32;
        lines.push(String::new());
        lines.extend(filler::part(sort, draw));
        self.files.insert(path.to_owned(), lines);
        Gold {
            file: path.to_owned(),
            start_line: start,
            end_line: end,
        }
    }

    /// What makes its files, so that two of one digest are one.
    #[must_use]
    pub fn digest(&self) -> windlass_base::Digest {
        let mut text = String::new();
        for (path, lines) in &self.files {
            text += &format!("{path}\0{}\0", lines.join("\n"));
        }
        windlass_base::Digest::of_bytes(text.as_bytes())
    }
}

impl Gold {
    /// Its lines.
    #[must_use]
    pub fn span(&self) -> Option<LineSpan> {
        LineSpan::new(self.start_line, self.end_line).ok()
    }
}

impl Question {
    /// The lines that answer it, as far as `files` have them, or what is wrong with it.
    ///
    /// # Errors
    /// The first place that is not there.
    pub fn wanted<'a>(
        &self,
        lines_of: impl Fn(&str) -> Option<&'a [String]>,
    ) -> Result<crate::metric::Lines, String> {
        let mut wanted = crate::metric::Lines::new();
        for gold in &self.gold {
            let count = lines_of(&gold.file)
                .ok_or_else(|| format!("the gold file `{}` is not there", gold.file))?
                .len();
            if gold.start_line == 0
                || gold.start_line > gold.end_line
                || gold.end_line as usize > count
            {
                return Err(format!(
                    "`{}` has {count} lines, and no {}-{}",
                    gold.file, gold.start_line, gold.end_line
                ));
            }
            let lines: BTreeSet<u32> = (gold.start_line..=gold.end_line).collect();
            wanted.entry(gold.file.clone()).or_default().extend(lines);
        }
        Ok(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_recipe_makes_the_same_files_each_time_and_knows_where_answers_stand() {
        for (name, text) in SHIPPED {
            let make = || Recipe::read(name, text).and_then(Recipe::make).unwrap();
            let sample = make();
            assert_eq!(sample.recipe.id, name);
            assert_eq!(sample.digest(), make().digest());
            assert!(
                sample.files.len() > 150,
                "{name} has {} files",
                sample.files.len()
            );
            assert!(sample.questions.len() >= 18, "{name}");
            for question in &sample.questions {
                let wanted = question
                    .wanted(|file| sample.files.get(file).map(Vec::as_slice))
                    .unwrap();
                assert!(!wanted.is_empty());
            }
            for (symbol, gold) in &sample.planted {
                let lines =
                    &sample.files[&gold.file][gold.start_line as usize - 1..gold.end_line as usize];
                let said = lines.concat().replace('_', "").to_lowercase();
                assert!(
                    gold.file.ends_with(".md") || said.contains(&symbol.replace('_', "")),
                    "{name}: {symbol}"
                );
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_recipe_or_a_case_is_named() {
        let read = |text: &str| {
            Recipe::read("x.toml", text)
                .and_then(Recipe::make)
                .unwrap_err()
                .to_string()
        };
        let head = "schema_version = 1\nid = 'x'\ntitle = 'x'\nseed = 1\n";
        assert!(
            read(&format!(
                "{head}[[planted]]\ntopic = 'nope'\nsort = 'rust'\npath = 'a.rs'"
            ))
            .contains("`nope`")
        );
        assert!(read(&head.replace("= 1\nid", "= 7\nid")).contains("newer version"));
        assert!(matches!(
            Recipe::read("x.toml", "id = "),
            Err(ZooError::Document(_))
        ));
        let gold = |file: &str, end_line| {
            vec![Gold {
                file: file.to_owned(),
                start_line: 1,
                end_line,
            }]
        };
        let lines = ["one".to_owned()];
        let wanted = |gold| {
            Question {
                id: String::new(),
                text: String::new(),
                gold,
            }
            .wanted(|file| (file == "a").then_some(&lines[..]))
        };
        assert!(
            wanted(gold("b", 1))
                .unwrap_err()
                .contains("`b` is not there")
        );
        assert!(wanted(gold("a", 2)).unwrap_err().contains("1 lines"));
        assert!(wanted(gold("a", 1)).is_ok());
    }
}
