use windlass_site::{Health, HealthFinding, state_folder_health};
use windlass_store::{RootedPath, check_writable};

use super::KeptPacks;

impl KeptPacks {
    /// Checks that the state folder and its folder of cut packs are writable.
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
