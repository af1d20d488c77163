//! `cargo xtask ablate`: what each heuristic brings, in points, beside the lines of code that it takes.

mod elimination;
mod heuristics;
mod table;
mod trial;

use std::path::PathBuf;
use std::process::ExitCode;

use self::trial::Trials;
use crate::Error;

/// What is measured, and how.
struct Options {
    area: String,
    eliminate: bool,
    write: Option<PathBuf>,
    /// Arguments of the area's measuring job: its data.
    job: Vec<String>,
}

/// Runs `cargo xtask ablate`.
pub(crate) fn main(args: Vec<String>) -> Result<ExitCode, Error> {
    let options = parse(args)?;
    let heuristics = heuristics::of_area(&options.area)?;
    let job = heuristics::job_of(&options.area)?;
    let mut trials = Trials::new(job, options.job)?;
    let whole = trials.without(&[])?;
    println!("all: {whole}");
    let table = if options.eliminate {
        elimination::eliminate(&heuristics, &whole, &mut trials)?
    } else {
        table::one_by_one(&heuristics, &whole, &mut trials)?
    };
    println!("{table}");
    if let Some(file) = options.write {
        std::fs::write(file, table)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn parse(args: Vec<String>) -> Result<Options, Error> {
    let mut args = args.into_iter();
    let area = args
        .next()
        .ok_or("an area is needed: see `xtask/src/ablate/heuristics.toml`")?;
    let mut options = Options {
        area,
        eliminate: false,
        write: None,
        job: Vec::new(),
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--eliminate" => options.eliminate = true,
            "--write" => options.write = Some(args.next().ok_or("`--write` needs a file")?.into()),
            "--" => options.job.extend(args.by_ref()),
            _ => return Err(format!("`{arg}` is no option of ablate").into()),
        }
    }
    Ok(options)
}
