//! Properties of the fuzz targets, on known texts with some bytes changed.

use proptest::prelude::*;

use crate::mutate::mutated;

#[path = "../../fuzz/checks.rs"]
mod checks;

const SEEDS: &[&str] = &[
    include_str!("../data/spec/snippet.tron"),
    include_str!("../data/spec/todo-minimal.tron"),
    include_str!("../data/spec/plan-minimal.tron"),
    include_str!("../data/spec/playbook-minimal.json"),
    "class A: a, b; class B(A): c; [A(1, b=2), B(1, 2, c=[{}, A(null, \"\\ud83d\\ude00\")]),]",
    "class A:\n  \"x y\",\n  class\n\n{\"a\":\n[1.50e-7, -0, 12345678901234567890123, true],}",
    "# note\n\u{feff}key: {unquoted: \"1\"}\nother: [A(), \"\\u0000\"]\r\n",
    "{\"class\":{\"true\":[{\"\":1,\"a,b\":2},{\"\":3,\"a,b\":4},{\"\":5,\"a,b\":6}]},\"__proto__\":null}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn fuzzed_bytes_are_read_or_refused(bytes in mutated(SEEDS)) {
        checks::read(&bytes);
    }

    #[test]
    fn fuzzed_value_is_written(bytes in mutated(SEEDS), choices in 0..4_u8) {
        if let Ok(text) = std::str::from_utf8(&bytes) {
            checks::write(choices, text);
        }
    }
}
