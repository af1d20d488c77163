//! Hostile guests. Whatever a guest does, nothing else must happen than a failed step with a
//! location and a reason.

use crate::support::{FREE, Guest, LIMITS, host, host_with};
use serde_json::{Value, json};
use windlass_engine::ErrorKind;

fn fails(body: &str, also: &str) -> (ErrorKind, String, Option<String>) {
    let guest = Guest {
        run: body.to_owned(),
        also: also.to_owned(),
        ..Guest::default()
    };
    let host = host();
    let error = guest.run_on(&host, &json!({})).unwrap_err();
    // The host must still work for the next guest.
    let honest = Guest::default().answering("[7]");
    assert_eq!(honest.run_on(&host, &json!({})), Ok(json!([7])));
    let who = "plugin `guest 1.2.3`, `run` in step `test`: ";
    let why = error
        .message
        .strip_prefix(who)
        .unwrap_or_else(|| panic!("{}", error.message));
    (error.kind, why.to_owned(), error.help)
}

#[test]
fn endless_loop_runs_out_of_fuel() {
    let (kind, why, help) = fails("(loop $on (br $on)) (unreachable)", "");
    assert_eq!(kind, ErrorKind::Failed);
    assert_eq!(why, "it took too long: more than 20 million instructions");
    let help = help.unwrap();
    assert!(
        help.starts_with("inside the plugin, innermost first: run"),
        "{help}"
    );
}

#[test]
fn memory_bomb_hits_the_limit() {
    let bomb =
        "(loop $on (br_if $on (i32.ne (i32.const -1) (memory.grow (i32.const 1))))) (unreachable)";
    let (kind, why, _) = fails(bomb, "");
    assert_eq!(kind, ErrorKind::TooLarge);
    assert_eq!(why, "it exceeded the memory limit of 4 MiB");
}

#[test]
fn endless_recursion_is_reported() {
    let deep = "(func $deep (param i32) (result i32) (i32.add (i32.const 1) (call $deep (i32.add (i32.const 1) (local.get 0)))))";
    let (kind, why, help) = fails("(call $deep (i32.const 0))", deep);
    assert_eq!(kind, ErrorKind::Failed);
    assert!(why.starts_with("its stack overflowed"), "{why}");
    assert!(help.unwrap().contains("deep < deep"));
}

#[test]
fn large_output_is_refused() {
    let large = "(call $answer (call $alloc (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 2000000)) (i32.const 2000000))";
    let (kind, why, _) = fails(large, "");
    assert_eq!(kind, ErrorKind::TooLarge);
    assert_eq!(why, "it returned more than the limit of 1048576 bytes");
}

#[test]
fn answer_out_of_bounds_is_refused() {
    let (kind, why, _) = fails("(call $answer (i32.const -8) (i32.const 4))", "");
    assert_eq!(kind, ErrorKind::Failed);
    assert!(why.contains("out of bounds"), "{why}");
}

#[test]
fn abort_has_a_backtrace() {
    let (kind, why, help) = fails("(call $inner) (unreachable)", "(func $inner (unreachable))");
    assert_eq!((kind, &*why), (ErrorKind::Failed, "it aborted"));
    assert_eq!(
        help.unwrap(),
        "inside the plugin, innermost first: inner < run"
    );
}

#[test]
fn invalid_output_is_refused() {
    let run = |text: &[u8]| {
        Guest::default()
            .answering(text)
            .run(&json!({}))
            .unwrap_err()
    };
    assert!(
        run(b"\"\xff\"").message.contains("utf-8"),
        "{}",
        run(b"\"\xff\"").message
    );
    assert!(run(b"{\"a\":").message.contains("its output is not JSON"));
    let nested = "[".repeat(10_000);
    assert!(
        run(nested.as_bytes())
            .message
            .contains("its output is not JSON")
    );
}

#[test]
fn input_and_output_are_validated() {
    let mut guest = Guest {
        input_schema: json!({ "type": "object", "required": ["n"] }).to_string(),
        output_schema: json!({ "type": "array", "items": { "type": "string" } }).to_string(),
        ..Guest::default()
    };
    guest = guest.answering("[\"a\", 2]");
    let error = guest.run(&json!({})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(
        error
            .message
            .contains("the input does not fit its schema: /: "),
        "{error}"
    );
    let error = guest.run(&json!({ "n": 1 })).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Failed);
    assert!(
        error
            .message
            .contains("its output does not fit its schema: /1: "),
        "{error}"
    );
}

#[test]
fn guest_failure_retains_kind_and_details() {
    let sorts = [ErrorKind::Invalid, ErrorKind::Transient, ErrorKind::Failed];
    for (sort, kind) in (0..).zip(sorts) {
        let guest = Guest::default().failing(sort, "no such team", "{\"team\":\"a\"}");
        let error = guest.run(&json!({})).unwrap_err();
        assert_eq!(error.kind, kind);
        assert!(
            error
                .message
                .ends_with("`run` in step `test`: no such team")
        );
        assert_eq!(error.seen, [json!({ "team": "a" })]);
    }
    let error = Guest::default()
        .failing(2, "x", "no JSON")
        .run(&json!({}))
        .unwrap_err();
    assert_eq!(error.seen, Vec::<Value>::new());
}

#[test]
fn fuel_limit_is_deterministic() {
    let guest = Guest {
        run: "(local $i i32) (loop $on
            (local.set $i (i32.add (i32.const 1) (local.get $i)))
            (br_if $on (i32.lt_u (local.get $i) (i32.const 10000))))"
            .to_owned(),
        ..Guest::default()
    }
    .answering("7");
    let answers = |fuel: u64| {
        let limits = windlass_plugin::Limits { fuel, ..LIMITS };
        let host = host_with(limits);
        guest.run_on(&host, &json!({})).is_ok()
    };
    // Find out exactly how much fuel the guest needs for an answer.
    let (mut least, mut enough) = (0, 1_000_000);
    assert!(answers(enough));
    while enough - least > 1 {
        let middle = least.midpoint(enough);
        match answers(middle) {
            true => enough = middle,
            false => least = middle,
        }
    }
    assert!(enough > 10_000, "{enough}");
    // The limit is the same each time, to the unit.
    for _ in 0..3 {
        assert!(answers(enough) && !answers(enough - 1));
    }
}

#[test]
fn timed_guest_can_be_stopped() {
    let guest = Guest {
        purity: FREE,
        run: "(loop $on (br $on)) (unreachable)".to_owned(),
        ..Guest::default()
    };
    for purity in [FREE, crate::support::PURE] {
        // A guest that imports the clock runs on time instead of fuel.
        let clock =
            r#"(import "windlass:step/clock@1.0.0" "run-began" (func $began (result i64)))"#;
        let guest = Guest {
            purity,
            imports: if purity == FREE { clock } else { "" }.to_owned(),
            run: guest.run.clone(),
            ..Guest::default()
        };
        let limits = windlass_plugin::Limits {
            fuel: u64::MAX >> 8,
            ..LIMITS
        };
        let host = host_with(limits);
        let plugin = guest.plugin(&host);
        let folder = tempfile::tempdir().unwrap();
        let world = crate::support::TestWorld::of(folder.path());
        let cancel = windlass_base::Cancel::default();
        let error = std::thread::scope(|scope| {
            let running = scope.spawn(|| {
                plugin.try_until(&json!({}), crate::support::everything(), world, &cancel)
            });
            cancel.cancel();
            running.join().unwrap().unwrap_err()
        });
        assert_eq!(error.kind, ErrorKind::Cancelled, "{error}");
    }
}

#[test]
fn small_host_stack_is_extended() {
    let guest = Guest {
        run: "(call $deeper) (i32.const 256)".to_owned(),
        also: "(func $deeper (call $deeper) (call $deeper))".to_owned(),
        ..Guest::default()
    };
    let plugin = guest.plugin(&crate::support::host());
    let small = std::thread::Builder::new().stack_size(192 << 10);
    let folder = tempfile::tempdir().unwrap();
    let world = crate::support::TestWorld::of(folder.path());
    let run = move || plugin.try_once(&json!({}), crate::support::everything(), world);
    let error = small.spawn(run).unwrap().join().unwrap().unwrap_err();
    assert!(error.message.contains("its stack overflowed"), "{error}");
}

#[test]
fn description_can_be_stopped() {
    let guest = Guest {
        describe: "(loop $on (br $on)) (unreachable)".to_owned(),
        ..Guest::default()
    };
    let component = windlass_plugin::Component::read(guest.bytes()).unwrap();
    let cancel = windlass_base::Cancel::default();
    let stopped = std::thread::scope(|scope| {
        let asking = scope
            .spawn(|| windlass_plugin::Plugin::load(component, &crate::support::host(), &cancel));
        cancel.cancel();
        asking.join().unwrap()
    });
    assert_eq!(stopped.unwrap_err(), windlass_plugin::PluginError::Stopped);
}

#[test]
fn stopped_guest_has_a_backtrace() {
    let asking = crate::support::asking("anchors", "take");
    let guest = Guest {
        run: "(call $ask (local.get $at) (local.get $len) (i32.const 256)) (call $turning) (i32.const 256)"
            .to_owned(),
        also: "(func $turning (loop $on (br $on)))".to_owned(),
        ..asking
    };
    let plugin = guest.plugin(&crate::support::host());
    let folder = tempfile::tempdir().unwrap();
    let world = crate::support::TestWorld::of(folder.path());
    let cancel = windlass_base::Cancel::default();
    let everything = crate::support::everything();
    let stopped = plugin.try_until(&json!({ "stop": true }), everything, world, &cancel);
    let error = stopped.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled, "{error}");
    let help = error.help.unwrap_or_default();
    let (plugin, place) = help.split_once(": stopped inside the plugin, ").unwrap();
    assert!(
        plugin.starts_with("plugin `") && plugin.ends_with("`run`"),
        "{help}"
    );
    // We stop the guest when it receives the answer or later. The exact location depends on the
    // timing.
    let innermost = ["turning < ", "alloc < "].map(|name| format!("innermost first: {name}"));
    assert!(
        innermost.iter().any(|name| place.starts_with(name)) && place.ends_with("run"),
        "{help}"
    );
}

#[test]
fn falsely_free_guest_runs_on_fuel() {
    let guest = Guest {
        purity: FREE,
        run: "(loop $on (br $on)) (unreachable)".to_owned(),
        ..Guest::default()
    };
    let error = guest.run(&json!({})).unwrap_err();
    assert!(error.message.contains("it took too long"), "{error}");
}

#[test]
fn failure_message_is_limited() {
    let long = format!("first\n{}\u{1b}[2J last", "x ".repeat(50_000));
    let details = format!("\"{}\"", "y".repeat(100_000));
    let name = "n".repeat(5_000);
    let guest = Guest::default().failing(2, &long, "7");
    let error = guest.run(&json!({})).unwrap_err();
    assert!(error.message.len() < 700 && error.message.contains("first x x"));
    assert!(!error.message.contains(['\n', '\u{1b}']));
    assert_eq!(error.seen, [json!(7)]);
    let error = Guest::default()
        .failing(2, &long, &details)
        .run(&json!({}))
        .unwrap_err();
    assert!(
        error.message.len() < 700 && error.seen.is_empty(),
        "{}",
        error.message
    );
    assert!(
        error.message.contains("details of 100002 bytes omitted"),
        "{error}"
    );
    let (_, _, help) = fails(
        &format!("(call ${name}) (unreachable)"),
        &format!("(func ${name} (unreachable))"),
    );
    assert!(help.unwrap().len() < 200);
}

#[test]
fn output_with_too_many_values_fails() {
    // The output has one value too many, in 2 MB of text.
    let zeros = "(local $i i32) (local $to i32)
        (local.set $to (call $alloc (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 2000010)))
        (i32.store8 (local.get $to) (i32.const 91))
        (loop $on
            (i32.store8 offset=1 (i32.add (local.get $to) (local.get $i)) (i32.const 48))
            (i32.store8 offset=2 (i32.add (local.get $to) (local.get $i)) (i32.const 44))
            (local.set $i (i32.add (i32.const 2) (local.get $i)))
            (br_if $on (i32.lt_u (local.get $i) (i32.const 2000004))))
        (i32.store8 (i32.add (local.get $to) (local.get $i)) (i32.const 93))
        (call $answer (local.get $to) (i32.add (i32.const 1) (local.get $i)))";
    let guest = Guest {
        run: zeros.to_owned(),
        ..Guest::default()
    };
    let limits = windlass_plugin::Limits {
        output: 4 << 20,
        fuel: 200_000_000,
        ..LIMITS
    };
    let host = host_with(limits);
    let error = guest.run_on(&host, &json!({})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge, "{error}");
    assert!(error.message.contains("1000000 values"), "{error}");
}

#[test]
fn denied_memory_is_not_blamed_later() {
    let (kind, why, _) = fails(
        "(drop (memory.grow (i32.const 1000))) (loop $on (br $on)) (unreachable)",
        "",
    );
    assert_eq!(kind, ErrorKind::Failed);
    assert!(why.starts_with("it took too long"), "{why}");
}

#[test]
fn table_bomb_hits_the_limit() {
    let bomb = "(loop $on (br_if $on (i32.ne (i32.const -1) (table.grow $t (ref.null func) (i32.const 100))))) (unreachable)";
    let (kind, why, _) = fails(bomb, "(table $t 0 funcref)");
    assert_eq!(kind, ErrorKind::TooLarge);
    assert_eq!(why, "it exceeded the limit of 1000 table elements");
}

#[test]
fn log_size_is_limited() {
    let write = r#"(import "windlass:step/log@1.0.0" "write" (func $write (param i32 i32 i32)))"#;
    let says = |body: &str| Guest {
        imports: write.to_owned(),
        run: body.to_owned(),
        ..Guest::default()
    };
    // The guest writes either two megabytes at once or ten thousand lines.
    let large = says(
        "(drop (call $alloc (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 2000000))) (call $write (i32.const 3) (i32.const 1024) (i32.const 2000000)) (unreachable)",
    );
    let error = large.run(&json!({})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge, "{error}");
    let mut many = says(
        "(local $n i32) (loop $on (call $write (i32.const 2) (i32.const 1024) (i32.const 4)) (local.set $n (i32.add (i32.const 1) (local.get $n))) (br_if $on (i32.lt_u (local.get $n) (i32.const 10000))))",
    );
    many = many.answering("7");
    assert_eq!(many.run(&json!({})), Ok(json!(7)));
}

#[test]
fn large_initial_memory_is_refused() {
    let guest = Guest {
        pages: 1_000,
        ..Guest::default()
    };
    let component = windlass_plugin::Component::read(guest.bytes()).unwrap();
    let error =
        windlass_plugin::Plugin::load(component, &host(), &windlass_base::Cancel::default())
            .unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
}
