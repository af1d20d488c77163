//! What documents say of the work, again: what it is for, when it is done, and what has to be kept to.

use std::sync::Arc;

use serde_json::Value;
use windlass_base::RepoPath;
use windlass_context::{ContextPack, Origin, Source, SourceKind, anchor_of, doc_item};
use windlass_repo::{SourceFile, redact_text};

use super::super::build::contract::{DONE_ITEM, add_conditions, constraint_item, goal_of, said_by};
use super::super::build::pick::whole_text;
use super::{PartState, Rebuild};

/// A document as it is now.
enum Now {
    /// It is what it was, or a commit of that time has it.
    Same,
    /// It is another.
    Other(Arc<SourceFile>),
    /// It is not there, or may not be read.
    Gone,
}

impl Rebuild<'_> {
    /// Reads anew what of `kept` documents said, and puts into `pack` what they say now. Whatever else of a document changed
    /// does not matter.
    pub(super) fn said(&mut self, kept: &ContextPack, pack: &mut ContextPack) {
        let origins: Vec<&Origin> = kept.provenance.iter().flat_map(|it| &it.items).collect();
        let from_document = |item: &str| {
            let mut own = origins.iter().filter(|origin| origin.item == item);
            own.find(|origin| origin.source.kind == SourceKind::File)
                .map(|origin| &origin.source)
        };
        if let Some(source) = from_document("goal") {
            let again = |path: &RepoPath, file: &SourceFile| {
                let goal = goal_of(path, file)?;
                Some(Value::from(redact_text(&goal).0.as_str()))
            };
            let goal = self.one("goal", source, &Value::from(kept.goal.as_str()), &again);
            pack.goal = goal.as_str().unwrap_or_default().to_owned();
        }
        for (name, text) in &kept.constraints {
            let item = constraint_item(name);
            let Some(source) = from_document(&item) else {
                continue;
            };
            let again = |path: &RepoPath, file: &SourceFile| {
                let said = said_by(path, file, &[]).constraints.into_iter();
                let mut same = said.filter(|(known, _)| known == name);
                same.next().map(|(_, text)| Value::from(text))
            };
            match self.one(&item, source, text, &again) {
                Value::Null => drop(pack.constraints.remove(name)),
                text => drop(pack.constraints.insert(name.clone(), text)),
            }
        }
        if from_document(DONE_ITEM).is_some() {
            self.read += 1;
            self.done(kept, pack);
        }
    }

    /// What `again` finds in the document of `source`, where it stood as `known`.
    fn one(
        &mut self,
        item: &str,
        source: &Source,
        known: &Value,
        again: &dyn Fn(&RepoPath, &SourceFile) -> Option<Value>,
    ) -> Value {
        self.read += 1;
        let Some(path) = self.path(item, source) else {
            return Value::Null;
        };
        let said = match self.now(&path, source) {
            Now::Same => return known.clone(),
            Now::Other(file) => again(&path, &file).unwrap_or_default(),
            Now::Gone => Value::Null,
        };
        match said == *known {
            true => self.tell(item, PartState::LinesSame, other_parts(&path)),
            false => self.tell(
                item,
                PartState::Changed,
                format!("`{path}` says something else of it now, or nothing"),
            ),
        }
        said
    }

    /// When the work is done, as all documents of `kept` say together.
    fn done(&mut self, kept: &ContextPack, pack: &mut ContextPack) {
        let origins = kept.provenance.iter().flat_map(|it| &it.items);
        let sources: Vec<(&str, &Source)> = origins
            .filter(|origin| origin.source.kind == SourceKind::File)
            .map(|origin| (origin.item.as_str(), &origin.source))
            .collect();
        let (mut done, mut all, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for doc in &kept.doc_refs {
            let item = doc_item(&doc.path);
            let source = sources.iter().find(|(own, _)| *own == item);
            let (Some((_, source)), Ok(path)) = (source, RepoPath::parse(&doc.path)) else {
                continue;
            };
            let file = match self.now(&path, source) {
                Now::Same => self.as_it_was(&path, source),
                Now::Other(file) => {
                    changed.push(path.clone());
                    Some(file)
                }
                Now::Gone => {
                    changed.push(path.clone());
                    None
                }
            };
            let Some(file) = file else { continue };
            let said = said_by(&path, &file, &anchors_of(kept, &doc.path)).conditions;
            for condition in &said {
                if !all.contains(condition) {
                    all.push(condition.clone());
                }
            }
            add_conditions(&mut done, said, &doc.path);
        }
        let Some(first) = changed.first() else {
            return;
        };
        if is_same(&kept.definition_of_done, &all) {
            self.tell(DONE_ITEM, PartState::LinesSame, other_parts(first));
            return;
        }
        let names: Vec<String> = changed.iter().map(|path| format!("`{path}`")).collect();
        let why = match changed.len() {
            1 => format!("{} says something else of it now, or nothing", names[0]),
            _ => format!(
                "{} say something else of it now, or nothing",
                names.join(", ")
            ),
        };
        self.tell(DONE_ITEM, PartState::Changed, why);
        pack.definition_of_done = done;
    }

    fn now(&self, path: &RepoPath, source: &Source) -> Now {
        let now = self.snapshot.read(path).ok();
        let is_same = now.as_ref().is_some_and(|file| is_of(file, source));
        match now {
            _ if is_same || self.in_commit(path, &|file| is_of(file, source)).is_some() => {
                Now::Same
            }
            Some(file) => Now::Other(file),
            None => Now::Gone,
        }
    }

    /// The file that `source` was, from the working tree or a commit.
    fn as_it_was(&self, path: &RepoPath, source: &Source) -> Option<Arc<SourceFile>> {
        let now = self.snapshot.read(path).ok();
        now.filter(|file| is_of(file, source)).or_else(|| {
            self.in_commit(path, &|file| is_of(file, source))
                .map(|(_, file)| file)
        })
    }
}

fn is_of(file: &SourceFile, source: &Source) -> bool {
    source.hash.as_deref() == Some(whole_text(file).1.as_str())
}

fn other_parts(path: &RepoPath) -> String {
    format!("other parts of `{path}` are not what they were")
}

/// Whether `all` that is said is what `kept` lists, which says of what it has no room for how much it is.
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

/// The sections of a document that were asked for by name.
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
        // It may have been named from another folder.
        let name = name.trim_start_matches(['.', '/']);
        (path == name || path.ends_with(&format!("/{name}"))).then(|| anchor_of(anchor))
    });
    anchors.collect()
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn what_is_listed_is_all_that_is_said_or_counts_the_rest() {
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
