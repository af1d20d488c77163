//! Measures the wall time of processes and calls. Contenders take turns, so that a machine that
//! slows down slows all of them down.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Error;

/// Measured times of one contender.
#[derive(Debug, Clone)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn median(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted[sorted.len() / 2]
    }

    /// Returns the median of the ratios between neighbouring runs.
    fn ratio_to(&self, peer: &Self) -> f64 {
        let mut ratios: Vec<f64> = (self.0.iter().zip(&peer.0))
            .map(|(own, peer)| own.as_secs_f64() / peer.as_secs_f64())
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Runs the measured work once and returns the time it took.
pub(crate) type Contender<'a> = &'a mut dyn FnMut() -> Result<Duration, Error>;

/// Measures `contenders` in turn, `repeat` times after a warm-up round that doesn't count.
pub(crate) fn in_turn<const N: usize>(
    mut contenders: [Contender<'_>; N],
    repeat: usize,
) -> Result<[Samples; N], Error> {
    let mut samples = [const { Samples(Vec::new()) }; N];
    for round in 0..=repeat.max(1) {
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            let took = contender()?;
            if round > 0 {
                samples.0.push(took);
            }
        }
    }
    Ok(samples)
}

/// Returns a process's time from start to end. Its output goes to a file.
pub(crate) fn time(command: &mut Command) -> Result<Duration, Error> {
    let sink = tempfile::tempfile()?;
    command
        .stdin(Stdio::null())
        .stderr(sink.try_clone()?)
        .stdout(sink);
    let started = Instant::now();
    let status = command.status()?;
    let took = started.elapsed();
    match status.success() {
        true => Ok(took),
        false => Err(format!("`{command:?}`: {status}").into()),
    }
}

/// Returns a process's standard output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, Error> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{command:?}`: {}\n{said}", output.status).into())
}

/// One figure: a time and its limit.
pub(crate) struct Row {
    name: String,
    ours: Samples,
    limit: Limit,
}

enum Limit {
    Within(Duration),
    /// A multiple of a peer's time.
    Times(f64, &'static str, Samples),
}

impl Row {
    /// Creates a row that requires `ours` to take at most `limit`.
    pub(crate) fn within(name: impl Into<String>, ours: Samples, limit: Duration) -> Self {
        Self {
            name: name.into(),
            ours,
            limit: Limit::Within(limit),
        }
    }

    /// Creates a row that requires `ours` to take at most `times` as long as `peer`.
    pub(crate) fn beside(
        name: impl Into<String>,
        ours: Samples,
        times: f64,
        (peer, samples): (&'static str, Samples),
    ) -> Self {
        Self {
            name: name.into(),
            ours,
            limit: Limit::Times(times, peer, samples),
        }
    }

    /// Returns true if the limit is met.
    pub(crate) fn is_met(&self) -> bool {
        match &self.limit {
            Limit::Within(limit) => self.ours.median() <= *limit,
            Limit::Times(times, _, peer) => self.ours.ratio_to(peer) <= *times,
        }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |samples: &Samples| samples.median().as_secs_f64() * 1e3;
        let met = if self.is_met() { "met" } else { "NOT MET" };
        write!(f, "{:56} {:9.2} ms  ", self.name, ms(&self.ours))?;
        match &self.limit {
            Limit::Within(limit) => write!(f, "goal ≤ {} ms  {met}", limit.as_millis()),
            Limit::Times(times, name, peer) => write!(
                f,
                "{:.2} × {name} ({:.2} ms), goal ≤ {times} ×  {met}",
                self.ours.ratio_to(peer),
                ms(peer)
            ),
        }
    }
}
