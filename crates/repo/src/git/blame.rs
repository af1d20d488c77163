use std::collections::BTreeMap;

use windlass_base::RepoPath;

use super::{Git, GitError};

/// Of more lines than this, all of the file are asked for.
const MAX_LINES: usize = 200;

impl Git {
    /// The commits (full ids) that last wrote these lines of the file at `path`, as it is in the working tree; a line that
    /// is in no commit yet has none, and so has one of a file that git does not know.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
    pub fn writers_of(
        &self,
        path: &RepoPath,
        lines: &[u32],
    ) -> Result<BTreeMap<u32, String>, GitError> {
        let known = self
            .command("ls-files")
            .args(["-z", "--cached", "--", path.as_str()])
            .run()?;
        if lines.is_empty() || known.bytes().is_empty() || self.commit_id("HEAD")?.is_none() {
            return Ok(BTreeMap::new());
        }
        let mut overrides = self.working_tree_overrides()?;
        // Commits that the repository says to look through wrote lines all the same.
        overrides.push(("blame.ignoreRevsFile".to_owned(), String::new()));
        let mut command = self.command("blame").args(["--porcelain", "--no-textconv"]);
        if lines.len() <= MAX_LINES {
            command = command.args(lines.iter().map(|line| format!("-L{line},{line}")));
        }
        let output = command
            .args(["--", path.as_str()])
            .overrides(overrides)
            .accept(128)
            .run()?;
        // It refuses files that are new, and lines that a file no longer has.
        if !output.success() {
            return Ok(BTreeMap::new());
        }
        let wanted = |(line, _): &(u32, String)| lines.contains(line);
        Ok(writers(output.bytes()).filter(wanted).collect())
    }
}

/// Reads what `git blame --porcelain` prints: for each line `id old-line new-line`, what is known of the commit, and the
/// line after a tab.
fn writers(output: &[u8]) -> impl Iterator<Item = (u32, String)> {
    output.split(|b| *b == b'\n').filter_map(|line| {
        let mut words = std::str::from_utf8(line).ok()?.split(' ');
        let (id, _, number) = (words.next()?, words.next()?, words.next()?);
        let is_id = super::full_id(id).is_some() && !line.starts_with(b"\t");
        // What is not committed has an id of zeros.
        let is_commit = is_id && id.bytes().any(|b| b != b'0');
        is_commit.then(|| Some((number.parse().ok()?, id.to_owned())))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_commits() {
        let (a, zero) = ("a".repeat(40), "0".repeat(40));
        let text = format!(
            "{a} 3 4 1\nauthor {a} 1 9\nfilename x\n\t{a} 7 7\n{zero} 5 5 1\n\ttext\n{a} 9 12\n\tx"
        );
        let found: Vec<u32> = writers(text.as_bytes()).map(|(line, _)| line).collect();
        assert_eq!(found, [4, 12]);
    }
}
