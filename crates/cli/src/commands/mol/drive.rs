//! Drives one molecule, or works on all of them (`windlass mol drive`).

use std::sync::Arc;
use std::time::Duration;

use windlass::engine::{Stop, StopLevel};
use windlass::packs::harmless_line;
use windlass::plan::Outcome;
use windlass::{
    DriveOptions, DriveReport, Error, MolWait, Molecules, Patience, WorkerStats, millis,
};

use super::{list, one};
use crate::args::MolDriveArgs;
use crate::commands::command_context::{CommandContext, interruptible, stopped_by};
use crate::commands::{Ended, Failure, WORKER_LEASE};
use crate::exit::Exit;
use windlass_render::{drive_text, step_waiting};

/// Effect of each interrupt on a worker: drain first, then cancel, then kill.
const WORKER_STOP: [StopLevel; 3] = [StopLevel::Drain, StopLevel::Cancel, StopLevel::Kill];

struct Drive<'a> {
    args: &'a MolDriveArgs,
    lease_ms: Option<u64>,
    drain: Duration,
    stats: Arc<WorkerStats>,
    waiting: &'a dyn Fn(&[MolWait]),
    trouble: &'a dyn Fn(&str),
}

impl<'a> Drive<'a> {
    fn options(&'a self, stop: &'a Stop) -> DriveOptions<'a> {
        let args = self.args;
        let patience = match (args.no_wait, args.watch) {
            (true, _) => Patience::None,
            (_, true) => Patience::Endless,
            _ => Patience::Machine,
        };
        DriveOptions {
            allow_commands: args.allow_commands,
            patience,
            stop,
            drain: self.drain,
            labels: &args.labels,
            jobs: args.jobs,
            lease_ms: self.lease_ms,
            max_lease_ms: args.watch.then_some(WORKER_LEASE),
            stats: &self.stats,
            waiting: self.waiting,
            trouble: self.trouble,
        }
    }
}

pub(super) fn drive(context: &CommandContext<'_>, args: &MolDriveArgs) -> Ended {
    let screen = context.screen;
    let waiting = |waits: &[MolWait]| {
        for wait in waits {
            screen.say(&harmless_line(&step_waiting(wait)));
        }
    };
    let trouble = |text: &str| screen.complain(&harmless_line(&format!("warning: {text}")));
    let drive = Drive {
        args,
        lease_ms: args.lease.as_deref().map(millis).transpose()?,
        drain: Duration::from_millis(millis(&args.drain)?),
        stats: Arc::default(),
        waiting: &waiting,
        trouble: &trouble,
    };
    context.with_molecules("mol drive", |molecules| match &args.mol {
        None if args.watch => work(context, molecules, &drive),
        mol => drive_one(context, molecules, mol.as_deref(), &drive),
    })
}

fn work(context: &CommandContext<'_>, molecules: &mut Molecules<'_>, drive: &Drive<'_>) -> Ended {
    let (screen, format) = (context.screen, drive.args.format.format);
    served(context, molecules, drive, async |molecules, stop| {
        let mut print_report = |report: &DriveReport| {
            let text = std::iter::once(drive_text(report).trim_end().to_owned());
            // If we can't write to the screen, we report that at the end.
            let _ = list(screen, format, text, report);
        };
        let options = drive.options(&stop);
        molecules.driver(options).all(&mut print_report).await
    })?;
    // A worker never runs out of work, so we only get here after an interrupt.
    Ok(Exit::Interrupted)
}

fn drive_one(
    context: &CommandContext<'_>,
    molecules: &mut Molecules<'_>,
    mol: Option<&str>,
    drive: &Drive<'_>,
) -> Ended {
    let mol = molecules.id(mol)?;
    let (report, is_stopped) = served(context, molecules, drive, async |molecules, stop| {
        let report = molecules.driver(drive.options(&stop)).one(&mol).await?;
        Ok((report, stop.level() != StopLevel::None))
    })?;
    let text = drive_text(&report).trim_end().to_owned();
    one(context.screen, drive.args.format.format, text, &report)?;
    Ok(match report.outcome {
        // Some step needs the user's trust. This matters more than the outcome of the others.
        _ if report.refused => Exit::Refused,
        None if is_stopped => Exit::Interrupted,
        Some(Outcome::Failed | Outcome::Cancelled) => Exit::Failed,
        _ => Exit::Done,
    })
}

/// Runs `work` until it ends, and in the meantime serves the metrics if the user asked for them.
fn served<T>(
    context: &CommandContext<'_>,
    molecules: &mut Molecules<'_>,
    drive: &Drive<'_>,
    work: impl AsyncFnOnce(&mut Molecules<'_>, Stop) -> Result<T, Error>,
) -> Result<T, Failure> {
    if !drive.args.watch {
        return interruptible(async |stop| work(molecules, stop).await);
    }
    #[cfg(feature = "web")]
    let metrics = metrics::listen(context, molecules, drive)?;
    stopped_by(&WORKER_STOP, async |stop| {
        #[cfg(feature = "web")]
        let serving = metrics.map(|metrics| tokio::spawn(metrics.serve()));
        let drained = stop.clone();
        let screen = context.screen;
        let done = tokio::select! {
            done = work(molecules, stop) => done,
            never = announce_drain(screen, &drained) => match never {},
        };
        #[cfg(feature = "web")]
        serving.inspect(tokio::task::JoinHandle::abort);
        done
    })
}

/// Tells the user once the worker starts to drain.
async fn announce_drain(screen: &crate::screen::Screen, stop: &Stop) -> std::convert::Infallible {
    if stop.beyond(StopLevel::None).await == StopLevel::Drain {
        screen.say("taking no more steps; the next interrupt stops those that run");
    }
    // This must not end before the work does, or `select!` would drop the work.
    std::future::pending().await
}

#[cfg(feature = "web")]
mod metrics {
    use std::sync::Arc;

    use windlass::{Error, Molecules};
    use windlass_web::{Door, MetricsText, serve_metrics};

    use super::{CommandContext, Drive, Failure};

    pub(super) struct Metrics {
        listener: std::net::TcpListener,
        door: Door,
        text: MetricsText,
    }

    pub(super) fn listen(
        context: &CommandContext<'_>,
        molecules: &mut Molecules<'_>,
        drive: &Drive<'_>,
    ) -> Result<Option<Metrics>, Failure> {
        let Some(address) = drive.args.metrics else {
            return Ok(None);
        };
        let failed =
            |error| Failure::Usage(format!("cannot serve metrics at `{address}`: {error}"));
        let listener = std::net::TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let own = listener.local_addr().map_err(failed)?;
        (context.screen).complain_styled(&format!("serving http://{own}/metrics"));
        let door = crate::commands::web::door(None, &own.ip(), &drive.args.metrics_host);
        let elapsed = molecules.session().site().environment().elapsed;
        let stats = Arc::clone(&drive.stats);
        let text: MetricsText = Arc::new(move || {
            let now = u64::try_from(elapsed().as_millis()).unwrap_or(u64::MAX);
            stats.to_prometheus(now)
        });
        Ok(Some(Metrics {
            listener,
            door,
            text,
        }))
    }

    impl Metrics {
        pub(super) async fn serve(self) -> Result<(), Error> {
            let listener = tokio::net::TcpListener::from_std(self.listener);
            let listener = listener.map_err(Error::internal)?;
            serve_metrics(listener, self.door, self.text).await;
            Ok(())
        }
    }
}
