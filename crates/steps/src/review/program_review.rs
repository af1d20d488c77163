use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Map, Value};
use windlass_base::{Digest, RepoPath};
use windlass_repo::{Refusal, Snapshot};

use super::loader_table::TABLE;
use super::shell_commands::{Words, has_late_words, simple_commands};

/// Maximum number of files in a folder to review as a whole.
const MAX_FOLDER_FILES: usize = 64;

/// Maximum number of files to review for one step.
const MAX_FILES: usize = 512;

/// Maximum number of paths to look up for one step.
const MAX_LOOKUPS: usize = 20_000;

/// Maximum number of folders from which words are resolved.
const MAX_BASES: usize = 8;

/// Maximum number of files named in a reason.
const MAX_NAMED_LOADERS: usize = 3;

/// Maximum length of a reason, in characters.
const MAX_REASON: usize = 160;

/// A file of the repository started or loaded by a step: its program, a script, a library, a
/// settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedFile {
    /// The file's path, relative to the root.
    pub file: RepoPath,
    /// Digest of the contents, or `None` for a missing file.
    pub digest: Option<Digest>,
}

impl ReviewedFile {
    /// Reads the file at `path` in `snapshot`.
    ///
    /// # Errors
    /// Returns an error if the file exists and must not be read.
    pub fn of(file: RepoPath, snapshot: &Snapshot) -> Result<Self, Refusal> {
        let digest = match snapshot.read(&file) {
            Ok(source) => Some(Digest::of_bytes(source.bytes())),
            Err(Refusal::Missing | Refusal::Directory) => None,
            Err(refusal) => return Err(refusal),
        };
        Ok(Self { file, digest })
    }
}

/// The files started or loaded by a `command` step (see [`review_program`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramReview {
    /// Files of the repository, sorted by path. The program is included even if it's missing.
    pub files: Vec<ReviewedFile>,
    /// Reasons why the step may start or load other files, sorted.
    pub open: Vec<String>,
    /// Files that may load further files. Those are named only in their contents, so we haven't
    /// reviewed them.
    pub loaders: Vec<RepoPath>,
}

impl ProgramReview {
    /// Returns all reasons why the step may start or load files we haven't reviewed.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        let loaders = loaders_reason(&self.loaders);
        self.open.iter().cloned().chain(loaders).collect()
    }
}

/// Returns the reason for `loaders`, which may load files we haven't reviewed, or `None` if there
/// are none.
#[must_use]
pub fn loaders_reason(loaders: &[RepoPath]) -> Option<String> {
    let (named, more) = loaders.split_at(loaders.len().min(MAX_NAMED_LOADERS));
    let names: Vec<String> = named.iter().map(|file| format!("`{file}`")).collect();
    let names = names.join(", ");
    Some(match (named, more.len()) {
        ([], _) => return None,
        ([_], 0) => format!("{names} may load files that it names itself"),
        (_, 0) => format!("{names} may load files that they name themselves"),
        (_, more) => format!("{names} and {more} more may load files that they name themselves"),
    })
}

/// A program in the repository that must not be read. It's refused, because changes to it would go
/// unnoticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownProgram {
    /// The program's path, relative to the root.
    pub file: RepoPath,
    /// The reason why it can't be read.
    pub refusal: Refusal,
}

/// Reviews the files started or loaded by a `command` step with the input `with`, in the state of
/// `snapshot`. The input may contain references. `path` is the `PATH` of the caller.
///
/// # Errors
/// Returns an error if the program itself is a file of the repository that must not be read.
pub fn review_program(
    with: &Value,
    path: Option<&OsStr>,
    snapshot: &Snapshot,
) -> Result<ProgramReview, UnknownProgram> {
    let mut review = Review::new(with, snapshot);
    let Some(argv) = with.get("argv").and_then(Value::as_array) else {
        review.open("the program is only known when it runs");
        return Ok(review.finish());
    };
    match with.get("cwd").map_or(Some("."), Value::as_str) {
        Some(folder) => review.folder = folder.to_owned(),
        None => review.open("its folder is only known when it runs"),
    }
    review.add_program_folders(path);
    let words = review.read_arguments(argv)?;
    review.read_variables(with.get("env"), argv);
    review.look_up(&words);
    Ok(review.finish())
}

struct Review<'a> {
    snapshot: &'a Snapshot,
    folder: String,
    /// Folders from which words are resolved, in addition to the working directory.
    bases: BTreeSet<RepoPath>,
    /// Paths that may change without ending trust.
    unpinned: Vec<RepoPath>,
    files: BTreeMap<RepoPath, ReviewedFile>,
    open: BTreeSet<String>,
    lookups: usize,
    /// The program's path if it's a file of the repository.
    own: Option<RepoPath>,
    /// True if the program may load files not named by its arguments. This is reported as a reason.
    loads_others: bool,
    /// True if the arguments of the first program are names of tasks.
    runs_tasks: bool,
    variables: Words,
}

impl<'a> Review<'a> {
    fn new(with: &Value, snapshot: &'a Snapshot) -> Self {
        let unpinned = with.get("unpinned").and_then(Value::as_array);
        let unpinned = unpinned.into_iter().flatten().filter_map(Value::as_str);
        Self {
            snapshot,
            folder: ".".to_owned(),
            bases: BTreeSet::new(),
            unpinned: unpinned
                .filter_map(|path| RepoPath::parse(path).ok())
                .collect(),
            files: BTreeMap::new(),
            open: BTreeSet::new(),
            lookups: 0,
            own: None,
            loads_others: false,
            runs_tasks: false,
            variables: Words::default(),
        }
    }

    fn finish(self) -> ProgramReview {
        let loaders = match (self.loads_others, self.own) {
            (true, _) => Vec::new(),
            (false, Some(own)) => vec![own],
            (false, None) => {
                let files = self.files.values();
                let there = files.filter(|file| file.digest.is_some());
                there.map(|file| file.file.clone()).collect()
            }
        };
        ProgramReview {
            files: self.files.into_values().collect(),
            open: self.open.into_iter().collect(),
            loaders,
        }
    }

    fn open(&mut self, reason: impl Into<String>) {
        let reason: String = reason.into();
        self.open.insert(reason.chars().take(MAX_REASON).collect());
    }

    /// Returns the words of the arguments that may name files. There are none if the program treats
    /// all files as data.
    fn read_arguments(&mut self, argv: &[Value]) -> Result<Words, UnknownProgram> {
        let mut words = Words::default();
        let texts: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
        let is_known = texts.len() == argv.len();
        let Some(program) = argv.first().and_then(Value::as_str) else {
            self.open("the program is only known when it runs");
            texts.iter().for_each(|text| words.add_argument(text));
            return Ok(words);
        };
        let own = self.find_program(program)?;
        self.runs_tasks = TABLE.runs_tasks(program);
        if !own && self.takes_data(&texts, is_known) {
            return Ok(words);
        }
        for (at, argument) in argv.iter().enumerate().skip(1) {
            match argument.as_str() {
                Some(text) => words.add_argument(text),
                None => self.open(format!("argument {at} is only known when it runs")),
            }
        }
        let is_closed = own || TABLE.is_closed(program);
        self.loads_others = !is_closed;
        if !is_closed {
            self.open(format!(
                "`{program}` may load files that its arguments do not name"
            ));
        }
        let runs_shell = texts.iter().any(|text| TABLE.is_shell(text));
        if runs_shell && texts.iter().skip(1).any(|text| has_late_words(text)) {
            self.open("a name in its script is only known when it runs");
        }
        if words.too_many {
            self.open("its arguments have more words than are looked up");
        }
        self.add_implicit(&texts, &words);
        Ok(words)
    }

    /// Adds the program itself if it's a file of the repository. Returns true if it was added.
    fn find_program(&mut self, program: &str) -> Result<bool, UnknownProgram> {
        if program.contains('/') {
            let Some(file) = self.inside(&within(&self.folder, program)) else {
                return Ok(false);
            };
            self.add_program(file)?;
            return Ok(true);
        }
        for base in self.bases.clone() {
            let Some(file) = self.inside(&within(base.as_str(), program)) else {
                continue;
            };
            if !matches!(self.snapshot.read(&file), Err(Refusal::Missing)) {
                self.add_program(file)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add_program(&mut self, file: RepoPath) -> Result<(), UnknownProgram> {
        match ReviewedFile::of(file.clone(), self.snapshot) {
            Ok(reviewed) => {
                self.own = Some(file.clone());
                self.files.insert(file, reviewed);
            }
            Err(refusal) => return Err(UnknownProgram { file, refusal }),
        }
        Ok(())
    }

    /// True if the command treats all its files as data. For a shell script, every command in it
    /// must do so.
    fn takes_data(&self, texts: &[&str], is_known: bool) -> bool {
        if TABLE.only_takes_data(texts) {
            return true;
        }
        let (Some(program), [_, option, script]) = (texts.first(), texts) else {
            return false;
        };
        let is_script =
            option.starts_with('-') && !option.starts_with("--") && option.ends_with('c');
        let commands = (is_known && is_script && TABLE.is_shell(program))
            .then(|| simple_commands(script))
            .flatten();
        commands.is_some_and(|commands| {
            commands.iter().all(|command| {
                let command: Vec<&str> = command.iter().map(String::as_str).collect();
                TABLE.only_takes_data(&command)
            })
        })
    }

    /// Adds the folders of the repository on the caller's `PATH`, because programs may be found
    /// there.
    fn add_program_folders(&mut self, path: Option<&OsStr>) {
        let places = path.into_iter().flat_map(std::env::split_paths);
        let places: Vec<String> = places
            .filter_map(|place| place.to_str().map(str::to_owned))
            .filter(|place| !place.is_empty())
            .collect();
        for place in places {
            if let Some(base) = self.inside(&within(&self.folder, &place)) {
                self.add_base(base);
            }
        }
    }

    /// Adds the files and folders named by variables, because a program may load them.
    fn read_variables(&mut self, variables: Option<&Value>, argv: &[Value]) {
        let Some(variables) = variables else {
            return;
        };
        let known = variables
            .as_object()
            .filter(|known| !known.contains_key("$ref"));
        let Some(known): Option<&Map<String, Value>> = known else {
            self.open("its variables are only known when it runs");
            return;
        };
        let mut words = Words::default();
        for (name, value) in known {
            match value.as_str() {
                Some(value) => words.add_argument(value),
                None => self.open(format!("the variable `{name}` is only known when it runs")),
            }
        }
        if known.contains_key("PATH") {
            // Programs may be found in the folders of `PATH`.
            let programs = argv.iter().filter_map(Value::as_str);
            programs.for_each(|program| words.add_argument(program));
        }
        self.variables = words;
    }

    /// Adds the files loaded implicitly by known programs. We look for them in the working
    /// directory, the folders above, and the folders named by the arguments.
    fn add_implicit(&mut self, texts: &[&str], words: &Words) {
        let programs = texts.iter().take(1).copied();
        let programs = programs.chain(words.found.iter().map(String::as_str));
        let names: BTreeSet<&String> = programs.flat_map(|name| TABLE.implicit(name)).collect();
        if names.is_empty() {
            return;
        }
        let mut folders = BTreeSet::new();
        for word in words.found.iter().map(String::as_str).chain(["."]) {
            let path = within(&self.folder, word);
            match self.inside(&path) {
                Some(folder) if self.is_folder(&folder) => folders.insert(folder),
                _ => false,
            };
        }
        let own = self.inside(&self.folder).unwrap_or_else(RepoPath::root);
        folders.extend(
            own.as_str()
                .match_indices('/')
                .filter_map(|(at, _)| RepoPath::parse(&own.as_str()[..at]).ok()),
        );
        folders.insert(RepoPath::root());
        for folder in folders.into_iter().take(MAX_BASES * 4) {
            for name in &names {
                self.add_implicit_file(&folder, name);
            }
        }
    }

    fn add_implicit_file(&mut self, folder: &RepoPath, name: &str) {
        let Some(file) = self.inside(&within(folder.as_str(), name)) else {
            return;
        };
        if !self.is_file(&file) {
            return;
        }
        self.add(&file);
        let Some(fields) = TABLE.named_within.get(name) else {
            return;
        };
        let Ok(source) = self.snapshot.read(&file) else {
            return;
        };
        let Ok(document) = serde_json::from_slice::<Value>(source.bytes()) else {
            return;
        };
        let mut words = Words::default();
        for field in fields {
            add_texts(document.pointer(field), &mut words);
        }
        for word in &words.found {
            for ending in std::iter::once("").chain(TABLE.endings.iter().map(String::as_str)) {
                self.look_up_path(&within(folder.as_str(), &format!("{word}{ending}")));
            }
        }
    }

    /// Adds the files named by `words` and the variables.
    fn look_up(&mut self, words: &Words) {
        let variables = std::mem::take(&mut self.variables);
        let all: BTreeSet<&String> = words.found.iter().chain(&variables.found).collect();
        // Take folders first, because other words may be resolved from them.
        for word in &all {
            let Some(folder) = self.inside(&within(&self.folder, word)) else {
                continue;
            };
            if self.is_folder(&folder) {
                self.add_base(folder.clone());
                let is_task = self.runs_tasks && !word.contains(['/', '.']);
                if !is_task {
                    self.add_folder(&folder);
                }
            }
        }
        let own = self.folder.clone();
        let bases: Vec<String> = std::iter::once(own)
            .chain(self.bases.iter().map(ToString::to_string))
            .collect();
        for word in all {
            for base in &bases {
                self.look_up_word(base, word);
            }
        }
    }

    fn look_up_word(&mut self, base: &str, word: &str) {
        if self.lookups > MAX_LOOKUPS || self.files.len() > MAX_FILES {
            self.open("its arguments have more words than are looked up");
            return;
        }
        self.look_up_path(&within(base, word));
        // Only plain names can be loaded without their extension.
        let is_part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
        if word.starts_with('-') || !word.chars().all(is_part) {
            return;
        }
        let is_module = !word.contains('/')
            && word.split('.').all(|part| {
                !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            });
        if is_module && word.contains('.') {
            // A dotted name may be a Python module, which loads its parent packages as well.
            let module = word.replace('.', "/");
            for (at, _) in module.match_indices('/') {
                self.look_up_path(&within(base, &format!("{}/__init__.py", &module[..at])));
            }
            self.look_up_path(&within(base, &module));
            for ending in &TABLE.endings {
                self.look_up_path(&within(base, &format!("{module}{ending}")));
            }
        }
        for ending in &TABLE.endings {
            self.look_up_path(&within(base, &format!("{word}{ending}")));
        }
    }

    fn look_up_path(&mut self, path: &str) {
        if let Some(path) = self.inside(path)
            && self.is_file(&path)
        {
            self.add(&path);
        }
    }

    /// Adds all files of a small folder. In a large one, adds only the files loaded when the folder
    /// is named.
    fn add_folder(&mut self, folder: &RepoPath) {
        if self.is_unpinned(folder) {
            return;
        }
        let below = match folder.is_root() {
            true => None,
            false => self
                .snapshot
                .repo()
                .files_below(folder, MAX_FOLDER_FILES)
                .ok()
                .filter(|below| below.complete),
        };
        if let Some(below) = below {
            for file in &below.files {
                self.add(file);
            }
            return;
        }
        for entry in &TABLE.entries {
            self.add_implicit_file(folder, entry);
        }
        self.open(format!(
            "only the entry files of the folder `{}` are checked",
            if folder.is_root() {
                "."
            } else {
                folder.as_str()
            }
        ));
    }

    fn add(&mut self, path: &RepoPath) {
        if self.is_unpinned(path) || self.files.contains_key(path) {
            return;
        }
        if self.files.len() > MAX_FILES {
            self.open("it names more files than are checked");
            return;
        }
        match self.snapshot.read(path) {
            Ok(source) => {
                let digest = Some(Digest::of_bytes(source.bytes()));
                let file = path.clone();
                self.files
                    .insert(path.clone(), ReviewedFile { file, digest });
            }
            Err(Refusal::Missing | Refusal::Directory) => {}
            Err(refusal) => self.open(format!("`{path}` cannot be checked: {refusal}")),
        }
    }

    fn add_base(&mut self, folder: RepoPath) {
        if self.bases.len() < MAX_BASES {
            self.bases.insert(folder);
        } else if !self.bases.contains(&folder) {
            self.open("its arguments name more folders than words are looked up in");
        }
    }

    fn is_unpinned(&self, path: &RepoPath) -> bool {
        self.unpinned.iter().any(|unpinned| {
            unpinned.is_root()
                || path == unpinned
                || path
                    .as_str()
                    .strip_prefix(unpinned.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        })
    }

    fn is_folder(&mut self, path: &RepoPath) -> bool {
        self.lookups += 1;
        self.snapshot.repo().folder(path).is_ok()
    }

    /// True if there's a file at `path`. If it can't be read, this is reported as a reason.
    fn is_file(&mut self, path: &RepoPath) -> bool {
        self.lookups += 1;
        match self.snapshot.read(path) {
            Ok(_) => true,
            Err(Refusal::Missing | Refusal::Directory | Refusal::NotDirectory) => false,
            Err(refusal) => {
                // The path guard refuses a secret name even if there's no such file, so check here
                // if it exists.
                let place = self.snapshot.repo().root().join(path.as_str());
                if place.symlink_metadata().is_ok() && !self.is_unpinned(path) {
                    self.open(format!("`{path}` cannot be checked: {refusal}"));
                }
                false
            }
        }
    }

    /// Converts an absolute path, or one relative to the root, to a repository path. Returns `None`
    /// if it's outside.
    fn inside(&self, path: &str) -> Option<RepoPath> {
        if path == "." || path == "./" {
            return Some(RepoPath::root());
        }
        let repo = self.snapshot.repo();
        RepoPath::parse(path)
            .ok()
            .or_else(|| repo.path_of(&repo.root().join(path)))
            .or_else(|| without_parents(path))
    }
}

/// Adds all strings in `value`, at any depth.
fn add_texts(value: Option<&Value>, words: &mut Words) {
    match value {
        Some(Value::String(text)) => words.add_argument(text),
        Some(Value::Array(items)) => items.iter().for_each(|item| add_texts(Some(item), words)),
        Some(Value::Object(fields)) => fields
            .values()
            .for_each(|field| add_texts(Some(field), words)),
        _ => {}
    }
}

/// Joins `path` to `folder`, unless it is absolute.
fn within(folder: &str, path: &str) -> String {
    if folder.is_empty() || folder == "." || Path::new(path).is_absolute() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// Normalizes `path` by its text alone, because the folder may not exist yet.
fn without_parents(path: &str) -> Option<RepoPath> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    RepoPath::parse(&parts.join("/")).ok()
}
