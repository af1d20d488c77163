//! Creates folders of files, and packs with evidence in them.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::ProptestConfig;
use serde_json::{Value, json};
use windlass_base::{
    Entry, Evidence, Freshness, Ident, Item, Judgement, Limit, LineSpan, Observation, Pointer,
    Provenance, RepoPath, ResponseMode, SourceHash,
};
use windlass_evidence::capture;
use windlass_packs::{
    Asked, Cursor, Format, Measure, Pack, PackSection, PackStatus, RunbookRef, SectionStatus,
    TextPolicy, ViewError, ViewOptions, next_actions, verify_entry, view,
};
use windlass_repo::{Repo, Snapshot};

/// Number of cases for a slow property test, unless the environment asks for another.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(count),
    }
}

pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn with<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let sandbox = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Repo::open(self.dir.path()).unwrap().snapshot()
    }

    /// Lines `start` to `end` of `file` as evidence, with their current hash.
    pub(crate) fn fresh(&self, file: &str, start: u32, end: u32) -> Evidence {
        let mut evidence = place(file, start, end);
        let span = evidence.pointer.span;
        let source = self.snapshot().read(&evidence.pointer.file).unwrap();
        evidence.pointer.source_hash = Some(source.span_hash(span).unwrap());
        evidence
    }

    /// Like [`Sandbox::fresh`], but with captured context.
    pub(crate) fn captured(&self, file: &str, start: u32, end: u32) -> Evidence {
        let Pointer { file, span, .. } = place(file, start, end).pointer;
        let captured = capture(&self.snapshot(), &file, span).unwrap();
        Evidence {
            pointer: captured.pointer,
            judgement: Judgement::new(Freshness::Unknown, None),
            capture: Some(captured.capture),
            spots: Vec::new(),
        }
    }

    /// Like [`Sandbox::fresh`], but with the hash of some other lines.
    pub(crate) fn stale(&self, file: &str, start: u32, end: u32) -> Evidence {
        let mut evidence = place(file, start, end);
        evidence.pointer.source_hash = Some(SourceHash::Span([7; 32]));
        evidence
    }

    pub(crate) fn judged(&self, mut entries: Vec<Entry>) -> Vec<Entry> {
        let snapshot = self.snapshot();
        for entry in &mut entries {
            verify_entry(&snapshot, entry);
        }
        entries
    }

    /// A section with verified `entries`, of which it shows at most `limit` at once.
    pub(crate) fn section(&self, id: &str, limit: usize, entries: Vec<Entry>) -> PackSection {
        let entries = self.judged(entries);
        PackSection {
            id: Ident::parse(id).unwrap(),
            title: format!("Section {id}"),
            step: id.to_owned(),
            status: SectionStatus::of(&entries),
            reason: None,
            help: None,
            refused: false,
            in_doubt: false,
            next_action: None,
            limit,
            entries,
            notes: Vec::new(),
        }
    }

    pub(crate) fn show(&self, pack: &Pack, options: &ViewOptions) -> Result<String, ViewError> {
        let snapshot = self.snapshot();
        let (_, printed) = view(pack, &snapshot, options)?;
        Ok(printed.plain())
    }

    /// Renders the pack as text, with a limit that is too high to matter.
    pub(crate) fn text(&self, pack: &Pack) -> String {
        self.show(pack, &options(100_000)).unwrap()
    }

    pub(crate) fn json(&self, pack: &Pack, options: &ViewOptions) -> Result<Value, ViewError> {
        let options = ViewOptions {
            format: Format::Json,
            ..*options
        };
        let printed = self.show(pack, &options)?;
        Ok(serde_json::from_str(&printed).unwrap())
    }
}

pub(crate) fn place(file: &str, start: u32, end: u32) -> Evidence {
    Evidence {
        pointer: Pointer {
            file: RepoPath::parse(file).unwrap(),
            span: LineSpan::new(start, end).unwrap(),
            source_hash: None,
        },
        judgement: Judgement::new(Freshness::Unknown, None),
        capture: None,
        spots: Vec::new(),
    }
}

pub(crate) fn item(label: &str, evidence: Vec<Evidence>) -> Entry {
    Entry::Item(Item {
        id: None,
        kind: None,
        label: label.to_owned(),
        fields: serde_json::Map::new(),
        fields_left_out: 0,
        context: 0,
        evidence,
    })
}

pub(crate) fn observation(value: Value) -> Entry {
    seen(value, true)
}

pub(crate) fn seen(value: Value, reproducible: bool) -> Entry {
    Entry::Observation(Observation {
        provenance: Provenance {
            step: "step".to_owned(),
            uses: "kind".to_owned(),
            reproducible,
        },
        value,
        parts_before: 0,
        parts_cut: 0,
        parts_after: 0,
    })
}

pub(crate) fn pack(sections: Vec<PackSection>) -> Pack {
    let runbook = RunbookRef {
        id: Ident::parse("book").unwrap(),
        title: "A book".to_owned(),
        purpose: "What it is for.".to_owned(),
    };
    let mut pack = Pack::new(runbook, PackStatus::Ok, sections, Vec::new()).unwrap();
    pack.next_actions = next_actions(&pack, Some(("book", &[])), |_| true);
    pack
}

pub(crate) fn options(max_chars: usize) -> ViewOptions {
    ViewOptions {
        limit: Limit::Chars(max_chars),
        format: Format::Text { width: None },
        mode: ResponseMode::Facts,
        text: TextPolicy::InPlace,
        noise_permille: 200,
        from: None,
        asked: Asked::default(),
    }
}

pub(crate) const FORMATS: [Format; 5] = [
    Format::Text { width: None },
    Format::Text { width: Some(60) },
    Format::Markdown,
    Format::Json,
    Format::Tron,
];

pub(crate) const MODES: [ResponseMode; 3] = [
    ResponseMode::Full,
    ResponseMode::Facts,
    ResponseMode::Minimal,
];

pub(crate) fn weight(text: &str, limit: Limit) -> usize {
    Measure::of(limit).weigh(text)
}

pub(crate) fn cursor(section: &Value) -> Option<Cursor> {
    let text = section.get("next_cursor")?.as_str().unwrap();
    Some(text.parse().unwrap())
}

/// A text of `count` numbered lines.
pub(crate) fn numbered(name: &str, count: usize) -> String {
    (1..=count)
        .map(|line| format!("{name} says line {line}\n"))
        .collect()
}

pub(crate) fn observations(count: usize) -> Vec<Entry> {
    (0..count)
        .map(|at| observation(json!(format!("entry number {at}"))))
        .collect()
}
