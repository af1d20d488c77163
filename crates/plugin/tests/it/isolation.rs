//! Isolation of attempts from each other, and the caches they share.

use std::collections::BTreeSet;

use std::path::Path;

use windlass_plugin::{Host, HostOptions};
use windlass_store::RootedPath;

use crate::support::{FREE, Guest, LIMITS, PURE, TestWorld, everything, host, host_with};

/// Creates a host with a cache for one guest at a time, and returns it with the cache folder.
fn keeping_host(folder: &Path) -> (Host, RootedPath) {
    let cache = RootedPath::new(folder).join("plugins");
    let host = Host::new(HostOptions {
        cache: Some(cache.clone()),
        slots: 1,
        limits: LIMITS,
    });
    (host, cache)
}
use serde_json::json;

/// Returns a guest's purity and imports. If it's to run `on_time`, it imports the clock.
fn clock(on_time: bool) -> (u8, String) {
    let clock = r#"(import "windlass:step/clock@1.0.0" "run-began" (func $began (result i64)))"#;
    match on_time {
        true => (FREE, clock.to_owned()),
        false => (PURE, String::new()),
    }
}

/// The range of memory that the guest fills. It goes beyond the part that stays mapped for the next
/// instance, up to the end of the memory.
const LEFT: std::ops::Range<u32> = 65_536..3_600_000;

/// Creates a guest that first checks if its memory and table are in their initial state, and then
/// fills both.
fn filler(name: &'static str, on_time: bool) -> Guest {
    let (purity, imports) = clock(on_time);
    let mut guest = Guest {
        name,
        purity,
        imports,
        also: "(table $left 100 funcref) (elem declare func $describe)".to_owned(),
        pages: 56,
        ..Guest::default()
    };
    let (none, some) = (guest.text("0"), guest.text("\"some\""));
    let (from, to) = (LEFT.start, LEFT.end);
    guest.run = format!(
        r"(local $i i32)
        (local.set $i (i32.const {from}))
        (loop $on
            (if (i32.load8_u (local.get $i)) (then (return (call $answer {some}))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $on (i32.lt_u (local.get $i) (i32.const {to}))))
        (if (i32.eqz (ref.is_null (table.get $left (i32.const 70)))) (then (return (call $answer {some}))))
        (memory.fill (i32.const {from}) (i32.const 0x5a) (i32.const {}))
        (table.fill $left (i32.const 0) (ref.func $describe) (i32.const 100))
        (call $answer {none})",
        to - from
    );
    guest
}

#[test]
fn instances_start_clean() {
    let limits = windlass_plugin::Limits {
        fuel: 200_000_000,
        ..LIMITS
    };
    for on_time in [false, true] {
        // There's a single slot, so every attempt has to reuse it.
        let host = host_with(limits);
        let folder = tempfile::tempdir().unwrap();
        let plugins = ["one", "other"].map(|name| filler(name, on_time).plugin(&host));
        let imports = plugins[0].component().asks().imports();
        assert_eq!(imports.is_empty(), !on_time);
        // The second run follows one of the same plugin, and the third one of the other plugin.
        for nr in [0, 0, 1, 1, 0, 1] {
            let world = TestWorld::of(folder.path());
            let given = plugins[nr].try_once(&json!({}), everything(), world);
            assert_eq!(given, Ok(json!(0)), "{nr} {on_time}");
        }
    }
}

#[test]
fn trap_does_not_affect_others() {
    let host = host();
    let bad = Guest {
        name: "bad",
        run: "(unreachable)".to_owned(),
        ..Guest::default()
    };
    let good = Guest::default().answering("\"fine\"");
    let (bad, good) = (bad.plugin(&host), good.plugin(&host));
    let folder = tempfile::tempdir().unwrap();
    let world = TestWorld::of(folder.path());
    std::thread::scope(|scope| {
        for n in 0..6 {
            let (bad, good, world) = (&bad, &good, &world);
            scope.spawn(move || {
                for round in 0..50 {
                    let input = json!([n, round]);
                    let nothing = BTreeSet::new;
                    assert!(bad.try_once(&input, nothing(), world.clone()).is_err());
                    let given = good.try_once(&input, nothing(), world.clone());
                    assert_eq!(given, Ok(json!("fine")));
                }
            });
        }
    });
}

#[test]
fn pure_results_are_cached() {
    let dir = tempfile::tempdir().unwrap();
    let (_, cache) = keeping_host(dir.path());
    let host = || keeping_host(dir.path()).0;
    let kept = || {
        windlass_store::files_in(&cache.join("results"), |_| true)
            .unwrap()
            .len()
    };
    let one = Guest::default().answering("1");
    let two = Guest::default().answering("2");
    assert_eq!(one.run_on(&host(), &json!({})), Ok(json!(1)));
    assert_eq!((one.run_on(&host(), &json!({})), kept()), (Ok(json!(1)), 1));
    // Another plugin with the same name and version has results of its own.
    assert_eq!((two.run_on(&host(), &json!({})), kept()), (Ok(json!(2)), 2));
    // A plugin that reads files runs each time, because the files may change.
    let reads = Guest {
        purity: crate::support::READS,
        ..Guest::default()
    }
    .answering("3");
    assert_eq!(
        (reads.run_on(&host(), &json!({})), kept()),
        (Ok(json!(3)), 2)
    );
    // If a cached result is invalid, it's computed again.
    for file in windlass_store::files_in(&cache.join("results"), |_| true).unwrap() {
        std::fs::write(file.place.path(), "other").unwrap();
    }
    assert_eq!((one.run_on(&host(), &json!({})), kept()), (Ok(json!(1)), 2));
}

#[test]
fn cached_result_equals_new_result() {
    let echo = Guest {
        run: "(call $answer (local.get $at) (local.get $len))".to_owned(),
        ..Guest::default()
    };
    let dir = tempfile::tempdir().unwrap();
    let (keeping, _) = keeping_host(dir.path());
    let one = json!({ "a": 1, "b": 2, "c": 1.0 });
    let other = json!({ "b": 2, "a": 1.0, "c": 1 });
    let fresh = echo.run(&other).unwrap().to_string();
    echo.run_on(&keeping, &one).unwrap();
    assert_eq!(echo.run_on(&keeping, &other).unwrap().to_string(), fresh);
}

#[test]
fn foreign_compiled_code_is_not_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let (_, cache) = keeping_host(dir.path());
    let host = || keeping_host(dir.path()).0;
    let guest = Guest {
        purity: crate::support::READS,
        ..Guest::default()
    }
    .answering("1");
    assert_eq!(guest.run_on(&host(), &json!({})), Ok(json!(1)));
    let code = || windlass_store::files_in(&cache.join("code"), |_| true).unwrap();
    assert_eq!(code().len(), 1);
    let code_file = code().remove(0);
    let path = code_file.place.path();
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    // The seal doesn't match anymore, so the code is compiled again.
    bytes[middle] ^= 1;
    std::fs::write(path, &bytes).unwrap();
    assert_eq!(guest.run_on(&host(), &json!({})), Ok(json!(1)));
    #[cfg(unix)]
    // If others can write to the folder, we don't use it at all.
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::remove_file(path).unwrap();
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(cache.join("code").path(), open).unwrap();
        assert_eq!(guest.run_on(&host(), &json!({})), Ok(json!(1)));
        assert_eq!(code().len(), 0);
    }
}

#[test]
fn random_and_time_are_fixed() {
    let dir = tempfile::tempdir().unwrap();
    let guest = Guest {
        purity: crate::support::FREE,
        imports: r#"(import "windlass:step/random@1.0.0" "bytes" (func $bytes (param i32 i32)))
            (import "windlass:step/clock@1.0.0" "run-began" (func $began (result i64)))"#
            .to_owned(),
        also: r"(func $digit (param $to i32) (param $from i32)
                (i32.store8 (local.get $to) (i32.add (i32.const 48) (i32.rem_u (i32.load8_u (local.get $from)) (i32.const 10)))))"
            .to_owned(),
        run: r"(local $i i32)
            (call $bytes (i32.const 16) (i32.const 256))
            (i32.store8 (i32.const 300) (i32.const 34))
            (loop $on
                (call $digit (i32.add (i32.const 301) (local.get $i)) (i32.add (i32.load (i32.const 256)) (local.get $i)))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br_if $on (i32.lt_u (local.get $i) (i32.const 16))))
            (i32.store8 (i32.const 317) (i32.add (i32.const 48) (i32.wrap_i64 (i64.rem_u (call $began) (i64.const 10)))))
            (i32.store8 (i32.const 318) (i32.const 34))
            (call $answer (i32.const 300) (i32.const 19))"
            .to_owned(),
        ..Guest::default()
    };
    let plugin = guest.plugin(&host());
    let draw = |seed| {
        let world = TestWorld::seeded(dir.path(), seed);
        let given = plugin.try_once(&json!({}), everything(), world).unwrap();
        given.as_str().unwrap().to_owned()
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    assert!(draw(1).ends_with('3'), "{}", draw(1));
}
