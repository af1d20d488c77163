//! Generates sample repositories from short recipes. The result consists of the same bytes on every
//! machine.
//!
//! A recipe has topics with questions. We plant the texts of a topic in files, between filler about
//! similar subjects, so that we know where the answers are. Questions about the memory have topics
//! of their own.
//!
//! Each text that is going to be edited has files of its own. Otherwise, one edit could change what
//! we expect of another.

mod filler;
mod planting;
mod question;
mod remembered;
mod render;
mod topic;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use question::{Gold, Kind, Question};

use crate::ZooError;
use crate::documents::{Version, read};
use crate::edits::Draw;
use remembered::Remembering;
pub(crate) use remembered::is_of_memory;
use render::Sort;
use topic::{Topic, topics};

/// Lines of files, by path.
pub type Files = BTreeMap<String, Vec<String>>;

/// The description of a sample repository.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    #[serde(rename = "schema_version")]
    _version: Version,
    /// Name of the recipe, which is also the name of its file in `eval-zoo`.
    pub id: String,
    /// A line for `zoo list`.
    pub title: String,
    /// The seed of all random choices.
    pub seed: u64,
    /// Number of worktrees in the sample.
    #[serde(default)]
    pub worktrees: u32,
    /// True if edits of the sample should be committed.
    #[serde(default = "yes")]
    pub committed: bool,
    /// True if files should also be edited during a run.
    #[serde(default)]
    pub edited_while_read: bool,
    #[serde(default)]
    files: Vec<Crowd>,
    #[serde(default)]
    planted: Vec<Planted>,
    /// The memory of the sample. If no topics are planted in files, all questions are about the
    /// memory.
    memory: Option<Remembering>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Crowd {
    sort: Sort,
    count: usize,
    path: String,
}

/// A topic with questions, and the file to plant it in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Planted {
    topic: String,
    sort: Sort,
    path: String,
    doc: Option<String>,
}

fn yes() -> bool {
    true
}

/// A repository that was generated from a recipe.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The recipe that it was made from.
    pub recipe: Recipe,
    /// All files of the sample.
    pub files: Files,
    /// Questions about files and about the memory, with their answers.
    pub questions: Vec<Question>,
    /// The planted functions, with their locations.
    pub planted: Vec<(String, Gold)>,
}

/// Our own recipes, by name.
pub const SHIPPED: [(&str, &str); 9] = [
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
    (
        "remembering",
        include_str!("../../../../eval-zoo/remembering.toml"),
    ),
];

impl Recipe {
    /// Parses a recipe. `name` is how error messages call the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the recipe is not valid.
    pub fn read(name: &str, text: &str) -> Result<Self, ZooError> {
        read(name, text)
    }

    /// Generates the sample.
    ///
    /// # Errors
    ///
    /// Returns an error if the recipe has a topic that we do not know.
    pub fn make(self) -> Result<Sample, ZooError> {
        let topics = topics()?;
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
        if !sample.remembers_alone() {
            sample.plant_all(&topics, &mut draw)?;
        }
        // The memory must come last, because adding one to a recipe would otherwise change all
        // random choices after it.
        if let Some(memory) = sample.recipe.memory.clone() {
            sample.remember(&memory, &mut draw)?;
        }
        if sample.recipe.worktrees > 0 {
            let ignored = sample.files.entry(".gitignore".to_owned()).or_default();
            ignored.push(".worktrees/".to_owned());
        }
        Ok(sample)
    }
}

fn known<'a>(topics: &'a [Topic], planted: &Planted) -> Result<&'a Topic, ZooError> {
    let found = topics.iter().find(|topic| topic.id == planted.topic);
    found.ok_or_else(|| {
        let known: Vec<&str> = topics.iter().map(|topic| topic.id.as_str()).collect();
        ZooError::Unknown {
            what: "topic",
            name: planted.topic.clone(),
            known: known.join(", "),
        }
    })
}

impl Sample {
    /// Plants all topics of the recipe, and adds their questions.
    fn plant_all(&mut self, topics: &[Topic], draw: &mut Draw) -> Result<(), ZooError> {
        let planted = self.recipe.planted.clone();
        for one in &planted {
            self.plant(one, known(topics, one)?, draw);
        }
        for one in &planted {
            self.plant_around(one, known(topics, one)?, draw);
        }
        self.plant_lists(topics, draw);
        self.ask_without_answer(topics);
        Ok(())
    }

    /// True if all questions are about the memory. In this case, nothing is planted in other files.
    #[must_use]
    pub(crate) fn remembers_alone(&self) -> bool {
        self.recipe.memory.is_some() && self.recipe.planted.is_empty()
    }

    /// Returns a digest of all files. A test uses this to make sure that they are the same on every
    /// machine.
    #[must_use]
    pub fn digest(&self) -> windlass_base::Digest {
        let mut text = String::new();
        for (path, lines) in &self.files {
            text += &format!("{path}\0{}\0", lines.join("\n"));
        }
        windlass_base::Digest::of_bytes(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::edits::SECRET;

    /// Returns the stems in a text, so that we can check which words it shares with a question.
    pub(super) fn stems(text: &str) -> BTreeSet<String> {
        let mut stems = BTreeSet::new();
        windlass_search::each_term(text, |term| {
            stems.insert(term.stem().into_owned());
        });
        stems
    }

    #[test]
    fn shipped_recipes_are_reproducible_and_sound() {
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
                let wanted = question.wanted(&sample.files).unwrap();
                let files = match question.kind {
                    Kind::Nothing | Kind::Forgotten => 0,
                    Kind::Both => 2,
                    _ => 1,
                };
                assert!(
                    wanted.len() >= files && (files > 0 || wanted.is_empty()),
                    "{}",
                    question.id
                );
                let mut lines = wanted.iter().flat_map(|(file, lines)| {
                    lines.iter().map(|at| &sample.files[file][*at as usize - 1])
                });
                assert!(
                    !lines.any(|line| line.contains(SECRET)),
                    "{name} {} wants a secret value",
                    question.id
                );
            }
            let kinds = [
                Kind::Plain,
                Kind::Paraphrase,
                Kind::Nothing,
                Kind::Behaviour,
                Kind::Both,
            ];
            for kind in kinds.iter().filter(|_| !sample.remembers_alone()) {
                assert!(
                    sample.questions.iter().any(|one| one.kind == *kind),
                    "{name} {kind:?}"
                );
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
    fn invalid_recipe_is_named() {
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
        assert!(
            read(&format!("{head}[memory]\nrecords = 1\ntopics = ['nope']")).contains("`nope`")
        );
        assert!(matches!(
            Recipe::read("x.toml", "id = "),
            Err(ZooError::Document(_))
        ));
    }
}
