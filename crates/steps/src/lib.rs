//! The built-in kinds of steps, one file each.
//!
//! Each has an input and an output type, from which the schemas are made that documents are checked
//! against. What a step finds in files it gives back as pointers with hashes, never as bare text: whether
//! they may be shown is decided later, by looking at the files again.
//!
//! This crate must never read a file other than through [`windlass_repo::Snapshot`], start a process that
//! was not allowed, or give back text of files or processes in which secrets were not replaced.

mod anchors;
mod built_in;
mod capture;
mod command;
mod doc;
mod evidence;
mod exact;
mod files;
mod first_anchors;
mod found;
mod git;
mod heading;
mod join;
mod json_pointer;
mod outline;
mod pack;
mod permission;
mod playbook;
mod process;
mod programs;
mod read;
mod recall;
mod rests_on;
mod room;
mod runbook;
mod scope;
mod search;
mod select;
mod services;
mod spec;
mod vcontext;

pub use anchors::{TakenAnchors, take_anchors};
pub use first_anchors::first_anchors;
pub use pack::NAME as PACK_STEP;
pub use pack::{ContextPacks, NoContextPacks, PackInput, whole_id};
pub use permission::{CommandPermission, ReviewedFile, ReviewedStep, ReviewedSteps};
pub use programs::{ProgramPaths, ProgramReview, UnknownProgram, loaders_reason, review_program};
pub use read::FilePart;
pub use rests_on::{FilesIn, RestsOn, rests_on};
pub use runbook::{Nested, NestedRunbooks};
pub use services::{NOTEBOOK, NoOtherStates, OtherStates, Services, SharedNotebook};

use windlass_engine::Registry;
use windlass_plan::Catalog;

/// What the plan must know of the built-in kinds.
#[must_use]
pub fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    catalog.insert_built_in(anchors::NAME, &anchors::SPEC);
    catalog.insert_built_in(command::NAME, &command::SPEC);
    catalog.insert_built_in(doc::NAME, &doc::SPEC);
    catalog.insert_built_in(evidence::NAME, &evidence::SPEC);
    catalog.insert_built_in(files::NAME, &files::SPEC);
    catalog.insert_built_in(git::NAME, &git::SPEC);
    catalog.insert_built_in(join::NAME, &join::SPEC);
    catalog.insert_built_in(outline::NAME, &outline::SPEC);
    catalog.insert_built_in(pack::NAME, &pack::SPEC);
    catalog.insert_built_in(playbook::NAME, &playbook::SPEC);
    catalog.insert_built_in(read::NAME, &read::SPEC);
    catalog.insert_built_in(recall::NAME, &recall::SPEC);
    catalog.insert_built_in(runbook::NAME, &runbook::SPEC);
    catalog.insert_built_in(search::NAME, &search::SPEC);
    catalog.insert_built_in(select::NAME, &select::SPEC);
    catalog
}

/// The built-in kinds, ready to run with `services`.
#[must_use]
pub fn registry(services: &Services) -> Registry {
    let mut registry = Registry::default();
    registry.add(anchors::step(services));
    registry.add(command::step(services));
    registry.add(doc::step(services));
    registry.add(evidence::step(services));
    registry.add(files::step(services));
    registry.add(git::step(services));
    registry.add(join::step(services));
    registry.add(outline::step(services));
    registry.add(pack::step(services));
    registry.add(playbook::step(services));
    registry.add(recall::step(services));
    registry.add(read::step(services));
    registry.add(runbook::step(services));
    registry.add(search::step(services));
    registry.add(select::step(services));
    registry
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kind_goes_by_its_own_name() {
        let catalog = super::catalog();
        let names: Vec<&str> = catalog.names().collect();
        let own: Vec<&str> = catalog.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, own);
    }
}
