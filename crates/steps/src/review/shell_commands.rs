//! Words in arguments that may name a file or a folder.
//!
//! We don't know the syntax of most programs, so we'd rather take too many words than too few. A
//! word that names no file costs a lookup, but a missed file could change without ending trust.

use std::collections::BTreeSet;

/// Maximum number of words in one step. With more, the review is open.
pub(super) const MAX_WORDS: usize = 2_048;

/// Maximum nesting depth of command lines inside command lines.
const MAX_DEPTH: usize = 4;

/// Maximum length of a word, in bytes. A longer one can't be a path.
const MAX_LEN: usize = 4_096;

/// Maximum number of option letters before the value of a short option, as in `-sfbuild.mk`.
const MAX_LETTERS: usize = 6;

/// Characters that separate words in options, path lists, calls and command lines.
const SEPARATORS: [char; 21] = [
    '=', ',', ':', ';', '|', '&', '(', ')', '<', '>', '{', '}', '[', ']', '$', '@', '!', '`', '\'',
    '"', '\\',
];

/// Words of arguments that may name a file.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) found: BTreeSet<String>,
    /// True if there are more than [`MAX_WORDS`].
    pub(super) too_many: bool,
}

impl Words {
    /// Adds the words in `argument`: the whole argument, the value of an option, and the words of a
    /// command line or of code.
    pub(super) fn add_argument(&mut self, argument: &str) {
        self.add_text(argument, 0);
    }

    fn add_text(&mut self, text: &str, depth: usize) {
        self.add_word(text);
        if !text.contains(|c: char| c.is_whitespace() || c == '\'' || c == '"' || c == '\\') {
            return self.add_pieces(text);
        }
        let text = without_dots(&without_redirections(text));
        for token in shell_words(&text) {
            match token.contains(char::is_whitespace)
                && depth < MAX_DEPTH
                && token.len() < text.len()
            {
                true => self.add_text(&token, depth + 1),
                false => self.add_pieces(&token),
            }
        }
        // Other languages have other quoting rules than a shell, so we also split code without
        // regard to quotes.
        for piece in text.split(|c: char| c.is_whitespace() || c == '\'' || c == '"') {
            self.add_pieces(piece);
        }
    }

    fn add_pieces(&mut self, token: &str) {
        self.add_word(token);
        self.add_option_value(token);
        if token.contains("::") {
            self.add_word(&token.replace("::", "/"));
            if let Some(value) = token.strip_prefix('-') {
                self.add_option_value(&format!("-{}", value.replace("::", "/")));
            }
        }
        if let Some((_, value)) = token.split_once('=') {
            self.add_word(value);
        }
        // A pattern matches files in a folder, so add the folder.
        if let Some(at) = token.find(['*', '?', '['])
            && let Some(end) = token[..at].rfind('/')
        {
            self.add_word(&token[..end]);
        }
        for piece in token.split(SEPARATORS) {
            self.add_word(piece);
            self.add_option_value(piece);
        }
        // The path may be below a folder from a variable or a call: `$PWD/lib.sh`,
        // `${HERE}/lib.sh`, `$(pwd)/lib.sh`.
        for (at, _) in token.match_indices('/') {
            if token[..at].contains(['$', '`', '%', '~']) {
                self.add_word(token[at + 1..].trim_end_matches(SEPARATORS));
            }
        }
    }

    /// Adds the possible values of `-fFILE`. The number of option letters before the value depends
    /// on the program, so we try them all.
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

/// Splits a command line into words as a shell does. Quotes are removed, and control characters end
/// a word.
pub(super) fn shell_words(text: &str) -> Vec<String> {
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

/// Returns the simple commands in a script, or `None` if a part of it is known only at run time.
pub(super) fn simple_commands(script: &str) -> Option<Vec<Vec<String>>> {
    // Parentheses can begin a command in many forms: `$(…)`, `<(…)`, `>(…)`, and in some shells
    // `=(…)` and `(…)`.
    if script.contains(['(', '`']) || script.contains("<<") {
        return None;
    }
    let script = without_redirections(script);
    let commands = script.split([';', '|', '&', '\n']);
    let commands = commands.map(shell_words).filter(|words| !words.is_empty());
    Some(commands.collect())
}

/// True if a word in `script` that may name a file is known only at run time.
pub(super) fn has_late_words(script: &str) -> bool {
    let mut before = ' ';
    let mut characters = script.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let is_late = match c {
            '`' => true,
            // `$?`, `$#`, `$!`, `$$` and arithmetic result in numbers, so they can't name a file.
            '$' => next.is_ascii_alphabetic() || "_{@*0123456789".contains(next),
            '*' | '?' => before == '/' || next == '/' || next == '.' || before == '.',
            _ => false,
        };
        if is_late {
            return true;
        }
        if c == '$' {
            characters.next();
        }
        before = c;
    }
    let words = shell_words(script);
    words.iter().any(|word| word == "eval")
}

/// Removes the files that a command line only writes to, as in `> FILE` and `2>>FILE`.
fn without_redirections(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        kept.push(c);
        if c == '\\' {
            // An escaped `>` doesn't redirect.
            kept.extend(characters.next());
            continue;
        }
        if c != '>' || kept.ends_with("=>") || kept.ends_with("->") {
            continue;
        }
        characters.next_if(|c| ">|&".contains(*c));
        while characters.next_if_eq(&' ').is_some() {}
        while characters
            .next_if(|c| !c.is_whitespace() && !";|&()'\"\\".contains(*c))
            .is_some()
        {}
    }
    kept
}

/// Removes dot commands (`. FILE` reads a script), or else we'd take the dot for a folder.
fn without_dots(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut begins = true;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek();
        if begins && c == '.' && next.is_some_and(|c| c.is_whitespace()) {
            continue;
        }
        begins = ";|&(){}\n`'\"".contains(c) || begins && c.is_whitespace();
        kept.push(c);
    }
    kept
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
    fn word_only_written_skipped() {
        for script in ["make > out.txt", "make 2>>out.txt; true", "make >|out.txt"] {
            assert!(!words(script).contains("out.txt"), "{script}");
        }
        assert!(words("make > out.txt; sh out.txt").contains("out.txt"));
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

    #[test]
    fn simple_commands_hidden_none() {
        for script in [
            "echo >(./x)",
            "cat <(./x)",
            "cat =(./x)",
            "echo (./x)",
            "echo `./x`",
        ] {
            assert_eq!(simple_commands(script), None, "{script}");
        }
        let commands = simple_commands("echo \\> | ./x 2>&1").unwrap();
        assert!(
            commands.iter().any(|command| command[0] == "./x"),
            "{commands:?}"
        );
    }

    #[test]
    fn dot_command_no_folder() {
        for script in [
            ". ./lib.sh",
            "set -e; . ./lib.sh",
            "true &&  . ./lib.sh",
            "sh -c '. ./lib.sh'",
        ] {
            assert!(!words(script).contains("."), "{script}");
        }
    }

    #[test]
    fn late_word_detected() {
        for (script, is_late) in [
            (". \"$LIB\"", true),
            ("for f in ci.d/*; do true; done", true),
            ("sh `cat name`", true),
            ("eval x", true),
            ("exit $?", false),
            ("echo $((1 + 2))", false),
            ("sh x.sh", false),
        ] {
            assert_eq!(has_late_words(script), is_late, "{script}");
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
            simple_commands(&argument);
            has_late_words(&argument);
        }

        #[test]
        fn file_name_after_option_found(name in "[a-z]{1,8}/[a-z]{1,8}\\.[a-z]{1,3}", option in "(-[a-zA-Z]{1,3}|--[a-z]{1,8}=|[A-Z]{1,5}=|@|!|sh -c |\\. )?") {
            let argument = format!("{option}{name}");
            prop_assert!(words(&argument).contains(&name), "{}", argument);
        }
    }
}
