//! Picks optional parts in a fixed order, with a share of the room for each group.

use std::collections::BTreeMap;

use super::pack_outline::{Named, Outline, Shape};
use super::{Group, Scale};

/// Minimum number of lines of a shortened part. Fewer would rarely be useful.
const MIN_LINES: usize = 4;
/// Multiple of its share that a group may use, for each round. Later rounds hand out the room that
/// other groups have not used.
const SHARES: [usize; 4] = [1, 2, 4, 100];
/// A typical span of an origin in JSON. Each excerpt adds one to the pack, so we count its size
/// along with the text.
const SPAN: &str = r#"{"start_line":1000,"end_line":1200,"source_hash":"sha256:0f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a6978"}"#;

/// The smallest thing we can pick: an item's entry in a list, or a part of an item's text.
struct Chunk {
    group: Group,
    rank: (u32, u32),
    item: usize,
    part: Option<usize>,
}

impl Outline<'_> {
    /// The length of a part in lines, for sorting. Short parts are only preferred in the text of
    /// files; for everything else, this is 0 and does not change the order.
    fn length(&self, chunk: &Chunk) -> usize {
        match (chunk.group, chunk.part) {
            (Group::FileText, Some(part)) => self.items[chunk.item].parts[part].lines.len(),
            _ => 0,
        }
    }

    /// All optional chunks, in the order in which they are picked.
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
        // The best part of every file comes before the second part of any other. If parts have the
        // same rank, the shortest is the best.
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
        // Documents of the same priority keep their order, and so do files, which are already
        // ordered by rank. The exception is a file that is far more important than others: its
        // second part may come before their first.
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

    /// Picks chunks until `room` is used up.
    ///
    /// This room is in addition to the parts that we always show, and all sizes are estimates.
    /// Returns the shapes, along with the estimated size of the chunks.
    pub(super) fn chosen(&self, room: usize, scale: &dyn Scale) -> (Vec<Shape>, usize) {
        let mut shapes = self.nothing();
        let mut left = room;
        let mut waiting = self.chunks();
        let mut spent: BTreeMap<Group, usize> = BTreeMap::new();
        for times in SHARES {
            waiting.retain(|chunk| {
                let spent = spent.entry(chunk.group).or_default();
                let share = room.saturating_mul(chunk.group.share()) / 100;
                let max = left.min(share.saturating_mul(times).saturating_sub(*spent));
                let Some(cost) = self.add_chunk(chunk, max, times > 1, &mut shapes, scale) else {
                    return true;
                };
                *spent += cost;
                left -= cost;
                false
            });
        }
        (shapes, room - left)
    }

    /// Adds a chunk if it is not larger than `max`, and returns its size. If `may_shorten` is set,
    /// a long part may be cut.
    fn add_chunk(
        &self,
        chunk: &Chunk,
        max: usize,
        may_shorten: bool,
        shapes: &mut [Shape],
        scale: &dyn Scale,
    ) -> Option<usize> {
        let item = &self.items[chunk.item];
        let shape = &mut shapes[chunk.item];
        let Some(part) = chunk.part else {
            let cost = scale.piece(&item.head);
            shape.named = shape.named || cost <= max;
            return (cost <= max).then_some(cost);
        };
        if !shape.named {
            return None;
        }
        let lines = &item.parts[part].lines;
        let before = part.checked_sub(1).filter(|_| item.parts[part].goes_on);
        // This part continues the one before it, so it only makes sense if that one is complete.
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
        if whole <= max {
            shape.lines[part] = lines.len();
            return Some(whole);
        }
        if !may_shorten || lines.len() <= MIN_LINES {
            return None;
        }
        let (mut fits, mut too_many) = (0, lines.len());
        while fits + 1 < too_many {
            let middle = usize::midpoint(fits, too_many);
            if cost(middle) <= max {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        if fits < MIN_LINES {
            return None;
        }
        shape.lines[part] = fits;
        Some(cost(fits))
    }
}
