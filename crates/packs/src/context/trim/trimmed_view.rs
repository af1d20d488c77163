//! Puts together the shown part of a pack, with a report about the rest.

use std::collections::BTreeMap;

use super::failure_names::by_beginning;
use super::pack_outline::{Extent, Item, Outline, Shape};
use crate::context::excerpt_lines::{Part, joined};
use crate::context::model::pack_items::{
    RESOLVED_ITEM, artifact_item, change_item, decision_item, doc_item, failure_item, file_item,
    is_failure, is_note, note_item,
};
use crate::context::{ContextPack, Cut, CutKind, SourceSpan, TruncationReport, anchors_in};

/// Maximum number of cuts listed in the report. The others are only counted.
const NAMED_CUTS: usize = 8;
/// Maximum number of origins for a note on many files. The note itself does not name more files
/// than that.
const FILES_OF_NOTE: usize = 3;

impl<'a> Outline<'a> {
    /// Puts together a view. `shapes` has the shown part of each item, in the same order as the
    /// items.
    pub(super) fn view(&self, shapes: &[Shape], extent: Extent) -> ContextPack {
        let mut view = self.pack.clone();
        let mut shown = Shown::of(&self.items, shapes);
        for doc in &mut view.doc_refs {
            let whole = doc.excerpt.clone();
            shown.cut_text(&doc_item(&doc.path), &mut doc.excerpt);
            keep_shown(&mut doc.anchors, whole.as_deref(), doc.excerpt.as_deref());
        }
        view.relevant_files
            .retain_mut(|file| shown.cut_text(&file_item(&file.path), &mut file.excerpt));
        if let Some(delta) = &mut view.delta {
            delta
                .files
                .retain_mut(|file| shown.cut_text(&change_item(&file.path), &mut file.diff));
            delta
                .failures
                .retain_mut(|it| shown.cut_text(&failure_item(&it.id), &mut it.detail));
            if !shown.is_named(RESOLVED_ITEM) {
                delta.resolved.clear();
            }
            // A single run only repeats the numbers of the delta.
            if delta.runs.len() == 1 {
                delta.runs.clear();
            }
            for run in &mut delta.runs {
                run.names = None;
            }
        }
        view.inputs
            .retain(|it| shown.is_named(&format!("inputs/{}", it.payload_id)));
        view.artifacts
            .retain(|it| shown.is_named(&artifact_item(&it.reference)));
        view.decisions
            .retain(|it| shown.is_named(&decision_item(&it.id)));
        for (field, values) in [
            ("constraints", &mut view.constraints),
            ("toolPolicy", &mut view.tool_policy),
            ("repoFacts", &mut view.repo_facts),
            ("rest", &mut view.rest),
        ] {
            values.retain(|key, _| shown.is_named(&format!("{field}/{key}")));
        }
        if !shown.is_named("conflicts") {
            view.conflicts.clear();
        }
        view.source_notes
            .retain(|it| shown.is_named(&note_item(it)));
        view.redaction.take_if(|_| !shown.is_named("redaction"));
        if extent == Extent::Whole {
            return view;
        }
        if let Some(provenance) = &mut view.provenance {
            provenance.request.clear();
            provenance.uncommitted = None;
            let mut shown = Shown::of(&self.items, shapes);
            let mut shown_count: BTreeMap<String, usize> = BTreeMap::new();
            provenance.items.retain_mut(|origin| {
                let Some((item, shape)) = shown.next(&origin.item) else {
                    return true;
                };
                // If a merged pack has a conflict here, only the first value is shown. Leave the
                // spans of the others alone.
                let shown_count = shown_count.entry(origin.item.clone()).or_default();
                *shown_count += 1;
                let is_first = *shown_count == 1;
                if !item.parts.is_empty() && (is_first || shown.are_several(&origin.item)) {
                    origin.source.spans = excerpt(item, shape).1;
                }
                shape.named && !(is_note(&origin.item) && *shown_count > FILES_OF_NOTE)
            });
        }
        view.truncation = Some(self.truncation(shapes));
        view
    }

    fn truncation(&self, shapes: &[Shape]) -> TruncationReport {
        let mut cuts = Vec::new();
        for (item, shape) in self.items.iter().zip(shapes) {
            let all: usize = item.parts.iter().map(|part| part.lines.len()).sum();
            let shown: usize = shape.lines.iter().sum();
            let cut = match (shape.named, shown) {
                (false, _) => CutKind::LeftOut,
                (true, 0) if all > 0 => CutKind::TextLeftOut,
                (true, shown) if shown < all => CutKind::Shortened,
                _ => continue,
            };
            cuts.push(Cut {
                item: item.name.clone(),
                cut,
                lines: all - shown,
            });
        }
        let failures = self.unshown_failures(shapes);
        let all = cuts.len();
        cuts.retain(|cut| cut.cut != CutKind::LeftOut || !is_note(&cut.item));
        let notes = all - cuts.len();
        cuts.retain(|cut| cut.cut != CutKind::LeftOut || !is_failure(&cut.item));
        let more = cuts.len().saturating_sub(NAMED_CUTS);
        cuts.truncate(NAMED_CUTS);
        TruncationReport {
            items: self.items.len(),
            shown: shapes.iter().filter(|shape| shape.named).count(),
            failures,
            notes,
            cuts,
            more,
        }
    }

    /// The names of failures whose details do not fit, grouped by their common beginnings.
    fn unshown_failures(&self, shapes: &[Shape]) -> BTreeMap<String, Vec<String>> {
        let mut shown = Shown::of(&self.items, shapes);
        let failures = self.pack.delta.iter().flat_map(|delta| &delta.failures);
        let names = failures.map(|failure| failure.id.as_str());
        by_beginning(names.filter(|id| !shown.is_named(&failure_item(id))))
    }
}

/// Looks up the shown part of an item by its name.
///
/// Other tools may use a name several times. Each lookup of such a name returns the next item, in
/// the order of the pack.
struct Shown<'s, 'a> {
    by_name: BTreeMap<&'s str, Vec<(&'s Item<'a>, &'s Shape)>>,
    asked: BTreeMap<String, usize>,
}

impl<'s, 'a> Shown<'s, 'a> {
    fn of(items: &'s [Item<'a>], shapes: &'s [Shape]) -> Self {
        let mut by_name: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (item, shape) in items.iter().zip(shapes) {
            by_name.entry(&item.name).or_default().push((item, shape));
        }
        Self {
            by_name,
            asked: BTreeMap::new(),
        }
    }

    /// The next item of this name. After the last one, this keeps returning the last.
    fn next(&mut self, name: &str) -> Option<(&'s Item<'a>, &'s Shape)> {
        let all = self.by_name.get(name)?;
        if all.len() == 1 {
            return all.first().copied();
        }
        let asked = self.asked.entry(name.to_owned()).or_default();
        let at = (*asked).min(all.len() - 1);
        *asked += 1;
        all.get(at).copied()
    }

    fn are_several(&self, name: &str) -> bool {
        self.by_name.get(name).is_some_and(|all| all.len() > 1)
    }

    fn is_named(&mut self, name: &str) -> bool {
        self.next(name).is_none_or(|(_, shape)| shape.named)
    }

    /// Cuts a text to the part that is shown. Returns false if the item is not even listed.
    fn cut_text(&mut self, name: &str, whole: &mut Option<String>) -> bool {
        let Some((item, shape)) = self.next(name) else {
            return true;
        };
        if whole.is_some() {
            *whole = excerpt(item, shape).0;
        }
        shape.named
    }
}

/// Removes the anchors of sections that are not in the text anymore. If there is no text left at
/// all, we keep them, since they are the only reference to the sections then.
fn keep_shown(anchors: &mut Vec<String>, whole: Option<&str>, shown: Option<&str>) {
    let (Some(whole), Some(shown)) = (whole, shown) else {
        return;
    };
    if anchors.is_empty() || whole == shown {
        return;
    }
    let (had, has) = (anchors_in(anchors, whole), anchors_in(anchors, shown));
    anchors.retain(|anchor| !had.contains(anchor) || has.contains(anchor));
}

fn excerpt(item: &Item<'_>, shape: &Shape) -> (Option<String>, Vec<SourceSpan>) {
    let shown: Vec<Part<'_>> = item
        .parts
        .iter()
        .zip(&shape.lines)
        .map(|(part, lines)| part.first_lines(*lines))
        .collect();
    joined(&shown)
}
