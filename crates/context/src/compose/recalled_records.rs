//! Records that the memory recalls for the goal. They rank below documents, and the pack shows that
//! they come from the memory.

use windlass_base::{RepoPath, Source as Text};
use windlass_memory::{
    Hit, Level, Memory, MemoryService, Query, Ranking, RecallIndex, Record, RecordKind,
    best_window, build_index, matched_by_line, passages,
};
use windlass_packs::context::{
    Decision, RelevantFile, Source, SourceKind, decision_item, file_item,
};

use super::bookkeeping::is_of_memory;
use super::ground::Ground;
use super::nameable::safe;
use super::pack_draft::Draft;
use crate::compose::picked_lines::{Wish, pick, whole_text};

/// Maximum number of records.
const MAX_RECORDS: usize = 5;
/// Maximum number of lines per record.
const MAX_LINES: u32 = 30;
/// The ranks from the lowest to the highest confidence. A file that is included for any other
/// reason ranks higher.
const RANKS: std::ops::Range<u32> = 5..35;

pub(super) struct RecordsRecalled<'b, 'w> {
    pub(super) ground: &'b Ground<'w>,
    pub(super) draft: &'b mut Draft,
}

impl RecordsRecalled<'_, '_> {
    /// Adds recalled records, unless there is no memory or the request does not want any.
    pub(super) fn take(&mut self) {
        let is_there = self.ground.files.iter().any(is_of_memory);
        if self.ground.request.no_memory || !is_there {
            return;
        }
        let query = Query::of(&self.draft.sought());
        let Some(ranking) = self.recalled(&query) else {
            return;
        };
        let is_sure = |hit: &&Hit| ranking.level_of(hit.confidence) >= Level::Weak;
        for hit in ranking.hits.iter().filter(is_sure).take(MAX_RECORDS) {
            self.take_record(hit, ranking.level_of(hit.confidence), &query);
        }
    }

    /// Ranks the records. A step has to record all files that its output depends on, so it cannot
    /// use the cached index.
    fn recalled(&self, query: &Query) -> Option<Ranking> {
        if !self.ground.request.exact {
            let recaller = MemoryService::new(self.ground.site).recaller().ok()?;
            return Some(recaller.ranked(query, MAX_RECORDS));
        }
        let memory = Memory::of_snapshot(&self.ground.snapshot).ok()?;
        let shown = |record: &Record| safe(record.source().text());
        let bytes = build_index(&memory, &shown, self.ground.site.repo().threads());
        Some(RecallIndex::open(bytes)?.recall(query, MAX_RECORDS))
    }

    fn take_record(&mut self, hit: &Hit, level: Level, query: &Query) {
        let Ok(path) = RepoPath::parse(&hit.path) else {
            return;
        };
        let is_known = self
            .draft
            .pack
            .relevant_files
            .iter()
            .any(|it| it.path == hit.path)
            || self
                .draft
                .pack
                .doc_refs
                .iter()
                .any(|it| it.path == hit.path);
        let Some(file) = self
            .draft
            .text_of(self.ground, &path)
            .filter(|_| !is_known && is_of_memory(&path))
        else {
            return;
        };
        let text = String::from_utf8_lossy(file.bytes()).into_owned();
        let Some(record) = Record::of(&path, &Text::new(path.as_str(), text)) else {
            return;
        };
        let line = |at: usize| u32::try_from(record.source().position(at).line).unwrap_or(u32::MAX);
        let wishes: Vec<Wish> = passages(&record, query)
            .into_iter()
            .filter(|part| part.matched > 0)
            .map(|part| {
                let lines = record.source().text()[part.range.clone()].lines();
                let matched = matched_by_line(lines, query);
                let window = best_window(&matched, MAX_LINES as usize);
                let first = line(part.range.start);
                let number = |at: usize| first.saturating_add(u32::try_from(at).unwrap_or(0));
                Wish {
                    first: number(window.start),
                    last: number(window.end.max(1) - 1),
                    rank: u32::try_from(part.matched).unwrap_or(u32::MAX).max(1),
                }
            })
            .collect();
        let picked = pick(&file, &wishes, MAX_LINES);
        let hash = whole_text(&file).1;
        let source = Source {
            kind: SourceKind::Memory,
            path: Some(hit.path.clone()),
            spans: picked.spans,
            hash: Some(hash.clone()),
            ..Source::default()
        };
        let rank = RANKS.start + hit.confidence.min(1_000) * (RANKS.end - RANKS.start) / 1_000;
        let why = format!("the memory recalls it: {}", level.as_str());
        let item = file_item(&hit.path);
        if hit.kind == RecordKind::Decision && level == Level::Strong {
            self.take_decision(hit, &source);
        }
        self.draft.note(item.clone(), source, &why, rank);
        if let Some(origin) = self.draft.origins.get_mut(&item) {
            origin.lines_left_out = picked.left_out;
        }
        self.draft.pack.relevant_files.push(RelevantFile {
            path: hit.path.clone(),
            purpose: Some(safe(&format!("{}: {}", hit.kind.as_str(), hit.title))),
            excerpt: picked.text,
            hash: Some(hash),
            ..RelevantFile::default()
        });
    }

    /// Adds a recalled decision, unless the pack already has one with the same ID, e.g. from the
    /// request.
    fn take_decision(&mut self, hit: &Hit, source: &Source) {
        let id = safe(&hit.id);
        if self.draft.pack.decisions.iter().any(|it| it.id == id) {
            return;
        }
        let why = "the memory records the decision";
        self.draft.note(decision_item(&id), source.clone(), why, 0);
        self.draft.pack.decisions.push(Decision {
            id,
            summary: safe(&hit.title),
            links: vec![hit.path.clone()],
            ..Decision::default()
        });
    }
}
