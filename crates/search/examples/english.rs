//! Generates `src/english_words/stems.txt` from word lists with one word per line, such as
//! `american-english` from SCOWL: `cat LIST crates/search/src/english_words/code.txt | cargo run -p
//! windlass-search --example english`.
#![allow(clippy::print_stdout, reason = "a tool for those who work on the code")]

use std::collections::BTreeSet;
use std::io::{self, BufRead as _};

/// Minimum length of a word in the list, in letters. Shorter words are never corrected, so they
/// need not be known.
const LEAST: usize = 4;

fn main() -> io::Result<()> {
    let mut stems = BTreeSet::new();
    for line in io::stdin().lock().lines() {
        let word = line?.to_lowercase();
        let word = word.trim();
        if word.len() >= LEAST && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            stems.insert(windlass_search::stem(word).into_owned());
        }
    }
    stems.iter().for_each(|stem| println!("{stem}"));
    Ok(())
}
