//! Tests a plugin with its examples.
//!
//! An example called `NAME` consists of several files in the same folder. The plugin gets the input
//! from `NAME.input.json`. It must either return exactly the value in `NAME.output.json`, or fail
//! with a message that contains the text of `NAME.error.txt`. If there's a folder `NAME.files`, its
//! files are the repository that the plugin sees.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde_json::Value;
use windlass_base::Cancel;
use windlass_engine::{ErrorKind, StepError};
use windlass_plan::Capability;
use windlass_repo::{Repo, Snapshot, read_foreign};
use windlass_store::{FolderFile, RootedPath, files_in, read_file};

use windlass_site::Error;

use super::found_plugin::PluginPlace;
use super::plugin_service::PluginService;
use super::plugin_use_error::PluginUseError;
use crate::{Plugin, Reach, World};

/// Maximum size of a file in an example, in bytes.
const MAX_BYTES: u64 = 16 << 20;
const TIME: Duration = Duration::from_secs(30);
const INPUT: &str = ".input.json";
const OUTPUT: &str = ".output.json";
const ERROR: &str = ".error.txt";

/// An example and the result of running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestedExample {
    /// The `NAME` in `NAME.input.json`.
    pub name: String,
    /// The result. An expected output without an input counts as `Failed`.
    pub state: ExampleState,
}

/// The result of running an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleState {
    /// The output equals the expected one.
    Passed,
    /// The plugin failed, or its output isn't the expected one. The text describes the difference
    /// to the user.
    Failed(String),
}

impl PluginService {
    /// Runs the examples in the folder `examples`, or in the one beside the plugin `name`.
    ///
    /// The plugin gets all capabilities that it asks for, but it only sees the example's own files.
    /// Time and random numbers are fixed, so that the outputs are always the same.
    ///
    /// # Errors
    /// Returns an error if the plugin can't be used or has no examples.
    pub fn test_plugin(
        &self,
        name: &str,
        examples: Option<&Path>,
        start: &Path,
    ) -> Result<Vec<TestedExample>, Error> {
        let found = self.plugin_named(name, start, &self.plugins())?;
        let folder = match (examples, &found.place) {
            (Some(folder), _) => start.join(folder),
            (None, PluginPlace::Repository(file)) => {
                let folder = file
                    .parent()
                    .map(|folder| folder.to_string())
                    .unwrap_or_default();
                self.site.repo().root().join(folder).join("examples")
            }
            (None, PluginPlace::File(path)) => start.join(path).with_file_name("examples"),
            (None, PluginPlace::User(_) | PluginPlace::Oci(_)) => {
                return Err(no_examples("pass the folder with `--examples FOLDER`"));
            }
        };
        let place = RootedPath::new(&folder);
        let inputs = files_in(&place, |name| name.ends_with(INPUT))?;
        if inputs.is_empty() {
            return Err(no_examples(
                "add a file `NAME.input.json` with `NAME.output.json` beside it",
            ));
        }
        let example = |file: &FolderFile| {
            let name = file.name.trim_end_matches(INPUT).to_owned();
            let state = match run(&found.plugin, &folder, &name) {
                Ok(()) => ExampleState::Passed,
                Err(why) => ExampleState::Failed(why),
            };
            TestedExample { name, state }
        };
        let tested = inputs.iter().map(example);
        Ok(tested.chain(without_input(&folder, &inputs)?).collect())
    }
}

/// Reports expected outputs that have no input. They don't test anything, so they're probably a
/// mistake.
fn without_input(folder: &Path, inputs: &[FolderFile]) -> Result<Vec<TestedExample>, Error> {
    let of = |file: &FolderFile| {
        let name = file.name.strip_suffix(OUTPUT);
        Some(name.or_else(|| file.name.strip_suffix(ERROR))?.to_owned())
    };
    let has_input = |name: &String| {
        let mut names = inputs.iter().map(|file| file.name.trim_end_matches(INPUT));
        names.any(|input| input == name)
    };
    let expected = files_in(&RootedPath::new(folder), |name| {
        name.ends_with(OUTPUT) || name.ends_with(ERROR)
    })?;
    let names = expected
        .iter()
        .filter_map(of)
        .filter(|name| !has_input(name));
    let tested = |name: String| TestedExample {
        state: ExampleState::Failed(format!("missing `{name}{INPUT}`")),
        name,
    };
    Ok(names.map(tested).collect())
}

fn no_examples(help: &str) -> Error {
    PluginUseError::Unusable {
        message: "no examples found".to_owned(),
        help: Some(help.to_owned()),
        missing: true,
    }
    .into()
}

/// Runs one example. If the output isn't the expected one, the error describes the difference.
fn run(plugin: &Plugin, folder: &Path, name: &str) -> Result<(), String> {
    let json = |ending: &str| -> Result<Option<Value>, String> {
        let path = folder.join(format!("{name}{ending}"));
        match read_foreign(&path, MAX_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|error| format!("{name}{ending}: {error}")),
            Err(windlass_repo::Refusal::Missing) => Ok(None),
            Err(why) => Err(format!("{name}{ending}: {why}")),
        }
    };
    let input = json(INPUT)?.unwrap_or_default();
    let expected = json(OUTPUT)?;
    let error = read_file(
        &RootedPath::new(folder).join(format!("{name}{ERROR}")),
        MAX_BYTES,
    );
    let error = error.map_err(|error| error.to_string())?;
    if expected.is_some() && error.is_some() {
        return Err(format!("it has both `{name}{OUTPUT}` and `{name}{ERROR}`"));
    }
    if error
        .as_ref()
        .is_some_and(|text| text.trim_ascii().is_empty())
    {
        return Err(format!(
            "`{name}{ERROR}` is empty, which would match any failure"
        ));
    }
    let world = Arc::new(ExampleWorld::of(&folder.join(format!("{name}.files")))?);
    let given = in_time(TIME, |cancel| {
        plugin.try_until(&input, Capability::ALL.into(), world, cancel)
    });
    match (given, expected, error) {
        (Ok(given), Some(expected), _) if given == expected => Ok(()),
        (Ok(given), Some(expected), _) => Err(difference(&expected, &given)),
        (Ok(given), None, None) => Err(format!("no expected output; the actual output is {given}")),
        (Ok(given), None, Some(_)) => Err(format!("expected a failure, got {given}")),
        (Err(error), _, Some(expected)) => {
            let expected = String::from_utf8_lossy(&expected);
            match error.message.contains(expected.trim()) {
                true => Ok(()),
                false => Err(format!("it failed with another error: {error}")),
            }
        }
        (Err(error), _, None) => Err(error.to_string()),
    }
}

/// Runs `work`. If it takes longer than `limit`, we cancel it and report that as a failure.
fn in_time<T>(
    limit: Duration,
    work: impl FnOnce(&Cancel) -> Result<T, StepError>,
) -> Result<T, StepError> {
    let cancel = Cancel::default();
    let (done, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let stopping = &cancel;
        let stop = move || {
            if waiting.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                stopping.cancel();
            }
        };
        let watching = std::thread::Builder::new().spawn_scoped(scope, stop);
        if let Err(error) = watching {
            let why = format!("cannot start a timer thread: {error}");
            return Err(StepError::new(ErrorKind::Internal, why));
        }
        let given = work(&cancel);
        // The watching thread wakes up when the channel closes, so we don't have to wait for the
        // rest of the limit.
        drop(done);
        given.map_err(|error| match cancel.is_cancelled() {
            true => {
                let why = format!("it took longer than {} seconds", limit.as_secs_f32());
                StepError::new(ErrorKind::Failed, why)
            }
            false => error,
        })
    })
}

fn difference(expected: &Value, given: &Value) -> String {
    fn at(path: &str, expected: Option<&Value>, given: Option<&Value>) -> Option<String> {
        match (expected, given) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                let keys = old
                    .keys()
                    .chain(new.keys().filter(|key| !old.contains_key(*key)));
                let mut keys = keys.map(|key| (key, old.get(key), new.get(key)));
                keys.find_map(|(key, old, new)| at(&format!("{path}/{key}"), old, new))
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
                let mut pairs = old.iter().zip(new).enumerate();
                pairs.find_map(|(n, (old, new))| at(&format!("{path}/{n}"), Some(old), Some(new)))
            }
            (old, new) if old == new => None,
            (old, new) => {
                let told = |value: Option<&Value>| match value {
                    Some(value) => value.to_string(),
                    None => "nothing".to_owned(),
                };
                Some(format!(
                    "at `{path}`: got {}, expected {}",
                    told(new),
                    told(old)
                ))
            }
        }
    }
    at("", Some(expected), Some(given)).unwrap_or_default()
}

struct ExampleWorld {
    repo: Repo,
    /// Takes the place of a missing `NAME.files`. It's deleted at the end of the run.
    _empty: Option<tempfile::TempDir>,
}

impl ExampleWorld {
    /// Creates a world with the files in the folder `files`. If there's no such folder, the world
    /// is empty.
    fn of(files: &Path) -> Result<Self, String> {
        let mut empty = None;
        // Refuse a link. Its target isn't part of the example, and could be any folder of the user.
        let folder = match files.symlink_metadata() {
            Ok(found) if found.is_dir() => files,
            Ok(_) => return Err(format!("{} is not a folder", files.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let made = tempfile::tempdir();
                let made =
                    made.map_err(|error| format!("cannot create a temporary folder: {error}"))?;
                empty.insert(made).path()
            }
            Err(error) => return Err(format!("{} cannot be read: {error}", files.display())),
        };
        let repo = Repo::open(folder).map_err(|error| error.to_string())?;
        Ok(Self {
            repo,
            _empty: empty,
        })
    }
}

impl World for ExampleWorld {
    fn reach(&self, _: bool) -> Box<dyn Reach> {
        Box::new(ExampleReach(self.repo.snapshot()))
    }

    fn run_began(&self) -> u64 {
        1_700_000_000_000
    }

    fn seed(&self) -> [u8; 32] {
        [7; 32]
    }
}

struct ExampleReach(Snapshot);

impl Reach for ExampleReach {
    fn snapshot(&self) -> &Snapshot {
        &self.0
    }

    fn anchors(&self, _: &Value, _: &Cancel) -> Result<Value, StepError> {
        Ok(serde_json::json!({ "anchors": [], "fresh": 0, "stale": 0 }))
    }

    fn basis(&self) -> windlass_engine::Basis {
        windlass_engine::Basis::Unknown
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make files and links")]
mod tests;
