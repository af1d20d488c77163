//! Catalogue of the zoo: samples, systems and metrics.

use crate::{BUILT_IN, Metric, ZooError, archetypes};

/// The sample repositories, systems and metrics, with what they mean, as text for people.
///
/// # Errors
/// When a sample that is built in is wrong.
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
