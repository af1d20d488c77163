//! Runs a plugin as a step.
//!
//! Compilation is part of preparing the step, so it does not count towards the step's time limits.
//! An attempt then validates the input, calls the plugin in a new instance, and validates the
//! output.
//!
//! A pure plugin returns the same output for the same input, so we cache its results. With a cached
//! result, neither compilation nor the call is necessary.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use windlass_base::{Cancel, Digest, canonical_json};
use windlass_engine::{
    Basis, Call, Caveat, ErrorKind, Preparing, Step, StepError, StepFuture, StepOutput,
};
use windlass_plan::{Capability, KindSpec};

use crate::Plugin;
use crate::card::Purity;
use crate::guest_words::{MAX_NOTES, line};
use crate::host::kept_outputs::{Given, Results};
use crate::host::stack::with_room;
use crate::plugin::failure::Called;
use crate::plugin::plugin_output::{self, NoOutput};
use crate::plugin::value_schema::Unfit;
use crate::v1::{self, Attempt, GuestError, LogLine, State};
use crate::world::World;

/// Maximum length of the first note, in bytes. We append further notes as long as they fit.
const MAX_FIRST: usize = 400;

/// A step kind for a plugin. Each attempt runs in an instance of its own.
#[derive(Clone)]
pub(crate) struct PluginStep(Arc<Inner>);

struct Inner {
    plugin: Plugin,
    spec: Arc<KindSpec>,
    granted: BTreeSet<Capability>,
    help: Option<String>,
    world: Arc<dyn World>,
}

type Progress = Box<dyn Fn(u64, u64) + Send + Sync>;

impl fmt::Debug for PluginStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PluginStep")
            .field(&self.0.spec.name)
            .finish()
    }
}

impl Step for PluginStep {
    fn spec(&self) -> &KindSpec {
        &self.0.spec
    }

    fn ends_promptly(&self) -> bool {
        true
    }

    fn prepare<'a>(&'a self, call: &'a Call) -> Option<Preparing<'a>> {
        if self.0.plugin.is_linked(&self.0.granted) {
            return None;
        }
        let (step, input, stop) = (self.clone(), call.input.clone(), call.stop.clone());
        let work = move || {
            // With a cached result, there's no need to compile anything.
            let kept = step.results_of(&text_of(&input));
            if kept.is_none_or(|(results, key)| results.get(&key).is_none()) {
                let stopped = || stop.flag().is_cancelled();
                step.0.plugin.linked(&step.0.granted, 0, stopped)?;
            }
            Ok(())
        };
        Some(Box::pin(async move {
            // Ignore the error here. The attempt will run into it again, and report it.
            let _: Result<(), StepError> = call.blocking(work).await;
        }))
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        let step = self.clone();
        Box::pin(async move {
            let (path, attempt, stop) = (call.path.clone(), call.attempt, call.stop.clone());
            let (input, recorded) = (call.input.clone(), call.is_recorded());
            let progress: Progress = Box::new(call.progress());
            let work = move || {
                let flag = stop.flag();
                step.attempt(&input, &path, attempt, flag, recorded, Some(progress))
            };
            call.blocking(work).await
        })
    }
}

impl PluginStep {
    pub(crate) fn new(
        plugin: Plugin,
        spec: Arc<KindSpec>,
        granted: BTreeSet<Capability>,
        help: Option<String>,
        world: Arc<dyn World>,
    ) -> Self {
        Self(Arc::new(Inner {
            plugin,
            spec,
            granted,
            help,
            world,
        }))
    }

    pub(crate) fn attempt(
        &self,
        input: &Value,
        path: &str,
        attempt: u32,
        cancel: &Cancel,
        recorded: bool,
        progress: Option<Progress>,
    ) -> Result<StepOutput, StepError> {
        let plugin = &self.0.plugin;
        let title = plugin.title();
        let called = Called {
            plugin: &title,
            function: "run",
            step: Some(path),
        };
        let schemas = plugin.schemas();
        let unfit = |which: &str, wrong: &Unfit, kind: ErrorKind| {
            let kind = match wrong {
                Unfit::Wrong(_) => kind,
                Unfit::TooMuch => ErrorKind::TooLarge,
                Unfit::Stopped => ErrorKind::Cancelled,
            };
            called.failed(kind, &format!("{which} {wrong}"))
        };
        let fits = schemas.input.check(input, cancel);
        fits.map_err(|wrong| unfit("the input", &wrong, ErrorKind::Invalid))?;
        let text = text_of(input);
        let results = self.results_of(&text);
        let given = results.as_ref().and_then(|(results, key)| results.get(key));
        // A result from the cache is validated like a new one.
        let given = given.filter(|given| schemas.output.check(&given.value, cancel).is_ok());
        let (given, basis) = match given {
            Some(given) => (given, self.basis(None, &[])),
            None => {
                let (given, basis) =
                    self.called(&called, &text, attempt, cancel, recorded, progress)?;
                let fits = schemas.output.check(&given.value, cancel);
                fits.map_err(|wrong| unfit("its output", &wrong, ErrorKind::Failed))?;
                if let Some((results, key)) = &results {
                    results.put(key, &given);
                }
                (given, basis)
            }
        };
        let mut output = StepOutput::of(&())?;
        output.value = given.value;
        let mut notes = given.notes.into_iter();
        // Show warnings from the log beside the result.
        output.caveat = notes.next().map(Caveat::from);
        output.notes = notes.collect();
        output.basis = basis;
        Ok(output)
    }

    /// Finds the result cache and the key for an input.
    ///
    /// There is no cache for a plugin that is not pure, or without a cache folder.
    fn results_of(&self, text: &str) -> Option<(&Results, String)> {
        let plugin = &self.0.plugin;
        let is_pure = plugin.card().purity == Purity::Pure;
        let results = plugin.host().results().filter(|_| is_pure)?;
        Some((results, Results::key(plugin.component().digest(), text)))
    }

    fn called(
        &self,
        called: &Called<'_>,
        input: &str,
        number: u32,
        cancel: &Cancel,
        recorded: bool,
        progress: Option<Progress>,
    ) -> Result<(Given, Basis), StepError> {
        let (plugin, world) = (&self.0.plugin, &self.0.world);
        let (host, limits) = (plugin.host(), plugin.host().limits());
        let stopped = || cancel.is_cancelled();
        let Some(_slot) = host.enter(stopped) else {
            return Err(called.failed(ErrorKind::Cancelled, "stopped before it began"));
        };
        let lane = host.lanes().enter();
        let linked = plugin
            .linked(&self.0.granted, lane.number(), stopped)
            .map_err(|mut error| {
                // The plugin asks for a capability that it wasn't granted. Only our caller knows
                // how to grant it, so the advice comes from there.
                if error.kind == ErrorKind::Refused {
                    error.help.clone_from(&self.0.help);
                }
                error
            })?;
        let attempt = Attempt {
            reach: Some(world.reach(recorded)),
            run_began: world.run_began(),
            chance: Some(chance(
                world.seed(),
                called.step.unwrap_or_default(),
                number,
            )),
            cancel: cancel.clone(),
            // The step's own timeout cancels the attempt, so we don't need another limit here.
            most_time: None,
            progress,
        };
        let failed =
            |error: wasmtime::Error| called.failed(ErrorKind::Internal, &format!("{error:#}"));
        let mut store =
            v1::store(&linked.engine, plugin.meter(), limits, attempt).map_err(failed)?;
        let answer = with_room(|| {
            let instance = linked.pre.instantiate(&mut store)?;
            let handler = instance.windlass_step_handler();
            handler.call_run(&mut store, input)
        });
        let state = store.data();
        // The guest has trapped, or we've ended it. It may have logged the reason before that, so
        // its notes become a part of the error.
        let answer: Result<String, GuestError> = answer.map_err(|error| {
            let ended = called.ended(&error, limits, state.limiter.denied(), state.log());
            with_notes(ended, state, called.plugin)
        })?;
        let answer =
            answer.map_err(|error| with_notes(called.answered(error), state, called.plugin))?;
        let value = plugin_output::parse(&answer, cancel).map_err(|why| {
            let kind = match why {
                NoOutput::TooMany => ErrorKind::TooLarge,
                NoOutput::Stopped => ErrorKind::Cancelled,
                NoOutput::NoJson(_) => ErrorKind::Failed,
            };
            called.failed(kind, &why.to_string())
        })?;
        let notes = notes(state.log(), state.lines_lost(), called.plugin);
        let basis = self.basis(Some(state), &state.used);
        Ok((Given { value, notes }, basis))
    }

    /// Lists everything that an output depends on: the plugin itself and the data it received.
    fn basis(&self, state: Option<&State>, used: &[Capability]) -> Basis {
        let told = state.and_then(|state| state.attempt.reach.as_ref());
        let (reads, mut others) = match told.map(|reach| reach.basis()) {
            Some(Basis::Unknown) => return Basis::Unknown,
            Some(Basis::Known { reads, others }) => (reads, others),
            None => (Vec::new(), BTreeMap::new()),
        };
        let digest = *self.0.plugin.component().digest().as_bytes();
        others.insert(self.0.spec.name.clone(), Digest::from(digest));
        if used.contains(&Capability::Time) {
            let began = self.0.world.run_began().to_le_bytes();
            others.insert("time".to_owned(), Digest::of_bytes(&began));
        }
        if used.contains(&Capability::Random) {
            others.insert("random".to_owned(), Digest::of_bytes(&self.0.world.seed()));
        }
        Basis::Known { reads, others }
    }
}

/// Formats `input` canonically. Equal inputs give equal texts, which is why a cached result is the
/// same as that of a new attempt.
fn text_of(input: &Value) -> String {
    let canonical = canonical_json(input).ok();
    let text = canonical.and_then(|bytes| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| input.to_string())
}

/// Derives an attempt's random numbers. They are the same if the run is repeated with the same
/// seed.
fn chance(seed: [u8; 32], step: &str, attempt: u32) -> blake3::OutputReader {
    let mut hasher = blake3::Hasher::new_keyed(&seed);
    hasher
        .update(step.as_bytes())
        .update(&attempt.to_le_bytes());
    hasher.finalize_xof()
}

fn with_notes(mut failed: StepError, state: &State, plugin: &str) -> StepError {
    let said = notes(state.log(), state.lines_lost(), plugin)
        .into_iter()
        .next();
    // The message may already have the only line of the log.
    let is_told = || matches!(state.log(), [line] if failed.message.contains(&*line.text));
    if let Some(said) = said.filter(|_| !is_told()) {
        let help = failed.help.take();
        failed.help = Some(
            help.into_iter()
                .chain([said])
                .collect::<Vec<_>>()
                .join("\n"),
        );
    }
    failed
}

fn notes(log: &[LogLine], lost: usize, plugin: &str) -> Vec<String> {
    let told = log.iter().take(MAX_NOTES);
    let mut notes: Vec<String> = told
        .map(|said| format!("`{plugin}` says: {}", line(&said.text, MAX_FIRST)))
        .collect();
    let all = log.len() + lost;
    if let Some(first) = notes.first_mut() {
        // Some outputs only show the first note, so append as many of the others as fit.
        let mut shown = 1;
        for said in log.iter().take(MAX_NOTES).skip(1) {
            if first.len() + said.text.len() > MAX_FIRST {
                break;
            }
            first.push_str(&format!("; {}", said.text));
            shown += 1;
        }
        if all > shown {
            first.push_str(&format!(" (and {} more)", all - shown));
        }
    }
    if all > MAX_NOTES {
        notes.push(format!("`{plugin}` printed {} more lines", all - MAX_NOTES));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_include_first_lines_and_count() {
        let line = |nr: usize| LogLine {
            level: tracing::Level::WARN,
            text: format!("w{nr}"),
        };
        let log: Vec<LogLine> = (0..20).map(line).collect();
        assert!(notes(&[], 0, "p").is_empty());
        assert_eq!(notes(&log[..1], 0, "p"), ["`p` says: w0"]);
        assert_eq!(
            notes(&log[..3], 0, "p")[..2],
            ["`p` says: w0; w1; w2", "`p` says: w1"]
        );
        let long = [
            line(0),
            LogLine {
                text: "x".repeat(400),
                ..line(1)
            },
            line(2),
        ];
        assert_eq!(notes(&long, 30, "p")[0], "`p` says: w0 (and 32 more)");
        let many = notes(&log, 30, "p");
        assert_eq!(many.len(), 9);
        assert!(many[0].ends_with("; w7 (and 42 more)"), "{}", many[0]);
        assert_eq!(many[8], "`p` printed 42 more lines");
    }
}
