//! Sample packs.

use serde_json::json;
use windlass_base::LineSpan;
use windlass_packs::context::{
    ContextPack, Delta, DeltaFile, DocRef, Origin, Priority, Provenance, RelevantFile, Scale,
    Source, SourceKind, SourceSpan, change_item, doc_item, failure_item, file_item, hash_of_lines,
};
use windlass_results::Failure;

/// Measures a pack by the number of characters in its JSON.
pub(crate) struct Chars;

impl Scale for Chars {
    fn whole(&self, pack: &ContextPack) -> usize {
        serde_json::to_string(pack).unwrap().chars().count()
    }

    fn piece(&self, text: &str) -> usize {
        serde_json::to_string(text).unwrap().chars().count()
    }
}

/// A text of `count` lines, and the span that belongs to it.
pub(crate) fn text(word: &str, first: u32, count: u32) -> (String, SourceSpan) {
    let lines: Vec<String> = (first..first + count)
        .map(|line| format!("{word} line {line}"))
        .collect();
    let span = SourceSpan {
        lines: LineSpan::new(first, first + count - 1).unwrap(),
        source_hash: hash_of_lines(lines.iter().map(String::as_str)),
        rank: count,
    };
    (lines.join("\n"), span)
}

pub(crate) fn origin(item: String, path: &str, rank: u32, spans: Vec<SourceSpan>) -> Origin {
    Origin {
        item,
        source: Source {
            kind: SourceKind::File,
            path: Some(path.to_owned()),
            spans,
            ..Source::default()
        },
        why: ["it was asked for".to_owned()].into(),
        rank,
        ..Origin::default()
    }
}

/// A pack with parts of every kind.
pub(crate) fn sample(docs: u32, files: u32, failures: u32) -> ContextPack {
    let mut pack = ContextPack {
        goal: "Make it work.".to_owned(),
        definition_of_done: vec!["all tests pass".to_owned()],
        docs_root: "docs".to_owned(),
        ..ContextPack::default()
    };
    let mut items = Vec::new();
    for at in 0..docs {
        let path = format!("docs/{at}.md");
        let (first, second) = (text("first", 1, 12), text("second", 40, 30));
        pack.doc_refs.push(DocRef {
            path: path.clone(),
            anchors: vec!["goal".to_owned()],
            excerpt: Some(format!("{}\n…\n{}", first.0, second.0)),
            priority: if at == 0 {
                Priority::High
            } else {
                Priority::Medium
            },
            ..DocRef::default()
        });
        items.push(origin(doc_item(&path), &path, 0, vec![first.1, second.1]));
    }
    for at in 0..files {
        let path = format!("src/{at}.rs");
        let (excerpt, span) = text("code", 10, 25);
        pack.relevant_files.push(RelevantFile {
            path: path.clone(),
            purpose: Some("does something".to_owned()),
            excerpt: Some(excerpt),
            ..RelevantFile::default()
        });
        items.push(origin(file_item(&path), &path, 100 - at, vec![span]));
    }
    let mut delta = Delta::default();
    for at in 0..failures {
        let id = format!("tests::number_{at}");
        items.push(origin(failure_item(&id), "junit.xml", 100 - at, Vec::new()));
        delta.failures.push(Failure {
            id,
            summary: "assertion failed".to_owned(),
            detail: Some(text("said", 1, 20).0),
            ..Failure::default()
        });
        let path = format!("src/{at}.rs");
        items.push(origin(change_item(&path), &path, 100 - at, Vec::new()));
        delta.files.push(DeltaFile {
            path,
            diff: Some(text("+", 1, 15).0),
            ..DeltaFile::default()
        });
    }
    pack.delta = (failures > 0).then_some(delta);
    pack.constraints
        .insert("dependencies".to_owned(), json!("none"));
    pack.provenance = Some(Provenance {
        items,
        ..Provenance::default()
    });
    pack.sort();
    pack.seal()
}
