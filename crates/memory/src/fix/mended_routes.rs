//! Fixes references to records that have moved: routes of impressions, links, and names in
//! frontmatter.

use std::collections::BTreeSet;

use serde_json::json;
use windlass_base::RepoPath;

use super::Fixer;
use crate::check::Moved;
use crate::markdown::destinations;
use crate::records::link_paths::{relative, resolve};
use crate::records::record::Record;
use crate::state::successors::meant;
use crate::texts::front_matter::FrontMatter;
use crate::texts::layout::IMPRESSIONS;

impl Fixer<'_, '_> {
    /// Updates all references to moved records. Returns the records that impressions now lead to.
    pub(super) fn moved(&mut self) -> BTreeSet<RepoPath> {
        let moved = Moved::of(self.memory);
        let routed = self.routes_of_moved(&moved);
        for record in self.memory.records.values() {
            self.links_of(record, &moved);
            for (field, rule) in [
                ("superseded_by", "unknown-successor"),
                ("supersedes", "unknown-superseded"),
            ] {
                self.names_in(record, field, rule, &moved);
            }
        }
        routed
    }

    fn routes_of_moved(&mut self, moved: &Moved<'_>) -> BTreeSet<RepoPath> {
        let memory = self.memory;
        let mut routed = BTreeSet::new();
        let Ok(file) = RepoPath::parse(IMPRESSIONS) else {
            return routed;
        };
        for line in memory.impression_lines.lines.iter() {
            let route = line.text("record_path");
            let route = route.and_then(|path| RepoPath::parse(path).ok());
            let Some(path) = route.and_then(|route| moved.to(&route)) else {
                continue;
            };
            // The record has an impression already, so this one may be meant for another file.
            if memory.impressions_of(path).next().is_some() {
                continue;
            }
            self.draft
                .set_on_line(&file, line, "record_path", json!(path));
            let what = format!("line {} now leads to `{path}`", line.number);
            self.note("route-missing", &file, what);
            routed.insert(path.clone());
        }
        routed
    }

    /// Updates links to files that have moved. If `record` itself has moved, its relative links are
    /// broken as well.
    fn links_of(&mut self, record: &Record, moved: &Moved<'_>) {
        let memory = self.memory;
        // Resolve links as seen from the former paths of this record, too.
        let mut were: Vec<&RepoPath> = moved.from(&record.path).collect();
        were.insert(0, &record.path);
        let now = |target: &str| {
            were.iter().find_map(|from| {
                let path = resolve(from, target)?.ok()?;
                let is_there = memory.files.has(&path).then_some(&path);
                moved.to(&path).or(is_there).cloned()
            })
        };
        let broken = record.links().iter().any(|link| {
            let leads_to = record.target_of(link).and_then(Result::ok);
            leads_to.is_some_and(|path| !memory.files.has(&path)) && now(&link.target).is_some()
        });
        let Some(text) = self.draft.text(&record.path).filter(|_| broken) else {
            return;
        };
        let (mut changed, mut at, mut paths) = (String::new(), 0, BTreeSet::new());
        for (range, target) in destinations(text, record.body_start().min(text.len())) {
            let leads_to = resolve(&record.path, &target).and_then(Result::ok);
            let leads_to = leads_to.filter(|path| !memory.files.has(path));
            let Some(path) = leads_to.and_then(|_| now(&target)) else {
                continue;
            };
            let way = match target.starts_with('/') {
                true => format!("/{}", path.as_str().replace(' ', "%20")),
                false => relative(&record.path, &path),
            };
            let place = target.find(['#', '?']).map_or("", |at| &target[at..]);
            changed.push_str(&text[at..range.start]);
            changed.push_str(&format!("{way}{place}"));
            at = range.end;
            paths.insert(format!("`{path}`"));
        }
        if paths.is_empty() {
            return;
        }
        changed.push_str(&text[at..]);
        self.draft.put(record.path.clone(), changed);
        let paths: Vec<String> = paths.into_iter().collect();
        let what = format!("updated links to {}", paths.join(", "));
        self.note("broken-link", &record.path, what);
    }

    fn names_in(&mut self, record: &Record, field: &str, rule: &'static str, moved: &Moved<'_>) {
        let names: Vec<&str> = match field {
            "supersedes" => record.supersedes().collect(),
            _ => record.text(field).into_iter().collect(),
        };
        let unknown = |name: &&str| meant(self.memory, record, name).is_none();
        let unknown: Vec<&str> = names.into_iter().filter(unknown).collect();
        for name in unknown.into_iter().filter(|name| name.contains('/')) {
            let from_root = RepoPath::parse(name).ok();
            let from_here = || resolve(&record.path, name).and_then(Result::ok);
            let path = from_root
                .and_then(|path| moved.to(&path))
                .or_else(|| moved.to(&from_here()?));
            let Some(path) = path else {
                continue;
            };
            let Some(text) = self.draft.text(&record.path) else {
                return;
            };
            let Some(front) = FrontMatter::of(text) else {
                return;
            };
            let Some(lines) = front.field(field).map(|field| field.lines.clone()) else {
                return;
            };
            let value = &text[lines.clone()];
            // If the name occurs twice, or as part of a longer path, we don't know what to replace.
            let [at] = value.match_indices(name).collect::<Vec<_>>()[..] else {
                continue;
            };
            let at = lines.start + at.0;
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            if before.ends_with(is_part) || after.starts_with(is_part) {
                continue;
            }
            let changed = format!("{before}{path}{after}");
            self.draft.put(record.path.clone(), changed);
            self.note(rule, &record.path, format!("updated the path to `{path}`"));
        }
    }
}
