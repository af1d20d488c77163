//! The `command` step runs a program without a shell.
//!
//! Programs only run if the user trusts the runbook or passes `--allow-commands`. Trust covers the
//! contents of the files that the program starts or loads, and since an earlier step of the same
//! run may have changed them, we check again just before the start.
//!
//! The program gets a process group of its own. If the step has to stop, we first ask all of its
//! processes to end, and kill them after a grace period. Its output is limited in size, and secrets
//! in the output are redacted.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_base::{Redacted, RepoPath, counted};
use windlass_engine::{
    Call, Caveat, ErrorKind, Step, StepError, StepFuture, StepOutput, StopLevel,
};
use windlass_plan::{DurationText, Effects, InputWords, KindSpec, WrittenInput};
use windlass_redact::redact_text;
use windlass_repo::Refusal;

use super::built_in::BuiltIn;
use super::kind_spec::kind;
use super::large_numbers::with_large_numbers_as_texts;
use crate::process::{Kept, Printed, Process, ProcessSpec};
use crate::review::{CommandPermission, ReviewedSteps};
use crate::services::Services;

/// Environment variables inherited by every process.
///
/// Without them, most programs aren't found, or behave differently than in a terminal. Any others
/// have to be listed in the runbook.
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

/// Default time between asking a process to end and killing it.
const DEFAULT_GRACE: Duration = Duration::from_millis(1500);

const MAX_GRACE: Duration = Duration::from_secs(600);

/// Time that a stopped step gets after the grace period, to kill the process and read its output.
const END_ALLOWANCE: Duration = Duration::from_secs(1);

/// Time to read from the pipes after killing the process. This is only used up if a process that we
/// didn't kill keeps a pipe open.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// Maximum number of bytes of output to process on the current thread. Scanning more than that for
/// secrets takes longer than switching to another thread.
const MAX_INLINE_BYTES: u64 = 16 << 10;

/// Maximum number of bytes to quote from a script's interpreter line (`#!`), in case the file isn't
/// a script at all and has very long lines.
const MAX_FIRST_LINE: usize = 256;

/// Maximum number of lines per stream to quote in an error message. The end of the output usually
/// says what went wrong, and the rest is attached to the error.
const LAST_LINES: usize = 40;

const LAST_BYTES: usize = 4 << 10;

/// Runs a program without a shell. Requires a trusted runbook, or `--allow-commands`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Program and arguments.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
    /// Working directory inside the repository; the root by default.
    #[serde(default = "RepoPath::root")]
    cwd: RepoPath,
    /// Environment variables to set.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Environment variables to inherit, besides PATH, HOME, TMPDIR, LANG, USER and LOGNAME.
    #[serde(default)]
    inherit_env: Vec<String>,
    /// Files and folders in the arguments that may change without ending trust.
    #[serde(default)]
    #[expect(dead_code, reason = "read where trust is looked at")]
    unpinned: Vec<RepoPath>,
    /// Exit codes of success.
    #[serde(default = "default_ok")]
    ok_exit_codes: Vec<i32>,
    /// Interpretation of the output. A JSON number beyond 64 bits becomes a string of its digits.
    #[serde(default)]
    parse: Parse,
    /// Time to end after a stop request (Ctrl-C, `timeout`) before it is killed: `5s`, at most `10m`; 1500ms by
    /// default.
    #[serde(default)]
    grace: Option<DurationText>,
    /// Maximum number of bytes retained of each output stream, in whole lines: a quarter from the start, the
    /// rest from the end.
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

/// Interpretation of a program's output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Parse {
    /// Plain text.
    #[default]
    Text,
    /// List of lines.
    Lines,
    /// JSON value.
    Json,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Exit code.
    exit_code: i32,
    /// Standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<Redacted>,
    /// Standard output with secrets redacted; absent if it was parsed. A line marks omitted output.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<Redacted>,
    /// Output lines, with `parse: lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<Redacted>>,
    /// Output value, with `parse: json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<Value>,
    /// True if output was omitted.
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
        .checked_by(check)
        .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse::<RepoPath>("/cwd");
    input.parse_items::<RepoPath>("/unpinned");
    if let Some(grace) = input.parse::<DurationText>("/grace")
        && let Err(problem) = grace_of(&grace)
    {
        input.refuse_with_help("/grace", problem, "write it like `500ms`, `5s` or `1m`");
    }
    for (at, word) in input.parse_items::<String>("/argv") {
        if let Some(problem) = unusable(&word, at == "/argv/0") {
            input.refuse(at, problem);
        }
    }
}

fn grace_of(text: &DurationText) -> Result<Duration, String> {
    match text.parse() {
        Ok(grace) if grace > MAX_GRACE => Err(format!(
            "`{text}` is longer than a program may take to end: at most 10m"
        )),
        Ok(grace) => Ok(grace),
        Err(error) => Err(error.to_string()),
    }
}

fn unusable(word: &str, is_program: bool) -> Option<&'static str> {
    if is_program && word.trim().is_empty() {
        Some("the name of the program is empty")
    } else if word.contains('\0') {
        Some("an argument cannot hold a NUL character")
    } else {
        None
    }
}

fn explain(input: &InputWords) -> Vec<String> {
    let argv = input.phrase("", "argv");
    let folder = input.phrase(" in the folder ", "cwd");
    vec![
        format!("starts a program{folder}, without a shell; name and arguments: {argv}"),
        "what the program reads is up to the program".to_owned(),
    ]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::starting(services, NAME, &SPEC, run).with_grace(|input| {
        let text = input.get("grace").and_then(Value::as_str)?;
        let grace = grace_of(&DurationText::new(text)).ok()?;
        // The engine has to give a stopped step this much time, or it would drop the step while the
        // process is still ending.
        Some(grace + END_ALLOWANCE)
    })
}

fn run(services: &Services, call: Call, input: Input) -> StepFuture<'_> {
    Box::pin(async move {
        let mut uncovered = Vec::new();
        match &services.commands {
            CommandPermission::Allowed => {}
            CommandPermission::Trusted(steps) => {
                uncovered = still_trusted(services, &call, steps).await?;
            }
            CommandPermission::Forbidden => {
                let message = "no program is started, since nothing may be changed";
                return Err(StepError::new(ErrorKind::Refused, message)
                    .help("run the runbook with permission to change files"));
            }
            CommandPermission::Refused => {
                let message = "the runbook is not trusted to run programs";
                return Err(StepError::new(ErrorKind::Refused, message).help(
                    "review it, then run `windlass trust`, or run it once with `--allow-commands`",
                ));
            }
        }
        let grace = input.grace.as_ref().map_or(Ok(DEFAULT_GRACE), grace_of);
        let grace = grace.map_err(StepError::invalid)?;
        // From now on, any file may change.
        services.snapshot.disturb();
        let mut process = start(services, &input)?;
        let ended = wait(&mut process, &call, grace).await;
        let ended =
            ended.map_err(|error| StepError::failed(format!("`{}`: {error}", input.argv[0])))?;
        let printed = process.into_printed();
        let answered = if printed.stdout.bytes() + printed.stderr.bytes() < MAX_INLINE_BYTES {
            answer(&input, ended, printed)
        } else {
            // Scanning this much output for secrets takes longer than switching to another thread.
            call.blocking(move || answer(&input, ended, printed)).await
        };
        answered.map(|output| with_uncovered(output, &uncovered))
    })
}

/// Checks the step's files again, because an earlier step may have changed them after the user's
/// decision. Returns the files that trust doesn't cover.
async fn still_trusted(
    services: &Services,
    call: &Call,
    steps: &ReviewedSteps,
) -> Result<Vec<String>, StepError> {
    let Some(step) = steps.get(call.step_id()).cloned() else {
        return Err(StepError::new(
            ErrorKind::Refused,
            "the step is not one of the trusted steps",
        ));
    };
    let repo = services.snapshot.repo().clone();
    let (input, environment) = (call.input.clone(), Arc::clone(&services.environment));
    call.blocking(move || {
        let path = environment.get("PATH").map(OsString::as_os_str);
        // A started file isn't evidence of the run, so read a new snapshot instead of the run's
        // own.
        step.check(&input, path, &repo.snapshot())
    })
    .await
}

#[derive(Clone, Copy)]
enum Ended {
    Itself(ExitStatus),
    /// The step was stopped, so the exit status only says how we ended the process.
    Stopped,
}

/// Waits for the process to exit. If the step is stopped first, we ask the process to end, and kill
/// it after `grace`.
async fn wait(process: &mut Process, call: &Call, grace: Duration) -> io::Result<Ended> {
    let group = process.group();
    let finished = process.finish();
    tokio::pin!(finished);
    tokio::select! {
        finished = &mut finished => return finished.map(Ended::Itself),
        _ = call.stop.beyond(StopLevel::None) => {}
    }
    // Collect the descendants before any process ends. An orphan no longer names its parent, so
    // we'd miss it later.
    #[cfg(unix)]
    let mut below = group.descendants();
    #[cfg(unix)]
    below.terminate(group.id());
    let ended = tokio::select! {
        () = group.end(grace) => false,
        _ = &mut finished => true,
    };
    #[cfg(unix)]
    below.kill();
    if !ended {
        // Processes outside of the group may keep the pipes open, so don't wait for the remaining
        // output forever.
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, finished).await;
    }
    Ok(Ended::Stopped)
}

fn start(services: &Services, input: &Input) -> Result<Process, StepError> {
    let Some((program, arguments)) = input.argv.split_first() else {
        return Err(StepError::invalid(
            "`argv` is empty; its first element is the program",
        ));
    };
    let mut words = input.argv.iter().enumerate();
    if let Some(problem) = words.find_map(|(at, word)| unusable(word, at == 0)) {
        return Err(StepError::invalid(problem));
    }
    let folder = folder(services, &input.cwd)?;
    // Some systems resolve a relative program path from our own folder instead of the step's
    // working directory, so make the path absolute.
    let relative = program.contains('/') && !std::path::Path::new(program).is_absolute();
    let spec = ProcessSpec {
        program: if relative {
            folder.join(program).into_os_string()
        } else {
            OsString::from(program)
        },
        arguments: arguments.to_vec(),
        environment: environment(services, input),
        max_output_bytes: input.max_output_bytes,
        folder,
    };
    Process::start(&spec, &services.programs).map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::NotFound => match is_there(&spec, &error) {
                true => missing_interpreter(services, &spec),
                false => "there is no such program".to_owned(),
            },
            _ => error.to_string(),
        };
        StepError::failed(format!("`{program}` cannot be started: {why}"))
    })
}

/// True if the program itself exists, so that it's the interpreter that's missing.
///
/// The operating system reports the same error in both cases. If a name isn't found on `PATH`, on
/// the other hand, the error is our own and has no OS code.
fn is_there(spec: &ProcessSpec, error: &io::Error) -> bool {
    let is_path = spec.program.as_encoded_bytes().contains(&b'/');
    error.raw_os_error().is_some() && (!is_path || Path::new(&spec.program).exists())
}

fn missing_interpreter(services: &Services, spec: &ProcessSpec) -> String {
    let repo = services.snapshot.repo();
    // The script may be outside of the repository, where we don't read files.
    let source = repo
        .path_of(Path::new(&spec.program))
        .and_then(|file| repo.snapshot().read(&file).ok());
    let first = source.and_then(|source| {
        let bytes = source.bytes();
        let end = bytes
            .iter()
            .position(|b| *b == b'\n')
            .unwrap_or(bytes.len());
        let line = bytes[..end.min(MAX_FIRST_LINE)].strip_prefix(b"#!")?;
        Some(redact_text(String::from_utf8_lossy(line).trim_matches(' ')).0)
    });
    match first {
        // A script saved with Windows line endings asks for an interpreter called `sh\r`, for
        // example. The message would look absurd without this hint.
        Some(line) if line.as_str().ends_with('\r') => format!(
            "its interpreter `{}` is not there: its first line ends in a carriage return",
            line.as_str().trim_end()
        ),
        Some(line) => {
            let interpreter = line.as_str().split_whitespace().next().unwrap_or_default();
            format!("its interpreter `{interpreter}` is not there")
        }
        None => "the file is there, and the interpreter or loader that it names is not".to_owned(),
    }
}

/// Resolves the working directory. Call this just before the start, since an earlier step may have
/// replaced the folder with a link that leads out of the repository.
fn folder(services: &Services, cwd: &RepoPath) -> Result<PathBuf, StepError> {
    services.snapshot.repo().folder(cwd).map_err(|refusal| {
        let kind = match refusal {
            Refusal::OutsideRoot | Refusal::Secret { .. } => ErrorKind::Refused,
            _ => ErrorKind::Failed,
        };
        StepError::new(
            kind,
            format!("`{cwd}` cannot be the working directory: {refusal}"),
        )
        .help("`cwd` must be a folder inside the repository")
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
    let own = services.given.iter();
    let own = own.map(|(name, value)| (name.clone(), value.clone()));
    // Later variables win: the runbook may override inherited ones, but not the ones we set.
    inherited.chain(given).chain(own).collect()
}

fn answer(input: &Input, ended: Ended, printed: Printed) -> Result<StepOutput, StepError> {
    let (stdout, stderr) = (printed.stdout.finish(), printed.stderr.finish());
    let status = match ended {
        Ended::Itself(status) => status,
        Ended::Stopped => {
            let error = StepError::new(ErrorKind::Cancelled, "stopped before it ended");
            return Err(with_last_output(error, &stdout, &stderr));
        }
    };
    let exit_code = status.code();
    let Some(exit_code) = exit_code.filter(|code| input.ok_exit_codes.contains(code)) else {
        return Err(with_last_output(failure(input, status), &stdout, &stderr));
    };
    let caveat = caveat(&stdout, &stderr);
    let mut output = Output {
        exit_code,
        stderr: Some(stderr.text()).filter(|text| !text.as_str().is_empty()),
        stdout: None,
        lines: None,
        json: None,
        truncated: caveat.is_some(),
    };
    match input.parse {
        Parse::Text => output.stdout = Some(stdout.text()),
        Parse::Lines => output.lines = Some(stdout.lines().iter().map(without_return).collect()),
        Parse::Json => output.json = Some(json(input, &stdout)?),
    }
    let output = StepOutput::of(&output)?;
    Ok(match caveat {
        Some(caveat) => output.caveat(caveat),
        None => output,
    })
}

fn with_uncovered(output: StepOutput, uncovered: &[String]) -> StepOutput {
    if uncovered.is_empty() {
        return output;
    }
    let text = format!("not covered by trust: {}", uncovered.join(", "));
    match output.caveat.clone() {
        None => output.caveat(text),
        Some(caveat) => output.caveat(Caveat {
            text: format!("{}; {text}", caveat.text),
            ..caveat
        }),
    }
}

fn json(input: &Input, stdout: &Kept) -> Result<Value, StepError> {
    let program = &input.argv[0];
    // Output with a gap is never valid JSON, so tell the user about the limit rather than about a
    // syntax error.
    if let Some(left_out) = stdout.left_out() {
        let message = format!("`{program}` printed more than the limit: {left_out}");
        return Err(StepError::failed(message).help("raise `max_output_bytes`"));
    }
    serde_json::from_str(&with_large_numbers_as_texts(stdout.text().as_str()))
        .map_err(|error| StepError::failed(format!("`{program}` did not print JSON: {error}")))
}

fn without_return(line: &Redacted) -> Redacted {
    let text = line.as_str();
    line.first_bytes(text.strip_suffix('\r').unwrap_or(text).len())
}

/// Describes what was omitted from the two streams, or returns `None` if both are complete.
fn caveat(stdout: &Kept, stderr: &Kept) -> Option<String> {
    let streams = [("standard output", stdout), ("standard error", stderr)];
    let cut: Vec<String> = streams
        .into_iter()
        .filter_map(|(name, kept)| Some(format!("{} of {name}", kept.left_out()?)))
        .collect();
    (!cut.is_empty()).then(|| cut.join(", "))
}

fn failure(input: &Input, status: ExitStatus) -> StepError {
    let how = match status.code() {
        Some(code) => format!("exited with {code}"),
        None => format!("ended: {status}"),
    };
    // Name only the program, since its arguments may contain secrets. The runbook shows them
    // anyway.
    let message = format!("`{}` {how}", input.argv[0]);
    // We can't tell transient failures from others, so the step's `retry` decides.
    StepError::new(ErrorKind::Transient, message)
}

fn with_last_output(error: StepError, stdout: &Kept, stderr: &Kept) -> StepError {
    // Programs usually report errors on standard error, so quote this stream first.
    let streams = [
        ("stderr", "standard error", stderr),
        ("stdout", "standard output", stdout),
    ];
    let (mut error, mut words) = (error, Vec::new());
    for (field, name, kept) in streams {
        let text = kept.text();
        if text.as_str().trim().is_empty() {
            continue;
        }
        words.push(last_output(name, text.as_str()));
        error = error.seen(json!({ field: text }));
    }
    if words.is_empty() {
        error
    } else {
        error.help(words.join("\n"))
    }
}

fn last_output(name: &str, text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut left = LAST_BYTES;
    let fits = |line: &&&str| {
        // Once a line doesn't fit, we set the remainder to zero, so that no shorter line before it
        // fits either.
        let rest = left.checked_sub(line.len() + 1);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let count = lines.iter().rev().take(LAST_LINES).take_while(fits).count();
    let before = lines.len() - count;
    let tail = lines[before..].join("\n");
    match before {
        0 => format!("{name}:\n{tail}"),
        before => format!("{name}, {} before:\n{tail}", counted(before, "line")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_output_limited() {
        assert_eq!(
            last_output("standard error", "one\ntwo\n"),
            "standard error:\none\ntwo"
        );
        let numbered: String = (1..=50).map(|line| format!("{line}\n")).collect();
        let said = last_output("standard output", &numbered);
        assert!(
            said.starts_with("standard output, 10 lines before:\n11\n"),
            "{said}"
        );
        assert!(said.ends_with("\n50"), "{said}");
        let wide = format!("{}\nend\n", "x".repeat(LAST_BYTES));
        assert_eq!(
            last_output("standard error", &wide),
            "standard error, 1 line before:\nend"
        );
    }

    #[test]
    fn crlf_line_return_stripped() {
        for (given, wanted) in [
            ("a\r", "a"),
            ("a", "a"),
            ("\r", ""),
            ("a\r\r", "a\r"),
            ("a\rb", "a\rb"),
        ] {
            assert_eq!(without_return(&redact_text(given).0).as_str(), wanted);
        }
    }

    #[test]
    fn grace_over_limit_refused() {
        let grace = |text: &str| grace_of(&DurationText::new(text));
        assert_eq!(grace("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(grace("10m"), Ok(MAX_GRACE));
        for wrong in ["11m", "5", "", "-5s", "soon"] {
            assert!(grace(wrong).is_err(), "{wrong}");
        }
    }
}
