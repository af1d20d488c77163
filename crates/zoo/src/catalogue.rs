//! All that the zoo has: samples, systems, metrics, and the words of drift.

use crate::{BUILT_IN, Metric, ZooError, archetypes, drift_words};

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
    let mut of = "";
    for word in drift_words() {
        if word.of != of {
            of = word.of;
            text.push_str(&format!("\nzoo drift, {of}:\n"));
        }
        text.push_str(&format!("{word}\n"));
    }
    Ok(text)
}
