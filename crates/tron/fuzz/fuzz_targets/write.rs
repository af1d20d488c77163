#![no_main]

#[path = "../checks.rs"]
#[expect(dead_code, reason = "another target uses the rest")]
mod checks;

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| checks::write(input.0, input.1));
