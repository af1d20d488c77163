//! What is wrong with a memory: each rule with a stable name, a place, and what to do about it.

mod both_sides;
mod conversation;
mod feedback;
mod files;
mod ignored;
mod impressions;
pub(crate) mod links;
mod moved;
mod personal;
mod records;
mod routes;
mod safety;
mod sorts;
mod supersession;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};

use crate::memory::Memory;

pub(crate) use self::both_sides::said_by_impressions;
pub use self::files::has_conflict_marks;
pub(crate) use self::ignored::{IgnoreRules, missing_patterns};
pub(crate) use self::moved::Moved;
pub(crate) use self::safety::{broken, without_personal};
pub(crate) use self::supersession::{
    impression_successors, impressions_in_circles, leads_to, meant, newer_by_record,
    records_in_circles, successors, successors_said_once,
};

/// Everything that is wrong with `memory`, by file and place. A memory that is not there has one finding, which says so.
#[must_use]
pub fn check(memory: &Memory) -> Diagnostics {
    let mut found = Vec::new();
    if !memory.is_there() && memory.files.closed.is_empty() {
        let none = Diagnostic::error("not-initialized", "there is no memory in this repository");
        return none.help("`windlass memory init` begins one").into();
    }
    if memory.is_there() {
        files::check(memory, &mut found);
        records::check(memory, &mut found);
        impressions::check(memory, &mut found);
        routes::check(memory, &mut found);
        supersession::check(memory, &mut found);
        both_sides::check(memory, &mut found);
        links::check(memory, &mut found);
        feedback::check(memory, &mut found);
        safety::check(memory, &mut found);
    } else {
        files::closed(memory, &mut found);
    }
    let key = |one: &Diagnostic| {
        let place = one.place.as_ref();
        let name = place.map(|place| place.source.name().to_owned());
        (name, place.map(|place| place.range.start), one.rule)
    };
    found.sort_by_cached_key(key);
    found.dedup_by(|a, b| a == b);
    let mut all = Diagnostics::default();
    for one in found {
        all.push(one);
    }
    all
}

/// The place that stands for the file `name` as a whole, where nothing of it can be shown.
fn whole(name: &str) -> Place {
    Place::new(&Source::new(name, ""), 0..0)
}

/// The first line of `source`.
fn first_line(source: &Arc<Source>) -> Place {
    Place::new(source, source.line_range(1))
}
