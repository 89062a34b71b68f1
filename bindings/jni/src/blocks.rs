//! Blocks out of one range of addresses: which bytes of the region are whose. Pure bookkeeping in offsets; `region` owns
//! the memory and calls this file under its lock.
//!
//! Every block is a multiple of 128 bytes and begins at one, so two blocks never share a pair of cache lines. Sizes are
//! rounded up to *classes*, four for each doubling, so at most a fifth of a block is lost to rounding; a tracker's 256
//! bytes are a class. A block that comes back waits in its class's list for the next of that class, which hangs together
//! through the blocks themselves. Blocks are not joined: what a class once used it keeps, so the region never needs more
//! than the sum of what each class used at its peak.
//!
//! ```text
//! size   128 256 384 512 | 640 768 896 1024 | 1280 1536 1792 2048 | 2560 ...  2 MiB
//! class   0   1   2   3     4   5   6   7      8    9   10   11     12  ...
//! ```

/// Blocks begin at a multiple of this and are one long.
pub(crate) const UNIT: usize = 128;
/// The largest block.
pub(crate) const MAX_BLOCK_BYTES: usize = 2 << 20;
const CLASSES: usize = class_of(MAX_BLOCK_BYTES / UNIT) + 1;
/// No block: the end of a list.
const NONE: usize = usize::MAX;

/// The class of a block of so many units (1 or more).
const fn class_of(units: usize) -> usize {
    if units <= 4 {
        return units - 1;
    }
    let shift = ((units - 1).ilog2() - 2) as usize;
    4 + shift * 4 + ((units - 1) >> shift) - 4
}

/// How many units a block of a class has.
const fn units_of(class: usize) -> usize {
    if class < 4 { class + 1 } else { (5 + class % 4) << (class / 4 - 1) }
}

/// Which blocks of a region are free.
pub(crate) struct Blocks {
    /// The region's length.
    len: usize,
    /// Where the part begins that was never given out.
    fresh: usize,
    /// The block of each class that came back last.
    free: [usize; CLASSES],
}

impl Blocks {
    /// A region of `len` bytes that is all free.
    pub(crate) fn new(len: usize) -> Blocks {
        Blocks { len, fresh: 0, free: [NONE; CLASSES] }
    }

    /// The offset of a block for `size` bytes, its content undefined; `None` if the region is used up, or no block is
    /// that large or so strictly aligned. `next` reads where a free block's list goes on.
    pub(crate) fn take(
        &mut self,
        size: usize,
        align: usize,
        next: impl FnOnce(usize) -> usize,
    ) -> Option<usize> {
        if size > MAX_BLOCK_BYTES || align > UNIT {
            return None;
        }
        let class = class_of(size.div_ceil(UNIT).max(1));
        let first = self.free.get_mut(class)?;
        if *first != NONE {
            let block = *first;
            *first = next(block);
            return Some(block);
        }
        let end = self.fresh.checked_add(units_of(class) * UNIT).filter(|end| *end <= self.len)?;
        Some(std::mem::replace(&mut self.fresh, end))
    }

    /// Takes back the block at `block` that was given for `size` bytes. Answers what is to be written into its first
    /// word.
    pub(crate) fn give_back(&mut self, block: usize, size: usize) -> Option<usize> {
        let first = self.free.get_mut(class_of(size.div_ceil(UNIT).max(1)))?;
        Some(std::mem::replace(first, block))
    }

    /// Makes the last `take` undone, which began a part that was never given out: before it blocks reached to `reached`.
    pub(crate) fn forget_fresh(&mut self, reached: usize) {
        self.fresh = reached;
    }

    /// How far blocks have ever reached.
    pub(crate) fn reached(&self) -> usize {
        self.fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_class_holds_what_is_rounded_to_it_and_wastes_a_fifth_at_most() {
        for units in 1..=MAX_BLOCK_BYTES / UNIT {
            let given = units_of(class_of(units));
            assert!(given >= units, "{units} units got {given}");
            assert!(given * 4 <= units * 5, "{units} units got {given}");
        }
        assert_eq!(units_of(class_of(2)), 2, "a tracker's 256 bytes are a class");
        assert_eq!(units_of(CLASSES - 1), MAX_BLOCK_BYTES / UNIT);
    }

    /// A region whose words stand in a map.
    struct Model {
        blocks: Blocks,
        words: HashMap<usize, usize>,
    }

    impl Model {
        fn new(len: usize) -> Model {
            Model { blocks: Blocks::new(len), words: HashMap::new() }
        }

        fn take(&mut self, size: usize, align: usize) -> Option<usize> {
            self.blocks.take(size, align, |block| self.words[&block])
        }

        fn give_back(&mut self, block: usize, size: usize) {
            let word = self.blocks.give_back(block, size).expect("the size is one that was given");
            self.words.insert(block, word);
        }
    }

    #[test]
    fn blocks_never_overlap_and_come_again() {
        let mut model = Model::new(1 << 20);
        let mut live: Vec<(usize, usize)> = Vec::new();
        let mut random = 1_u64;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let size = 1 + (random >> 40) as usize % 5_000;
            if live.len() < 100
                && let Some(block) = model.take(size, 64)
            {
                assert_eq!(block % UNIT, 0);
                assert!(live.iter().all(|(at, len)| block + size <= *at || at + len <= block), "{block}");
                live.push((block, size));
            } else {
                let (block, size) = live.swap_remove(random as usize % live.len());
                model.give_back(block, size);
            }
        }
        let reached = model.blocks.reached();
        for (block, size) in live.drain(..) {
            model.give_back(block, size);
        }
        for _ in 0..1_000 {
            let block = model.take(256, 128).expect("one came back");
            model.give_back(block, 256);
        }
        assert_eq!(model.blocks.reached(), reached, "what came back is used again");
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let mut model = Model::new(1024);
        assert_eq!(model.take(MAX_BLOCK_BYTES + 1, 8), None);
        assert_eq!(model.take(8, 256), None);
        assert_eq!(model.take(1025, 8), None);
        assert_eq!(model.blocks.reached(), 0);
        assert_eq!(model.take(1024, 128), Some(0));
        assert_eq!(model.take(1, 1), None);
        model.give_back(0, 1024);
        assert_eq!(model.take(1000, 8), Some(0));
    }
}
