use windlass_base::shell_word;
use windlass_site::{Error, Health, HealthFinding, Site, is_program};
use windlass_store::read_file;

use crate::git_offers::{HOOK, MAX_HOOK, calls_windlass, hook};
use crate::impact_error::ImpactError;

const WHAT: &str = "git hook";

/// Checks the git hook, if there is git at all.
pub(crate) fn hook_health(site: &Site) -> Option<HealthFinding> {
    let place = match hook(site) {
        Ok(place) => place,
        Err(error) => return elsewhere(&error),
    };
    let shown = place.display().to_string();
    let text = match read_file(&place, MAX_HOOK) {
        Ok(text) => text,
        Err(error) => return Some(HealthFinding::of_error(WHAT, &error.into())),
    };
    Some(match text {
        None => HealthFinding::new(
            WHAT,
            Health::Good,
            "none before commits; `windlass init --hook` adds one",
        ),
        Some(text) if !calls_windlass(&text) => {
            let found = format!("{shown} does not call windlass");
            HealthFinding::new(WHAT, Health::Good, found)
        }
        Some(_) if !is_program(place.path()) => {
            let found = format!("{shown} is not executable, so git ignores it");
            HealthFinding::new(WHAT, Health::Bad, found)
                .help(format!("run `chmod +x {}`", shell_word(&shown)))
        }
        Some(text) if text == HOOK.as_bytes() => HealthFinding::new(WHAT, Health::Good, shown),
        Some(_) => HealthFinding::new(
            WHAT,
            Health::Good,
            format!("{shown}, which differs from the one of this version"),
        ),
    })
}

/// Reports that git uses the hooks of another folder. Other errors (such as git missing) are not
/// worth a finding.
fn elsewhere(error: &Error) -> Option<HealthFinding> {
    let ImpactError::HooksElsewhere(folder) = error.get::<ImpactError>()? else {
        return None;
    };
    let found = format!("git uses the hooks in `{folder}`");
    Some(HealthFinding::new(WHAT, Health::Good, found))
}
