//! Compares recall with plain BM25 on hand-written records and questions,
//! `eval-zoo/questions/*.toml`.

use std::path::Path;

use bm25::{Document, Language, SearchEngine, SearchEngineBuilder};
use serde::Deserialize;
use windlass_memory::{Files, Level, Memory, Query, suggest_keywords};

use super::{DEPTH, Error, Scores, index, note, serde_json_line};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    records: Vec<Written>,
    questions: Vec<Asked>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    title: String,
    text: String,
    #[serde(default)]
    keywords: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    ask: String,
    /// IDs of the records with an answer. Empty if the right result is no record.
    #[serde(default)]
    records: Vec<String>,
}

/// Number of questions by level.
#[derive(Default)]
struct Levels {
    asked: usize,
    weak: usize,
    strong: usize,
}

impl Levels {
    fn add(&mut self, level: Level) {
        self.asked += 1;
        self.weak += usize::from(level == Level::Weak);
        self.strong += usize::from(level == Level::Strong);
    }

    fn told(&self) -> String {
        let none = self.asked - self.weak - self.strong;
        format!(
            "{} strong, {} weak, {none} none of {}",
            self.strong, self.weak, self.asked
        )
    }
}

/// Measures the questions in `file`. If `each` is set, also prints every question's result.
pub(super) fn measure(file: &Path, each: bool, features: &mut String) -> Result<(), Error> {
    let set: Set = toml::from_str(&std::fs::read_to_string(file)?)?;
    for asked in &set.questions {
        let unknown = asked
            .records
            .iter()
            .find(|id| set.records.iter().all(|one| one.id != **id));
        if let Some(id) = unknown {
            return Err(format!(
                "{}: `{}` names the record `{id}`, which is not there",
                file.display(),
                asked.ask
            )
            .into());
        }
    }
    let ours = index(&set.memory())?;
    let documents = set.records.iter().zip(0u32..);
    let documents = documents
        .map(|(one, number)| Document::new(number, format!("{}\n{}", one.title, one.text)));
    let plain: SearchEngine<u32> =
        SearchEngineBuilder::with_documents(Language::English, documents.collect::<Vec<_>>())
            .build();
    let (mut of_ours, mut of_plain) = (Scores::default(), Scores::default());
    let (mut right, mut wrong, mut nothing) =
        (Levels::default(), Levels::default(), Levels::default());
    for asked in &set.questions {
        let found = ours.recall(&Query::of(&asked.ask), DEPTH);
        let is_wanted = |id: &str| asked.records.iter().any(|one| one == id);
        let rank = found
            .hits
            .iter()
            .position(|hit| is_wanted(&hit.id))
            .map(|at| at + 1);
        let is_known = !asked.records.is_empty();
        note(features, &asked.ask, &found, is_known, is_wanted);
        if each {
            println!(
                "  {:6} {:4} {:>4} {}",
                found.level.as_str(),
                found.confidence,
                rank.map_or("-".to_owned(), |rank| rank.to_string()),
                asked.ask
            );
        }
        if asked.records.is_empty() {
            nothing.add(found.level);
            continue;
        }
        match rank {
            Some(1) => right.add(found.level),
            _ => wrong.add(found.level),
        }
        of_ours.add(rank);
        let hits = plain.search(&asked.ask, DEPTH);
        let at = hits
            .iter()
            .position(|hit| is_wanted(&set.records[hit.document.id as usize].id));
        of_plain.add(at.map(|at| at + 1));
    }
    println!("{}: {} records", file.display(), set.records.len());
    println!("  ours        {}", of_ours.told());
    println!("  plain BM25  {}", of_plain.told());
    println!("  an answer, found first      {}", right.told());
    println!("  an answer, not found first  {}", wrong.told());
    println!("  no answer                   {}", nothing.told());
    Ok(())
}

impl Set {
    fn memory(&self) -> Memory {
        let mut texts: Vec<(String, String)> = Vec::new();
        let mut impressions = String::new();
        for one in &self.records {
            let path = format!("memory/decisions/{}.md", one.id);
            let keywords = match one.keywords.is_empty() {
                true => suggest_keywords(&one.title, &one.text),
                false => one.keywords.clone(),
            };
            impressions.push_str(&serde_json_line(&one.id, &path, &one.title, &keywords));
            let front = format!(
                "---\nid: {}\ntitle: {:?}\nstatus: active\nscope: project:x\nupdated: 2026-01-01\n---\n",
                one.id, one.title
            );
            let text = format!("{front}\n## Decision\n\n{}\n", one.text);
            texts.push((path, text));
        }
        texts.push(("memory/impressions.jsonl".to_owned(), impressions));
        Memory::read(Files::of_texts(
            texts
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str())),
        ))
    }
}
