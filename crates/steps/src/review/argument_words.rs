//! Words in arguments, as possible names of files or folders.
//!
//! Trust in a step covers the files it uses, so a review looks for their names in the step's
//! arguments. The syntax of most programs is unknown, so we would rather take too many words than
//! too few. A word without a file only wastes a lookup. A missed file could change without
//! invalidating trust.

use std::collections::BTreeSet;

/// Maximum number of words to look up per step. Beyond this limit, the review counts as open.
const MAX_WORDS: usize = 2_048;

/// Maximum nesting depth for command lines inside of command lines.
const MAX_DEPTH: usize = 4;

/// Maximum length of a word, in bytes. Nothing longer can be a path.
const MAX_LEN: usize = 4_096;

/// Maximum number of option letters before the value of a short option, e.g. `-sfbuild.mk`.
const MAX_LETTERS: usize = 6;

const SEPARATORS: [char; 21] = [
    '=', ',', ':', ';', '|', '&', '(', ')', '<', '>', '{', '}', '[', ']', '$', '@', '!', '`', '\'',
    '"', '\\',
];

#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) found: BTreeSet<String>,
    /// True if [`MAX_WORDS`] was exceeded, so that `found` is incomplete.
    pub(super) too_many: bool,
}

impl Words {
    /// Adds the whole argument and the value of an option in it. For a command line or code, also
    /// adds its words.
    pub(super) fn add_argument(&mut self, argument: &str) {
        self.add_text(argument, 0);
    }

    fn add_text(&mut self, text: &str, depth: usize) {
        self.add_word(text);
        // Without spaces, quotes or backslashes, this is a single word.
        if !text.contains(|c: char| c.is_whitespace() || c == '\'' || c == '"' || c == '\\') {
            return self.add_pieces(text);
        }
        // If a token has spaces, it was quoted or escaped. It may be another command line, for
        // example the argument of a nested `sh -c`.
        for token in shell_words(text) {
            match token.contains(char::is_whitespace)
                && depth < MAX_DEPTH
                && token.len() < text.len()
            {
                true => self.add_text(&token, depth + 1),
                false => self.add_pieces(&token),
            }
        }
        // The text may be in another language with its own quoting rules, so also split it
        // regardless of quotes.
        for piece in text.split(|c: char| c.is_whitespace() || c == '\'' || c == '"') {
            self.add_pieces(piece);
        }
    }

    fn add_pieces(&mut self, token: &str) {
        self.add_word(token);
        self.add_option_value(token);
        // An option such as Perl's `-MFoo::Bar` names a file by its module.
        if token.contains("::") {
            self.add_word(&token.replace("::", "/"));
            if let Some(value) = token.strip_prefix('-') {
                self.add_option_value(&format!("-{}", value.replace("::", "/")));
            }
        }
        if let Some((_, value)) = token.split_once('=') {
            self.add_word(value);
        }
        // If the word is a glob, the step may use any file in the folder.
        if let Some(at) = token.find(['*', '?', '['])
            && let Some(end) = token[..at].rfind('/')
        {
            self.add_word(&token[..end]);
        }
        for piece in token.split(SEPARATORS) {
            self.add_word(piece);
            self.add_option_value(piece);
        }
        // The folder may come from a variable or a call, e.g. `$PWD/lib.sh`, `${HERE}/lib.sh` or
        // `$(pwd)/lib.sh`, so also try the rest of the path.
        for (at, _) in token.match_indices('/') {
            if token[..at].contains(['$', '`', '%', '~']) {
                self.add_word(token[at + 1..].trim_end_matches(SEPARATORS));
            }
        }
    }

    /// Adds the possible values of an option such as `-fFILE`. Only the program knows the number of
    /// letters before the value, so try them all.
    fn add_option_value(&mut self, option: &str) {
        let Some(letters) = option.strip_prefix(['-', '+']) else {
            return;
        };
        let count = letters
            .bytes()
            .take(MAX_LETTERS)
            .take_while(u8::is_ascii_alphanumeric)
            .count();
        for at in 1..=count {
            self.add_word(&letters[at..]);
        }
    }

    fn add_word(&mut self, word: &str) {
        let word = word.trim_matches(|c: char| c.is_whitespace() || c == ';');
        if word.is_empty() || word.len() > MAX_LEN || word.contains(['\0', '\n']) {
            return;
        }
        if self.found.len() >= MAX_WORDS {
            self.too_many = true;
        } else {
            self.found.insert(word.to_owned());
        }
    }
}

/// Splits a command line into words as a shell does. Removes quotes, and ends a word at control
/// operators such as `;` and `|`.
fn shell_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut is_open) = (Vec::new(), String::new(), false);
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some('"') | None, '\\') => word.extend(characters.next().filter(|c| *c != '\n')),
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => (quote, is_open) = (Some(c), true),
            (None, c) if c.is_whitespace() || ";|&()".contains(c) => {
                if is_open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            (None, c) => word.push(c),
        }
    }
    if is_open || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(argument: &str) -> BTreeSet<String> {
        let mut words = Words::default();
        words.add_argument(argument);
        words.found
    }

    #[test]
    fn word_naming_file_found() {
        for (argument, file) in [
            ("build.mk", "build.mk"),
            ("--file=build.mk", "build.mk"),
            ("-fbuild.mk", "build.mk"),
            ("-sfbuild.mk", "build.mk"),
            ("-I./lib", "./lib"),
            ("-MFoo::Bar", "Foo/Bar"),
            ("@args.txt", "args.txt"),
            ("alias.x=!./tool.sh a", "./tool.sh"),
            ("X=./x.so:./y.so", "./y.so"),
            (". ./lib.sh", "./lib.sh"),
            ("set -e; . ./lib.sh; run", "./lib.sh"),
            (". \"./my lib.sh\"", "./my lib.sh"),
            (". ./my\\ lib.sh", "./my lib.sh"),
            (". './l'ib.sh", "./lib.sh"),
            ("sh -c 'sh -c \"./x y\"'", "./x"),
            (". $PWD/lib.sh", "lib.sh"),
            (". \"${HERE}/a/lib.sh\"", "a/lib.sh"),
            (". $(pwd)/lib.sh", "lib.sh"),
            ("cat <in.sh|sh", "in.sh"),
            ("exec(open('x.py').read())", "x.py"),
            ("require(\"./x.js\")", "./x.js"),
            ("print while <x.txt>", "x.txt"),
            ("a file.sh", "a file.sh"),
            ("for f in ci.d/sub/*.sh; do sh $f; done", "ci.d/sub"),
            ("cd x && node .", "."),
        ] {
            assert!(
                words(argument).contains(file),
                "{argument}: {:?}",
                words(argument)
            );
        }
    }

    #[test]
    fn word_after_redirection_found() {
        for script in [
            "cat f > >(./x)",
            "echo >(./x)",
            "echo \\> | ./x",
            "echo \\>|./x",
            "echo > a|./x",
            "echo > a\\;./x",
            "echo >|a && ./x",
        ] {
            assert!(words(script).contains("./x"), "{script}");
        }
    }

    proptest! {
        #[test]
        fn words_any_argument_bounded(argument in r#"[a./\\'" $>=\-;é\n]{0,200}"#) {
            let mut words = Words::default();
            for _ in 0..4 {
                words.add_argument(&argument);
            }
            prop_assert!(words.found.len() <= MAX_WORDS);
        }

        #[test]
        fn file_name_after_option_found(name in "[a-z]{1,8}/[a-z]{1,8}\\.[a-z]{1,3}", option in "(-[a-zA-Z]{1,3}|--[a-z]{1,8}=|[A-Z]{1,5}=|@|!|sh -c |\\. )?") {
            let argument = format!("{option}{name}");
            prop_assert!(words(&argument).contains(&name), "{}", argument);
        }
    }
}
