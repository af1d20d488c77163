//! Ratios of earlier runs. Absolute times depend on the machine, but the ratio to a peer's time
//! should be about the same everywhere, so a slowdown shows up in it.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;

use super::bench_times::Row;
use crate::Error;

/// The file of recorded ratios. Each line has the day, the ratio to the peer's time, and the row's
/// name.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bench/history.txt");

/// Factor by which a ratio may grow. At this factor, our speed relative to a peer has fallen by a
/// fifth.
const MAX_GROWTH: f64 = 1.25;

/// Describes each of `rows` whose ratio is much worse than the best one recorded for it. If we
/// compared with the last one, a slowdown in small steps would never show.
pub(crate) fn slower(rows: &[Row]) -> Result<Vec<String>, Error> {
    let text = fs::read_to_string(FILE)?;
    let best = |name: &str| {
        let of_row = |line: &str| {
            let (_, rest) = line.split_once(' ')?;
            let (ratio, row) = rest.split_once(' ')?;
            (row == name).then(|| ratio.parse::<f64>().ok())?
        };
        text.lines().filter_map(of_row).min_by(f64::total_cmp)
    };
    let slower = rows.iter().filter_map(|row| {
        let (ratio, best) = (row.ratio()?, best(row.name())?);
        let is_slower = ratio > best * MAX_GROWTH;
        is_slower.then(|| format!("{}: {ratio:.2} × its peer, after {best:.2} ×", row.name()))
    });
    Ok(slower.collect())
}

/// Appends the ratios of `rows`, measured on `day`.
pub(crate) fn record(day: &str, rows: &[Row]) -> Result<(), Error> {
    let mut lines = String::new();
    for row in rows {
        if let Some(ratio) = row.ratio() {
            writeln!(lines, "{day} {ratio:.3} {}", row.name())?;
        }
    }
    let mut file = OpenOptions::new().append(true).create(true).open(FILE)?;
    Ok(file.write_all(lines.as_bytes())?)
}
