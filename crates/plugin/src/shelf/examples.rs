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

/// The largest file of an example, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// The most time for one example.
const TIME: Duration = Duration::from_secs(30);
const INPUT: &str = ".input.json";
const OUTPUT: &str = ".output.json";
const ERROR: &str = ".error.txt";

/// What became of an example of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestedExample {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub state: ExampleState,
}

/// What became of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleState {
    /// The plugin gave what is expected.
    Passed,
    /// It did not: what it gave instead.
    Failed(String),
}

impl PluginService {
    /// Runs the examples in the folder `examples`, or in the one beside the plugin `name`. It is granted what it asks for,
    /// and reaches the files that an example names alone; time stands still, and chance is the same each time.
    ///
    /// # Errors
    /// When the plugin cannot be used, or there are no examples.
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
                return Err(no_examples("name the folder with `--examples`"));
            }
        };
        let place = RootedPath::new(&folder);
        let inputs = files_in(&place, |name| name.ends_with(INPUT))?;
        if inputs.is_empty() {
            return Err(no_examples(
                "an example is a file `NAME.input.json` with `NAME.output.json` beside it",
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

/// What is expected of examples that have no input: they test nothing.
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
        state: ExampleState::Failed(format!("there is no `{name}{INPUT}`")),
        name,
    };
    Ok(names.map(tested).collect())
}

fn no_examples(help: &str) -> Error {
    PluginUseError::Unusable {
        message: "there are no examples".to_owned(),
        help: Some(help.to_owned()),
        missing: true,
    }
    .into()
}

/// Runs one example; says what is other than expected.
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
        return Err(format!("`{name}{ERROR}` is empty: any failure would do"));
    }
    let world = Arc::new(ExampleWorld::of(&folder.join(format!("{name}.files")))?);
    let given = in_time(TIME, |cancel| {
        plugin.try_until(&input, Capability::ALL.into(), world, cancel)
    });
    match (given, expected, error) {
        (Ok(given), Some(expected), _) if given == expected => Ok(()),
        (Ok(given), Some(expected), _) => Err(difference(&expected, &given)),
        (Ok(given), None, None) => Err(format!("nothing says what is expected; it gives {given}")),
        (Ok(given), None, Some(_)) => Err(format!("it does not fail, and gives {given}")),
        (Err(error), _, Some(expected)) => {
            let expected = String::from_utf8_lossy(&expected);
            match error.message.contains(expected.trim()) {
                true => Ok(()),
                false => Err(format!("it fails otherwise: {error}")),
            }
        }
        (Err(error), _, None) => Err(error.to_string()),
    }
}

/// Does `work`, which is told to stop after `most`.
fn in_time<T>(
    most: Duration,
    work: impl FnOnce(&Cancel) -> Result<T, StepError>,
) -> Result<T, StepError> {
    let cancel = Cancel::default();
    let (done, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let stopping = &cancel;
        let stop = move || {
            if waiting.recv_timeout(most) == Err(mpsc::RecvTimeoutError::Timeout) {
                stopping.cancel();
            }
        };
        let watching = std::thread::Builder::new().spawn_scoped(scope, stop);
        if let Err(error) = watching {
            let why = format!("nobody can watch its time: {error}");
            return Err(StepError::new(ErrorKind::Internal, why));
        }
        let given = work(&cancel);
        drop(done);
        given.map_err(|error| match cancel.is_cancelled() {
            true => {
                let why = format!("it takes longer than {} seconds", most.as_secs_f32());
                StepError::new(ErrorKind::Failed, why)
            }
            false => error,
        })
    })
}

/// The first place at which two values differ.
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
                    "at `{path}` it gives {}, not {}",
                    told(new),
                    told(old)
                ))
            }
        }
    }
    at("", Some(expected), Some(given)).unwrap_or_default()
}

/// The files of an example, and nothing else.
struct ExampleWorld {
    repo: Repo,
    /// What is there where it has none, as long as it is looked at.
    _empty: Option<tempfile::TempDir>,
}

impl ExampleWorld {
    /// The files in `files`; where there is no such folder, an empty one.
    fn of(files: &Path) -> Result<Self, String> {
        let mut empty = None;
        // What a link leads to is no part of the example, and may be anything.
        let folder = match files.symlink_metadata() {
            Ok(found) if found.is_dir() => files,
            Ok(_) => return Err(format!("{} is no folder", files.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let made = tempfile::tempdir();
                let made = made.map_err(|error| format!("no empty folder can be made: {error}"))?;
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
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn files_behind_a_link_are_no_part_of_an_example() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        let link = dir.path().join("a.files");
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        let why = ExampleWorld::of(&link).err().unwrap();
        assert!(why.contains("a.files is no folder"), "{why}");
        assert!(ExampleWorld::of(&outside).is_ok());
        assert!(ExampleWorld::of(&dir.path().join("b.files")).is_ok());
    }

    #[test]
    fn null_is_not_nothing() {
        let [with, without] = [serde_json::json!({ "a": null }), serde_json::json!({})];
        assert_eq!(
            difference(&with, &without),
            "at `/a` it gives nothing, not null"
        );
        assert_eq!(
            difference(&without, &with),
            "at `/a` it gives null, not nothing"
        );
        let (old, new) = (serde_json::json!([1, 2]), serde_json::json!([1, 3]));
        assert_eq!(difference(&old, &new), "at `/1` it gives 3, not 2");
    }

    #[test]
    fn an_example_has_a_time_limit() {
        let endless = |cancel: &Cancel| {
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            Err::<(), _>(StepError::new(ErrorKind::Cancelled, "stopped"))
        };
        let error = in_time(Duration::from_millis(500), endless).unwrap_err();
        assert_eq!(error.message, "it takes longer than 0.5 seconds");
        assert_eq!(in_time(TIME, |_| Ok(7)), Ok(7));
    }
}
