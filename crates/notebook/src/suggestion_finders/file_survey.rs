//! Lists and searches the files that suggestions are based on.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use windlass_base::{Cancel, RepoPath, in_parallel};
use windlass_outline::{Language as Grammar, Limits, Outline, outline_unless};
use windlass_repo::{FileRole, GlobSet, ListQuery, SearchQuery, Snapshot, SourceFile, role_of};

use super::languages::Language;
use super::suggestion_rules::{ProjectName, RULES, Rule};

/// Maximum size of the files we read, in bytes. Larger ones are usually generated, or contain data
/// rather than code.
const MAX_BYTES: usize = 512 << 10;

/// Maximum number of files with a matching line. We keep those nearest to the root, which are the
/// most likely to matter in a large repository.
const MAX_MATCHING: usize = 100;

pub(super) struct Survey<'a> {
    snapshot: &'a Snapshot,
    cancel: &'a Cancel,
    /// All files, those nearest to the root first.
    files: Vec<RepoPath>,
    /// The files with a line matched by some rule. Searching takes most of the time, so we wait
    /// until a rule needs the result.
    matching: OnceLock<Matching>,
}

struct Matching {
    files: Vec<RepoPath>,
    outlines: BTreeMap<RepoPath, Arc<Outline>>,
}

pub(super) struct Text {
    pub(super) file: RepoPath,
    pub(super) source: Arc<SourceFile>,
    lines: Vec<String>,
}

pub(super) struct FileNames {
    /// File name up to the first dot, without a leading dot.
    pub(super) stem: String,
    /// Name of the folder. For a file at the root, the stem.
    pub(super) folder: String,
    /// The project's name from the nearest manifest, or else the stem.
    pub(super) project: String,
    /// Name of the program, if this is the file of its entry point. For example,
    /// `cmd/serve/main.go` belongs to `serve`.
    pub(super) program: String,
}

impl<'a> Survey<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, cancel: &'a Cancel) -> Self {
        let query = ListQuery {
            hidden: true,
            ..ListQuery::default()
        };
        let mut files = snapshot.list(&query, cancel).unwrap_or_default().files;
        files.sort_by_cached_key(|file| (depth(file), file.clone()));
        Self {
            snapshot,
            cancel,
            files,
            matching: OnceLock::new(),
        }
    }

    fn matching(&self) -> &Matching {
        self.matching.get_or_init(|| {
            let files = self.search();
            let threads = self.snapshot.repo().threads();
            let outlines = in_parallel(&files, threads, 1, |files| {
                let outlined = |file: &RepoPath| {
                    let outline = self.parsed(&self.text(file)?)?;
                    Some((file.clone(), outline))
                };
                files.iter().filter_map(outlined).collect::<Vec<_>>()
            });
            let outlines = outlines.into_iter().flatten().collect();
            Matching { files, outlines }
        })
    }

    /// The languages of the project's own files, the one with the most files first.
    pub(super) fn languages(&self) -> Vec<&'static Language> {
        Language::of_files(self.files.iter().filter(|file| is_own(file)))
    }

    pub(super) fn readme(&self) -> Option<&RepoPath> {
        let at_root = |file: &&RepoPath| depth(file) == 0;
        let mut files = self.files.iter().take_while(at_root);
        files.find(|file| file.file_name().to_lowercase().starts_with("readme."))
    }

    /// The Markdown documents, nearest to the root first.
    pub(super) fn documents(&self) -> impl Iterator<Item = &RepoPath> {
        let files = self
            .files
            .iter()
            .filter(|file| role_of(file.as_str()).is_none());
        files.filter(|file| file.file_name().ends_with(".md"))
    }

    fn search(&self) -> Vec<RepoPath> {
        let rules = || RULES.topics.iter().flat_map(|topic| &topic.rules);
        let searched = || rules().filter_map(|rule| Some((rule, rule.search.as_ref()?)));
        // One search for all rules at once, since a search has to read every file. Each rule then
        // checks the few files that are left.
        let patterns = searched().map(|(_, pattern)| format!("(?:{})", pattern.text));
        let globs = searched().flat_map(|(rule, _)| rule.files.clone());
        self.lines_like(patterns.collect::<Vec<_>>().join("|"), globs.collect())
    }

    /// The project's own files with a line matched by `pattern`, nearest to the root first.
    ///
    /// A file counts as soon as it has a single match, so this does not collect more than one per
    /// file.
    pub(super) fn lines_like(&self, pattern: String, globs: Vec<String>) -> Vec<RepoPath> {
        let query = SearchQuery {
            pattern,
            scope: ListQuery {
                globs,
                ..ListQuery::default()
            },
            max_matches: 5_000,
            max_matches_per_file: Some(1),
            ..SearchQuery::default()
        };
        let found = self.snapshot.search(&query, self.cancel);
        let found = found.unwrap_or_default();
        let found = found.files.iter().map(|file| file.path.clone());
        let mut files: Vec<RepoPath> = found.filter(is_own).collect();
        files.sort_by_cached_key(|file| (depth(file), file.clone()));
        files.truncate(MAX_MATCHING);
        files
    }

    pub(super) fn files_of(&self, rule: &Rule) -> Vec<&RepoPath> {
        let project = self.project(&RepoPath::root()).unwrap_or_default();
        let globs = rule.files.iter();
        let globs: Vec<String> = globs
            .map(|glob| glob.replace("{project}", &project))
            .collect();
        let Ok(globs) = GlobSet::new(&globs) else {
            return Vec::new();
        };
        let Some(search) = &rule.search else {
            // A rule whose globs start at the root says exactly which folders it means, even if
            // that's a folder of examples. All other rules only apply to the project's own files.
            let counts = |file: &&RepoPath| rule.is_rooted() || is_own(file);
            let named = self.files.iter().filter(|file| globs.matches(file));
            return named.filter(counts).collect();
        };
        let has_line = |file: &&RepoPath| {
            let text = self.text(file);
            text.is_some_and(|text| text.lines().any(|(_, line)| search.is_in(line)))
        };
        let named = self
            .matching()
            .files
            .iter()
            .filter(|file| globs.matches(file));
        named.filter(has_line).collect()
    }

    /// Reads the file at `path`. Returns `None` if it is missing, secret, binary, too large or
    /// generated.
    pub(super) fn text(&self, path: &RepoPath) -> Option<Text> {
        let source = self.snapshot.read(path).ok()?;
        if source.is_binary() || source.bytes().len() > MAX_BYTES {
            return None;
        }
        let line = |number| {
            let line = source.line(number).unwrap_or_default();
            String::from_utf8_lossy(line).into_owned()
        };
        let lines: Vec<String> = (1..=source.line_count()).map(line).collect();
        let mut beginning = lines.iter().take(8);
        let is_generated = beginning.any(|line| RULES.generated.iter().any(|it| it.is_in(line)));
        (!is_generated).then(|| Text {
            file: path.clone(),
            lines,
            source,
        })
    }

    pub(super) fn text_at(&self, path: &str) -> Option<Text> {
        self.text(&RepoPath::parse(path).ok()?)
    }

    /// The symbols in `text`. This is `None` if we have no grammar for the language.
    pub(super) fn outline(&self, text: &Text) -> Option<Arc<Outline>> {
        let known = self.matching.get();
        match known.and_then(|known| known.outlines.get(&text.file)) {
            Some(outline) => Some(Arc::clone(outline)),
            None => self.parsed(text),
        }
    }

    fn parsed(&self, text: &Text) -> Option<Arc<Outline>> {
        let language = Grammar::of_path(text.file.as_str())?;
        let is_stopped = || self.cancel.is_cancelled();
        let bytes = text.source.bytes();
        let outline = outline_unless(language, bytes, Limits::default(), &is_stopped);
        outline.ok().map(Arc::new)
    }

    /// The GitHub workflow files. Only the first 60 are read.
    pub(super) fn workflows(&self) -> impl Iterator<Item = Text> {
        let is_workflow = |path: &&RepoPath| {
            let name = path.as_str().strip_prefix(".github/workflows/");
            name.is_some_and(|name| [".yml", ".yaml"].iter().any(|end| name.ends_with(end)))
        };
        let files = self.files.iter().filter(is_workflow).take(60);
        files.filter_map(|file| self.text(file))
    }

    pub(super) fn names_of(&self, file: &RepoPath) -> FileNames {
        let name = file.file_name().trim_start_matches('.');
        let stem = name.split('.').next().unwrap_or(name).to_owned();
        let folder = file.parent().filter(|folder| !folder.is_root());
        let project = file.parent().and_then(|folder| self.project(&folder));
        let project = project.unwrap_or_else(|| stem.clone());
        let folder = folder.map(|folder| folder.file_name().to_owned());
        let program = match folder.as_deref() {
            // `main.go` doesn't say much, so name such a program by its folder. If the folder says
            // no more than the file, use the project's name.
            _ if !matches!(stem.as_str(), "main" | "__main__") => &stem,
            None | Some("src" | "cmd" | "app") => &project,
            Some(folder) => folder,
        };
        FileNames {
            program: program.to_owned(),
            folder: folder.unwrap_or_else(|| stem.clone()),
            project,
            stem,
        }
    }

    /// Name of the project that contains `folder`. See [`Self::package`].
    fn project(&self, folder: &RepoPath) -> Option<String> {
        self.package(folder).map(|(_, name)| name)
    }

    /// Looks for a manifest with a project name, from `folder` upwards. Returns the manifest's
    /// folder and the name.
    pub(super) fn package(&self, folder: &RepoPath) -> Option<(RepoPath, String)> {
        let named = RULES.projects.iter().find_map(|manifest| {
            let text = self.text(&self.manifest(folder, manifest)?)?;
            text.lines().find_map(|(_, line)| {
                let captures = manifest.name.captures(line)?;
                Some(captures.get(1)?.as_str().to_owned())
            })
        });
        match named {
            Some(name) => Some((folder.clone(), name)),
            None => self.package(&folder.parent()?),
        }
    }

    /// The file of `manifest` in `folder`. If its name has a leading `*`, e.g. `*.gemspec`, any
    /// file with this ending will do.
    fn manifest(&self, folder: &RepoPath, manifest: &ProjectName) -> Option<RepoPath> {
        let Some(ending) = manifest.file.strip_prefix('*') else {
            return folder.join(&manifest.file).ok();
        };
        let mut files = self.files.iter();
        let is_it = |file: &&RepoPath| {
            file.file_name().ends_with(ending) && file.parent().as_ref() == Some(folder)
        };
        files.find(is_it).cloned()
    }
}

impl Rule {
    fn is_rooted(&self) -> bool {
        self.files.iter().all(|glob| glob.starts_with(['/', '!']))
    }
}

impl Text {
    /// The text of the line, counted from 1. If the line does not exist, this returns an empty
    /// string, since callers often look past the end of the file.
    pub(super) fn line(&self, number: u32) -> &str {
        let at = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        at.and_then(|at| self.lines.get(at))
            .map_or("", String::as_str)
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        (1..).zip(self.lines.iter().map(String::as_str))
    }

    /// The last non-empty line in `first..end`, or `first` if all are empty.
    pub(super) fn trimmed(&self, first: u32, end: u32) -> u32 {
        let filled = (first..end)
            .rev()
            .find(|n| !self.line(*n).trim().is_empty());
        filled.unwrap_or(first)
    }

    /// The last line of the indented block below line `first`. Note that YAML allows list items
    /// with the same indent as their key, so these still count as part of the block.
    pub(super) fn indented_end(&self, first: u32) -> u32 {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let (opening, mut last) = (self.line(first), first);
        for number in first + 1..=self.len() {
            let line = self.line(number);
            let trimmed = line.trim_start();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let is_item = trimmed.starts_with("- ") && !opening.trim_start().starts_with("- ");
            if indent(line) + usize::from(is_item) <= indent(opening) {
                break;
            }
            last = number;
        }
        last
    }
}

fn depth(path: &RepoPath) -> usize {
    path.as_str().matches('/').count()
}

/// True if `path` is part of the project itself, rather than of its tests, examples, documentation
/// or vendored copies.
fn is_own(path: &RepoPath) -> bool {
    // The folders of a JVM package are named after a domain, so `org/example/samples` isn't a
    // folder of samples. Only check the folders above the package.
    let packages = ["src/main/java/", "src/main/kotlin/", "src/main/scala/"];
    let path = path.as_str();
    let is_package = packages.iter().any(|folder| {
        let at = path.find(folder);
        at.is_some_and(|at| at == 0 || path[..at].ends_with('/'))
    });
    let path = match path.split_once("src/main/") {
        Some((above, inside)) if is_package => {
            let name = inside.rsplit('/').next().unwrap_or(inside);
            format!("{above}{name}")
        }
        _ => path.to_owned(),
    };
    role_of(&path) != Some(FileRole::Beside) && !RULES.beside.iter().any(|it| it.is_in(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_file_tests_examples_excluded() {
        let own = |path: &str| is_own(&RepoPath::parse(path).unwrap());
        for path in [
            "attestation/a.go",
            "latest/a.go",
            "contest/a.go",
            "a/src/main/java/org/samples/App.java",
            "src/demonstrate.c",
        ] {
            assert!(own(path), "{path}");
        }
        // The words are matched as such: `latest` and `contest` above aren't tests.
        for path in [
            "unit-tests/a.go",
            "testdata/a.go",
            "AppTests/a.go",
            "_examples/a.go",
            "a/json_benchmark.go",
            "FooBenchmark.java",
            "third_party/a/main.rs",
            "fuzzing/afl.c",
            "build/main.rs",
            "src/detail/a.h",
        ] {
            assert!(!own(path), "{path}");
        }
    }
}
