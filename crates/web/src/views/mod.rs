//! The views, one file each.

mod bead;
mod beads;
mod board;
mod compare;
mod events;
mod graph;
mod health;
mod mail;
mod memory;
mod molecule;
mod now;
mod packs;
mod run;
mod runs;
mod step;
mod work;
mod zoo;

pub(crate) use bead::bead;
pub(crate) use beads::beads;
pub(crate) use board::board;
pub(crate) use compare::compare;
pub(crate) use events::events;
pub(crate) use graph::{molecule_graph, run_graph};
pub(crate) use health::{citations, health};
pub(crate) use mail::mail;
pub(crate) use memory::memory;
pub(crate) use molecule::molecule;
pub(crate) use now::now;
pub(crate) use packs::{pack, packs};
pub(crate) use run::run;
pub(crate) use runs::runs;
pub(crate) use step::step;
pub(crate) use work::work;
pub(crate) use zoo::zoo;
