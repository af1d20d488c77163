//! Built-in step kinds, each in a file of its own.
//!
//! The input and output types of a kind are also its documentation: documents are checked against
//! schemas generated from these types. A step returns its findings in files as pointers with
//! hashes, never as bare text. The files are read again later, since they may have changed by then,
//! and only then is it decided if the text may be shown.
//!
//! We never read a file except through [`windlass_repo::Snapshot`], start a process without
//! permission, or return text of files or processes with unredacted secrets.

mod first_anchors;
mod kinds;
mod process;
mod rests_on;
mod review;
mod services;

pub use first_anchors::first_anchors;
pub use kinds::anchors_step::{TakenAnchors, take_anchors};
pub use kinds::pack_step::whole_id;
pub use kinds::read_step::FilePart;
pub use process::ProgramPaths;
pub use rests_on::{FilesIn, RestsOn, rests_on};
pub use review::{
    CommandPermission, ProgramReview, ReviewedFile, ReviewedStep, ReviewedSteps, UnknownProgram,
    loaders_reason, review_program,
};
pub use services::{
    ContextPacks, Nested, NestedRunbooks, NoContextPacks, NoOtherStates, OtherStates, PackInput,
    Services, SharedNotebook,
};

use windlass_engine::Registry;
use windlass_plan::Catalog;

use kinds::{
    anchors_step, command_step, doc_step, evidence_step, files_step, git_step, join_step,
    outline_step, pack_step, playbook_step, read_step, recall_step, runbook_step, search_step,
    select_step, suggestions_step,
};

/// Returns the specifications of the built-in kinds.
#[must_use]
pub fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    catalog.insert_built_in(anchors_step::NAME, &anchors_step::SPEC);
    catalog.insert_built_in(command_step::NAME, &command_step::SPEC);
    catalog.insert_built_in(doc_step::NAME, &doc_step::SPEC);
    catalog.insert_built_in(evidence_step::NAME, &evidence_step::SPEC);
    catalog.insert_built_in(files_step::NAME, &files_step::SPEC);
    catalog.insert_built_in(git_step::NAME, &git_step::SPEC);
    catalog.insert_built_in(join_step::NAME, &join_step::SPEC);
    catalog.insert_built_in(outline_step::NAME, &outline_step::SPEC);
    catalog.insert_built_in(pack_step::NAME, &pack_step::SPEC);
    catalog.insert_built_in(playbook_step::NAME, &playbook_step::SPEC);
    catalog.insert_built_in(read_step::NAME, &read_step::SPEC);
    catalog.insert_built_in(recall_step::NAME, &recall_step::SPEC);
    catalog.insert_built_in(runbook_step::NAME, &runbook_step::SPEC);
    catalog.insert_built_in(search_step::NAME, &search_step::SPEC);
    catalog.insert_built_in(select_step::NAME, &select_step::SPEC);
    catalog.insert_built_in(suggestions_step::NAME, &suggestions_step::SPEC);
    catalog
}

/// Returns the built-in kinds, ready to run with `services`.
#[must_use]
pub fn registry(services: &Services) -> Registry {
    let mut registry = Registry::default();
    registry.add(anchors_step::step(services));
    registry.add(command_step::step(services));
    registry.add(doc_step::step(services));
    registry.add(evidence_step::step(services));
    registry.add(files_step::step(services));
    registry.add(git_step::step(services));
    registry.add(join_step::step(services));
    registry.add(outline_step::step(services));
    registry.add(pack_step::step(services));
    registry.add(playbook_step::step(services));
    registry.add(recall_step::step(services));
    registry.add(read_step::step(services));
    registry.add(runbook_step::step(services));
    registry.add(search_step::step(services));
    registry.add(select_step::step(services));
    registry.add(suggestions_step::step(services));
    registry
}

#[cfg(test)]
mod tests {
    #[test]
    fn built_in_kinds_names_match() {
        let catalog = super::catalog();
        let names: Vec<&str> = catalog.names().collect();
        let own: Vec<&str> = catalog.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, own);
    }
}
