//! What the tests of this crate share.

use windlass_base::{Diagnostics, Severity};

/// The findings as text: place, rule, message, what else to look at, and the help.
pub(crate) fn shown(found: &Diagnostics) -> String {
    let mut text = String::new();
    for diagnostic in found.iter() {
        let place = match &diagnostic.place {
            Some(place) => place.to_string(),
            None => "nowhere".to_owned(),
        };
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        text += &format!(
            "{place}: {severity}[{}]: {}\n",
            diagnostic.rule, diagnostic.message
        );
        for (place, why) in &diagnostic.related {
            text += &format!("  see {place}: {why}\n");
        }
        if let Some(help) = &diagnostic.help {
            text += &format!("  help: {help}\n");
        }
    }
    text
}
