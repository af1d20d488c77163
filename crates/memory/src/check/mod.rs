//! Checks a memory. Every finding has a stable rule name and, if possible, a location and help.

mod both_sides;
mod checked_feedback;
mod checked_files;
mod checked_ignores;
mod checked_impressions;
mod checked_links;
mod checked_records;
mod checked_routes;
mod checked_safety;
mod checked_supersession;
mod moved_records;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use windlass_base::{Diagnostic, Diagnostics, Place, Source};

use crate::state::memory::Memory;

pub(crate) use self::checked_ignores::missing_patterns;
pub(crate) use self::moved_records::Moved;

/// Returns all findings, sorted by file and location. A missing memory is the only finding.
#[must_use]
pub fn check(memory: &Memory) -> Diagnostics {
    let mut found = Vec::new();
    if !memory.is_there() && memory.files.closed.is_empty() {
        let none = Diagnostic::error("not-initialized", "no memory in this repository");
        return none.help("run `windlass memory init` to create one").into();
    }
    if memory.is_there() {
        checked_files::check(memory, &mut found);
        checked_records::check(memory, &mut found);
        checked_impressions::check(memory, &mut found);
        checked_routes::check(memory, &mut found);
        checked_supersession::check(memory, &mut found);
        both_sides::check(memory, &mut found);
        checked_links::check(memory, &mut found);
        checked_feedback::check(memory, &mut found);
        checked_safety::check(memory, &mut found);
    } else {
        checked_files::closed(memory, &mut found);
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

/// Location of a whole file. The finding shows none of its text.
fn whole(name: &str) -> Place {
    Place::new(&Source::new(name, ""), 0..0)
}

fn first_line(source: &Arc<Source>) -> Place {
    Place::new(source, source.line_range(1))
}
