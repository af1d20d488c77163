//! Describes what the zoo has to offer, for `zoo list`.

use crate::{BUILT_IN, Metric, ZooError, archetypes};

/// Describes all samples, systems and metrics, as text for a terminal.
///
/// # Errors
///
/// Returns an error if one of our samples is not valid.
pub fn catalogue() -> Result<String, ZooError> {
    let mut text = String::new();
    for (name, title) in archetypes()? {
        text.push_str(&format!("{name:16} {title}\n"));
    }
    text.push_str(&format!("\nsystems: {}\n\n", BUILT_IN.join(", ")));
    for metric in Metric::ALL {
        let what = metric.definition();
        text.push_str(&format!(
            "{} ({}, {}): {}\n",
            metric.name(),
            what.unit,
            what.within(),
            what.means
        ));
    }
    Ok(text)
}
