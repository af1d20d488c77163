//! Statistics of a worker.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the start of the process. The worker updates them while the page that shows them
/// reads them, so they are atomic.
#[derive(Debug, Default)]
pub struct WorkerStats {
    pub(super) claims: AtomicU64,
    pub(super) completed: AtomicU64,
    pub(super) failed: AtomicU64,
    pub(super) released: AtomicU64,
    pub(super) lost: AtomicU64,
    pub(super) running: AtomicU64,
    pub(super) open_molecules: AtomicU64,
    /// The position of the local replica in the shared log, in batches.
    pub(super) position: AtomicU64,
    /// The end of the shared log, in batches.
    pub(super) head: AtomicU64,
    /// When the shared log last answered, in milliseconds of
    /// [`windlass_site::Environment::elapsed`]. This stays 0 if the ledger is not shared.
    pub(super) contact_ms: AtomicU64,
}

pub(super) fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

pub(super) fn set(gauge: &AtomicU64, value: u64) {
    gauge.store(value, Ordering::Relaxed);
}

impl WorkerStats {
    fn lag(&self) -> u64 {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        of(&self.head).saturating_sub(of(&self.position))
    }

    pub(super) fn is_behind(&self) -> bool {
        self.lag() > 0
    }

    /// Formats the counts for Prometheus. `elapsed_ms` is the present value of
    /// [`windlass_site::Environment::elapsed`], in milliseconds.
    #[must_use]
    pub fn to_prometheus(&self, elapsed_ms: u64) -> String {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut text = String::new();
        let mut push = |name: &str, kind: &str, help: &str, value: String| {
            text.push_str(&format!(
                "# HELP windlass_{name} {help}\n# TYPE windlass_{name} {kind}\nwindlass_{name} {value}\n"
            ));
        };
        let counters = [
            ("claims", "Steps claimed.", &self.claims),
            ("steps_completed", "Steps completed.", &self.completed),
            ("steps_failed", "Attempts that failed.", &self.failed),
            ("steps_released", "Steps given back.", &self.released),
            (
                "leases_lost",
                "Claims that ended while their program ran.",
                &self.lost,
            ),
        ];
        for (name, help, count) in counters {
            let name = format!("worker_{name}_total");
            push(&name, "counter", help, of(count).to_string());
        }
        let gauges = [
            ("worker_steps_running", "Steps running now.", &self.running),
            (
                "worker_molecules_open",
                "Open molecules at the last look.",
                &self.open_molecules,
            ),
        ];
        for (name, help, gauge) in gauges {
            push(name, "gauge", help, of(gauge).to_string());
        }
        let contact = of(&self.contact_ms);
        // A ledger that isn't shared has no position in a shared log, so leave these out.
        if contact > 0 {
            let (position, lag) = (of(&self.position), self.lag().to_string());
            let help = "Position of the local replica in the shared log, in batches.";
            push("log_position", "gauge", help, position.to_string());
            let help = "Batches of the shared log that the local replica lacks.";
            push("log_lag_batches", "gauge", help, lag);
            let help = "Time since the last answer of the shared log.";
            let age = elapsed_ms.saturating_sub(contact);
            let age = format!("{}.{:03}", age / 1000, age % 1000);
            push("log_last_contact_age_seconds", "gauge", help, age);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Parses samples. Every sample has to follow its HELP and TYPE.
    fn parsed(text: &str) -> BTreeMap<String, (String, f64)> {
        let mut samples = BTreeMap::new();
        let (mut helped, mut typed) = (None, None);
        for line in text.lines() {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            match words[..] {
                ["#", "HELP", name, help] => {
                    assert!(help.ends_with('.'), "{line}");
                    helped = Some(name);
                }
                ["#", "TYPE", name, kind] => typed = Some((name, kind)),
                [name, value] => {
                    let (of, kind) = typed.unwrap();
                    assert_eq!((helped, of), (Some(name), name));
                    assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
                    let value = value.parse().unwrap();
                    samples.insert(name.to_owned(), (kind.to_owned(), value));
                }
                _ => panic!("{line}"),
            }
        }
        assert!(text.ends_with('\n'));
        samples
    }

    #[test]
    fn replica_is_behind_until_it_reaches_the_head() {
        let stats = WorkerStats::default();
        set(&stats.head, 9);
        let behind = [8, 9, 10].map(|position| {
            set(&stats.position, position);
            stats.is_behind()
        });
        assert_eq!(behind, [true, false, false]);
    }

    #[test]
    fn stats_as_prometheus_text() {
        let stats = WorkerStats::default();
        add(&stats.claims);
        add(&stats.claims);
        set(&stats.running, 1);
        let samples = parsed(&stats.to_prometheus(5_000));
        let value = |name: &str| samples.get(name).map(|(_, value)| *value);
        assert_eq!(value("windlass_worker_claims_total"), Some(2.0));
        assert_eq!(value("windlass_worker_steps_running"), Some(1.0));
        assert_eq!(value("windlass_log_position"), None);
        set(&stats.position, 7);
        set(&stats.head, 9);
        set(&stats.contact_ms, 3_500);
        let samples = parsed(&stats.to_prometheus(5_000));
        let value = |name: &str| samples.get(name).map(|(_, value)| *value);
        assert_eq!(value("windlass_log_position"), Some(7.0));
        assert_eq!(value("windlass_log_lag_batches"), Some(2.0));
        assert_eq!(value("windlass_log_last_contact_age_seconds"), Some(1.5));
    }
}
