//! Symbolic links, which a walk does not follow.

use windlass_base::RepoPath;

use crate::Repo;

impl Repo {
    /// Whether `path` itself is a symbolic link, wherever it leads.
    #[must_use]
    pub fn is_link(&self, path: &RepoPath) -> bool {
        let metadata = self.root().join(path.as_str()).symlink_metadata();
        metadata.is_ok_and(|metadata| metadata.is_symlink())
    }

    /// The symbolic links that lie directly in `folder`, sorted; none where it is no folder of the repository.
    #[must_use]
    pub fn links_in(&self, folder: &RepoPath) -> Vec<RepoPath> {
        let Ok(resolved) = self.resolve(folder) else {
            return Vec::new();
        };
        let entries = std::fs::read_dir(self.root().join(resolved));
        let links = entries.into_iter().flatten().flatten().filter(|entry| {
            let kind = entry.file_type();
            kind.is_ok_and(|kind| kind.is_symlink())
        });
        let mut links: Vec<RepoPath> = links
            .filter_map(|entry| {
                let name = entry.file_name();
                RepoPath::parse(&format!("{folder}/{}", name.to_str()?)).ok()
            })
            .collect();
        links.sort_unstable();
        links
    }
}
