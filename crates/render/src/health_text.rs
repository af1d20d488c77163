//! Text output of the health check.

use windlass::{Health, HealthFinding};

/// Formats findings and their advice, one per line. `named` adds the user's `--root` to commands in
/// the advice.
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
