//! Rebuilds the goal, conditions, constraints and decisions from documents and memory records.

use serde_json::Value;
use windlass_base::RepoPath;
use windlass_packs::context::{
    ContextPack, Decision, Source, SourceKind, anchor_of, decision_item, doc_item,
};
use windlass_repo::SourceFile;

use super::part_state::{Again, PartState};
use super::source_gone::gone;
use super::sources_now::{NO_FILE, Now, path_of};
use super::{Rebuild, Sources};
use crate::compose::contract::{DONE_ITEM, add_conditions, constraint_item, goal_of, said_by};
use crate::compose::recalled_records::decided_in;
use crate::compose::safe;

impl Rebuild<'_> {
    /// Reads the sources of the goal, conditions, constraints and decisions in `kept` again, and
    /// puts their current text into `pack`. It doesn't matter if the files changed in other ways.
    pub(super) fn said(
        &mut self,
        kept: &ContextPack,
        sources: &Sources<'_>,
        pack: &mut ContextPack,
    ) {
        let of_kind = |item: &str, kind: SourceKind| -> Vec<&Source> {
            let own = sources.of_item(item).iter();
            own.copied().filter(|source| source.kind == kind).collect()
        };
        let goal = |path: &RepoPath, file: &SourceFile| {
            let goal = goal_of(path, file)?;
            Some(safe(&goal))
        };
        let documents = of_kind("goal", SourceKind::File);
        if let Some(goal) = self.one("goal", &documents, &kept.goal, &goal) {
            pack.goal = goal.unwrap_or_default();
        }
        for (name, text) in &kept.constraints {
            let item = constraint_item(name);
            let again = |path: &RepoPath, file: &SourceFile| {
                let said = said_by(path, file, &[]).constraints.into_iter();
                let mut same = said.filter(|(known, _)| known == name);
                same.next().map(|(_, text)| text)
            };
            let documents = of_kind(&item, SourceKind::File);
            let known = text.as_str().unwrap_or_default();
            match self.one(&item, &documents, known, &again) {
                None => {}
                Some(None) => drop(pack.constraints.remove(name)),
                Some(Some(text)) => drop(pack.constraints.insert(name.clone(), text.into())),
            }
        }
        for decision in std::mem::take(&mut pack.decisions) {
            let item = decision_item(&decision.id);
            let records = of_kind(&item, SourceKind::Memory);
            match self.one(&item, &records, &decision.summary, &decided_in) {
                None => pack.decisions.push(decision),
                Some(None) => {}
                Some(Some(summary)) => pack.decisions.push(Decision {
                    summary,
                    ..decision
                }),
            }
        }
        if !of_kind(DONE_ITEM, SourceKind::File).is_empty() {
            self.read += 1;
            self.done(kept, sources, pack);
        }
    }

    /// Returns the result of `again` for the file of the closest of `sources`, for a part whose
    /// text in the pack is `known`. Without any sources, the outer `Option` is `None`.
    fn one(
        &mut self,
        item: &str,
        sources: &[&Source],
        known: &str,
        again: &dyn Fn(&RepoPath, &SourceFile) -> Option<String>,
    ) -> Option<Option<String>> {
        let tried: Vec<_> = sources
            .iter()
            .map(|source| self.says(source, known, again))
            .collect();
        (!tried.is_empty()).then(|| self.nearest(item, tried).flatten())
    }

    fn says(
        &self,
        source: &Source,
        known: &str,
        again: &dyn Fn(&RepoPath, &SourceFile) -> Option<String>,
    ) -> Again<Option<String>> {
        let Some(path) = path_of(source) else {
            return Again::told(PartState::Missing, NO_FILE, None);
        };
        let (file, is_as_it_was) = match self.look.now(&path, source) {
            Now::Same(file) => (file, true),
            Now::Other(file) => (file, false),
            Now::Gone => return Again::told(PartState::Missing, gone(path.as_str()), None),
        };
        let said = again(&path, &file);
        match (said.as_deref() == Some(known), is_as_it_was) {
            (true, true) => Again::same(said),
            (true, false) => Again::told(PartState::LinesSame, other_parts(&path), said),
            (false, _) => {
                let why = format!("`{path}` no longer has this text");
                Again::told(PartState::Changed, why, said)
            }
        }
    }

    /// Rebuilds the conditions, which come from all documents of `kept` together.
    fn done(&mut self, kept: &ContextPack, sources: &Sources<'_>, pack: &mut ContextPack) {
        let (mut done, mut all, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for doc in &kept.doc_refs {
            let Ok(path) = RepoPath::parse(&doc.path) else {
                continue;
            };
            let own = sources.of_item(&doc_item(&doc.path)).iter();
            // A merged pack may have several states of a document, so check each of them.
            for source in own.filter(|source| source.kind == SourceKind::File) {
                let now = self.look.now(&path, source);
                if !matches!(now, Now::Same(_)) && !changed.contains(&path) {
                    changed.push(path.clone());
                }
                let (Now::Same(file) | Now::Other(file)) = now else {
                    continue;
                };
                let said = said_by(&path, &file, &anchors_of(kept, &doc.path)).conditions;
                for condition in &said {
                    if !all.contains(condition) {
                        all.push(condition.clone());
                    }
                }
                add_conditions(&mut done, said, &doc.path);
            }
        }
        let Some(first) = changed.first() else {
            if !is_same(&kept.definition_of_done, &all) {
                let why = "its documents have another text";
                self.tell(DONE_ITEM, PartState::Changed, why);
                pack.definition_of_done = done;
            }
            return;
        };
        if is_same(&kept.definition_of_done, &all) {
            self.tell(DONE_ITEM, PartState::LinesSame, other_parts(first));
            return;
        }
        let names: Vec<String> = changed.iter().map(|path| format!("`{path}`")).collect();
        let why = match changed.len() {
            1 => format!("{} no longer has this text", names[0]),
            _ => format!("{} no longer have this text", names.join(", ")),
        };
        self.tell(DONE_ITEM, PartState::Changed, why);
        pack.definition_of_done = done;
    }
}

fn other_parts(path: &RepoPath) -> String {
    format!("other parts of `{path}` changed")
}

/// Returns true if `kept` lists `all` conditions. It may end with the number of those that didn't
/// fit.
fn is_same(kept: &[String], all: &[String]) -> bool {
    let (mut listed, mut more) = (0, 0);
    for condition in kept {
        if all.contains(condition) {
            listed += 1;
            continue;
        }
        let count = condition.split_once(" more, as `").map(|(count, _)| count);
        match count.and_then(|count| count.parse::<usize>().ok()) {
            Some(count) => more += count,
            None => return false,
        }
    }
    listed + more == all.len()
}

/// Returns the anchors of a document's sections named in the request.
fn anchors_of(kept: &ContextPack, path: &str) -> Vec<String> {
    let Some(provenance) = &kept.provenance else {
        return Vec::new();
    };
    let of = |name: &str| provenance.request.get(name).cloned().unwrap_or_default();
    let named = ["plan", "acceptance", "architecture"].map(of).into_iter();
    let docs = match of("docs") {
        Value::Array(docs) => docs,
        _ => Vec::new(),
    };
    let anchors = named.chain(docs).filter_map(|given| {
        let (name, anchor) = given.as_str()?.split_once('#')?;
        // The name may be relative to a folder other than the root, so only compare its end.
        let name = name.trim_start_matches(['.', '/']);
        (path == name || path.ends_with(&format!("/{name}"))).then(|| anchor_of(anchor))
    });
    anchors.collect()
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn listed_or_counted_conditions_same() {
        let list = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        let all = list(&["a", "b", "c"]);
        assert!(is_same(&list(&["c", "a", "b"]), &all));
        assert!(is_same(&list(&["a", "2 more, as `x.md` says"]), &all));
        for other in [
            &["a", "b"][..],
            &["a", "b", "c", "d"],
            &["a", "1 more, as `x.md` says"],
        ] {
            assert!(!is_same(&list(other), &all), "{other:?}");
        }
    }
}
