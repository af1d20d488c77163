//! Tuned numbers of the search for a text.
//!
//! Shares are in percent of the weight of a text, and information is a number of letters and
//! digits. The figures are from `ABLATION.md` (2026-11-30). After changing a number, run
//! `cargo xtask drift` to see if any verdict becomes wrong.

// Shares of a text.

/// Share that counts as most of a text: carried by the line map, unchanged in its file, had by a
/// copy, or explaining a location.
pub(crate) const HALF: u32 = 50;

/// Similarity at which one method proves a location alone. Off, as in `aligned`, it costs 0.58
/// points.
pub(crate) const MIN_ALIKE: u32 = 70;

/// Share that counts as nearly all of a text. Off, as in `spread`, it costs 0.43 points.
pub(crate) const NEARLY_ALL: u32 = 80;

/// Minimum unchanged share of a followed location that is preferred to a similar one.
pub(crate) const MIN_PREFERRED: u32 = 40;

/// Minimum share if comparing and following a text agree on a location. Off, as in
/// `joined_similar`, it costs 0.43 points.
pub(crate) const MIN_AGREED: u32 = 20;

/// Maximum share of a text that unrelated lines in the same language have.
pub(crate) const MAX_UNRELATED: u32 = 34;

/// Maximum similarity of existing lines to a deleted text. Above it, we assume that something may
/// be left of the text.
pub(crate) const MAX_TRACE: u32 = 24;

/// Maximum share that may be away from the rest of a text, or edited in place of a deleted one.
pub(crate) const MAX_STRAYS: u32 = 15;

/// Percentage points by which the best location or explanation has to exceed the second best. If
/// the difference is smaller, nothing is claimed.
pub(crate) const MARGIN: u32 = 15;

/// Share that proves nothing, either way.
pub(crate) const NEGLIGIBLE: u32 = 10;

/// Percentage points by which a wider location may be more similar by chance. Up to this
/// difference, we prefer the narrower one.
pub(crate) const MAX_LOOSE: u32 = 5;

// Similarity of two lines, in permille.

/// Minimum similarity of two lines that are paired.
pub(crate) const MIN_LINE_ALIKE: u32 = 600;

/// The same limit for remainders, which prevent a text from being reported as deleted.
pub(crate) const MIN_LINE_VESTIGE: u32 = 400;

// Information.

/// Minimum information in a line that is searched for or counted as evidence.
pub(crate) const MIN_LINE_INFORMATION: u32 = 6;

/// Minimum information in a text that is located by being unique.
///
/// A lone `}`, `else` or `return false;` that is unique both before and after proves little,
/// because such lines are deleted and written again every day. Lines of keywords and brackets have
/// fewer than twelve letters and digits, and the shortest functions have more. `git blame -M`
/// requires 20, but does not require the lines to be unique.
pub(crate) const MIN_INFORMATION: u32 = 12;

/// Minimum information in a text that is located or reported as deleted without being unique, or
/// that moved within a file.
pub(crate) const MIN_INFORMATION_SURE: u32 = 20;

/// Minimum information in a text that is claimed in another file, as for `git blame -C`. People
/// write shorter texts again too often.
pub(crate) const MIN_INFORMATION_ELSEWHERE: u32 = 40;

/// Minimum information in a removed text that counts as put back wherever it is. A shorter one is
/// an idiom that gets written again.
pub(crate) const MIN_INFORMATION_PUT_BACK: u32 = 120;

/// Cap on the information of one line. Beyond it, a longer line is no better evidence than a
/// shorter one.
pub(crate) const MAX_LINE_INFORMATION: usize = 24;

/// Minimum information in a word that identifies a line.
pub(crate) const MIN_WORD: usize = 3;

// Numbers of lines and words.

/// Maximum number of non-trivial lines in a short text.
///
/// All of its lines may be edited or rewritten in place. In a longer one, words in common prove
/// nothing.
pub(crate) const MAX_SHORT_TEXT: usize = 2;

/// Maximum distance between a line and the unique line that identifies it, or between blocks that
/// moved together.
pub(crate) const MAX_DISTANCE: usize = 8;

/// Maximum distance between lines of a list that differ only in a number.
pub(crate) const MAX_NUMBERED_DISTANCE: usize = 40;

/// Number of lines above and below a text, one of which on each side has to be around its
/// remainder.
pub(crate) const MAX_NEIGHBOURS: usize = 3;

/// A followed location may be twice as long as the text and this many lines longer. A longer one
/// includes other texts.
pub(crate) const MAX_BETWEEN: usize = 2;

/// Number of the rarest lines of a text that are searched for in other files.
pub(crate) const MAX_RAREST_LINES: usize = 4;

/// Number of the longest lines of a text that are searched for in another form.
pub(crate) const MAX_LONGEST_LINES: usize = 2;

/// Minimum number of different lines in a text that is searched for without its names. Without
/// names, all lines of a list are equal, and that proves nothing.
pub(crate) const MIN_DIFFERENT_LINES: usize = 4;

/// Minimum number of words that only one text has, for it to be recognized by them.
pub(crate) const MIN_OWN_WORDS: usize = 5;

/// Maximum number of lines in a file that contain a word which identifies one of them.
pub(crate) const MAX_LINES_WITH_WORD: usize = 8;

// Caps on the work. Beyond them, nothing is claimed.

/// At most this many equal or similar locations, or commits, are compared for one text. Where more
/// would be needed, we usually claim nothing.
pub(crate) const MAX_LOCATIONS: usize = 4;

/// At most this many candidates are in a verdict.
pub(crate) const MAX_CANDIDATES: usize = 3;

/// Equal lines beyond this number are not paired or looked at.
pub(crate) const MAX_EQUAL_LINES: usize = 64;

/// Cap on the copies of a text to count in its file.
pub(crate) const MAX_COPIES_COUNTED: usize = 100;

/// Cap on the lines of a record inspected above and below a line.
pub(crate) const MAX_RECORD: usize = 24;

/// Cap on the starts of a block to try in each direction.
pub(crate) const MAX_SLIDE: usize = 400;

/// Cap on the line pairs of one alignment, or compared for one removed text.
pub(crate) const MAX_PAIRS: usize = 4_000_000;

/// Cap on the line pairs compared by similarity. Above it, only equal lines are paired.
pub(crate) const MAX_ALIKE_PAIRS: usize = 40_000;

/// Bytes of a line that are compared or searched for. The rest of a longer line is ignored.
pub(crate) const MAX_LINE_BYTES: usize = 300;

/// The search for lines in other files stops after this many matching lines.
pub(crate) const MAX_MATCHES: u32 = 400;

/// Cap on the other files that are compared with one text.
pub(crate) const MAX_FILES_COMPARED: usize = 40;

/// A file with more lines is not compared at all.
pub(crate) const MAX_FILE_LINES: u32 = 200_000;

/// Cap on the lines to hash when looking for the unchanged text around a location.
pub(crate) const MAX_HASHED_AROUND: usize = 20_000;

/// Cap on the lines to hash when proving a new location.
///
/// Only trivial lines have more candidates than this, and those are not claimed anyway.
pub(crate) const MAX_PROVEN_LINES: usize = 1 << 20;

/// Cap on the files that a commit may add or change for moved lines to be searched for in them.
/// Deleted files do not count.
pub(crate) const MAX_COMMIT_FILES: usize = 500;

/// Cap on the lines of all changed files of a commit, before and after it taken together.
pub(crate) const MAX_COMMIT_LINES: usize = 600_000;

/// Number of captures after which the lines of all files are indexed. Up to this number, it is
/// faster to search all files for each text.
pub(crate) const MIN_CAPTURES_INDEXED: usize = 8;

/// Cap on the files to index. All of them have to be read, because hashes cannot be searched for.
pub(crate) const MAX_FILES_INDEXED: usize = 4_000;

/// Cap on the total size of the files to index, in bytes.
pub(crate) const MAX_BYTES_INDEXED: usize = 16 << 20;

// Caches and stores.

/// Maximum size of each cache of file contents and comparisons, in lines.
pub(crate) const MAX_CACHED_LINES: usize = 2_000_000;

/// Bytes that count as one line in cache sizes, including the data that is derived from the line.
pub(crate) const BYTES_A_LINE: usize = 64;

/// Number of outlines to cache.
pub(crate) const MAX_CACHED_OUTLINES: usize = 4096;

/// Cap on the stored verdicts, and on the stored changes of commits.
pub(crate) const MAX_STORED: usize = 20_000;

/// Cap on the followed lines that are stored for one commit.
pub(crate) const MAX_STORED_LINES: usize = 1_000_000;

/// In a repository with more files, verdicts are not stored between runs.
pub(crate) const MAX_FILES_STORED: usize = 50_000;

/// Number of runs in a row that do not need a stored verdict or track, after which it is dropped.
pub(crate) const MAX_IDLE: u32 = 50;

/// Number of commits to go back in search of an ancestor with a stored document.
pub(crate) const MAX_COMMITS_BACK: usize = 256;

/// Cap on the total size of the changed files that are searched for lines of stored verdicts, in
/// bytes. If more has changed, as after restoring a cache, the verdicts are computed again.
pub(crate) const MAX_CHANGED_BYTES: usize = 32 << 20;

/// Maximum size of a stored document that is read, in bytes.
pub(crate) const MAX_BLOB_BYTES: u64 = 64 << 20;
