//! A small valid memory for tests to modify.

use std::collections::BTreeMap;

use windlass_base::Source;

use crate::state::memory::Memory;
use crate::state::memory_files::Files;
use crate::texts::layout::PRIVATE;

const DECISION: &str = "---\nid: settings-store\ntitle: One store owns the settings\nstatus: active\nscope: project:demo\nupdated: 2026-02-01\ndate: 2026-02-01\n---\n\n# One store owns the settings\n\n## Decision\n\nSettingsStore writes the file; views send it changes.\n\n## Rationale\n\nTwo writers lost each other's edits when both synced.\n\n## Consequences\n\nThe refactor moves every write behind `settings_store.rs`.\n\n## Related records\n\n- [Finish the settings refactor](../open-loops/settings-refactor.md)\n";
const OPEN_LOOP: &str = "---\nid: settings-refactor\ntitle: Finish the settings refactor\nstatus: active\nscope: project:demo\nupdated: 2026-02-03\nowner: ui team\nopened: 2026-02-02\n---\n\n# Finish the settings refactor\n\n## Next trigger\n\nWhen somebody touches the settings dialog.\n\n## Why it matters\n\nThe old path still writes the file directly.\n\n## Related records\n\n- [One store owns the settings](../decisions/settings-store.md)\n";
const SUMMARY: &str = "---\nid: summary\ntitle: Summary\nstatus: active\nscope: project:demo\nupdated: 2026-02-03\n---\n\n# Demo\n\n## Current objective\n\nShip the new settings.\n\n## Key constraints\n\nNo network.\n\n## Active priorities\n\nThe refactor.\n\n## Linked decisions\n\n- [One store owns the settings](decisions/settings-store.md)\n\n## Linked open loops\n\n- [Finish the settings refactor](open-loops/settings-refactor.md)\n";
const INDEX: &str = "---\nid: index\ntitle: Index\nstatus: active\nscope: project:demo\nupdated: 2026-02-03\n---\n\n## Current project scope\n\n`project:demo`\n\n## Active summary\n\n- [Summary](summary.md)\n\n## Active decisions\n\n- [One store owns the settings](decisions/settings-store.md)\n\n## Active open loops\n\n- [Finish the settings refactor](open-loops/settings-refactor.md)\n\n## Superseded or archived records\n\nNone.\n";
const IMPRESSIONS: &str = "{\"schema_version\":1,\"id\":\"settings-store\",\"scope\":\"project:demo\",\"title\":\"One store owns the settings\",\"keywords\":[\"settings\",\"store\",\"sync\",\"writer\"],\"record_path\":\"memory/decisions/settings-store.md\",\"updated\":\"2026-02-01\"}\n{\"schema_version\":1,\"id\":\"settings-refactor\",\"scope\":\"project:demo\",\"title\":\"Finish the settings refactor\",\"keywords\":[\"settings\",\"refactor\",\"dialog\"],\"record_path\":\"memory/open-loops/settings-refactor.md\",\"updated\":\"2026-02-03\",\"weight\":0.6}\n";

/// The texts of a memory by path, for tests that change some of them.
#[derive(Clone)]
pub(crate) struct Sample(pub(crate) BTreeMap<String, String>);

impl Sample {
    pub(crate) fn new() -> Self {
        let files = [
            ("memory/summary.md", SUMMARY),
            ("memory/index.md", INDEX),
            ("memory/impressions.jsonl", IMPRESSIONS),
            ("memory/recall-feedback.jsonl", ""),
            ("memory/decisions/settings-store.md", DECISION),
            ("memory/open-loops/settings-refactor.md", OPEN_LOOP),
        ];
        Self(
            files
                .map(|(path, text)| (path.to_owned(), text.to_owned()))
                .into(),
        )
    }

    /// Replaces the first occurrence of `old` in a file. An empty `old` appends `new` instead.
    pub(crate) fn with(mut self, path: &str, old: &str, new: &str) -> Self {
        let text = self.0.entry(path.to_owned()).or_default();
        *text = match old {
            "" => format!("{text}{new}"),
            old => {
                assert!(text.contains(old), "{path} has no {old:?}");
                text.replacen(old, new, 1)
            }
        };
        self
    }

    pub(crate) fn memory(&self) -> Memory {
        let files = self
            .0
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        let mut files = Files::of_texts(files);
        files.rules = Some(true);
        files.ignore = Some(Source::new(".gitignore", PRIVATE.join("\n")));
        Memory::read(files)
    }
}
