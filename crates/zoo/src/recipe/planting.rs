//! Plants topics, which means that their texts are written to files of a sample.

use super::question::{Gold, Kind, Question};
use super::render::{self, Sort};
use super::topic::{Topic, Written};
use super::{Planted, Sample, filler};
use crate::edits::{Draw, SECRET};

/// Number of tests of each topic.
const TRIES: usize = 4;
const CHANGES: &str = "CHANGELOG.md";
/// The file with the texts of the user interface, which have the words of all topics.
const STRINGS: &str = "locales/en.yaml";

impl Sample {
    /// Plants a topic, and adds its questions.
    pub(super) fn plant(&mut self, planted: &Planted, topic: &Topic, draw: &mut Draw) {
        let own = topic.written();
        let mut gold = vec![self.put(&planted.path, planted.sort, &own, draw)];
        if let Some(doc) = &planted.doc {
            gold.push(self.put(doc, Sort::Markdown, &own, draw));
        }
        self.planted.push((own.name, gold[0].clone()));
        let gold = self.without_secrets(&gold);
        self.ask(topic, Kind::Plain, &topic.questions, &gold);
        self.ask(topic, Kind::Paraphrase, &topic.paraphrases, &gold);
        self.ask(topic, Kind::Behaviour, &topic.behaviour, &gold);
    }

    /// Adds tests of the topic's function, and a caller in another file. They have the words of the
    /// topic, but do not answer the questions.
    pub(super) fn plant_around(&mut self, planted: &Planted, topic: &Topic, draw: &mut Draw) {
        let name = topic.written().name;
        let called = render::name(planted.sort, &name);
        let renamed = |mut written: Written| {
            for line in &mut written.body {
                *line = line.replace(&name, &called);
            }
            written
        };
        let path = self.neighbour(&planted.path, draw);
        let caller = self.put(&path, planted.sort, &renamed(topic.caller.clone()), draw);
        let first = format!("{}-1", topic.id);
        let own = self.questions.iter().find(|one| one.id == first);
        let mut gold = own.map(|one| one.gold.clone()).unwrap_or_default();
        gold.push(caller);
        self.ask(topic, Kind::Both, &topic.both, &gold);
        let tries = render::beside(planted.sort, &planted.path, &topic.id);
        for number in 0..TRIES {
            self.put(&tries, planted.sort, &renamed(topic.tried(number)), draw);
        }
    }

    /// Adds the texts of the user interface, and a changelog. They have the words of all topics,
    /// but do not answer any question.
    pub(super) fn plant_lists(&mut self, topics: &[Topic], draw: &mut Draw) {
        let mut strings = vec!["# What is shown to people.".to_owned()];
        for topic in topics {
            strings.extend(filler::part(Sort::Yaml, draw));
            let shown = topic.strings.iter().enumerate();
            strings.extend(shown.map(|(at, text)| format!("{}_{at}: \"{text}\"", topic.id)));
        }
        self.files.insert(STRINGS.to_owned(), strings);
        if self.files.keys().any(|path| path.ends_with(".md")) {
            let mut changes = vec!["# Changes".to_owned(), String::new()];
            let has = |topic: &&Topic| self.has(topic);
            changes.extend(topics.iter().filter(has).flat_map(Topic::changes));
            self.files.insert(CHANGES.to_owned(), changes);
        }
    }

    /// Adds questions about topics that were not planted, so there is no answer.
    pub(super) fn ask_without_answer(&mut self, topics: &[Topic]) {
        for topic in topics {
            if !self.has(topic) {
                let asked = [&topic.questions, &topic.paraphrases, &topic.behaviour];
                let first: Vec<String> = asked
                    .iter()
                    .filter_map(|list| list.first().cloned())
                    .collect();
                self.ask(topic, Kind::Nothing, &first, &[]);
            }
        }
    }

    /// Leaves out the lines with a secret, since a system that does not show them is right.
    fn without_secrets(&self, gold: &[Gold]) -> Vec<Gold> {
        let mut parts: Vec<Gold> = Vec::new();
        for place in gold {
            let lines = self.files.get(&place.file);
            let is_secret = |at: u32| {
                let line = lines.and_then(|lines| lines.get(at as usize - 1));
                line.is_some_and(|line| line.contains(SECRET))
            };
            let mut start = place.start_line;
            for at in place.start_line..=place.end_line + 1 {
                if at <= place.end_line && !is_secret(at) {
                    continue;
                }
                if start < at {
                    parts.push(Gold {
                        file: place.file.clone(),
                        start_line: start,
                        end_line: at - 1,
                    });
                }
                start = at + 1;
            }
        }
        parts
    }

    fn has(&self, topic: &Topic) -> bool {
        self.recipe.planted.iter().any(|one| one.topic == topic.id)
    }

    fn ask(&mut self, topic: &Topic, kind: Kind, texts: &[String], gold: &[Gold]) {
        for (at, text) in texts.iter().enumerate() {
            let id = match kind {
                Kind::Plain => format!("{}-{}", topic.id, at + 1),
                kind => format!("{}-{}-{}", topic.id, kind.as_str(), at + 1),
            };
            self.questions.push(Question {
                id,
                kind,
                is_of_memory: false,
                text: text.clone(),
                gold: gold.to_vec(),
                neutral: Vec::new(),
            });
        }
    }

    /// Picks another file in the same language that does not have a topic.
    fn neighbour(&self, path: &str, draw: &mut Draw) -> String {
        let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        let is_taken = |path: &String| {
            self.questions
                .iter()
                .flat_map(|one| &one.gold)
                .any(|gold| gold.file == *path)
        };
        let free: Vec<&String> = self
            .files
            .keys()
            .filter(|other| ending(other) == ending(path) && !is_taken(other))
            .collect();
        draw.of(&free)
            .map_or_else(|| format!("more/{path}"), |path| (*path).clone())
    }

    /// Adds a function or a section to a file, followed by filler. Returns the location.
    fn put(&mut self, path: &str, sort: Sort, what: &Written, draw: &mut Draw) -> Gold {
        let mut lines = self
            .files
            .remove(path)
            .unwrap_or_else(|| filler::file(sort, 900 + draw.below(90), draw));
        let end_of_class = (sort == Sort::Java).then(|| lines.pop()).flatten();
        lines.push(String::new());
        let start = lines.len() as u32 + 1;
        let mut said = render::written(sort, what);
        if self.planted.is_empty() {
            // Put the secret in the middle of the wanted lines, so it leaks if a system prints them
            // without redaction.
            let at = said.len() / 2;
            said.insert(at, format!("    access_token = \"{SECRET}\""));
        }
        lines.extend(said);
        let end = lines.len() as u32;
        lines.push(String::new());
        lines.extend(filler::part(sort, draw));
        lines.extend(end_of_class);
        self.files.insert(path.to_owned(), lines);
        Gold {
            file: path.to_owned(),
            start_line: start,
            end_line: end,
        }
    }
}
