//! Maven's lists of failures.

use super::hit::Hit;
use super::reader::{Own, Sheet};
use super::table::Verb;

pub(super) struct JavaList;

impl Own for JavaList {
    /// Adds a test of a list, unless we've seen it with more detail.
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool {
        let name = hit.name();
        let tail = format!(".{name}");
        let mut known = sheet.found.failures_from(0).iter();
        if verb != Verb::Listed || known.any(|it| it.id == name || it.id.ends_with(&tail)) {
            return verb == Verb::Listed;
        }
        let class = name.rsplit('.').nth(1);
        let said = hit.said("");
        let text = match (class, hit.any(&["line"])) {
            (Some(class), Some(line)) => format!("{said}\nat {class}.java:{line}"),
            _ => said.clone(),
        };
        sheet.found.fail(&name, &said, &text);
        true
    }
}
