use std::ffi::OsString;
use std::io;
use std::path::Path;

use clap_complete::env::{Bash as Plain, EnvCompleter};

/// Bash as in `clap_complete`, but with support for `--option=value`. Bash splits that into three
/// words and expects a completion of the last one only.
pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        Plain.name()
    }

    fn is(&self, name: &str) -> bool {
        Plain.is(name)
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        Plain.write_registration(variable, name, bin, completer, out)
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        words: Vec<OsString>,
        here: Option<&Path>,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let number = std::env::var("_CLAP_COMPLETE_INDEX").ok();
        let at = number.and_then(|number| number.parse().ok()).unwrap_or(0);
        let between = std::env::var("_CLAP_IFS").unwrap_or_else(|_| "\n".to_owned());
        let (words, at) = joined(words, at);
        let typed = words.get(at).and_then(|word| word.to_str()).unwrap_or("");
        let option = typed.find('=').filter(|_| typed.starts_with("--"));
        let known = option.map_or("", |sign| &typed[..=sign]).to_owned();
        let found = clap_complete::engine::complete(command, words, at, here)?;
        let values: Vec<_> = found
            .iter()
            .map(|one| one.get_value().to_string_lossy())
            .collect();
        let shown: Vec<&str> = values
            .iter()
            .map(|value| value.strip_prefix(known.as_str()).unwrap_or(value))
            .collect();
        out.write_all(shown.join(&between).as_bytes())
    }
}

/// Joins `--option`, `=` and `value` into one word. Returns the words with the current one's index.
fn joined(words: Vec<OsString>, at: usize) -> (Vec<OsString>, usize) {
    let mut joined: Vec<OsString> = Vec::with_capacity(words.len());
    let mut typed = at;
    let mut words = words.into_iter().enumerate().peekable();
    while let Some((number, word)) = words.next() {
        let option = joined
            .last_mut()
            .filter(|last| last.as_encoded_bytes().starts_with(b"--") && number > 1);
        match option {
            Some(option) if word == "=" && number != at => {
                option.push("=");
                typed -= usize::from(number < at);
                if let Some((number, value)) = words.next() {
                    option.push(value);
                    typed -= usize::from(number <= at);
                }
            }
            _ => joined.push(word),
        }
    }
    (joined, typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_option_and_value_is_one_word() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let joined = |text, at| joined(words(text), at);
        assert_eq!(
            joined("w plan x --format = js", 5),
            (words("w plan x --format=js"), 3)
        );
        assert_eq!(
            joined("w --root = /a run ov", 5),
            (words("w --root=/a run ov"), 3)
        );
        assert_eq!(joined("w run -i a = b", 2), (words("w run -i a = b"), 2));
        assert_eq!(
            joined("w run ov --root = /a", 2),
            (words("w run ov --root=/a"), 2)
        );
        assert_eq!(
            joined("w plan --format ", 3),
            (words("w plan --format "), 3)
        );
    }
}
