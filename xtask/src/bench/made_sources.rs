//! Generated trees of source files, which are the same every time.

use std::fmt::Write as _;
use std::path::Path;

use crate::Error;

/// Pseudorandom numbers (xorshift). The same seed always gives the same numbers.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

const WORDS: [&str; 16] = [
    "anchor", "budget", "cable", "cursor", "deck", "digest", "drum", "harbour", "ledger", "pawl",
    "pointer", "rope", "section", "span", "tide", "winch",
];

pub(crate) fn source(at: usize, lines: usize) -> String {
    let mut numbers = Numbers::new(at as u64 + 1);
    let mut text = format!("//! Module {at}.\n\nuse std::collections::BTreeMap;\n");
    let mut line = 3;
    let mut function = 0;
    while line < lines {
        let mut word = || WORDS[numbers.below(WORDS.len())];
        let (first, second, third) = (word(), word(), word());
        let _ = write!(
            text,
            "\n/// Moves the {first} of the {second}.\npub fn {first}_{second}_{at}_{function}({third}: u32) -> u32 {{\n    \
             let {second} = {third}.wrapping_mul({});\n    // The {third} holds the {first}.\n    {second} + {at}\n}}\n",
            numbers.below(1000),
        );
        line += 7;
        function += 1;
    }
    text
}

/// Writes `files` source files of about `lines` lines below `root`, 20 to a folder.
pub(crate) fn write_sources(root: &Path, files: usize, lines: usize) -> Result<(), Error> {
    for at in 0..files {
        let path = root.join(source_path(at));
        if at % 20 == 0
            && let Some(folder) = path.parent()
        {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, source(at, lines))?;
    }
    Ok(())
}

pub(crate) fn source_path(at: usize) -> String {
    format!("src/part{:03}/module{at}.rs", at / 20)
}

/// Waits until files count as settled.
///
/// A file that was changed very recently is always read twice, because it may change again within
/// the same tick of the file system's clock. That would be measured too.
pub(crate) fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(2_200));
}
