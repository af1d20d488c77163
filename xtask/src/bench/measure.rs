//! Wall time of whole processes and of calls, the contenders in turn, so that a machine that slows down
//! slows all of them down.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Error;

/// The times of one contender.
#[derive(Debug, Clone)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn of(times: Vec<Duration>) -> Self {
        Self(times)
    }

    pub(crate) fn median(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted[sorted.len() / 2]
    }

    pub(crate) fn min(&self) -> Duration {
        self.0.iter().copied().min().unwrap_or_default()
    }

    /// What 95 % do not exceed.
    pub(crate) fn p95(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * 95).div_ceil(100).saturating_sub(1);
        sorted.get(at).copied().unwrap_or_default()
    }

    /// The median of the ratios of the runs that stood next to each other.
    pub(crate) fn ratio_to(&self, peer: &Self) -> f64 {
        let mut ratios: Vec<f64> = (self.0.iter().zip(&peer.0))
            .map(|(own, peer)| own.as_secs_f64() / peer.as_secs_f64())
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Something whose time is taken.
pub(crate) trait Contender {
    /// Does it once and says how long it took; what has to be got ready or cleared away does not count.
    fn once(&mut self) -> Result<Duration, Error>;
}

impl<F: FnMut() -> Result<Duration, Error>> Contender for F {
    fn once(&mut self) -> Result<Duration, Error> {
        self()
    }
}

/// Takes the times of `contenders` in turn, `repeat` times after one round that does not count.
pub(crate) fn in_turn(
    contenders: &mut [&mut dyn Contender],
    repeat: usize,
) -> Result<Vec<Samples>, Error> {
    for contender in contenders.iter_mut() {
        contender.once()?;
    }
    let mut samples = vec![Samples(Vec::with_capacity(repeat)); contenders.len()];
    for _ in 0..repeat.max(1) {
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            samples.0.push(contender.once()?);
        }
    }
    Ok(samples)
}

/// The time a process takes from its start to its end; its output goes into a file.
pub(crate) fn time(command: &mut Command) -> Result<Duration, Error> {
    let sink = tempfile::tempfile()?;
    time_into(command, sink)
}

fn time_into(command: &mut Command, sink: File) -> Result<Duration, Error> {
    command
        .stdin(Stdio::null())
        .stderr(sink.try_clone()?)
        .stdout(sink);
    let started = Instant::now();
    let status = command.status()?;
    let took = started.elapsed();
    if status.success() {
        Ok(took)
    } else {
        Err(format!("`{command:?}`: {status}").into())
    }
}

/// What a process prints to standard output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, Error> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{command:?}`: {}\n{said}", output.status).into())
    }
}

/// The memory of a process in bytes, where it can be known: its number, or `self`.
pub(crate) fn resident(process: &str) -> Result<Option<u64>, Error> {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) else {
        return Ok(None);
    };
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    Ok(kilobytes
        .map(str::parse::<u64>)
        .transpose()?
        .map(|kilobytes| kilobytes << 10))
}
