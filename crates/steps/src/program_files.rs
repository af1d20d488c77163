//! Which files a `command` step starts, as far as its input says.

use std::path::Path;

use serde_json::{Map, Value};

/// How many files of each sort are looked at; beyond, a step is open-ended.
const MAX_FILES: usize = 64;

/// Interpreters that run the file they are given, without version numbers; and the letters of options that give
/// them the code itself.
const INTERPRETERS: [(&str, &str); 21] = [
    ("sh", "c"),
    ("bash", "c"),
    ("dash", "c"),
    ("zsh", "c"),
    ("ksh", "c"),
    ("fish", "c"),
    ("python", "c"),
    ("pypy", "c"),
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

/// Interpreters that run a module by name, with `-m`, and look for it in the folder first.
const WITH_MODULES: [&str; 2] = ["python", "pypy"];

/// Programs that start the one that follows in their arguments.
const WRAPPERS: [&str; 18] = [
    "env", "timeout", "nice", "nohup", "time", "xargs", "setsid", "stdbuf", "sudo", "doas",
    "ionice", "chrt", "taskset", "unshare", "flock", "strace", "watch", "exec",
];

/// The files of the repository that may be run by a `command` step. Paths are relative to the root of the repository,
/// or absolute; they are as they are written, and may lead anywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramFiles {
    /// The program, where it is named by a path.
    pub program: Option<String>,
    /// What an interpreter may run, in order: where none is a file, the first is missing.
    pub scripts: Vec<String>,
    /// Where the module that an interpreter is to run may be, whether there is such a file yet or not.
    pub modules: Vec<String>,
    /// What may be run if it is a program: one that another is given to start.
    pub others: Vec<String>,
    /// What may be loaded, since a variable names it.
    pub loaded: Vec<String>,
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
    files.read_arguments(argv, folder);
    match with.get("env") {
        None => {}
        Some(Value::Object(variables)) if !variables.contains_key("$ref") => {
            files.read_variables(variables, argv, folder);
        }
        Some(_) => files.open_ended = true,
    }
    files
}

impl ProgramFiles {
    fn read_arguments(&mut self, argv: &[Value], folder: &str) {
        let program = argv.first().and_then(Value::as_str).map(program_name);
        let is_wrapped = program.is_some_and(|name| WRAPPERS.contains(&name));
        // The letters of options that give the interpreter its code; what follows one is not run by it.
        let mut interpreter: Option<&str> = None;
        let mut given_code = false;
        let mut has_modules = false;
        let mut is_module = false;
        for (at, argument) in argv.iter().enumerate() {
            let Some(argument) = argument.as_str() else {
                let decides = at == 0 || interpreter.map_or(is_wrapped, |_| !given_code);
                self.open_ended |= decides;
                given_code |= std::mem::take(&mut is_module);
                continue;
            };
            if at == 0 && argument.contains('/') {
                self.program = Some(within(folder, argument));
            }
            if let Some(inline) = interpreter {
                given_code |= is_inline(argument, inline) || argument == "-";
            }
            for word in words(argument) {
                if std::mem::take(&mut is_module) {
                    self.add_module(word, folder);
                    given_code = true;
                    break;
                }
                if has_modules
                    && !given_code
                    && let Some(module) = module_option(word)
                {
                    if module.is_empty() {
                        is_module = true;
                    } else {
                        self.add_module(module, folder);
                        given_code = true;
                    }
                    continue;
                }
                if at > 0 {
                    self.add_word(word, interpreter.is_some() && !given_code, folder);
                }
                let mut known = INTERPRETERS.iter();
                let known = known.find(|(known, _)| *known == program_name(word));
                interpreter = interpreter.or(known.map(|(_, inline)| *inline));
                has_modules |= WITH_MODULES.contains(&program_name(word));
            }
        }
    }

    fn add_word(&mut self, word: &str, for_interpreter: bool, folder: &str) {
        if word.is_empty() || word.starts_with(['-', '+']) {
            return;
        }
        let list = match for_interpreter {
            true => &mut self.scripts,
            false => &mut self.others,
        };
        if list.len() < MAX_FILES {
            list.push(within(folder, word));
        } else {
            self.open_ended = true;
        }
    }

    /// The files that may be run for the module called `name`, and those of the packages it is in. What they load in
    /// turn is only known later.
    fn add_module(&mut self, name: &str, folder: &str) {
        self.open_ended = true;
        let parts: Vec<&str> = name.split('.').collect();
        if parts.len() > MAX_FILES / 4 || parts.iter().any(|part| part.is_empty()) {
            return;
        }
        let mut add = |path: String| self.modules.push(within(folder, &path));
        for packages in 1..parts.len() {
            add(format!("{}/__init__.py", parts[..packages].join("/")));
        }
        let path = parts.join("/");
        for end in [".py", "/__init__.py", "/__main__.py"] {
            add(format!("{path}{end}"));
        }
    }

    /// What variables may make a program load: what they name, and programs on a `PATH` that is the step's own.
    fn read_variables(&mut self, variables: &Map<String, Value>, argv: &[Value], folder: &str) {
        for (name, value) in variables {
            let Some(value) = value.as_str() else {
                self.open_ended = true;
                continue;
            };
            let places = value
                .split([':', ';', ' ', '=', ','])
                .filter(|place| !place.is_empty());
            for place in places {
                if name == "PATH" {
                    let programs = argv
                        .iter()
                        .filter_map(Value::as_str)
                        .filter(|word| !word.contains('/'));
                    for program in programs.take(MAX_FILES) {
                        self.others
                            .push(within(folder, &format!("{place}/{program}")));
                    }
                    // What these start in turn is looked for there as well.
                    self.open_ended |= !Path::new(place).is_absolute();
                } else if self.loaded.len() < MAX_FILES {
                    self.loaded.push(within(folder, place));
                } else {
                    self.open_ended = true;
                }
            }
        }
    }
}

/// The words in an argument: itself, the value of an option, and those of a command line within one argument.
fn words(argument: &str) -> impl Iterator<Item = &str> {
    let value = argument.split_once('=').map(|(_, value)| value);
    let inner = argument
        .split_whitespace()
        .filter(move |_| argument.contains(char::is_whitespace));
    let inner = inner.map(|word| word.trim_matches(['\'', '"', ';', '(', ')']));
    std::iter::once(argument).chain(value).chain(inner)
}

/// The name of a program without its folder and version.
fn program_name(program: &str) -> &str {
    let name = Path::new(program)
        .file_name()
        .and_then(|name| name.to_str());
    name.map(without_version).unwrap_or_default()
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

/// What `option` of an interpreter says of a module to run: nothing where it does not name one, an empty text where the
/// name follows. `-m`, `-Im`, `-mpytest`.
fn module_option(option: &str) -> Option<&str> {
    let letters = option.strip_prefix('-')?;
    let (before, module) = letters.split_once('m')?;
    // What follows one of these belongs to it.
    let is_flags =
        before.bytes().all(|b| b.is_ascii_alphabetic()) && !before.contains(['c', 'W', 'X']);
    is_flags.then_some(module)
}

/// Whether the code follows `option`: `-c`, `-ec`, `--eval`.
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
            (json!(["env", "-S", "bash x.sh y.sh"]), None, "x.sh y.sh"),
            (json!(["timeout", "5", "bash", "x.sh"]), None, "x.sh"),
            (
                json!(["bash", "--rcfile", "pre.sh", "main.sh"]),
                None,
                "pre.sh main.sh",
            ),
            (
                json!(["node", "--require=./hook.js", "app.js"]),
                None,
                "./hook.js app.js",
            ),
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
    fn what_others_start_or_load_is_named() {
        let files = program_files(&json!({ "argv": ["timeout", "5", "./x.sh"] }));
        assert_eq!(files.others, ["5", "./x.sh"]);
        let env = json!({ "LD_PRELOAD": "./x.so", "PATH": "bin:/usr/bin" });
        let files = program_files(&json!({ "argv": ["tool", "-v"], "cwd": "a", "env": env }));
        assert_eq!(files.loaded, ["a/./x.so"]);
        assert_eq!(
            files.others,
            ["a/bin/tool", "a/bin/-v", "/usr/bin/tool", "/usr/bin/-v"]
        );
        assert!(files.open_ended);
    }

    #[test]
    fn modules_are_looked_for_in_the_folder_of_the_step() {
        let tool = ["a/tool.py", "a/tool/__init__.py", "a/tool/__main__.py"];
        let inner = [
            "a/b/__init__.py",
            "a/b/c.py",
            "a/b/c/__init__.py",
            "a/b/c/__main__.py",
        ];
        for (argv, modules) in [
            (json!(["python3.12", "-m", "tool", "x.py"]), &tool[..]),
            (json!(["/usr/bin/python", "-Im", "tool"]), &tool),
            (json!(["python", "-mtool", "-m", "other"]), &tool),
            (json!(["python", "-X", "dev", "-m", "tool"]), &tool),
            (json!(["env", "-S", "A=b python3 -m tool y"]), &tool),
            (json!(["timeout", "5", "pypy3", "-m", "b.c"]), &inner),
            (json!(["python3", "x.py", "-v"]), &[]),
            (json!(["python3", "-c", "x", "-m", "tool"]), &[]),
            (json!(["python3", "-Wm", "x.py"]), &[]),
            (json!(["bash", "-m", "tool"]), &[]),
        ] {
            let files = program_files(&json!({ "argv": argv, "cwd": "a" }));
            assert_eq!(files.modules, modules, "{argv}");
            assert_eq!(files.open_ended, !modules.is_empty(), "{argv}");
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
            json!({ "argv": ["env", reference] }),
            json!({ "argv": ["echo"], "env": reference }),
            json!({ "argv": ["echo"], "env": { "LD_PRELOAD": reference } }),
        ] {
            assert!(program_files(&with).open_ended, "{with}");
        }
        let with = json!({ "argv": ["echo", reference] });
        assert!(!program_files(&with).open_ended);
    }
}
