//! Parsing of the options of `cargo xtask dist`.

use std::path::PathBuf;

use super::target::Target;
use crate::Error;

/// Arguments of `cargo xtask dist`.
pub(super) struct Options {
    /// Cargo profile of the build.
    pub(super) profile: String,
    /// A program to package instead of a new build. This is only allowed for a single target.
    pub(super) binary: Option<PathBuf>,
    pub(super) targets: Vec<Target>,
    pub(super) out: PathBuf,
    /// True to install each package in an empty environment and run it.
    pub(super) check: bool,
    /// True for fast but weak compression, which is good enough for a trial.
    pub(super) quick: bool,
    /// True to only write the files that list the packages in `out`. Use this once the packages of
    /// all targets are there.
    pub(super) collect: bool,
}

impl Options {
    /// Parses `args`. An unknown option or target is an error.
    pub(super) fn parse(args: &[String]) -> Result<Self, Error> {
        let mut options = Self {
            profile: "dist".to_owned(),
            binary: None,
            targets: Vec::new(),
            out: PathBuf::from("target/distributed"),
            check: false,
            quick: false,
            collect: false,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--profile" => options.profile = value()?.clone(),
                "--binary" => options.binary = Some(PathBuf::from(value()?).canonicalize()?),
                "--target" => options.targets.push(Target::parse(value()?)?),
                "--out" => options.out = PathBuf::from(value()?),
                "--check" => options.check = true,
                "--quick" => options.quick = true,
                "--collect" => options.collect = true,
                other => return Err(format!("unknown option `{other}`\n\n{}", crate::USAGE).into()),
            }
        }
        if options.targets.is_empty() {
            options.targets.push(Target::host()?);
        }
        if options.binary.is_some() && options.targets.len() > 1 {
            return Err("`--binary` is the program of one target".into());
        }
        options.out = std::path::absolute(&options.out)?;
        Ok(options)
    }
}
