//! What the library is told of the world.

use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime};

use windlass::packs::harmless;
use windlass::{Environment, Error, Seeds, Site, Workspace};

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

pub(crate) fn environment() -> Environment {
    // A name that is no text cannot be asked for.
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    Environment {
        variables: Arc::new(variables.collect()),
        clock: SystemTime::now,
        elapsed: || STARTED.elapsed(),
        seeds: Seeds::new(|| RandomState::new().hash_one(std::process::id()) as u16),
        threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        holder: holder(std::env::args().skip(1), host().as_deref()),
    }
}

/// Who holds a lock, for those who wait: the command and the host. Of what was typed only plain words are told, and no
/// more than a command has.
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
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = named.or_else(|| std::env::var("HOSTNAME").ok());
    let named = named.or_else(|| std::env::var("COMPUTERNAME").ok())?;
    let named = named.trim();
    (!named.is_empty()).then(|| named.to_owned())
}

/// The folder the user stands in.
pub(crate) fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// The repository `root`, or the one the user stands in.
pub(crate) fn workspace(root: Option<&Path>) -> Result<Workspace, Error> {
    match root {
        Some(root) => {
            let called_with = |site: Site| site.called_with_root(&root.to_string_lossy());
            Ok(Workspace::open(root, environment())?.with(called_with))
        }
        None => Workspace::discover(&here(), environment()),
    }
}

/// Lets a write fail that would make a file larger than this process may have it: the system ends the process
/// otherwise, and what it was about to say is lost.
pub(crate) fn hear_of_file_limits() {
    #[cfg(unix)]
    {
        // What is heard is not looked at. Programs that are started do not inherit it.
        let heard = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, heard);
    }
}

/// Starts the log on standard error: at the level that `-v` asks for, else as `RUST_LOG` says, else none.
///
/// # Errors
/// When `RUST_LOG` cannot be parsed.
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
    let filter = tracing_subscriber::EnvFilter::try_new(&level)
        .map_err(|error| format!("`RUST_LOG` is `{level}`: {error}"))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Scrubbed)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .init();
    Ok(())
}

/// Standard error for the log, which is written one whole event at a time: without secrets and control characters.
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
    fn who_holds_a_lock_is_a_command_on_a_host() {
        let holder = |typed: &str, host| holder(typed.split(' ').map(str::to_owned), host);
        assert_eq!(
            holder("--root /srv/x -q notebook edit many.json", Some("ann")),
            "windlass notebook edit on host ann"
        );
        assert_eq!(holder("run SECRET=x", None), "windlass run");
    }
}
