//! Guests for tests, written in the text format of WebAssembly.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use windlass_base::Cancel;
use windlass_engine::{Basis, StepError};
use windlass_plan::Capability;
use windlass_plugin::{Component, Host, HostOptions, Limits, Plugin, Reach, World};
use windlass_repo::{Repo, Snapshot};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// A guest, as its description and the body of `run` in the text format of WebAssembly.
///
/// In `run`, the locals `$at` and `$len` are the address and the length of the input, and the
/// result is the address of the answer.
pub(crate) struct Guest {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) purity: u8,
    pub(crate) input_schema: String,
    pub(crate) output_schema: String,
    pub(crate) imports: String,
    pub(crate) also: String,
    pub(crate) run: String,
    pub(crate) describe: String,
    /// Initial memory, in pages of 64 KiB.
    pub(crate) pages: u32,
    pub(crate) texts: Vec<u8>,
}

/// The fixed addresses in a guest's memory: that of the answer of `run`, and that of constant
/// texts.
const ANSWER: u32 = 128;
const TEXTS: u32 = 1024;

pub(crate) const PURE: u8 = 0;
pub(crate) const READS: u8 = 1;
pub(crate) const FREE: u8 = 2;

impl Default for Guest {
    fn default() -> Self {
        Self {
            name: "guest",
            version: "1.2.3",
            purity: PURE,
            input_schema: "{}".to_owned(),
            output_schema: "{}".to_owned(),
            imports: String::new(),
            also: String::new(),
            run: String::new(),
            describe: String::new(),
            pages: 4,
            texts: Vec::new(),
        }
    }
}

impl Guest {
    /// Stores `text` in the guest's memory, and returns its address and its length as two
    /// constants.
    pub(crate) fn text(&mut self, text: impl AsRef<[u8]>) -> String {
        let text = text.as_ref();
        let at = TEXTS as usize + self.texts.len();
        self.texts.extend_from_slice(text);
        format!("(i32.const {at}) (i32.const {})", text.len())
    }

    pub(crate) fn answering(mut self, text: impl AsRef<[u8]>) -> Self {
        let text = self.text(text);
        self.run += &format!("(call $answer {text})");
        self
    }

    /// Makes `run` return an error. `sort` is 0 for invalid, 1 for transient, and 2 for failed.
    pub(crate) fn failing(mut self, sort: u8, message: &str, details: &str) -> Self {
        let (message, details) = (self.text(message), self.text(details));
        self.run += &format!("(call $fail (i32.const {sort}) {message} {details})");
        self
    }

    fn module(&self) -> String {
        let mut guest = Self {
            texts: self.texts.clone(),
            ..Self::default()
        };
        let mut fields = String::new();
        let purpose = "do what its test is about".to_owned();
        let texts = [
            self.name.to_owned(),
            self.version.to_owned(),
            purpose,
            self.input_schema.clone(),
            self.output_schema.clone(),
        ];
        for (at, text) in texts.iter().enumerate() {
            let text = guest.text(text);
            fields += &format!("(call $pair (i32.const {}) {text})", at * 8);
        }
        let data: String = guest
            .texts
            .iter()
            .map(|byte| format!("\\{byte:02x}"))
            .collect();
        let Self {
            imports,
            also,
            run,
            describe,
            pages,
            purity,
            ..
        } = self;
        let run = if run.is_empty() { "(unreachable)" } else { run };
        let heap = (TEXTS as usize + guest.texts.len()).next_multiple_of(16);
        format!(
            r#"(module
            {imports}
            (memory (export "memory") {pages})
            (global $heap (mut i32) (i32.const {heap}))
            (data (i32.const {TEXTS}) "{data}")
            (func $pair (param $to i32) (param $at i32) (param $len i32)
                (i32.store (local.get $to) (local.get $at))
                (i32.store offset=4 (local.get $to) (local.get $len)))
            (func $answer (param $at i32) (param $len i32) (result i32)
                (i32.store8 (i32.const {ANSWER}) (i32.const 0))
                (call $pair (i32.const {ANSWER} ) (i32.const 0) (local.get $at))
                (call $pair (i32.const 132) (local.get $at) (local.get $len))
                (i32.const {ANSWER}))
            (func $fail (param $sort i32) (param $at i32) (param $len i32) (param $dat i32) (param $dlen i32) (result i32)
                (i32.store (i32.const {ANSWER}) (i32.const 1))
                (i32.store (i32.const 132) (local.get $sort))
                (call $pair (i32.const 136) (local.get $at) (local.get $len))
                (call $pair (i32.const 144) (local.get $dat) (local.get $dlen))
                (i32.const {ANSWER}))
            (func $alloc (export "cabi_realloc") (param $old i32) (param $oldlen i32) (param $align i32) (param $len i32) (result i32)
                (local $at i32)
                (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 15)) (i32.const -16)))
                (global.set $heap (i32.add (local.get $at) (local.get $len)))
                (block $fits
                    (br_if $fits (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
                    (br_if $fits (i32.ne (i32.const -1) (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get $len) (i32.const 16))))))
                    (unreachable))
                (local.get $at))
            {also}
            (func $describe (export "windlass:step/handler@1.0.0#describe") (result i32)
                {describe}
                {fields}
                (i32.store (i32.const 40) (i32.const {purity}))
                (call $pair (i32.const 44) (i32.const 0) (i32.const 0))
                (i32.const 0))
            (func $run (export "windlass:step/handler@1.0.0#run") (param $at i32) (param $len i32) (result i32)
                {run})
            )"#
        )
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        component(&self.module())
    }

    pub(crate) fn plugin(&self, host: &Host) -> Plugin {
        Plugin::load(
            Component::read(self.bytes()).unwrap(),
            host,
            &Cancel::default(),
        )
        .unwrap()
    }

    pub(crate) fn run(&self, input: &Value) -> Result<Value, StepError> {
        self.run_on(&host(), input)
    }

    pub(crate) fn run_on(&self, host: &Host, input: &Value) -> Result<Value, StepError> {
        let folder = tempfile::tempdir().unwrap();
        let world = TestWorld::of(folder.path());
        self.plugin(host).try_once(input, BTreeSet::new(), world)
    }
}

pub(crate) fn component(module: &str) -> Vec<u8> {
    let mut module = wat::parse_str(module).unwrap();
    let mut resolve = Resolve::default();
    let wit = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/wit");
    let (package, _) = resolve.push_path(wit).unwrap();
    let world = resolve.select_world(&[package], Some("plugin")).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .unwrap()
        .encode()
        .unwrap()
}

pub(crate) const LIMITS: Limits = Limits {
    memory: 4 << 20,
    table_elements: 1_000,
    fuel: 20_000_000,
    output: 1 << 20,
};

pub(crate) fn host() -> Host {
    Host::new(HostOptions {
        cache: None,
        slots: 4,
        limits: LIMITS,
    })
}

pub(crate) fn host_with(limits: Limits) -> Host {
    Host::new(HostOptions {
        cache: None,
        slots: 1,
        limits,
    })
}

/// A world with the files of a folder, and with fixed answers for everything else.
pub(crate) struct TestWorld {
    snapshot: Snapshot,
    pub(crate) seed: u8,
}

impl TestWorld {
    pub(crate) fn of(root: &Path) -> Arc<dyn World> {
        Self::seeded(root, 1)
    }

    pub(crate) fn seeded(root: &Path, seed: u8) -> Arc<dyn World> {
        let snapshot = Repo::open(root).unwrap().snapshot();
        Arc::new(Self { snapshot, seed })
    }
}

impl World for TestWorld {
    fn reach(&self, recorded: bool) -> Box<dyn Reach> {
        let snapshot = match recorded {
            true => self.snapshot.recorded(),
            false => self.snapshot.clone(),
        };
        Box::new(TestReach(snapshot))
    }

    fn run_began(&self) -> u64 {
        1_700_000_000_123
    }

    fn seed(&self) -> [u8; 32] {
        [self.seed; 32]
    }
}

struct TestReach(Snapshot);

impl Reach for TestReach {
    fn snapshot(&self) -> &Snapshot {
        &self.0
    }

    fn anchors(&self, query: &Value, cancel: &Cancel) -> Result<Value, StepError> {
        if query.get("stop").is_some() {
            cancel.cancel();
        }
        match query.get("panic") {
            Some(_) => panic!("as the test asked"),
            None => Ok(serde_json::json!({ "asked": query })),
        }
    }

    fn basis(&self) -> Basis {
        Basis::Known {
            reads: self.0.own_reads().unwrap_or_default(),
            others: BTreeMap::new(),
        }
    }
}

/// Creates a guest that passes its input as JSON text to `function` of `interface`, and returns the
/// answer.
pub(crate) fn asking(interface: &str, function: &str) -> Guest {
    Guest {
        purity: READS,
        imports: format!(
            r#"(import "windlass:step/{interface}@1.0.0" "{function}" (func $ask (param i32 i32 i32)))"#
        ),
        run: "(call $ask (local.get $at) (local.get $len) (i32.const 256))".to_owned() + PASS_ON,
        ..Guest::default()
    }
}

/// Passes on the `result<string, refusal>` at address 256. A refusal becomes a failure.
pub(crate) const PASS_ON: &str = r"
    (if (result i32) (i32.eqz (i32.load8_u (i32.const 256)))
        (then (i32.const 256))
        (else (call $fail (i32.const 2)
            (i32.load (i32.const 268)) (i32.load (i32.const 272))
            (i32.const 0) (i32.const 0))))";

pub(crate) fn everything() -> BTreeSet<Capability> {
    Capability::ALL.into()
}
