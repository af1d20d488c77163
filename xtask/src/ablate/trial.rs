//! Runs of a measuring job, each with some heuristics left out.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use crate::Error;

/// The figures of one run by name: shares from 0 to 1, or counts of names that begin with `wrong`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figures(BTreeMap<String, f64>);

impl Figures {
    /// Reads the last line that begins with `figures:`.
    pub(super) fn read(output: &str) -> Option<Self> {
        let line = output
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("figures:"))?;
        let pairs = line.split_whitespace().map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_owned(), value.parse().ok()?))
        });
        pairs.collect::<Option<_>>().map(Self)
    }

    /// Points that are lost from `self` to `other`, summed over all shares.
    pub(super) fn lost_to(&self, other: &Self) -> f64 {
        let shares = self.0.iter().filter(|(name, _)| !counts_wrong(name));
        let lost = shares.map(|(name, share)| share - other.0.get(name).unwrap_or(&0.0));
        100.0 * lost.sum::<f64>()
    }

    /// More of a count of wrong claims.
    pub(super) fn is_less_wrong_than(&self, other: &Self) -> bool {
        let counts = self.0.iter().filter(|(name, _)| counts_wrong(name));
        counts
            .into_iter()
            .any(|(name, count)| other.0.get(name).unwrap_or(&f64::INFINITY) > count)
    }
}

fn counts_wrong(name: &str) -> bool {
    name.starts_with("wrong")
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.0 {
            write!(f, "{name}={value} ")?;
        }
        Ok(())
    }
}

/// A measuring job that is run again and again.
pub(super) struct Trials {
    program: PathBuf,
    job: String,
    args: Vec<String>,
    known: BTreeMap<Vec<String>, Figures>,
}

impl Trials {
    /// Builds `xtask` with its switches.
    pub(super) fn new(job: String, args: Vec<String>) -> Result<Self, Error> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let folder = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| PathBuf::from("target"), PathBuf::from)
            .join("ablate");
        let built = Command::new(cargo)
            .args([
                "build",
                "--release",
                "--locked",
                "--package",
                "xtask",
                "--features",
                "ablate",
                "--target-dir",
            ])
            .arg(&folder)
            .status()?;
        if !built.success() {
            return Err("xtask cannot be built with its switches".into());
        }
        let program = folder
            .join("release")
            .join(format!("xtask{}", std::env::consts::EXE_SUFFIX));
        Ok(Self {
            program,
            job,
            args,
            known: BTreeMap::new(),
        })
    }

    /// The figures without some heuristics.
    pub(super) fn without(&mut self, names: &[&str]) -> Result<Figures, Error> {
        let mut key: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        key.sort();
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let mut command = Command::new(&self.program);
        command.arg(&self.job).args(&self.args);
        for name in names {
            command.args(["--without", name]);
        }
        let output = command.output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let figures = Figures::read(&text).filter(|_| output.status.success());
        let figures = figures.ok_or_else(|| {
            format!(
                "`xtask {}` printed no figures: {}",
                self.job,
                String::from_utf8_lossy(&output.stderr)
            )
        })?;
        self.known.insert(key, figures.clone());
        Ok(figures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_compared_in_points() {
        let all = Figures::read("x\nfigures: placed=0.92 gone=0.8 wrong=2\n").unwrap();
        let less = Figures::read("figures: placed=0.90 gone=0.81 wrong=3").unwrap();
        assert!((all.lost_to(&less) - 1.0).abs() < 1e-9);
        assert!(all.is_less_wrong_than(&less) && !less.is_less_wrong_than(&all));
        assert_eq!(Figures::read("nothing"), None);
    }
}
