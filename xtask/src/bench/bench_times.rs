//! Measures the wall time of processes and calls. Contenders take turns: if the machine slows down
//! for a while, it then slows all of them down.

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

    /// Returns the median of the ratios between runs that were measured next to each other. This
    /// varies less than the ratio of the medians.
    fn ratio_to(&self, peer: &Self) -> f64 {
        let mut ratios: Vec<f64> = (self.0.iter().zip(&peer.0))
            .map(|(own, peer)| own.as_secs_f64() / peer.as_secs_f64())
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Runs the work once, and returns the time that it took.
pub(crate) type Contender<'a> = &'a mut dyn FnMut() -> Result<Duration, Error>;

/// Measures `contenders` in turn, `repeat` times. There is a warm-up round before that, which
/// does not count.
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

/// Returns a process's time from start to end. The output goes to a file, so that the process never
/// has to wait for us to read it.
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

pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, Error> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{command:?}`: {}\n{said}", output.status).into())
}

/// A measured time and its limit, as one row of the table.
pub(crate) struct Row {
    name: String,
    ours: Samples,
    limit: Limit,
}

enum Limit {
    Within(Duration),
    /// At most this many times the time of a peer. The peer has a name, and was measured too.
    Times(f64, &'static str, Samples),
}

impl Row {
    pub(crate) fn within(name: impl Into<String>, ours: Samples, limit: Duration) -> Self {
        Self {
            name: name.into(),
            ours,
            limit: Limit::Within(limit),
        }
    }

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

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn ratio(&self) -> Option<f64> {
        match &self.limit {
            Limit::Within(_) => None,
            Limit::Times(_, _, peer) => Some(self.ours.ratio_to(peer)),
        }
    }

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
