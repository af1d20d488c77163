//! Which files a `command` step starts, as far as its input says.

use std::path::Path;

use serde_json::Value;

/// How many arguments of an interpreter are looked at in search of its script.
const MAX_SCRIPTS: usize = 16;

/// Interpreters that run the file they are given, without version numbers; and the letters of options that give
/// them the code itself, or the name of a module.
const INTERPRETERS: [(&str, &str); 21] = [
    ("sh", "c"),
    ("bash", "c"),
    ("dash", "c"),
    ("zsh", "c"),
    ("ksh", "c"),
    ("fish", "c"),
    ("python", "cm"),
    ("pypy", "cm"),
    ("node", "ep"),
    ("nodejs", "ep"),
    ("deno", ""),
    ("bun", "e"),
    ("tsx", "e"),
    ("ts-node", "e"),
    ("ruby", "e"),
    ("perl", "eE"),
    ("php", "r"),
    ("lua", "e"),
    ("pwsh", "c"),
    ("Rscript", "e"),
    ("tclsh", ""),
];

/// The files that a `command` step starts. Paths are relative to the root of the repository, or absolute; they are
/// as they are written, and may lead anywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramFiles {
    /// The program, where it is named by a path.
    pub program: Option<String>,
    /// What can be the script of an interpreter, in order: the first that is a file is it.
    pub scripts: Vec<String>,
    /// Whether some of it is only known when the step runs.
    pub open_ended: bool,
}

/// The files that a `command` step with the input `with`, references still in it, starts.
#[must_use]
pub fn program_files(with: &Value) -> ProgramFiles {
    let mut files = ProgramFiles::default();
    let argv = with.get("argv").and_then(Value::as_array);
    let folder = with.get("cwd").map_or(Some("."), Value::as_str);
    let (Some(argv), Some(folder)) = (argv, folder) else {
        files.open_ended = true;
        return files;
    };
    files.read(argv, folder);
    files
}

impl ProgramFiles {
    fn read(&mut self, argv: &[Value], folder: &str) {
        let Some((program, arguments)) = argv.split_first() else {
            return;
        };
        let Some(program) = program.as_str() else {
            self.open_ended = true;
            return;
        };
        if self.program.is_none() && program.contains('/') {
            self.program = Some(within(folder, program));
        }
        let name = Path::new(program)
            .file_name()
            .and_then(|name| name.to_str());
        match name.map(without_version).unwrap_or_default() {
            "env" => {
                let start = arguments.iter().position(|word| !is_for_env(word));
                self.read(&arguments[start.unwrap_or(arguments.len())..], folder);
            }
            name => {
                let known = INTERPRETERS.iter().find(|(known, _)| *known == name);
                if let Some((_, inline)) = known {
                    self.read_scripts(arguments, inline, folder);
                }
            }
        }
    }

    fn read_scripts(&mut self, arguments: &[Value], inline: &str, folder: &str) {
        for word in arguments {
            match word.as_str() {
                None => self.open_ended = true,
                Some("-") => return,
                Some(option) if option.starts_with(['-', '+']) => {
                    if is_inline(option, inline) {
                        return;
                    }
                }
                Some("") => {}
                Some(word) if self.scripts.len() < MAX_SCRIPTS => {
                    self.scripts.push(within(folder, word));
                }
                Some(_) => return,
            }
        }
    }
}

/// `path` as it is meant in `folder`.
fn within(folder: &str, path: &str) -> String {
    if folder == "." || Path::new(path).is_absolute() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// `python3.12` is `python`.
fn without_version(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// What stands between `env` and the program.
fn is_for_env(word: &Value) -> bool {
    word.as_str()
        .is_some_and(|word| word.starts_with('-') || word.contains('='))
}

/// Whether the code follows `option`, or the name of a module: `-c`, `-ec`, `--eval`.
fn is_inline(option: &str, inline: &str) -> bool {
    if let Some(long) = option.strip_prefix("--") {
        return ["eval", "print", "command"].contains(&long);
    }
    let letters = option.trim_start_matches(['-', '+']);
    letters.len() <= 5
        && letters.bytes().all(|b| b.is_ascii_alphabetic())
        && letters.contains(|c| inline.contains(c))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(with: &Value) -> (Option<String>, String, bool) {
        let files = program_files(with);
        (files.program, files.scripts.join(" "), files.open_ended)
    }

    #[test]
    fn programs_and_scripts_are_named() {
        for (argv, program, scripts) in [
            (json!(["echo", "a.sh"]), None, ""),
            (json!(["./t.sh", "a"]), Some("./t.sh"), ""),
            (json!(["bash", "t.sh", "a"]), None, "t.sh a"),
            (
                json!(["bash", "-eu", "-o", "pipefail", "t.sh"]),
                None,
                "pipefail t.sh",
            ),
            (json!(["bash", "-ec", "echo x", "t.sh"]), None, ""),
            (
                json!(["/usr/bin/env", "-S", "A=b", "python3.12", "x.py"]),
                Some("/usr/bin/env"),
                "x.py",
            ),
            (json!(["env", "./t.sh"]), Some("./t.sh"), ""),
            (json!(["python3", "-m", "pytest"]), None, ""),
            (json!(["node", "--test", "x.js"]), None, "x.js"),
            (json!(["node", "--eval", "1"]), None, ""),
            (json!(["deno", "run", "x.ts"]), None, "run x.ts"),
            (
                json!([".venv/bin/python", "x.py"]),
                Some(".venv/bin/python"),
                "x.py",
            ),
            (json!(["bash", "-", "x"]), None, ""),
        ] {
            let want = (program.map(str::to_owned), scripts.to_owned(), false);
            assert_eq!(of(&json!({ "argv": argv })), want, "{argv}");
        }
    }

    #[test]
    fn paths_are_meant_in_the_folder_of_the_step() {
        let with = json!({ "argv": ["./t.sh"], "cwd": "a/b" });
        assert_eq!(of(&with).0.as_deref(), Some("a/b/./t.sh"));
        let with = json!({ "argv": ["bash", "/x/t.sh"], "cwd": "a" });
        assert_eq!(of(&with).1, "/x/t.sh");
    }

    #[test]
    fn what_is_only_known_later_is_said() {
        let reference = json!({ "$ref": "#/inputs/x" });
        for with in [
            json!({ "argv": reference }),
            json!({ "argv": [reference] }),
            json!({ "argv": ["bash", reference] }),
            json!({ "argv": ["./t.sh"], "cwd": reference }),
        ] {
            assert!(program_files(&with).open_ended, "{with}");
        }
        let with = json!({ "argv": ["echo", reference] });
        assert!(!program_files(&with).open_ended);
    }
}
