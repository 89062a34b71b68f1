//! The sizes and patiences of the algorithm. Nothing that a caller sees depends on them but speed and slack.

/// How much is lent, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// The least cap of a stripe: 1 << this.
    pub(super) least_cap_log2: u8,
    /// The greatest cap of a stripe: 1 << this.
    pub(super) greatest_cap_log2: u8,
    /// Slow operations that pass before lending is tried again after it failed or a stripe was recalled.
    pub(super) patience: u32,
    /// The longest such patience: 1 << this.
    pub(super) longest_patience_log2: u8,
    /// Signs of contention at a node's only stripe, in a short time, until it gets more.
    pub(super) lost_to_grow: u32,
    /// Whether a writer waits a moment at a shut gate before it comes to the lock.
    pub(super) waits_at_gate: bool,
    /// Crossings that the holder of the lock does besides its own while others leave the bounds.
    pub(super) crossings_in_a_row: u32,
    /// Reads of a percent that nobody keeps until it is kept.
    pub(super) reads_to_keep: u32,
    /// The most stripes with credit in a tree; one more recalls the oldest.
    pub(super) most_active_stripes: u32,
    /// Stripes of a node that has more than one: 1 << this.
    pub(super) stripes_log2: u32,
}

impl Tuning {
    /// For this machine, with at most `max_stripes` stripes for a node.
    pub(super) fn for_machine(max_stripes: u32) -> Tuning {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
        let stripes = if max_stripes == 0 { processors } else { processors.min(max_stripes) };
        Tuning {
            least_cap_log2: 2,
            greatest_cap_log2: 24,
            patience: 64,
            longest_patience_log2: 14,
            lost_to_grow: 16,
            waits_at_gate: true,
            crossings_in_a_row: 3,
            reads_to_keep: 8,
            most_active_stripes: 65_536,
            stripes_log2: stripes.min(super::node::MAX_STRIPES).next_power_of_two().ilog2(),
        }
    }

    /// Small amounts and no patience, so that a model of a few steps meets every path.
    #[cfg(all(test, loom))]
    pub(super) fn for_models() -> Tuning {
        Tuning {
            least_cap_log2: 2,
            greatest_cap_log2: 4,
            patience: 0,
            longest_patience_log2: 2,
            lost_to_grow: u32::MAX,
            waits_at_gate: false,
            crossings_in_a_row: 1,
            reads_to_keep: 1,
            most_active_stripes: 16_384,
            stripes_log2: 0,
        }
    }
}
