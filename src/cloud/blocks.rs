//! Points that come out of a decoder in blocks of its own size, given out in the sizes asked for.

use super::{Chunk, PointReader};
use crate::Result;
use std::collections::VecDeque;

/// A decoder that gives the points in file order, block by block.
pub(super) trait BlockSource: Send {
    /// Appends further blocks; appends none at the end.
    fn fill(&mut self, queue: &mut VecDeque<Chunk>) -> Result<()>;

    /// Takes back a block that was given out, for its memory.
    fn recycle(&mut self, _block: Chunk) {}
}

/// A [`PointReader`] over a [`BlockSource`].
pub(super) struct BlockReader<S> {
    source: S,
    queue: VecDeque<Chunk>,
    /// Points of the first block that were given out.
    taken: usize,
    ended: bool,
}

impl<S: BlockSource> BlockReader<S> {
    /// Starts a pass.
    pub(super) fn new(source: S) -> BlockReader<S> {
        BlockReader { source, queue: VecDeque::new(), taken: 0, ended: false }
    }

    /// Whether there is a block with points left to give.
    fn prepare(&mut self) -> Result<bool> {
        loop {
            match self.queue.front() {
                Some(block) if self.taken < block.len() => return Ok(true),
                Some(_) => {
                    if let Some(block) = self.queue.pop_front() {
                        self.source.recycle(block);
                    }
                    self.taken = 0;
                }
                None if self.ended => return Ok(false),
                None => {
                    self.source.fill(&mut self.queue)?;
                    self.ended = self.queue.is_empty();
                }
            }
        }
    }
}

impl<S: BlockSource> PointReader for BlockReader<S> {
    fn read(&mut self, chunk: &mut Chunk, limit: usize) -> Result<()> {
        chunk.clear();
        while chunk.len() < limit && self.prepare().inspect_err(|_| chunk.clear())? {
            if let Some(block) = self.queue.front() {
                let until = block.len().min(self.taken + (limit - chunk.len()));
                chunk.append(block, self.taken..until);
                self.taken = until;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    /// Blocks of 3, 0 and 2 points, then an error or the end.
    struct Steps(Vec<usize>, bool);

    impl BlockSource for Steps {
        fn fill(&mut self, queue: &mut VecDeque<Chunk>) -> Result<()> {
            let Some(n) = self.0.pop() else {
                return match self.1 {
                    true => Err(Error::Parameter("broken".into())),
                    false => Ok(()),
                };
            };
            let mut block = Chunk::default();
            block.x = (0..n).map(|i| (n * 10 + i) as f64).collect();
            block.y = block.x.clone();
            block.z = block.x.clone();
            block.label = vec![n as i32; n];
            queue.push_back(block);
            Ok(())
        }
    }

    #[test]
    fn limits_do_not_change_the_points() {
        for limit in [1, 2, 3, 4, 100] {
            let mut reader = BlockReader::new(Steps(vec![2, 0, 3], false));
            let (mut chunk, mut x, mut labels) = (Chunk::default(), vec![], vec![]);
            loop {
                reader.read(&mut chunk, limit).unwrap();
                if chunk.is_empty() {
                    break;
                }
                assert!(chunk.len() <= limit);
                x.extend_from_slice(&chunk.x);
                labels.extend_from_slice(&chunk.label);
            }
            assert_eq!(x, [30.0, 31.0, 32.0, 20.0, 21.0], "limit {limit}");
            assert_eq!(labels, [3, 3, 3, 2, 2]);
        }
    }

    #[test]
    fn an_error_is_given_again_and_never_becomes_an_end() {
        let mut reader = BlockReader::new(Steps(vec![2], true));
        let mut chunk = Chunk::default();
        assert!(reader.read(&mut chunk, 10).is_err());
        assert!(chunk.is_empty());
        assert!(reader.read(&mut chunk, 10).is_err());
    }
}
