//! What became of context packs and their parts, as text for people.

use windlass::base::counted;
use windlass::packs::context::{PartChange, PartFate};
use windlass::{PartRebuilt, PartState, RebuiltPack};

/// Whether a pack can be made anew, and which of its parts are not as they were.
#[must_use]
pub fn rebuilt_text(rebuilt: &RebuiltPack) -> String {
    let mut open = rebuilt
        .parts
        .iter()
        .filter(|part| !part.state.is_reproduced());
    let nobody_can_look =
        |part: &PartRebuilt| matches!(part.state, PartState::NoOrigin | PartState::Unverified);
    let no_origin = |part: &PartRebuilt| part.state == PartState::NoOrigin;
    let mut text = if rebuilt.reproduced {
        format!("pack {} is reproduced byte for byte", rebuilt.pack_id)
    } else if rebuilt.pack_id == rebuilt.rebuilt_id && open.all(nobody_can_look) {
        let why = match rebuilt.parts.iter().any(no_origin) {
            true => "nothing says where some of it comes from",
            false => "some of what it comes from cannot be read from here",
        };
        format!("pack {} is not known to hold, since {why}", rebuilt.pack_id)
    } else if rebuilt.pack_id == rebuilt.rebuilt_id {
        format!(
            "pack {} has the same text, and not all of its sources are what they were",
            rebuilt.pack_id
        )
    } else {
        format!(
            "pack {} is not what its sources make now, which is {}",
            rebuilt.pack_id, rebuilt.rebuilt_id
        )
    };
    text.push_str(&format!(
        ": {} read anew, {} as given\n",
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

/// What became of a part from one pack to another, on one line.
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
