//! Generates the memory of a sample. Some records answer questions, and the others are filler.

use serde::Deserialize;
use windlass_memory::{FOLDER, IMPRESSIONS, INDEX, PRIVATE, RecordKind, SUMMARY, starting_files};

use super::question::{Gold, Kind, Question};
use super::{Files, Sample, filler};
use crate::ZooError;
use crate::documents::read;
use crate::edits::Draw;

const MEMORIES: &str = include_str!("../../../../eval-zoo/memories.toml");
const DAY: &str = "2026-03-01";
const PROJECT: &str = "zoo";
/// The kinds of records, which we use in turn.
const KINDS: [RecordKind; 3] = [
    RecordKind::Decision,
    RecordKind::OpenLoop,
    RecordKind::Context,
];

/// Part of a recipe about the memory.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Remembering {
    /// The number of records that are filler.
    records: usize,
    /// Topics with a record that answers questions. If the recipe plants any topics, it must plant
    /// these. There's no answer to questions about other topics.
    topics: Vec<String>,
}

/// A record about a topic, with the questions that it answers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Remembered {
    topic: String,
    folder: String,
    title: String,
    keywords: Vec<String>,
    text: Vec<String>,
    questions: Vec<String>,
    paraphrases: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Memories {
    memories: Vec<Remembered>,
}

struct Written {
    kind: RecordKind,
    id: String,
    title: String,
    keywords: Vec<String>,
    text: Vec<String>,
}

fn memories() -> Result<Vec<Remembered>, ZooError> {
    read::<Memories>("eval-zoo/memories.toml", MEMORIES).map(|all| all.memories)
}

pub(crate) fn is_of_memory(path: &str) -> bool {
    let rest = path.strip_prefix(FOLDER);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

impl Sample {
    /// Writes the memory, and adds questions about it.
    pub(super) fn remember(&mut self, what: &Remembering, draw: &mut Draw) -> Result<(), ZooError> {
        let all = memories()?;
        for topic in &what.topics {
            if !all.iter().any(|one| one.topic == *topic) {
                let known: Vec<&str> = all.iter().map(|one| one.topic.as_str()).collect();
                return Err(ZooError::Unknown {
                    what: "memory of a topic",
                    name: topic.clone(),
                    known: known.join(", "),
                });
            }
        }
        let mut records: Vec<Written> = (0..what.records)
            .map(|number| filling(number, draw))
            .collect();
        for one in &all {
            let is_there = what.topics.contains(&one.topic);
            let mut gold = Vec::new();
            if is_there {
                let written = one.written();
                gold.push(written.gold());
                records.insert(draw.below(records.len()), written);
            }
            self.ask_memory(one, &gold);
        }
        write(&records, &mut self.files);
        Ok(())
    }

    fn ask_memory(&mut self, one: &Remembered, gold: &[Gold]) {
        let is_there = !gold.is_empty();
        for (kind, form, texts) in [
            (Kind::Remembered, "plain", &one.questions),
            (Kind::RememberedParaphrase, "paraphrase", &one.paraphrases),
        ] {
            for (at, text) in texts.iter().enumerate() {
                let word = if is_there { "memory" } else { "forgotten" };
                self.questions.push(Question {
                    id: format!("{}-{word}-{form}-{}", one.topic, at + 1),
                    kind: if is_there { kind } else { Kind::Forgotten },
                    is_of_memory: true,
                    text: text.clone(),
                    gold: gold.to_vec(),
                    neutral: Vec::new(),
                });
            }
        }
    }
}

impl Remembered {
    fn written(&self) -> Written {
        let of_folder = |kind: &RecordKind| kind.folder().ends_with(&self.folder);
        Written {
            kind: KINDS
                .into_iter()
                .find(of_folder)
                .unwrap_or(RecordKind::Context),
            id: self.topic.clone(),
            title: self.title.clone(),
            keywords: self.keywords.clone(),
            text: self.text.clone(),
        }
    }
}

/// Minimum number of keywords of a filler record.
const LEAST_KEYWORDS: usize = 3;
const MOST_KEYWORDS: usize = 4;

/// Generates a record that has words of the questions, but doesn't answer any.
fn filling(number: usize, draw: &mut Draw) -> Written {
    let title = filler::sentence(draw);
    let text: Vec<String> = (0..2)
        .map(|_| {
            let sentences: Vec<String> = (0..2 + draw.below(3))
                .map(|_| format!("{}.", filler::sentence(draw)))
                .collect();
            sentences.join(" ")
        })
        .collect();
    // Take keywords from the title. If there aren't enough, take some from the text as well.
    let mut keywords: Vec<String> = Vec::new();
    let said = text.iter().flat_map(|text| telling(text));
    let words = telling(&title).map(|word| (word, MOST_KEYWORDS));
    for (word, most) in words.chain(said.map(|word| (word, LEAST_KEYWORDS))) {
        if keywords.len() < most && !keywords.contains(&word) {
            keywords.push(word);
        }
    }
    Written {
        kind: KINDS[number % KINDS.len()],
        id: format!("record-{number}"),
        keywords,
        text,
        title,
    }
}

/// Returns all words with more than four letters.
fn telling(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split([' ', ',', '.']);
    words.filter(|word| word.len() > 4).map(str::to_lowercase)
}

impl Written {
    fn path(&self) -> String {
        format!("{}/{}.md", self.kind.folder(), self.id)
    }

    /// Returns a link to the record, from the memory's folder.
    fn link(&self) -> String {
        let path = self.path();
        let inside = path.strip_prefix("memory/").unwrap_or(&path);
        format!("- [{}]({inside})", self.title)
    }

    /// Returns the lines of the record, and the first and the last line of its text.
    fn lines(&self) -> (Vec<String>, u32, u32) {
        let mut lines = head(&self.id, &self.title);
        let fields: &[&str] = match self.kind {
            RecordKind::Decision => &["date: 2026-03-01"],
            RecordKind::OpenLoop => &["owner: everybody", "opened: 2026-03-01"],
            _ => &[],
        };
        let at = lines.len() - 2;
        lines.splice(at..at, fields.iter().map(|field| (*field).to_owned()));
        let sections: &[&str] = match self.kind {
            RecordKind::Decision => &["Decision", "Rationale"],
            RecordKind::OpenLoop => &["Why it matters", "Next trigger"],
            _ => &["What is so", "What follows"],
        };
        let first = lines.len() as u32 + 1;
        lines.push(format!("# {}", self.title));
        for (at, section) in sections.iter().enumerate() {
            lines.extend([String::new(), format!("## {section}"), String::new()]);
            lines.push(self.text.get(at).cloned().unwrap_or_default());
        }
        let last = lines.len() as u32;
        let rest: &[&str] = match self.kind {
            RecordKind::Decision => &["Consequences", "Related records"],
            RecordKind::OpenLoop => &["Related records"],
            _ => &[],
        };
        for section in rest {
            lines.extend(["", &format!("## {section}"), "", "None."].map(str::to_owned));
        }
        (lines, first, last)
    }

    fn gold(&self) -> Gold {
        let (_, start_line, end_line) = self.lines();
        Gold {
            file: self.path(),
            start_line,
            end_line,
        }
    }

    fn impression(&self) -> String {
        serde_json::json!({
            "schema_version": 1, "id": self.id, "scope": format!("project:{PROJECT}"), "title": self.title,
            "keywords": self.keywords, "record_path": self.path(), "updated": DAY,
        })
        .to_string()
    }
}

fn head(id: &str, title: &str) -> Vec<String> {
    let lines = [
        "---".to_owned(),
        format!("id: {id}"),
        format!("title: \"{title}\""),
        "status: active".to_owned(),
        format!("scope: project:{PROJECT}"),
        format!("updated: {DAY}"),
        "---".to_owned(),
        String::new(),
    ];
    lines.into()
}

/// Adds the files of a memory that has these records.
fn write(records: &[Written], files: &mut Files) {
    for (path, text) in starting_files(PROJECT, DAY) {
        files.insert(path.to_string(), text.lines().map(str::to_owned).collect());
    }
    let links = |kind: RecordKind| -> Vec<String> {
        let own = records.iter().filter(|one| one.kind == kind);
        own.map(Written::link).collect()
    };
    for path in [SUMMARY, INDEX] {
        if let Some(lines) = files.get_mut(path) {
            for (kind, heading) in [
                (RecordKind::Decision, "decisions"),
                (RecordKind::OpenLoop, "open loops"),
            ] {
                // The heading is followed by a blank line and `None.`, which we replace.
                if let Some(at) = lines
                    .iter()
                    .position(|line| line.starts_with("## ") && line.ends_with(heading))
                    && at + 2 < lines.len()
                {
                    lines.splice(at + 2..=at + 2, links(kind));
                }
            }
        }
    }
    let impressions = records.iter().map(Written::impression).collect();
    files.insert(IMPRESSIONS.to_owned(), impressions);
    files.insert(".gitignore".to_owned(), PRIVATE.map(str::to_owned).into());
    for record in records {
        files.insert(record.path(), record.lines().0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use windlass_base::Source;
    use windlass_memory::{Files as MemoryFiles, Memory, check};

    use super::super::tests::stems;
    use super::super::{Recipe, SHIPPED};
    use super::*;

    #[test]
    fn memory_paraphrases_share_no_key_word() {
        let mut wrong = Vec::new();
        for one in memories().unwrap() {
            let own = stems(&format!("{} {}", one.title, one.keywords.join(" ")));
            for question in &one.paraphrases {
                let shared: Vec<String> = stems(question).intersection(&own).cloned().collect();
                if !shared.is_empty() {
                    wrong.push(format!("{}: `{question}` has {shared:?}", one.topic));
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn sample_memories_pass_the_check() {
        let samples = SHIPPED
            .iter()
            .map(|(name, text)| Recipe::read(name, text).and_then(Recipe::make).unwrap());
        let remembering: Vec<Sample> = samples.filter(|one| one.recipe.memory.is_some()).collect();
        assert!(remembering.len() > 6);
        remembering.iter().for_each(check_memory);
    }

    /// Checks that the memory is valid, that some questions have an answer and some don't, and that
    /// all topics are planted.
    fn check_memory(sample: &Sample) {
        let name = &sample.recipe.id;
        let asked = sample.questions.iter().filter(|one| one.is_of_memory);
        let kinds: BTreeSet<Kind> = asked.map(|one| one.kind).collect();
        let all = [
            Kind::Remembered,
            Kind::RememberedParaphrase,
            Kind::Forgotten,
        ];
        assert_eq!(kinds, BTreeSet::from(all), "{name}");
        let planted = &sample.recipe.planted;
        let topics = sample.recipe.memory.iter().flat_map(|it| &it.topics);
        for topic in topics.filter(|_| !planted.is_empty()) {
            let is_there = planted.iter().any(|one| one.topic == *topic);
            assert!(is_there, "{name}: `{topic}` is remembered and not planted");
        }
        let texts: Vec<(&str, String)> = sample
            .files
            .iter()
            .filter(|(path, _)| path.starts_with("memory/"))
            .map(|(path, lines)| {
                (
                    path.as_str(),
                    lines.iter().map(|line| format!("{line}\n")).collect(),
                )
            })
            .collect();
        let mut files =
            MemoryFiles::of_texts(texts.iter().map(|(path, text)| (*path, text.as_str())));
        files.rules = Some(true);
        files.ignore = Some(Source::new(".gitignore", PRIVATE.join("\n")));
        let found = check(&Memory::read(files));
        assert!(found.is_empty(), "{name}: {found}");
    }
}
