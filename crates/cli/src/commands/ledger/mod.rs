//! Commands on the ledger: beads, mail, hooks, routes, agents and the event log.

pub(super) mod agent;
pub(super) mod bead;
pub(super) mod events;
pub(super) mod hook;
pub(super) mod mail;
pub(super) mod route;
pub(super) mod sharing;
pub(super) mod verify;

use super::{Ended, Failure, pair, print_data, print_either, print_result};
