//! Text output for context packs, and for changes to their parts.

use windlass::base::counted;
use windlass::packs::context::{PartChange, PartFate};
use windlass::{PartRebuilt, PartState, RebuiltPack};

/// Lists all parts of a pack, and reports if its sources still give the same pack.
#[must_use]
pub fn rebuilt_text(rebuilt: &RebuiltPack) -> String {
    let mut open = rebuilt
        .parts
        .iter()
        .filter(|part| !part.state.is_reproduced());
    let is_unverifiable =
        |part: &PartRebuilt| matches!(part.state, PartState::NoOrigin | PartState::Unverified);
    let no_origin = |part: &PartRebuilt| part.state == PartState::NoOrigin;
    let mut text = if rebuilt.reproduced {
        format!("pack {} is reproduced byte for byte", rebuilt.pack_id)
    } else if rebuilt.pack_id == rebuilt.rebuilt_id && open.all(is_unverifiable) {
        let why = match rebuilt.parts.iter().any(no_origin) {
            true => "the source of some parts is not recorded",
            false => "some parts cannot be checked from here",
        };
        format!("pack {} cannot be verified: {why}", rebuilt.pack_id)
    } else if rebuilt.pack_id == rebuilt.rebuilt_id {
        format!(
            "pack {} has the same text, but some of its sources changed",
            rebuilt.pack_id
        )
    } else {
        format!(
            "pack {} differs from the pack that its sources give now, {}",
            rebuilt.pack_id, rebuilt.rebuilt_id
        )
    };
    text.push_str(&format!(
        ": {} read again, {} as given\n",
        counted(rebuilt.read, "part"),
        counted(rebuilt.given, "part")
    ));
    for part in &rebuilt.parts {
        text.push_str(&format!(
            "{:11}  {}; {}\n",
            part.state.as_str(),
            part.item,
            part.why
        ));
    }
    text
}

/// Formats a changed part in the style of a diff, e.g. `~ ITEM  (FIELDS)`.
#[must_use]
pub fn part_line(change: &PartChange) -> String {
    let sign = match change.change {
        PartFate::Added => '+',
        PartFate::Changed => '~',
        PartFate::Removed => '-',
    };
    let fields = match change.fields.is_empty() {
        true => String::new(),
        false => format!("  ({})", change.fields.join(", ")),
    };
    format!("{sign} {}{fields}", change.item)
}
