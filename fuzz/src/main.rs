//! Entry point of libFuzzer, for the target named in `WINDLASS_FUZZ_TARGET`.
//!
//! With `WINDLASS_FUZZ_EXPORT`, the program writes the inputs and the dictionary of every target to
//! that folder instead, where libFuzzer can read them.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;
use std::{env, fs, io, process};

use windlass_fuzz::{TARGETS, Target, target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = env::var("WINDLASS_FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("unknown target `{name}`; set WINDLASS_FUZZ_TARGET"))
});

libfuzzer_sys::fuzz_target!(
    init: {
        if let Some(folder) = env::var_os("WINDLASS_FUZZ_EXPORT") {
            export(Path::new(&folder)).expect("a writable folder");
            process::exit(0);
        }
    },
    |bytes: &[u8]| (TARGET.check)(bytes)
);

/// Writes `NAME/INDEX` for each input, and `NAME.dict` for each target.
fn export(folder: &Path) -> io::Result<()> {
    for target in TARGETS {
        let inputs = folder.join(target.name);
        fs::create_dir_all(&inputs)?;
        for (index, input) in target.inputs().iter().enumerate() {
            fs::write(inputs.join(index.to_string()), input)?;
        }
        let word = |word: &&str| {
            let bytes: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("\"{bytes}\"\n")
        };
        let words: String = target.words.iter().map(word).collect();
        fs::write(folder.join(format!("{}.dict", target.name)), words)?;
    }
    Ok(())
}
