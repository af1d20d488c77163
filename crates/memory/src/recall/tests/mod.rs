//! Tests recall on small memories.

mod answers;
mod confidence;
mod feedback;
mod index;
mod passages;
mod spelling;
mod words;

use super::{Query, Ranking, RecallIndex, build_index};
use crate::state::memory::Memory;
use crate::testing::Sample;

fn index_of(memory: &Memory) -> RecallIndex {
    let shown = |record: &crate::Record| record.source().text().to_owned();
    RecallIndex::open(build_index(memory, &shown, 2)).unwrap()
}

fn ask(sample: &Sample, question: &str) -> Ranking {
    index_of(&sample.memory()).recall(&Query::of(question), 5)
}

fn decision(sample: Sample, id: &str, title: &str, body: &str) -> Sample {
    let path = format!("memory/decisions/{id}.md");
    let text = format!(
        "---\nid: {id}\ntitle: {title}\nstatus: active\nscope: project:demo\nupdated: 2026-02-01\n---\n\n## Decision\n\n{body}\n"
    );
    sample.with(&path, "", &text)
}

/// A memory like that of a project after a few months.
fn project() -> Sample {
    let sample = decision(
        Sample::new(),
        "how-to-do-it",
        "How to do it",
        "Ask before anything is deleted.",
    );
    let sample = decision(
        sample,
        "release-train",
        "Releases leave on Thursdays",
        "A release is cut from main, tagged, and its notes are written from the changelog.",
    );
    let sample = decision(
        sample,
        "engine-optional",
        "The TypeScript engine stays optional",
        "The Markdown protocol is the default; the engine is for hosts that want it.",
    );
    let sample = decision(
        sample,
        "doctor-jsonl",
        "Doctor validates JSONL line by line",
        "parseJsonLine reports the line, and goes on with the next.",
    );
    decision(
        sample,
        "no-database",
        "Files instead of a database",
        "Everything stays reviewable in a diff, so no database is used.",
    )
}

fn feedback(query: &str, outcome: &str, id: &str) -> String {
    format!(
        "{{\"schema_version\":1,\"query\":\"{query}\",\"outcome\":\"{outcome}\",\"created\":\"2026-02-01\",\"matched_id\":\"{id}\"}}\n"
    )
}
