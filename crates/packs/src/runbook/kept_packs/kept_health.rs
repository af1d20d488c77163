//! Checks the stored packs for `windlass doctor`.

use windlass_site::{Health, HealthFinding, state_folder_health};
use windlass_store::{RootedPath, check_writable};

use super::KeptPacks;

impl KeptPacks {
    /// Checks that we can write to the state folder, and to the folder with the packs.
    #[must_use]
    pub fn health(&self) -> HealthFinding {
        let found = state_folder_health(&self.folder.site);
        let packs = self.folder().filter(RootedPath::is_there);
        match packs.map(|packs| (check_writable(&packs), packs)) {
            Some((Err(error), packs)) if found.health == Health::Good => {
                let help = format!(
                    "make `{}` writable; until then cut packs cannot be continued",
                    packs.display()
                );
                HealthFinding::new(found.what, Health::Bad, error.to_string()).help(help)
            }
            _ => found,
        }
    }
}
