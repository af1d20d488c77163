//! Built-in step kinds, each in a file of its own.
//!
//! The input and output types of a kind are also its documentation: schemas are generated from
//! them, and runbooks are checked against these schemas. If you change a doc comment of such a
//! type, you change what users see.
//!
//! A step returns what it finds in files as pointers with hashes, never as bare text. The files may
//! change afterwards, so the end of the run reads them again, and only then decides if their text
//! may be shown.
//!
//! We never read a file except through [`windlass_repo::Snapshot`], start a process without
//! permission, or return text from files or processes with secrets in it.

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
    review_program,
};
pub use services::{
    ContextPacks, Nested, NestedRunbooks, NoContextPacks, NoOtherStates, OtherStates, PackInput,
    Services, SharedNotebook,
};

use windlass_engine::Registry;
use windlass_plan::Catalog;

/// Defines the catalog and the registry from a list of modules in [`kinds`]. To add a kind, add its
/// module there.
macro_rules! kinds {
    ($($kind:ident)+) => {
        use kinds::{$($kind),+};

        /// Returns the specifications of the built-in kinds, which are enough to check a runbook,
        /// but not to run it.
        #[must_use]
        pub fn catalog() -> Catalog {
            let mut catalog = Catalog::default();
            $(catalog.insert_built_in($kind::NAME, &$kind::SPEC);)+
            catalog
        }

        /// Returns the built-in kinds themselves, ready to run with `services`.
        #[must_use]
        pub fn registry(services: &Services) -> Registry {
            let mut registry = Registry::default();
            $(registry.add($kind::step(services));)+
            registry
        }
    };
}

kinds! {
    anchors_step command_step doc_step evidence_step files_step git_step join_step outline_step
    pack_step playbook_step read_step recall_step runbook_step search_step select_step
    suggestions_step
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
