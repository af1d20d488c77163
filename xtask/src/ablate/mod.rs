//! Measures the benefit of each heuristic of an area, next to the lines of code that it takes
//! (`cargo xtask ablate`).
//!
//! The area's measuring program is built with the feature `windlass-base/ablate`, which gives each
//! heuristic a switch (`windlass_base::is_on` in the code). One child measures the repositories in
//! `tune`, from which we get the order of elimination. Another one measures those in `decide`,
//! which have to confirm every elimination, because a heuristic may seem useless in `tune` just by
//! chance.

#[expect(dead_code, reason = "the measuring programs use the rest")]
mod answers;
mod area;
mod child;
mod compare;
mod eliminate;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::Error;
use area::Area;
use child::Child;
use eliminate::Elimination;

/// Options of the command.
struct Options {
    area: Area,
    /// A folder with the folders `tune` and `decide`, each with repositories.
    repos: PathBuf,
    /// A measuring program with switches, or `None` to build it.
    program: Option<PathBuf>,
    /// Day of the measurement, which is shown in the table.
    date: String,
    /// True to write the table to the repository.
    is_written: bool,
}

/// Runs the command.
///
/// # Errors
/// Returns an error for unknown arguments, or if the area cannot be measured.
pub(crate) fn main(args: &[String]) -> Result<ExitCode, Error> {
    let options = options(args)?;
    let area = &options.area;
    let program = options.program.clone().map_or_else(|| area.build(), Ok)?;
    let sets = ["tune", "decide"];
    let [tune, decide] = sets.map(|set| Child::start(area, &program, (&options.repos, set)));
    let mut elimination = Elimination::start(area, tune?, decide?)?;
    elimination.measure_alone()?;
    elimination.eliminate()?;
    let table = table::of(&elimination, &options.repos, &options.date)?;
    print!("{table}");
    if options.is_written {
        std::fs::write(&area.table, table)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: &[String]) -> Result<Options, Error> {
    let (mut area, mut repos, mut program, mut date) = (None, None, None, None);
    let mut is_written = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--repos" => repos = Some(PathBuf::from(value()?)),
            "--program" => program = Some(PathBuf::from(value()?)),
            "--date" => date = Some(value()?.clone()),
            "--write" => is_written = true,
            name if area.is_none() && !name.starts_with('-') => area = Some(Area::named(name)?),
            _ => return Err(format!("unknown option `{arg}`").into()),
        }
    }
    Ok(Options {
        area: area.ok_or(format!("missing AREA; known: {}", area::names()))?,
        repos: repos.ok_or("missing `--repos DIR`")?,
        program,
        date: date.unwrap_or_default(),
        is_written,
    })
}
