mod counted_values;
mod description;
mod effort;
mod failure;
mod plugin_output;
mod plugin_step;
mod value_schema;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasmtime::Engine;
use wasmtime::component::Component as Compiled;
use windlass_base::{Cancel, Digest};
use windlass_engine::{ErrorKind, Step, StepError};
use windlass_plan::{Capability, Effects, InputReading, KindSpec};

use self::failure::Called;
use self::plugin_step::PluginStep;
use self::value_schema::Schema;
use crate::card::{Card, Purity};
use crate::host::engine::Meter;
use crate::host::lanes::MAX_LANES;
use crate::host::stack::with_room;
use crate::v1::{self, Attempt, PluginPre, State};
use crate::world::World;
use crate::{Component, Host, PluginError};

const MAX_CARD: u64 = 2 << 20;
/// Format version of the stored descriptions.
///
/// Raise it if their meaning changes: those of other versions are ignored, and the plugins run
/// again.
const CARD_VERSION: u8 = 1;
/// Fuel for a description, which is enough for about a second of computing.
const DESCRIBE_FUEL: u64 = 1_000_000_000;
/// Time limit for a description.
///
/// Fuel alone is not enough, because some slow operations do not use any.
const DESCRIBE_TIME: Duration = Duration::from_secs(3);

/// A component with its description of itself. Clones are cheap, and share compiled code.
#[derive(Clone)]
pub struct Plugin(Arc<Inner>);

struct Inner {
    host: Host,
    component: Component,
    card: Card,
    schemas: OnceLock<Schemas>,
    /// The step kind for [`Plugin::try_until`], under the plugin's own name.
    own_kind: OnceLock<Arc<KindSpec>>,
    /// Compiled and linked variants, by lane and set of grants (see [`place_of`]). The first
    /// attempt that needs a variant creates it.
    linked: [[OnceLock<Linked>; 1 << Capability::ALL.len()]; MAX_LANES],
}

pub(crate) struct Linked {
    pub(crate) engine: Engine,
    pub(crate) pre: PluginPre<State>,
}

pub(crate) struct Schemas {
    pub(crate) input: Schema,
    pub(crate) output: Schema,
}

#[derive(Serialize, Deserialize)]
struct StoredCard {
    version: u8,
    card: Card,
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Plugin").field(&self.title()).finish()
    }
}

impl Plugin {
    /// Loads a component. The description comes from the cache, or else from running the component.
    ///
    /// # Errors
    /// Returns an error if compiling or running the component fails, if its description is invalid,
    /// or if `cancel` is triggered.
    pub fn load(component: Component, host: &Host, cancel: &Cancel) -> Result<Self, PluginError> {
        let kept = host.cards();
        let key = Digest::from(*component.digest().as_bytes()).hex();
        let known = kept.and_then(|kept| {
            let known: StoredCard = serde_json::from_slice(&kept.get(&key, MAX_CARD)?).ok()?;
            // A description from the cache has to pass the same checks as a new one.
            let is_sound = known.version == CARD_VERSION && known.card.is_sound(component.asks());
            is_sound.then_some(known.card)
        });
        let card = match known {
            Some(card) => card,
            None => {
                let card = describe(&component, host, cancel)?;
                let version = CARD_VERSION;
                let text = serde_json::to_vec(&StoredCard {
                    version,
                    card: card.clone(),
                });
                if let (Some(kept), Ok(text)) = (kept, text)
                    && let Err(error) = kept.put(&key, &text)
                {
                    tracing::info!(%error, "the description of a plugin is not cached");
                }
                card
            }
        };
        Ok(Self(Arc::new(Inner {
            host: host.clone(),
            component,
            card,
            schemas: OnceLock::new(),
            own_kind: OnceLock::new(),
            linked: [const { [const { OnceLock::new() }; _] }; _],
        })))
    }

    /// The plugin's description of itself, which has been validated.
    #[must_use]
    pub fn card(&self) -> &Card {
        &self.0.card
    }

    /// The plugin's component.
    #[must_use]
    pub fn component(&self) -> &Component {
        &self.0.component
    }

    /// The plugin's name and version for messages, e.g. `codeowners 1.0.0`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.0.card.name, self.0.card.version)
    }

    /// Describes the step kind to the planner. `name` is what steps write in `uses`.
    #[must_use]
    pub fn kind(&self, name: &str) -> KindSpec {
        let card = self.card();
        KindSpec {
            name: name.to_owned(),
            summary: card.purpose.clone(),
            input_schema: card.input_schema.clone(),
            output_schema: card.output_schema.clone().into(),
            main: card.main.clone(),
            effects: Effects {
                reads_files: card.purity != Purity::Pure,
                runs_processes: false,
                nested: false,
                reproducible: card.purity != Purity::Free,
            },
            asks: self.component().asks().capabilities(),
            worst_first: false,
            reads: InputReading::default(),
        }
    }

    /// Creates a step kind `name` that runs the plugin with the capabilities `granted` and access
    /// to `world`.
    ///
    /// If the plugin asks for more, its steps fail, and `help` tells the user how to grant the
    /// rest.
    #[must_use]
    pub fn step(
        &self,
        name: &str,
        granted: BTreeSet<Capability>,
        help: Option<String>,
        world: Arc<dyn World>,
    ) -> impl Step + use<> {
        let kind = Arc::new(self.kind(name));
        PluginStep::new(self.clone(), kind, granted, help, world)
    }

    /// Runs the plugin once, as a step named `test`, and validates its output.
    ///
    /// # Errors
    /// Returns the errors that a step with this plugin would have.
    pub fn try_once(
        &self,
        input: &Value,
        granted: BTreeSet<Capability>,
        world: Arc<dyn World>,
    ) -> Result<Value, StepError> {
        self.try_until(input, granted, world, &Cancel::default())
    }

    /// Like [`Plugin::try_once`], but this ends early when `cancel` is triggered.
    ///
    /// # Errors
    /// Returns the errors that a step with this plugin would have.
    pub fn try_until(
        &self,
        input: &Value,
        granted: BTreeSet<Capability>,
        world: Arc<dyn World>,
        cancel: &Cancel,
    ) -> Result<Value, StepError> {
        let own_kind = || Arc::new(self.kind(&self.card().name));
        let kind = Arc::clone(self.0.own_kind.get_or_init(own_kind));
        let step = PluginStep::new(self.clone(), kind, granted, None, world);
        Ok(step.attempt(input, "test", 1, cancel, false, None)?.value)
    }

    pub(crate) fn host(&self) -> &Host {
        &self.0.host
    }

    pub(crate) fn meter(&self) -> Meter {
        let asks = self.component().asks().capabilities();
        // Go by the imports instead of the declared purity. Fuel ends a plugin even if its
        // declaration is false.
        match asks.contains(&Capability::Time) || asks.contains(&Capability::Random) {
            true => Meter::Epochs,
            false => Meter::Fuel,
        }
    }

    /// True if an attempt with these grants needs no preparation.
    pub(crate) fn is_linked(&self, granted: &BTreeSet<Capability>) -> bool {
        self.0.linked[0][place_of(granted)].get().is_some()
    }

    /// Compiles and links the component for `granted`, unless that is done already.
    ///
    /// If another thread is compiling it, we wait until `stopped` returns true.
    pub(crate) fn linked(
        &self,
        granted: &BTreeSet<Capability>,
        lane: usize,
        stopped: impl Fn() -> bool,
    ) -> Result<&Linked, StepError> {
        let place = &self.0.linked[lane][place_of(granted)];
        if let Some(linked) = place.get() {
            return Ok(linked);
        }
        // Two threads may do this at the same time, and one of the results is dropped. Linking is
        // fast, so that's better than holding a lock.
        match self.link(granted, lane, &stopped) {
            Ok(linked) => Ok(place.get_or_init(|| linked)),
            // There's probably not enough memory for another engine, so share the first one.
            Err(_) if lane > 0 => self.linked(granted, 0, stopped),
            Err(error) => Err(error),
        }
    }

    fn link(
        &self,
        granted: &BTreeSet<Capability>,
        lane: usize,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Linked, StepError> {
        let meter = self.meter();
        let host = self.host();
        if let Some(import) = self.component().asks().refused(granted) {
            let needs = import.needs.map(Capability::as_str).unwrap_or_default();
            let message = format!(
                "plugin `{}` imports `{}`, but `{needs}` is not granted to it",
                self.title(),
                import.name
            );
            return Err(StepError::new(ErrorKind::Refused, message));
        }
        let engine = host.engine(meter, lane)?.clone();
        let compiled = host.compiled(self.component(), meter, lane, stopped)?;
        let pre = link(&engine, &compiled, granted)?;
        Ok(Linked { engine, pre })
    }

    pub(crate) fn schemas(&self) -> &Schemas {
        self.0.schemas.get_or_init(|| Schemas {
            input: Schema::new(&self.card().input_schema),
            output: Schema::new(&self.card().output_schema),
        })
    }
}

/// Maps a set of grants to an index in [`Inner::linked`]. Each capability is one bit of it.
fn place_of(granted: &BTreeSet<Capability>) -> usize {
    let all = Capability::ALL.iter().enumerate();
    all.filter(|(_, one)| granted.contains(one))
        .map(|(at, _)| 1 << at)
        .sum()
}

fn link(
    engine: &Engine,
    compiled: &Compiled,
    granted: &BTreeSet<Capability>,
) -> Result<PluginPre<State>, PluginError> {
    let linker = v1::linker(engine, granted).map_err(|error| engine_error(&error))?;
    let why = |error: wasmtime::Error| format!("{error:#}");
    // The first of these fails if we don't have an import, and the second if the component lacks an
    // export.
    let linked = linker
        .instantiate_pre(compiled)
        .map_err(|error| PluginError::Newer { why: why(error) })?;
    PluginPre::new(linked).map_err(|error| PluginError::NoHandler { why: why(error) })
}

fn engine_error(error: &wasmtime::Error) -> PluginError {
    PluginError::Engine(format!("{error:#}"))
}

/// Runs a component to get its description of itself.
///
/// The component may have any import, but it is an error to call a capability, since nothing has
/// been granted yet.
fn describe(component: &Component, host: &Host, cancel: &Cancel) -> Result<Card, PluginError> {
    let meter = Meter::Fuel;
    let engine = host.engine(meter, 0)?;
    let everything = Capability::ALL.into();
    let stopped = || cancel.is_cancelled();
    let compiled = host.compiled(component, meter, 0, &stopped)?;
    let pre = link(engine, &compiled, &everything)?;
    let mut limits = *host.limits();
    limits.fuel = limits.fuel.min(DESCRIBE_FUEL);
    let digest = component.digest().to_string();
    let called = Called {
        plugin: &digest,
        function: "describe",
        step: None,
    };
    let attempt = Attempt {
        most_time: Some(DESCRIBE_TIME),
        ..Attempt::alone(cancel.clone())
    };
    let _slot = host.enter(stopped).ok_or(PluginError::Stopped)?;
    let mut store =
        v1::store(engine, meter, &limits, attempt).map_err(|error| engine_error(&error))?;
    let description = with_room(|| {
        let instance = pre.instantiate(&mut store)?;
        let handler = instance.windlass_step_handler();
        handler.call_describe(&mut store)
    });
    match description {
        Ok(description) => Card::of(description, component.asks()),
        Err(_) if cancel.is_cancelled() => Err(PluginError::Stopped),
        Err(error) => {
            let state = store.data();
            let ended = called.ended(&error, &limits, state.limiter.denied(), state.log());
            // The cancellation didn't come from the caller but from our own time limit.
            Err(match ended.kind {
                ErrorKind::Cancelled => {
                    let seconds = DESCRIBE_TIME.as_secs();
                    let why = format!("it took longer than {seconds} seconds");
                    PluginError::Undescribed(StepError {
                        help: ended.help,
                        ..called.failed(ErrorKind::Failed, &why)
                    })
                }
                _ => PluginError::Undescribed(ended),
            })
        }
    }
}
