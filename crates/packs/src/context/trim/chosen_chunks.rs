//! What is added to what is always shown, in the stated order, each group within its share first.

use std::collections::BTreeMap;

use super::pack_outline::{Named, Outline, Shape};
use super::{Group, Scale};

/// The fewest lines that a part is shortened to.
const FEWEST_LINES: usize = 4;
/// How many of its shares a group may take, one round after the other: what is left over is shared again.
const SHARES: [usize; 4] = [1, 2, 4, 100];
/// What the place of a part takes in its origin, about.
const SPAN: &str = r#"{"start_line":1000,"end_line":1200,"source_hash":"sha256:0f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a6978"}"#;

/// What may be added next: an item's name, or a part of its text.
struct Chunk {
    group: Group,
    rank: (u32, u32),
    item: usize,
    part: Option<usize>,
}

impl Outline<'_> {
    /// How many lines a part has; of text of files alone: more of what is short fits, and of documents all is wanted in its order.
    fn length(&self, chunk: &Chunk) -> usize {
        match (chunk.group, chunk.part) {
            (Group::FileText, Some(part)) => self.items[chunk.item].parts[part].lines.len(),
            _ => 0,
        }
    }

    /// What may be added to what is always shown, in the order in which it is.
    fn chunks(&self) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            if let Named::In(group) = item.named {
                chunks.push(Chunk {
                    group,
                    rank: (item.rank, u32::MAX),
                    item: at,
                    part: None,
                });
            }
            chunks.extend(item.parts.iter().enumerate().map(|(part, text)| Chunk {
                group: item.group_of(part),
                rank: (item.rank, text.rank),
                item: at,
                part: Some(part),
            }));
        }
        // The best part of each file comes before the second of any; of parts that matter alike, the shortest is the best.
        let mut seen = BTreeMap::new();
        let by_rank = |chunk: &Chunk| {
            let (item, part) = chunk.rank;
            (
                chunk.group,
                chunk.item,
                std::cmp::Reverse(part),
                std::cmp::Reverse(item),
                self.length(chunk),
                chunk.part,
            )
        };
        chunks.sort_by_key(by_rank);
        let mut ordered: Vec<(usize, Chunk)> = chunks
            .into_iter()
            .map(|chunk| {
                let nth: &mut usize = seen.entry((chunk.group, chunk.item)).or_default();
                *nth += 1;
                (*nth, chunk)
            })
            .collect();
        // Documents of the same priority, and files, in the order of the pack, which is that of their ranks. Of what matters far
        // more than others, a second part comes before the first of those.
        let worth = |nth: usize, chunk: &Chunk| match chunk.group {
            Group::FileText => chunk.rank.0 / u32::try_from(nth).unwrap_or(u32::MAX),
            _ => 0,
        };
        ordered.sort_by_key(|(nth, chunk)| {
            let worth = std::cmp::Reverse(worth(*nth, chunk));
            (chunk.group, worth, *nth, chunk.item)
        });
        ordered.into_iter().map(|(_, chunk)| chunk).collect()
    }

    /// What is shown within `room` beside what always is, as far as that can be estimated, and how much of the room it takes.
    pub(super) fn chosen(&self, room: usize, scale: &dyn Scale) -> (Vec<Shape>, usize) {
        let mut shapes = self.nothing();
        let mut left = room;
        let mut waiting = self.chunks();
        let mut spent: BTreeMap<Group, usize> = BTreeMap::new();
        for times in SHARES {
            waiting.retain(|chunk| {
                let spent = spent.entry(chunk.group).or_default();
                let share = room.saturating_mul(chunk.group.share()) / 100;
                let most = left.min(share.saturating_mul(times).saturating_sub(*spent));
                let Some(cost) = self.add_chunk(chunk, most, times > 1, &mut shapes, scale) else {
                    return true;
                };
                *spent += cost;
                left -= cost;
                false
            });
        }
        (shapes, room - left)
    }

    /// Shows a chunk if it takes no more than `most`, a part of it where that is allowed; what it takes.
    fn add_chunk(
        &self,
        chunk: &Chunk,
        most: usize,
        may_shorten: bool,
        shapes: &mut [Shape],
        scale: &dyn Scale,
    ) -> Option<usize> {
        let item = &self.items[chunk.item];
        let shape = &mut shapes[chunk.item];
        let Some(part) = chunk.part else {
            let cost = scale.piece(&item.head);
            shape.named = shape.named || cost <= most;
            return (cost <= most).then_some(cost);
        };
        if !shape.named {
            return None;
        }
        let lines = &item.parts[part].lines;
        let before = part.checked_sub(1).filter(|_| item.parts[part].goes_on);
        if before.is_some_and(|before| shape.lines[before] < item.parts[before].lines.len()) {
            return None;
        }
        let around = if item.parts[part].first.is_some() {
            scale.piece(SPAN)
        } else {
            0
        };
        let cost = |count: usize| around + scale.piece(&lines[..count].join("\n")) + 1;
        let whole = cost(lines.len());
        if whole <= most {
            shape.lines[part] = lines.len();
            return Some(whole);
        }
        if !may_shorten || lines.len() <= FEWEST_LINES {
            return None;
        }
        let (mut fits, mut too_many) = (0, lines.len());
        while fits + 1 < too_many {
            let middle = usize::midpoint(fits, too_many);
            if cost(middle) <= most {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        if fits < FEWEST_LINES {
            return None;
        }
        shape.lines[part] = fits;
        Some(cost(fits))
    }
}
