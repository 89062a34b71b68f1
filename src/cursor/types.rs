//! What goes into the calls of a cursor and what comes out of them.

/// How far the write of a pushed message has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Write {
    /// The store has it, under this sequence.
    Committed(u64),
    /// It is on its way to the store; `committed` or `aborted` follows.
    Open,
    /// It is on its way to the store, which has already numbered it.
    OpenAt(u64),
}

/// A message that the broker has handed to its store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The host's number for it, rising from push to push.
    pub token: u64,
    /// The host's own: `pull` hands it out again.
    pub user: u64,
    /// What it takes in memory, in bytes.
    pub size_bytes: u32,
    /// Higher goes first.
    pub priority: u8,
    /// How far its write has come.
    pub write: Write,
}

/// Where a pushed message is now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pushed {
    /// In memory, which is charged, and in the store.
    Cached,
    /// In the store only: the host can let go of its body.
    Stored,
}

/// A message in the consumers' hands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Delivered {
    /// Its place in the queue: `ack`, `requeue`, `park` and `remove` name it by this.
    pub sequence: u64,
    /// The token it was pushed with; 0 if it came from the store.
    pub token: u64,
    /// As it was pushed or as the store told it.
    pub user: u64,
    /// Its size in bytes, likewise.
    pub size_bytes: u32,
    /// How often it was requeued. The count is kept in memory, not in the store.
    pub redeliveries: u32,
    /// Higher goes first.
    pub priority: u8,
}

/// Whether a pull begins a new round over the window or goes on with one.
///
/// In a round the host offers messages to its consumers and *parks* those that none of them takes (selectors, groups).
/// The pulls that go on with the round leave these alone; the next round offers them again, at their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Round {
    /// A new round: parked messages are offered again.
    #[default]
    Begin,
    /// The same round: parked messages stay aside.
    Continue,
}

/// Why a pull gave fewer than it was asked for although messages are pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// The cursor's own usage is not below the mark: messages have to be acknowledged first.
    OwnMark,
    /// The parent is over its paging mark, and the guaranteed share is lent out or not for this cursor.
    Parent,
    /// The window holds `max_entries` messages, or nearly.
    Entries,
    /// What is next has not been committed yet.
    Commit,
}

impl Blocked {
    /// Every reason, in the order of [`Stats::blocked_ns`].
    pub const ALL: [Blocked; 4] = [Blocked::OwnMark, Blocked::Parent, Blocked::Entries, Blocked::Commit];

    /// The place in [`Stats::blocked_ns`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Why a pull ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PullEnd {
    /// The demand is met, or one page was taken in: another pull may give more.
    More,
    /// Nothing is pending that is not in flight or parked.
    Empty,
    /// Something is pending and cannot be had now; `on_ready` follows.
    Blocked(Blocked),
}

/// What a pull did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pulled {
    /// How many messages it wrote.
    pub count: usize,
    /// Why it ended.
    pub end: PullEnd,
}

/// What a browse did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Browsed {
    /// How many messages it wrote.
    pub count: usize,
    /// Where the next browse goes on.
    pub after: u64,
    /// Whether there may be more behind that.
    pub more: bool,
}

/// A message that has left the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Released {
    /// The host's own, 0 if the message was not in memory.
    pub user: u64,
    /// What was charged for it and is released, in bytes.
    pub released_bytes: u64,
    /// Whether its body was in memory.
    pub was_in_memory: bool,
}

/// What `drop_cache` gave back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dropped {
    /// Messages.
    pub messages: u64,
    /// What was charged for them, in bytes.
    pub released_bytes: u64,
}

/// The first call of a purge, or a further one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Purge {
    /// A new purge: of all that is there now.
    #[default]
    Begin,
    /// The same purge, up to the sequence that its first call answered.
    Continue(u64),
}

/// What a purge removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Purged {
    /// What is up to this sequence and not in flight is purged, or will be when there is no more to do.
    pub up_to: u64,
    /// Messages of the window.
    pub messages: u64,
    /// Messages beyond the window, which the store alone had, as far as is known.
    pub stored_messages: u64,
    /// What was charged for them and is released, in bytes.
    pub released_bytes: u64,
    /// Whether the window has more of them.
    pub more: bool,
}

/// Figures of a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// New messages stay in memory.
    pub is_caching: bool,
    /// The window may take pages.
    pub is_filling: bool,
    /// Messages pushed and not acknowledged, removed or aborted. What was removed while it was in the store only is
    /// believed; where the store turns out to hold fewer, the count follows the store.
    pub pending_count: u64,
    /// Their bytes.
    pub pending_bytes: u64,
    /// Messages in memory.
    pub in_memory_count: u64,
    /// What is charged for them, in bytes (with `Accounting::Host`: what they take).
    pub in_memory_bytes: u64,
    /// Messages in the consumers' hands.
    pub in_flight_count: u64,
    /// Messages put aside in this round.
    pub parked_count: u64,
    /// Messages of the window that were dropped from memory and not paged in again.
    pub dropped_count: u64,
    /// Writes that are not answered, and answered ones behind them.
    pub open_writes: u64,
    /// Pages taken.
    pub pages: u64,
    /// Messages that came with them.
    pub paged_messages: u64,
    /// Pages taken by the guaranteed share.
    pub lent_pages: u64,
    /// Bytes in memory by the guaranteed share.
    pub lent_bytes: u64,
    /// Times caching was turned on.
    pub cache_on_turns: u64,
    /// Times caching was turned off.
    pub cache_off_turns: u64,
    /// The most bytes ever charged.
    pub peak_bytes: u64,
    /// How far the charge has been above the high mark at most, in bytes.
    pub overshoot_bytes: u64,
    /// Fetches that failed or were refused.
    pub failed_fetches: u64,
    /// Messages requeued.
    pub requeued: u64,
    /// Calls of `on_ready`.
    pub ready_calls: u64,
    /// Time from a blocked pull to the next pull, or to now, in ns, by [`Blocked::ALL`].
    pub blocked_ns: [u64; 4],
    /// Bytes from the allocator and of the cursor itself.
    pub bytes_in_use: u64,
    /// The most of them ever.
    pub bytes_peak: u64,
}
