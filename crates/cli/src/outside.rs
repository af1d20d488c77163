//! The environment, the clock and the process, which the library receives as arguments instead of
//! asking for them itself.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Instant, SystemTime};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use windlass::packs::harmless;
use windlass::{Environment, Error, Seeds, Site, Workspace};

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    pub(crate) actor: Option<String>,
    /// Keeps the command from using the shared ledger. The environment variable `WINDLASS_OFFLINE`
    /// has the same effect.
    pub(crate) is_offline: bool,
    pub(crate) is_quiet: bool,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

pub(crate) fn apply(settings: Settings) {
    // This fails if it's called twice, but a process has only one command line.
    let _ = SETTINGS.set(settings);
}

fn settings() -> Settings {
    SETTINGS.get().cloned().unwrap_or_default()
}

pub(crate) fn environment() -> Environment {
    // Skip variables whose names aren't UTF-8. The library couldn't ask for them anyway.
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let settings = settings();
    // `--offline` is an alias of the variable. Since it comes last, it overrides the user's own
    // value.
    let offline = settings
        .is_offline
        .then(|| ("WINDLASS_OFFLINE".to_owned(), "1".into()));
    Environment {
        variables: Arc::new(variables.chain(offline).collect()),
        clock: SystemTime::now,
        elapsed: || STARTED.elapsed(),
        seeds: Seeds::new(|| RandomState::new().hash_one(std::process::id()) as u16),
        threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        on_long_wait: match settings.is_quiet {
            true => |_| {},
            false => crate::screen::say_waiting,
        },
        holder: holder(std::env::args().skip(1), host().as_deref()),
        user_id: user_id(),
    }
}

/// Returns the id of the user running this process, on systems that have `/proc`. The standard
/// library has no function for it.
fn user_id() -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata("/proc/self")
            .ok()
            .map(|process| process.uid())
    }
    #[cfg(not(unix))]
    None
}

/// Describes the holder of a lock to waiting processes, by its command and host.
///
/// Arguments may be secret, so we only include the first two words that look like names of
/// commands. For example, `notebook edit many.json` becomes `notebook edit`.
fn holder(args: impl Iterator<Item = String>, host: Option<&str>) -> String {
    let is_plain = |word: &String| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
    };
    let mut holder = "windlass".to_owned();
    for word in args.filter(is_plain).take(2) {
        holder.push(' ');
        holder.push_str(&word);
    }
    if let Some(host) = host {
        holder.push_str(&format!(" on host {host}"));
    }
    holder
}

fn host() -> Option<String> {
    // This is only shown to people. If we can't find the name, we just leave it out.
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = named.or_else(|| std::env::var("HOSTNAME").ok());
    let named = named.or_else(|| std::env::var("COMPUTERNAME").ok())?;
    let named = named.trim();
    (!named.is_empty()).then(|| named.to_owned())
}

pub(crate) fn here() -> PathBuf {
    // This can fail, for example if the folder has been deleted.
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// Opens the repository `root`, or the one around the current folder.
pub(crate) fn workspace(root: Option<&Path>) -> Result<Workspace, Error> {
    let workspace = match root {
        Some(root) => {
            let called_with = |site: Site| site.called_with_root(&root.to_string_lossy());
            Workspace::open(root, environment())?.with(called_with)
        }
        None => Workspace::discover(&here(), environment())?,
    };
    Ok(workspace.with(|site| site.acting_as(settings().actor.as_deref())))
}

/// Makes writes beyond the file size limit fail.
///
/// By default, the system ends the process with `SIGXFSZ`, and the user would never see our error
/// message.
pub(crate) fn survive_file_limits() {
    #[cfg(unix)]
    {
        // We never read the flag; installing a handler is all we need. Child processes don't
        // inherit it.
        let heard = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, heard);
    }
}

/// Starts the log on standard error. Its level depends on `-v`, or if that is missing, on
/// `RUST_LOG`. By default there is no log.
///
/// # Errors
/// Returns an error if `RUST_LOG` cannot be parsed.
pub(crate) fn start_logging(verbose: u8) -> Result<(), String> {
    let level = match verbose {
        0 => std::env::var("RUST_LOG").unwrap_or_default(),
        1 => "info".to_owned(),
        2 => "debug".to_owned(),
        _ => "trace".to_owned(),
    };
    if level.is_empty() {
        return Ok(());
    }
    let targets: Targets = level
        .parse()
        .map_err(|error| format!("`RUST_LOG` is `{level}`: {error}"))?;
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_writer(|| Scrubbed)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .finish()
        .with(targets)
        .init();
    Ok(())
}

/// Writer for the log on standard error. It receives one whole event at a time, so a secret cannot
/// be split between two writes.
struct Scrubbed;

impl Write for Scrubbed {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let shown = harmless(&String::from_utf8_lossy(event));
        writeln!(io::stderr(), "{}", shown.trim_end())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holder_is_command_and_host() {
        let holder = |typed: &str, host| holder(typed.split(' ').map(str::to_owned), host);
        assert_eq!(
            holder("--root /srv/x -q notebook edit many.json", Some("ann")),
            "windlass notebook edit on host ann"
        );
        assert_eq!(holder("run SECRET=x", None), "windlass run");
    }
}
