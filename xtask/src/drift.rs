//! `cargo xtask drift`: what `windlass zoo drift` measures, on several repositories and distances at once.

use std::process::ExitCode;
use std::sync::Arc;

use windlass::engine::{NoObserver, Stop};
use windlass_zoo::{DriftRequest, drift};

use crate::Error;

pub(crate) fn main(args: Vec<String>) -> Result<ExitCode, Error> {
    let mut request = DriftRequest {
        jobs: std::thread::available_parallelism()?,
        ..DriftRequest::default()
    };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--repo" => request.repos.push(value()?.into()),
            "--commits" => request.commits.push(value()?.parse()?),
            "--spans" => request.spans = value()?.parse()?,
            "--seed" => request.seed = value()?.parse()?,
            "--ends" => request.ends = value()?.parse()?,
            "--show" => request.show.push(value()?),
            "--keep" => request.cache = Some(value()?.into()),
            "--jobs" => request.jobs = value()?.parse()?,
            "--explain" => request.explain = true,
            "--scripted" => request.scripted = true,
            _ => return Err(format!("`{arg}` is no option of drift").into()),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let found = drift(Arc::new(request), Arc::new(NoObserver), Stop::default());
    runtime
        .block_on(found)?
        .tell(&mut |line| println!("{line}"));
    Ok(ExitCode::SUCCESS)
}
