//! What steps that are WebAssembly components cost.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use windlass::engine::{Basis, StepError};
use windlass::plugin::{
    Component, Host, HostOptions, Limits, Plugin, Reach, World as PluginWorld, componentize,
};
use windlass::repo::{Repo, Snapshot};
use windlass_base::Cancel;

use super::measure::{in_turn, output, resident, time};
use super::report::{Goal, Row};
use super::world::World;
use crate::Error;

/// Calls in one sample: a single one is too short for the clock.
const CALLS: u32 = 500;
/// How many times dearer than a call a process has to be.
const PROCESS: f64 = 80.0;
/// How many times more two threads have to do than one.
const TWO_THREADS: f64 = 1.4;
const TRAPS: u32 = 1_000;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let mut rows = calls(world)?;
    rows.push(threads(world)?);
    rows.push(first_use(world)?);
    rows.push(deadline(world)?);
    rows.push(traps(world)?);
    rows.push(size(world)?);
    rows.push(Row::skipped(
        "plugin: a call to Extism's",
        "Extism 1.41 needs a newer compiler than this workspace, and is built apart",
    ));
    Ok(rows)
}

/// A component that is called `name` and whose `run` is `body`, in WebAssembly's text form: for what no compiler makes.
fn guest(name: &str, body: &str) -> Result<Vec<u8>, Error> {
    // Texts stand one behind the other from 1024; the description lies at 0, an answer at 128.
    let texts = [name, "1.0.0", "be measured", "{}", "{}"];
    let mut at = 1024;
    let mut pairs = String::new();
    for (n, text) in texts.iter().enumerate() {
        let (to, length) = (n * 8, text.len());
        pairs += &format!("(i32.store (i32.const {to}) (i32.const {at}))");
        pairs += &format!("(i32.store offset=4 (i32.const {to}) (i32.const {length}))");
        at += length;
    }
    let module = format!(
        r#"(module
        (memory (export "memory") 1)
        (data (i32.const 1024) "{}")
        (data (i32.const 2048) "null")
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096))
        (func (export "windlass:step/handler@1.0.0#describe") (result i32) {pairs} (i32.const 0))
        (func (export "windlass:step/handler@1.0.0#run") (param i32 i32) (result i32) {body}
            (i32.store (i32.const 132) (i32.const 2048))
            (i32.store (i32.const 136) (i32.const 4))
            (i32.const 128)))"#,
        texts.join("").replace('"', "\\22")
    );
    Ok(componentize(&wat::parse_str(module)?)?)
}

/// The component of a shipped plugin.
fn shipped(name: &str) -> PathBuf {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins");
    plugins.join(name).join(format!("{name}.wasm"))
}

/// Plugins that keep nothing, and the folder they see.
struct Bench {
    host: Host,
    world: Arc<dyn PluginWorld>,
}

impl Bench {
    fn new(world: &World) -> Result<Self, Error> {
        let repo = Repo::open(&world.folder("plugin-world")?)?;
        Ok(Self {
            host: Host::new(HostOptions {
                cache: None,
                slots: 4,
                limits: Limits::default(),
            }),
            world: Arc::new(Nothing(repo.snapshot())),
        })
    }

    fn plugin(&self, component: Vec<u8>) -> Result<Plugin, Error> {
        Ok(Plugin::load(Component::read(component)?, &self.host)?)
    }

    fn call(&self, plugin: &Plugin, input: &Value) -> Result<Value, StepError> {
        plugin.try_once(input, BTreeSet::new(), Arc::clone(&self.world))
    }

    /// The time of one call, taken over many.
    fn call_time(&self, plugin: &Plugin, input: &Value) -> Result<Duration, Error> {
        let started = Instant::now();
        for _ in 0..CALLS {
            self.call(plugin, input)?;
        }
        Ok(started.elapsed() / CALLS)
    }
}

/// A whole call (store, instance, schemas, the call itself, clearing away) against the start of a process.
fn calls(world: &World) -> Result<Vec<Row>, Error> {
    let bench = Bench::new(world)?;
    let nothing = bench.plugin(guest("nothing", "")?)?;
    let owners = bench.plugin(std::fs::read(shipped("codeowners"))?)?;
    let no_files = json!({ "files": [], "rules": [] });
    let folder = world.folder("plugin-process")?;
    let mut no_op = || bench.call_time(&nothing, &Value::Null);
    let mut rust = || bench.call_time(&owners, &no_files);
    let mut process = || {
        let started = Instant::now();
        output(&mut world.program("true", &folder))?;
        Ok(started.elapsed())
    };
    let mut samples = in_turn(&mut [&mut no_op, &mut rust, &mut process], world.repeat(51))?;
    let (process, rust, no_op) = (samples.remove(2), samples.remove(1), samples.remove(0));
    let row = |name: &str, ours, peer, goal| {
        Row::times(
            format!("plugin: {name}"),
            ours,
            Some(("process", peer)),
            goal,
        )
    };
    Ok(vec![
        row(
            "a call that does nothing",
            no_op,
            process.clone(),
            Goal::Times(1.0 / PROCESS),
        ),
        row(
            "`codeowners` (Rust) without files",
            rust,
            process,
            Goal::Times(1.0 / PROCESS),
        ),
    ])
}

/// The same calls on one thread and on two.
fn threads(world: &World) -> Result<Row, Error> {
    let bench = Bench::new(world)?;
    let plugin = bench.plugin(std::fs::read(shipped("codeowners"))?)?;
    let input = json!({ "files": [], "rules": [] });
    let many = |calls: u32| -> Result<(), StepError> {
        (0..calls).try_for_each(|_| bench.call(&plugin, &input).map(drop))
    };
    let mut one = || {
        let started = Instant::now();
        many(2 * CALLS)?;
        Ok(started.elapsed())
    };
    let mut two = || {
        let started = Instant::now();
        let ended = std::thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(|| many(CALLS)));
            threads.map(|thread| thread.join().map_err(|_| "a thread panicked"))
        });
        let took = started.elapsed();
        for ended in ended {
            ended??;
        }
        Ok(took)
    };
    let mut samples = in_turn(&mut [&mut two, &mut one], world.repeat(31))?;
    let (one, two) = (samples.remove(1), samples.remove(0));
    let goal = Goal::Times(1.0 / TWO_THREADS);
    Ok(Row::times(
        "plugin: 1,000 calls on two threads",
        two,
        Some(("one thread", one)),
        goal,
    ))
}

/// A folder with runbooks that use a shipped plugin, one that never ends, and none.
fn folder(world: &World) -> Result<PathBuf, Error> {
    let folder = world.folder("plugin-command")?;
    for below in ["runbooks", "plugins/endless", "plugins/codeowners"] {
        std::fs::create_dir_all(folder.join(below))?;
    }
    std::fs::copy(
        shipped("codeowners"),
        folder.join("plugins/codeowners/codeowners.wasm"),
    )?;
    std::fs::write(
        folder.join("plugins/endless/endless.wasm"),
        guest("endless", "(loop $on (br $on))")?,
    )?;
    // The input is another one each time, so that no result is kept.
    let runbook = |name: &str, step: &str| {
        let text = format!(
            "schema_version: 1\nid: {name}\ninputs:\n  n: {{ type: string }}\nsteps:\n  - {step}\noutputs:\n  - {{ id: out, from: one }}\n"
        );
        std::fs::write(folder.join(format!("runbooks/{name}.yaml")), text)
    };
    let input = "[{ $ref: '#/inputs/n' }]";
    runbook(
        "none",
        &format!("{{ id: one, uses: select, with: {{ from: {input} }} }}"),
    )?;
    runbook(
        "one",
        &format!(
            "{{ id: one, uses: 'plugin:codeowners@1', with: {{ files: {input}, rules: [] }} }}"
        ),
    )?;
    runbook(
        "endless",
        "{ id: one, uses: 'plugin:endless@1', timeout: 100ms, on_failure: continue }",
    )?;
    Ok(folder)
}

/// The command with a step that is a plugin, compiled before, against one that selects.
fn first_use(world: &World) -> Result<Row, Error> {
    let folder = folder(world)?;
    let mut n = 0_u32;
    let mut run = |name: &str| {
        n += 1;
        let input = format!("n={n}");
        time(&mut world.windlass(&folder, ["--quiet", "run", name, "--input", &input]))
    };
    let mut added = Vec::new();
    run("one")?;
    for _ in 0..world.repeat(41) {
        let without = run("none")?;
        added.push(run("one")?.as_secs_f64() - without.as_secs_f64());
    }
    added.sort_unstable_by(f64::total_cmp);
    let median = added.get(added.len() / 2).copied().unwrap_or_default();
    Ok(Row::number(
        "plugin: first use adds to a command",
        median * 1e3,
        3.0,
        "ms",
    ))
}

/// How much longer than its 100 ms a step without an end takes.
fn deadline(world: &World) -> Result<Row, Error> {
    let folder = folder(world)?;
    let mut worst = 0.0_f64;
    let run =
        |name: &str| time(&mut world.windlass(&folder, ["--quiet", "run", name, "--input", "n=1"]));
    run("endless")?;
    for _ in 0..world.repeat(15) {
        let without = run("none")?;
        let beyond = run("endless")?.as_secs_f64() - without.as_secs_f64() - 0.1;
        worst = worst.max(beyond);
    }
    Ok(Row::number(
        "plugin: beyond a deadline of 100 ms, worst",
        worst * 1e3,
        20.0,
        "ms",
    ))
}

/// What runs that trap leave in memory.
fn traps(world: &World) -> Result<Row, Error> {
    const NAME: &str = "plugin: memory left by 1,000 traps";
    let bench = Bench::new(world)?;
    let plugin = bench.plugin(guest("trap", "(unreachable)")?)?;
    let trap = |times: u32| -> Result<(), Error> {
        for _ in 0..times {
            if bench.call(&plugin, &Value::Null).is_ok() {
                return Err("a trap is no answer".into());
            }
        }
        Ok(())
    };
    trap(TRAPS / 5)?;
    let Some(before) = resident("self")? else {
        return Ok(Row::skipped(
            NAME,
            "this system does not say how much memory a process has",
        ));
    };
    trap(TRAPS)?;
    let after = resident("self")?.unwrap_or_default();
    let grown = after.saturating_sub(before) as f64 / f64::from(1 << 20);
    Ok(Row::number(NAME, grown, 1.0, "MiB"))
}

/// The command without symbols.
fn size(world: &World) -> Result<Row, Error> {
    const NAME: &str = "plugin: the command with all of it, stripped";
    let stripped = world.folder("plugin-size")?.join("windlass");
    std::fs::copy(world.binary(), &stripped)?;
    let strip = Command::new("strip").arg(&stripped).status();
    if !strip.is_ok_and(|status| status.success()) {
        return Ok(Row::skipped(NAME, "there is no `strip`"));
    }
    let megabytes = std::fs::metadata(&stripped)?.len() as f64 / 1e6;
    Ok(Row::number(NAME, megabytes, 60.0, "MB"))
}

/// A world with nothing in it.
struct Nothing(Snapshot);

impl PluginWorld for Nothing {
    fn reach(&self, _: bool) -> Box<dyn Reach> {
        Box::new(NoReach(self.0.clone()))
    }

    fn run_began(&self) -> u64 {
        0
    }

    fn seed(&self) -> [u8; 32] {
        [0; 32]
    }
}

struct NoReach(Snapshot);

impl Reach for NoReach {
    fn snapshot(&self) -> &Snapshot {
        &self.0
    }

    fn anchors(&self, _: &Value, _: &Cancel) -> Result<Value, StepError> {
        Ok(json!({ "anchors": [] }))
    }

    fn basis(&self) -> Basis {
        Basis::Unknown
    }
}
