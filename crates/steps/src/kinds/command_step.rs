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

/// How long a process may take to end after it was asked to, where its step does not say.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The longest that a step may say.
const MAX_GRACE: Duration = Duration::from_secs(600);

/// How long a step takes beyond the grace of its process, to end it and to read what it printed.
const TO_END: Duration = Duration::from_secs(1);

/// How long what a process printed may take to be read once it was ended.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// How many bytes are looked at where they are.
const LITTLE: u64 = 16 << 10;

/// The most bytes of the first line of a script that are looked at.
const MAX_FIRST_LINE: usize = 256;

/// The most lines of each stream that the words of a failure repeat.
const LAST_LINES: usize = 40;

/// The most bytes of each stream that the words of a failure repeat.
const LAST_BYTES: usize = 4 << 10;

/// Runs a program, without a shell. Only in a runbook that is trusted, or with `--allow-commands`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The program and its arguments.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
    /// The folder of the repository to run it in; the root if not said.
    #[serde(default = "RepoPath::root")]
    cwd: RepoPath,
    /// Variables to set.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Variables to let through, beside PATH, HOME, TMPDIR, LANG, USER and LOGNAME.
    #[serde(default)]
    inherit_env: Vec<String>,
    /// Files and folders that its arguments name and that may change: a change to one does not end trust.
    #[serde(default)]
    #[expect(dead_code, reason = "read where trust is looked at")]
    unpinned: Vec<RepoPath>,
    /// The exit codes that mean success.
    #[serde(default = "default_ok")]
    ok_exit_codes: Vec<i32>,
    /// What to make of what it prints. A number in JSON that 64 bits do not hold becomes a text of its digits.
    #[serde(default)]
    parse: Parse,
    /// How long it may take to end after it was asked to (Ctrl-C, `timeout`), before it is killed: `5s`, at most `10m`;
    /// 1500ms if not said.
    #[serde(default)]
    grace: Option<DurationText>,
    /// How many bytes of what it prints are kept, of each stream, in whole lines: a quarter from its beginning, the
    /// rest from its end.
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
    /// What it printed to standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<Redacted>,
    /// What it printed, secrets replaced; absent where it was parsed. Where something was left out, a line
    /// says how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<Redacted>,
    /// The lines it printed, with `parse: lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<Redacted>>,
    /// The value it printed, with `parse: json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<Value>,
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

/// The grace that a step asks for.
///
/// # Errors
/// When it is no duration, or too long.
fn grace_of(text: &DurationText) -> Result<Duration, String> {
    match text.parse() {
        Ok(grace) if grace > MAX_GRACE => Err(format!(
            "`{text}` is longer than a program may take to end: at most 10m"
        )),
        Ok(grace) => Ok(grace),
        Err(error) => Err(error.to_string()),
    }
}

/// Why a word cannot be given to the system.
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
        Some(grace + TO_END)
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
                let message = "no program is started where nothing may be changed: a program may";
                return Err(StepError::new(ErrorKind::Refused, message)
                    .help("the runbook runs as a whole where changes are allowed"));
            }
            CommandPermission::Refused => {
                let message = "the runbook is not trusted to run programs";
                return Err(StepError::new(ErrorKind::Refused, message).help(
                    "look at it, then `windlass trust` it, or run it once with `--allow-commands`",
                ));
            }
        }
        let grace = input.grace.as_ref().map_or(Ok(PATIENCE), grace_of);
        let grace = grace.map_err(StepError::invalid)?;
        services.snapshot.disturb();
        let mut process = start(services, &input)?;
        let ended = wait(&mut process, &call, grace).await;
        let ended =
            ended.map_err(|error| StepError::failed(format!("`{}`: {error}", input.argv[0])))?;
        let printed = process.into_printed();
        let answered = if printed.stdout.bytes() + printed.stderr.bytes() < LITTLE {
            answer(&input, ended, printed)
        } else {
            // Looking for secrets in more than that takes longer than handing it to another thread.
            call.blocking(move || answer(&input, ended, printed)).await
        };
        answered.map(|output| with_uncovered(output, &uncovered))
    })
}

/// Looks once more at the files that the step starts: they were trusted before the run began, and steps before this
/// one may have changed them. Returns what trust does not cover of them.
async fn still_trusted(
    services: &Services,
    call: &Call,
    steps: &ReviewedSteps,
) -> Result<Vec<String>, StepError> {
    let Some(step) = steps.get(call.step_id()).cloned() else {
        return Err(StepError::new(
            ErrorKind::Refused,
            "the step is not among those that were trusted",
        ));
    };
    let repo = services.snapshot.repo().clone();
    let (input, environment) = (call.input.clone(), Arc::clone(&services.environment));
    call.blocking(move || {
        let path = environment.get("PATH").map(OsString::as_os_str);
        // What is started is no evidence of the run.
        step.check(&input, path, &repo.snapshot())
    })
    .await
}

/// How a process came to its end.
#[derive(Clone, Copy)]
enum Ended {
    Itself(ExitStatus),
    /// Its step was stopped.
    Stopped,
}

/// Waits until the process has ended, and ends it when its step is stopped.
async fn wait(process: &mut Process, call: &Call, grace: Duration) -> io::Result<Ended> {
    let group = process.group();
    let finished = process.finish();
    tokio::pin!(finished);
    tokio::select! {
        finished = &mut finished => return finished.map(Ended::Itself),
        _ = call.stop.beyond(StopLevel::None) => {}
    }
    // Looked for before anything ends: then nothing says any more whose children they were.
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
        // What left the group may hold the other ends of the pipes.
        let _ = tokio::time::timeout(LAST_WORDS, finished).await;
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

/// True if the program that could not be started is there: then the system misses what it names. A name that was not
/// found on `PATH` is an error of our own.
fn is_there(spec: &ProcessSpec, error: &io::Error) -> bool {
    let is_path = spec.program.as_encoded_bytes().contains(&b'/');
    error.raw_os_error().is_some() && (!is_path || Path::new(&spec.program).exists())
}

/// Says that what a program begins with names an interpreter that is not there.
fn missing_interpreter(services: &Services, spec: &ProcessSpec) -> String {
    let repo = services.snapshot.repo();
    // Only files of the repository are read.
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

/// The folder to run in, found right before: steps before this one may have put a link in its place.
fn folder(services: &Services, cwd: &RepoPath) -> Result<PathBuf, StepError> {
    services.snapshot.repo().folder(cwd).map_err(|refusal| {
        let kind = match refusal {
            Refusal::OutsideRoot | Refusal::Secret { .. } => ErrorKind::Refused,
            _ => ErrorKind::Failed,
        };
        StepError::new(kind, format!("`{cwd}` is no folder to run in: {refusal}"))
            .help("`cwd` names a folder of the repository, also behind links")
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
    inherited.chain(given).chain(own).collect()
}

fn answer(input: &Input, ended: Ended, printed: Printed) -> Result<StepOutput, StepError> {
    let (stdout, stderr) = (printed.stdout.finish(), printed.stderr.finish());
    let status = match ended {
        Ended::Itself(status) => status,
        Ended::Stopped => {
            let error = StepError::new(ErrorKind::Cancelled, "stopped before it was done");
            return Err(with_last_words(error, &stdout, &stderr));
        }
    };
    let exit_code = status.code();
    let Some(exit_code) = exit_code.filter(|code| input.ok_exit_codes.contains(code)) else {
        return Err(with_last_words(failure(input, status), &stdout, &stderr));
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

/// Says with `output` what the program may have loaded that trust does not cover.
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
    if let Some(left_out) = stdout.left_out() {
        let message = format!("`{program}` printed more than is kept: {left_out}");
        return Err(StepError::failed(message).help("raise `max_output_bytes`"));
    }
    serde_json::from_str(&with_large_numbers_as_texts(stdout.text().as_str()))
        .map_err(|error| StepError::failed(format!("`{program}` did not print JSON: {error}")))
}

/// `line` without the carriage return that ends it where a program writes lines as Windows does.
fn without_return(line: &Redacted) -> Redacted {
    let text = line.as_str();
    line.first_bytes(text.strip_suffix('\r').unwrap_or(text).len())
}

/// What is missing in the output.
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
    // Arguments may hold what nobody should see; the runbook says what they are.
    let message = format!("`{}` {how}", input.argv[0]);
    // Programs fail for reasons that pass; whether to try again is said by the step's `retry`.
    StepError::new(ErrorKind::Transient, message)
}

/// Says with `error` what the program printed last, and keeps all of it that is kept.
fn with_last_words(error: StepError, stdout: &Kept, stderr: &Kept) -> StepError {
    // What went wrong is mostly said there.
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
        words.push(last_words(name, text.as_str()));
        error = error.seen(json!({ field: text }));
    }
    if words.is_empty() {
        error
    } else {
        error.help(words.join("\n"))
    }
}

/// The last lines of what the program printed on the stream called `name`.
fn last_words(name: &str, text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut left = LAST_BYTES;
    let fits = |line: &&&str| {
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
    fn the_last_words_are_bounded_by_lines_and_by_bytes() {
        assert_eq!(
            last_words("standard error", "one\ntwo\n"),
            "standard error:\none\ntwo"
        );
        let numbered: String = (1..=50).map(|line| format!("{line}\n")).collect();
        let said = last_words("standard output", &numbered);
        assert!(
            said.starts_with("standard output, 10 lines before:\n11\n"),
            "{said}"
        );
        assert!(said.ends_with("\n50"), "{said}");
        let wide = format!("{}\nend\n", "x".repeat(LAST_BYTES));
        assert_eq!(
            last_words("standard error", &wide),
            "standard error, 1 line before:\nend"
        );
    }

    #[test]
    fn line_of_windows_has_no_carriage_return() {
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
    fn grace_is_a_duration_of_at_most_ten_minutes() {
        let grace = |text: &str| grace_of(&DurationText::new(text));
        assert_eq!(grace("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(grace("10m"), Ok(MAX_GRACE));
        for wrong in ["11m", "5", "", "-5s", "soon"] {
            assert!(grace(wrong).is_err(), "{wrong}");
        }
    }
}
