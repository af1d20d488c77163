//! What steps that are WebAssembly components cost.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use windlass::engine::{Basis, StepError};
use windlass::plugin::{
    Component, Host, HostOptions, Limits, Plugin, Reach, World as PluginWorld, componentize,
};
use windlass::repo::{Repo, Snapshot};
use windlass_base::Cancel;

use super::measure::{Contender, Samples, in_turn, output, resident, time};
use super::report::{Goal, Row};
use super::world::World;
use crate::Error;

/// Calls in one sample: a single one is too short for the clock.
const CALLS: u32 = 500;
/// How many times dearer than a call a process has to be.
const PROCESS: f64 = 80.0;
/// How many times dearer than a call a call of Extism has to be.
const EXTISM: f64 = 15.0;
/// How many times more two threads have to do than one.
const TWO_THREADS: f64 = 1.4;
const TRAPS: u32 = 1_000;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let mut rows = calls(world)?;
    rows.extend(threads(world)?);
    rows.push(first_use(world)?);
    rows.push(deadline(world)?);
    rows.push(traps(world)?);
    rows.push(size(world)?);
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
        Ok(Plugin::load(
            Component::read(component)?,
            &self.host,
            &Cancel::default(),
        )?)
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
    let peer = world.peer("extism");
    let mut extism = peer.map(|(_, program)| Peer::start(program)).transpose()?;
    let mut contenders: Vec<&mut dyn Contender> = vec![&mut no_op, &mut rust, &mut process];
    contenders.extend(extism.as_mut().map(|extism| extism as &mut dyn Contender));
    let samples = in_turn(&mut contenders, world.repeat(51))?;
    let [no_op, rust, process, extism @ ..] = &samples[..] else {
        return Err("a contender has no samples".into());
    };
    let row = |name: &str, ours: &Samples, peer: (&'static str, &Samples), factor: f64| {
        let peer = (peer.0, peer.1.clone());
        let goal = Goal::Times(1.0 / factor);
        Row::times(format!("plugin: {name}"), ours.clone(), Some(peer), goal)
    };
    const NO_OP: &str = "a call that does nothing";
    let rust_name = "`codeowners` (Rust) without files";
    let mut rows = vec![
        row(NO_OP, no_op, ("process", process), PROCESS),
        row(rust_name, rust, ("process", process), PROCESS),
    ];
    match (peer, extism) {
        (Some((name, _)), [extism]) => rows.push(row(NO_OP, no_op, (name, extism), EXTISM)),
        _ => rows.push(Row::skipped(
            format!("plugin: {NO_OP}, and Extism's"),
            "name a program with `--peer extism=PROGRAM`: xtask/peers/extism.c says how it is built",
        )),
    }
    Ok(rows)
}

/// A program that makes as many calls as it is told to, line by line, and says how many nanoseconds that took.
struct Peer {
    program: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &Path) -> Result<Self, Error> {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (asks, answers) = (program.stdin.take(), program.stdout.take());
        Ok(Self {
            program,
            asks: asks.ok_or("it cannot be asked")?,
            answers: BufReader::new(answers.ok_or("it cannot answer")?),
        })
    }
}

impl Contender for Peer {
    fn once(&mut self) -> Result<Duration, Error> {
        writeln!(self.asks, "{CALLS}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let nanoseconds: u64 = line
            .trim()
            .parse()
            .map_err(|_| format!("the peer says `{}`, which is no time", line.trim()))?;
        Ok(Duration::from_nanos(nanoseconds) / CALLS)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Whatever it is at, nobody waits for it.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The same calls on one thread and on two; beside it the same of computing that shares nothing, which is as far as two
/// threads get on this machine.
fn threads(world: &World) -> Result<Vec<Row>, Error> {
    let bench = Bench::new(world)?;
    let plugin = bench.plugin(std::fs::read(shipped("codeowners"))?)?;
    let input = json!({ "files": [], "rules": [] });
    let call = || bench.call(&plugin, &input).map(drop);
    let compute = || {
        compute();
        Ok(())
    };
    let mut one = || on_threads(1, 2 * CALLS, &call);
    let mut two = || on_threads(2, CALLS, &call);
    let mut computing_one = || on_threads(1, 2 * CALLS, &compute);
    let mut computing_two = || on_threads(2, CALLS, &compute);
    let contenders: &mut [&mut dyn Contender] =
        &mut [&mut two, &mut one, &mut computing_two, &mut computing_one];
    let samples = in_turn(contenders, world.repeat(31))?;
    let row = |name: &str, two: usize, one: usize, goal| {
        let peer = ("one thread", samples[one].clone());
        Row::times(name, samples[two].clone(), Some(peer), goal)
    };
    let goal = Goal::Times(1.0 / TWO_THREADS);
    Ok(vec![
        row("plugin: 1,000 calls on two threads", 0, 1, goal),
        row(
            "plugin: computing alone on two threads",
            2,
            3,
            Goal::Control,
        ),
    ])
}

/// The time until each of `threads` has done `work` so many times.
fn on_threads(
    threads: usize,
    times: u32,
    work: &(dyn Fn() -> Result<(), StepError> + Sync),
) -> Result<Duration, Error> {
    let many = || (0..times).try_for_each(|_| work());
    let started = Instant::now();
    let ended: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(many)).collect();
        let ended = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended.collect()
    });
    let took = started.elapsed();
    for ended in ended {
        ended.map_err(|_| "a thread panicked")??;
    }
    Ok(took)
}

/// Some microseconds of computing within registers.
fn compute() {
    let mut number = 1_u64;
    for _ in 0..5_000 {
        number =
            std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005) ^ (number >> 29));
    }
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
    let megabytes = stripped.metadata()?.len() as f64 / 1e6;
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
