//! How well all is, as text for people.

use windlass::{Health, HealthFinding};

/// Findings, a line each, and what to do about them; `named` puts the repository that was named into the commands of a help.
#[must_use]
pub fn health_text(findings: &[HealthFinding], named: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for finding in findings {
        let health = match finding.health {
            Health::Good => "good",
            Health::Fair => "fair",
            Health::Bad => "bad ",
        };
        text.push_str(&format!("{health}  {}: {}\n", finding.what, finding.found));
        if let Some(help) = &finding.help {
            text.push_str(&format!("      {}\n", named(help)));
        }
    }
    text
}
