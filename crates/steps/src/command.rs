use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::LazyLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Redacted, RepoPath};
use windlass_engine::{Call, ErrorKind, Step, StepError, StepFuture, StepOutput, StopLevel};
use windlass_plan::{Effects, KindSpec};
use windlass_repo::redact_text;

use crate::process::{Captured, Finished, Process, ProcessSpec};
use crate::spec::kind;
use crate::{CommandPermission, Services};

/// What every process may see of the environment: what programs need to be found and to behave alike.
const INHERITED: [&str; 10] = [
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "USER",
    "LOGNAME",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
];

/// How long a process may take to end after it was asked to.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How much more of an output is read than is kept, so that a secret across the cut is seen whole.
const SCAN_MARGIN: usize = 64 << 10;

/// Lines of the output that a failure shows.
const SHOWN_LINES: usize = 8;

/// Runs a program, without a shell. Only in a runbook that is trusted, or with `--allow-commands`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The program and its arguments.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
    /// The folder to run it in; the root if not said.
    #[serde(default = "RepoPath::root")]
    cwd: RepoPath,
    /// Variables to set.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Variables to let through, beside PATH, HOME, TMPDIR, LANG, USER and LOGNAME.
    #[serde(default)]
    inherit_env: Vec<String>,
    /// The exit codes that mean success.
    #[serde(default = "default_ok")]
    ok_exit_codes: Vec<i32>,
    /// What to make of what it prints.
    #[serde(default)]
    parse: Parse,
    /// How much of what it prints is kept, of each stream.
    #[serde(default = "default_max_output")]
    #[schemars(range(min = 1, max = 8_388_608))]
    max_output_bytes: usize,
}

fn default_ok() -> Vec<i32> {
    vec![0]
}

fn default_max_output() -> usize {
    256 << 10
}

/// What to make of what a program prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Parse {
    /// Nothing: it is text.
    #[default]
    Text,
    /// A list of its lines.
    Lines,
    /// The JSON value it is.
    Json,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// What it exited with.
    exit_code: i32,
    /// What it printed, secrets replaced; absent where it was parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<Redacted>,
    /// The lines it printed, with `parse: lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<Redacted>>,
    /// The value it printed, with `parse: json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<Value>,
    /// What it printed to standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<Redacted>,
    /// Whether something of it was not kept.
    truncated: bool,
}

pub(crate) const NAME: &str = "command";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let effects = Effects {
        reads_files: false,
        runs_processes: true,
        nested: false,
        reproducible: false,
    };
    kind::<Input, Output>(NAME, "run a program, without a shell", None, effects)
});

pub(crate) struct CommandStep {
    services: Services,
}

impl CommandStep {
    pub(crate) fn new(services: &Services) -> Self {
        Self {
            services: services.clone(),
        }
    }
}

impl Step for CommandStep {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> &KindSpec {
        &SPEC
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let input: Input = call.input()?;
            if self.services.commands == CommandPermission::Refused {
                let message = "the runbook is not trusted to run programs";
                return Err(StepError::new(ErrorKind::Refused, message).help(
                    "look at it, then `windlass trust` it, or run it once with `--allow-commands`",
                ));
            }
            let process = start(&self.services, &input)?;
            let group = process.group();
            let finished = process.finish();
            tokio::pin!(finished);
            let finished = tokio::select! {
                finished = &mut finished => finished,
                _ = call.stop.beyond(StopLevel::None) => {
                    tokio::select! {
                        () = group.end(PATIENCE) => {}
                        _ = &mut finished => {}
                    }
                    return Err(StepError::new(ErrorKind::Cancelled, "stopped before it was done"));
                }
            };
            let finished = finished
                .map_err(|error| StepError::failed(format!("`{}`: {error}", input.argv[0])))?;
            answer(&input, &finished)
        })
    }
}

fn start(services: &Services, input: &Input) -> Result<Process, StepError> {
    let Some((program, arguments)) = input.argv.split_first() else {
        return Err(StepError::invalid(
            "`argv` is empty; its first element is the program",
        ));
    };
    let root = services.snapshot.repo().root();
    let folder = if input.cwd.is_root() {
        root.to_owned()
    } else {
        root.join(input.cwd.as_str())
    };
    // A program given by a relative path is meant relative to the folder, on every system.
    let relative = program.contains('/') && !std::path::Path::new(program).is_absolute();
    let spec = ProcessSpec {
        program: if relative {
            folder.join(program).into_os_string()
        } else {
            OsString::from(program)
        },
        arguments: arguments.to_vec(),
        environment: environment(services, input),
        // What is cut off may be the end of a secret that begins before it; it is cut after the scan.
        max_output_bytes: input.max_output_bytes + SCAN_MARGIN,
        folder,
    };
    Process::start(&spec).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such program or folder".to_owned(),
            _ => error.to_string(),
        };
        StepError::failed(format!("`{program}` cannot be started: {why}"))
    })
}

fn environment(services: &Services, input: &Input) -> BTreeMap<String, OsString> {
    let names = INHERITED
        .iter()
        .copied()
        .chain(input.inherit_env.iter().map(String::as_str));
    let inherited =
        names.filter_map(|name| Some((name.to_owned(), services.environment.get(name)?.clone())));
    let given = input
        .env
        .iter()
        .map(|(name, value)| (name.clone(), OsString::from(value)));
    inherited.chain(given).collect()
}

fn answer(input: &Input, finished: &Finished) -> Result<StepOutput, StepError> {
    let exit_code = finished.status.code();
    let (stdout, stdout_cut) = kept(&finished.stdout, input.max_output_bytes);
    let (stderr, stderr_cut) = kept(&finished.stderr, input.max_output_bytes);
    let Some(exit_code) = exit_code.filter(|code| input.ok_exit_codes.contains(code)) else {
        return Err(failure(input, finished, &stdout, &stderr));
    };
    let mut output = Output {
        exit_code,
        stdout: None,
        lines: None,
        json: None,
        stderr: Some(stderr).filter(|text| !text.as_str().is_empty()),
        truncated: stdout_cut || stderr_cut,
    };
    match input.parse {
        Parse::Text => output.stdout = Some(stdout),
        Parse::Lines => output.lines = Some(lines(&stdout)),
        Parse::Json => {
            let value = serde_json::from_str(stdout.as_str()).map_err(|error| {
                StepError::failed(format!("`{}` did not print JSON: {error}", input.argv[0]))
            })?;
            output.json = Some(value);
        }
    }
    let truncated = output.truncated;
    let output = StepOutput::of(&output)?;
    Ok(if truncated {
        output.caveat(format!(
            "only the first {} bytes were kept",
            input.max_output_bytes
        ))
    } else {
        output
    })
}

/// An output with secrets replaced, cut to `max` bytes; and whether something was cut.
fn kept(captured: &Captured, max: usize) -> (Redacted, bool) {
    let (text, _) = redact_text(&String::from_utf8_lossy(&captured.bytes));
    let cut = captured.truncated || text.as_str().len() > max;
    (text.first_bytes(max), cut)
}

fn lines(text: &Redacted) -> Vec<Redacted> {
    let count = text.as_str().lines().count();
    text.lines().take(count).collect()
}

fn failure(input: &Input, finished: &Finished, stdout: &Redacted, stderr: &Redacted) -> StepError {
    let how = match finished.status.code() {
        Some(code) => format!("exited with {code}"),
        None => format!("ended: {}", finished.status),
    };
    let said = if stderr.as_str().trim().is_empty() {
        stdout
    } else {
        stderr
    };
    let lines: Vec<&str> = said.as_str().trim_end().lines().collect();
    let tail = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n");
    // Arguments may hold what nobody should see; the runbook says what they are.
    let message = format!("`{}` {how}", input.argv[0]);
    // Programs fail for reasons that pass; whether to try again is said by the step's `retry`.
    let error = StepError::new(ErrorKind::Transient, message);
    if tail.is_empty() {
        error
    } else {
        error.help(format!("it said:\n{tail}"))
    }
}
