//! Finds the repository files that a `command` step starts or loads.
//!
//! When a user trusts a runbook, that trust has to end if one of these files changes. We cannot
//! know what a program really does, so this is a heuristic: every word in the arguments and
//! environment variables might be a file name, a folder or a module, and we look up each of them.
//! Known programs have a table of what they read besides that (`loader_table`), e.g. `Makefile` for
//! `make`.
//!
//! The result is either a list of files, or a list with reasons why there may be further files. The
//! user sees these reasons before deciding.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Map, Value};
use windlass_base::{Digest, RepoPath, counted};
use windlass_repo::{Refusal, Snapshot};

use super::argument_words::Words;
use super::loader_table::TABLE;

/// Maximum number of files in a folder to review as a whole. In a larger one (`src`, for example),
/// we only check the entry files, so that not every edit there ends trust.
const MAX_FOLDER_FILES: usize = 64;

const MAX_FILES: usize = 512;

const MAX_LOOKUPS: usize = 20_000;

/// Maximum number of folders, besides the working directory, from which words are resolved. Each
/// one multiplies the number of lookups.
const MAX_BASES: usize = 8;

/// Maximum number of files that get a reason of their own. The others share one with a count.
const MAX_NAMED: usize = 3;

const MAX_REASON: usize = 160;

/// A repository file started or loaded by a step, e.g. its program, a script, a library or a
/// settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedFile {
    /// Relative to the root of the repository.
    pub file: RepoPath,
    /// Digest of the contents, or `None` for a missing file.
    pub digest: Option<Digest>,
}

impl ReviewedFile {
    /// Reads `file` and computes its digest. A missing file gets no digest.
    ///
    /// # Errors
    /// Returns the refusal if the file exists but must not be read.
    pub fn of(file: RepoPath, snapshot: &Snapshot) -> Result<Self, Refusal> {
        let digest = match snapshot.read(&file) {
            Ok(source) => Some(Digest::of_bytes(source.bytes())),
            Err(Refusal::Missing | Refusal::Directory) => None,
            Err(refusal) => return Err(refusal),
        };
        Ok(Self { file, digest })
    }
}

/// Everything that a `command` step starts or loads, as far as [`review_program`] could find out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramReview {
    /// The files, sorted by path. The step's program is always included if it is in the repository,
    /// even if it does not exist yet.
    pub files: Vec<ReviewedFile>,
    /// Reasons why the step may start or load other files, sorted. We do not search the contents of
    /// files, so if a file is only named there, it is neither here nor in `files`.
    pub open: Vec<String>,
}

/// A program in the repository that we must not read. Its step is refused, since changes to the
/// program would go unnoticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownProgram {
    /// Relative to the root of the repository.
    pub file: RepoPath,
    /// The reason why we must not read it.
    pub refusal: Refusal,
}

/// Reviews a `command` step with the input `with`, which may contain references. `path` is the
/// caller's `PATH`, and `snapshot` is the state of the files to review.
///
/// # Errors
/// Returns an error if the program itself is in the repository and must not be read.
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
    review.open_for_loaders();
    Ok(review.finish())
}

fn loader_reason(file: &RepoPath) -> String {
    format!("`{file}` may load files that it names itself")
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
    /// True if the program's arguments are names of tasks and not of files.
    runs_tasks: bool,
    /// True if the program is known to run the files in its arguments, which may load other files
    /// in turn.
    runs_named: bool,
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
            runs_tasks: false,
            runs_named: false,
            variables: Words::default(),
        }
    }

    fn finish(self) -> ProgramReview {
        ProgramReview {
            files: self.files.into_values().collect(),
            open: self.open.into_iter().collect(),
        }
    }

    fn open(&mut self, reason: impl Into<String>) {
        let reason: String = reason.into();
        self.open.insert(reason.chars().take(MAX_REASON).collect());
    }

    /// If the program runs the files in its arguments, these may load files of their own, which the
    /// user should know.
    fn open_for_loaders(&mut self) {
        if !self.runs_named {
            return;
        }
        let there = self.files.values().filter(|file| file.digest.is_some());
        let files: Vec<RepoPath> = there.map(|file| file.file.clone()).collect();
        for file in files.iter().take(MAX_NAMED) {
            self.open(loader_reason(file));
        }
        if files.len() > MAX_NAMED {
            let more = counted(files.len() - MAX_NAMED, "more file");
            self.open(format!("{more} may load files named only there"));
        }
    }

    /// Collects the possible file names in the arguments. There are none for a program that treats
    /// all files as data.
    fn read_arguments(&mut self, argv: &[Value]) -> Result<Words, UnknownProgram> {
        let mut words = Words::default();
        let texts: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
        let Some(program) = argv.first().and_then(Value::as_str) else {
            self.open("the program is only known when it runs");
            texts.iter().for_each(|text| words.add_argument(text));
            return Ok(words);
        };
        // The program may be one of the repository's own files. In that case, the table of known
        // programs says nothing about it, whatever its name.
        let own = self.find_program(program)?;
        self.runs_tasks = TABLE.runs_tasks(program);
        if !own && TABLE.only_takes_data(program) {
            return Ok(words);
        }
        for (at, argument) in argv.iter().enumerate().skip(1) {
            match argument.as_str() {
                Some(text) => words.add_argument(text),
                None => self.open(format!("argument {at} is only known when it runs")),
            }
        }
        self.runs_named = !own && TABLE.is_closed(program);
        if !own && !self.runs_named {
            self.open(format!(
                "`{program}` may load files that its arguments do not name"
            ));
        }
        let runs_shell = texts.iter().any(|text| TABLE.is_shell(text));
        // Names with these characters are only worked out by the shell, e.g. the variable in `.
        // "$LIB"`.
        let is_late = |text: &&str| text.contains(['$', '`', '*', '?']) || text.contains("eval");
        if runs_shell && texts.iter().skip(1).any(is_late) {
            self.open("a name in its script is only known when it runs");
        }
        if words.too_many {
            self.open("its arguments have more words than are looked up");
        }
        self.add_implicit(&texts, &words);
        Ok(words)
    }

    /// Adds the program if it is in the repository, and returns true if so.
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
            // If the file exists but must not be read, it's still the one that would be started.
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
                if reviewed.digest.is_some() {
                    self.open(loader_reason(&file));
                }
                self.files.insert(file, reviewed);
            }
            Err(refusal) => return Err(UnknownProgram { file, refusal }),
        }
        Ok(())
    }

    /// Adds folders of the repository that are on the caller's `PATH`, because the system may find
    /// programs there.
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

    /// Collects the words in environment variables, since a program may load files through them
    /// (`LD_PRELOAD`, `PYTHONPATH`).
    fn read_variables(&mut self, variables: Option<&Value>, argv: &[Value]) {
        let Some(variables) = variables else {
            return;
        };
        let known = variables
            .as_object()
            // The whole mapping may be a reference.
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
            // The step sets its own `PATH`, so any argument may be a program in one of these
            // folders.
            let programs = argv.iter().filter_map(Value::as_str);
            programs.for_each(|program| words.add_argument(program));
        }
        self.variables = words;
    }

    /// Adds the files that known programs load by themselves. They may be in the working directory,
    /// in the folders above, and in folders that the arguments name.
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
        // Programs such as `cargo` and `make` look for their files in the folders above as well.
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

    fn look_up(&mut self, words: &Words) {
        let variables = std::mem::take(&mut self.variables);
        let all: BTreeSet<&String> = words.found.iter().chain(&variables.found).collect();
        // Take folders first, because other words are also resolved from there.
        for word in &all {
            let Some(folder) = self.inside(&within(&self.folder, word)) else {
                continue;
            };
            if self.is_folder(&folder) {
                self.add_base(folder.clone());
                // In `make test`, `test` is a task even if there's a folder of this name.
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
        if self.lookups > MAX_LOOKUPS {
            self.open("its arguments have more words than are looked up");
            return;
        }
        self.look_up_path(&within(base, word));
        let is_part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
        if word.starts_with('-') || !word.chars().all(is_part) {
            return;
        }
        let is_module = !word.contains('/')
            && word.split('.').all(|part| {
                !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            });
        if is_module && word.contains('.') {
            // A dotted name may be a Python module. Importing the module loads its parent packages
            // as well.
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

    /// Adds all files in a small folder. In a large one, we only add the files that programs load
    /// if they are given the name of their folder.
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

    /// True if `path` is a file. If the file exists but cannot be read, the review is open.
    fn is_file(&mut self, path: &RepoPath) -> bool {
        self.lookups += 1;
        match self.snapshot.read(path) {
            Ok(_) => true,
            Err(Refusal::Missing | Refusal::Directory | Refusal::NotDirectory) => false,
            Err(refusal) => {
                // The path guard refuses secret names even if there's no such file, so check that
                // it exists.
                let place = self.snapshot.repo().root().join(path.as_str());
                if place.symlink_metadata().is_ok() && !self.is_unpinned(path) {
                    self.open(format!("`{path}` cannot be checked: {refusal}"));
                }
                false
            }
        }
    }

    /// Converts an absolute path, or one relative to the root, to a repository path. Returns `None`
    /// if it leads out of the repository.
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

fn within(folder: &str, path: &str) -> String {
    if folder.is_empty() || folder == "." || Path::new(path).is_absolute() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// Resolves `..` in the text alone, since the folder may not exist yet. Returns `None` if the path
/// leads above the root.
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
