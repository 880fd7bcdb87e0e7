//! Where to write the number of a plane in a view: in the middle of its visible part.

use super::view::label;
use rayon::prelude::*;

/// A place for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The plane.
    pub plane: usize,
    /// Column and row.
    pub at: [usize; 2],
    /// The plane covers this many pixels to each side.
    pub room: usize,
}

/// Side of the blocks that are examined; a surface has no gaps as large as a block.
const BLOCK: usize = 12;

/// The middle of the largest visible square of each plane; `seen` are the values of the pixels, row
/// by row.
pub fn places(seen: &[u64], width: usize, planes: usize) -> Vec<Spot> {
    let blocks = blocks(seen, width);
    let columns = width / BLOCK;
    let mut best: Vec<Option<Spot>> = vec![None; planes];
    for (k, &room) in rooms(&blocks, columns).iter().enumerate() {
        let Some(plane) = usize::try_from(blocks[k]).ok().filter(|&plane| plane < planes) else {
            continue;
        };
        let room = room as usize * BLOCK + BLOCK / 2;
        if best[plane].is_none_or(|before| room > before.room) {
            let at = [k % columns, k / columns].map(|v| v * BLOCK + BLOCK / 2);
            best[plane] = Some(Spot { plane, at, room });
        }
    }
    best.into_iter().flatten().collect()
}

/// For each block, the plane that most of its pixels show, the first if several are equal; −1 if none shows one.
fn blocks(seen: &[u64], width: usize) -> Vec<i32> {
    let (columns, rows) = (width / BLOCK, seen.len() / width / BLOCK);
    let most = |k: usize| {
        let first = k / columns * BLOCK * width + k % columns * BLOCK;
        let row = |y: usize| seen[first + y * width..][..BLOCK].iter().map(|&value| label(value));
        let mut seen: Vec<i32> = (0..BLOCK).flat_map(row).filter(|&label| label >= 0).collect();
        seen.sort_unstable();
        let groups = seen.chunk_by(|a, b| a == b);
        // `max_by_key` returns the last of equal elements.
        groups.rev().max_by_key(|group| group.len()).map_or(-1, |group| group[0])
    };
    (0..columns * rows).into_par_iter().map(most).collect()
}

/// For each block, how far blocks with the same label extend around it in all directions (Rosenfeld and Pfaltz
/// 1966).
fn rooms(labels: &[i32], width: usize) -> Vec<u32> {
    let height = labels.len() / width.max(1);
    let mut rooms = vec![0u32; labels.len()];
    let within = |k: usize| {
        let (x, y) = (k % width, k / width);
        x > 0 && y > 0 && x + 1 < width && y + 1 < height
    };
    let near = |rooms: &[u32], k: usize, others: [usize; 4]| {
        let least = others.map(|o| if labels[o] == labels[k] { rooms[o] + 1 } else { 0 });
        least.into_iter().min().unwrap_or(0)
    };
    for k in (0..labels.len()).filter(|&k| within(k)) {
        rooms[k] = near(&rooms, k, [k - 1, k - width - 1, k - width, k - width + 1]);
    }
    for k in (0..labels.len()).rev().filter(|&k| within(k)) {
        let after = near(&rooms, k, [k + 1, k + width - 1, k + width, k + width + 1]);
        rooms[k] = rooms[k].min(after);
    }
    rooms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_in_the_largest_part() {
        // A strip of plane 1, and a square of 7 by 7 blocks with gaps; plane 2 is not visible.
        let (width, height) = (40 * BLOCK, 30 * BLOCK);
        let label = |k: usize| {
            let (x, y) = (k % width / BLOCK, k / width / BLOCK);
            let is_in = y == 4 || (17..24).contains(&x) && (9..16).contains(&y);
            if is_in && k.is_multiple_of(3) { 1 } else { -1 }
        };
        let value = |label: i32| 1 << 32 | u64::from(!(label as u32));
        let seen: Vec<u64> = (0..width * height).map(|k| value(label(k))).collect();
        let [x, y] = [20, 12].map(|v| v * BLOCK + BLOCK / 2);
        let expected = Spot { plane: 1, at: [x, y], room: 3 * BLOCK + BLOCK / 2 };
        assert_eq!(places(&seen, width, 3), [expected]);
    }
}
