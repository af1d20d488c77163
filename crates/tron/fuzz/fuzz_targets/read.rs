#![no_main]

#[path = "../checks.rs"]
#[expect(dead_code, reason = "another target uses the rest")]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::read(bytes));
