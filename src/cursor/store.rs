//! What a cursor asks of the store that holds all messages: one call, to read a stretch of them.
//!
//! A store numbers the messages of a queue: the *sequence*, from 1, rising in the order in which they were pushed, with
//! any gaps. The cursor never writes to it. [`MemoryStore`](super::MemoryStore) is one in memory, for tests.

/// A message as the store tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Stored {
    /// Its place in the queue, from 1.
    pub sequence: u64,
    /// The host's own: what `pull` hands out with the message. Often where its body is.
    pub user: u64,
    /// What it takes in memory, in bytes. It is charged as this says.
    pub size_bytes: u32,
    /// Higher goes first.
    pub priority: u8,
}

/// Which messages to fetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fetch {
    /// Only sequences above this.
    pub after: u64,
    /// Only sequences up to this, itself included.
    pub up_to: u64,
    /// At most so many; at least 1.
    pub max_messages: u32,
    /// At most so many bytes together, but the first message whatever its size.
    pub max_bytes: u64,
}

/// The host's number for what went wrong in the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreError {
    /// The number.
    pub code: i32,
}

/// A store of messages, as far as a cursor needs it. Called by the thread that is inside the cursor.
///
/// # What the answer has to keep to
/// * Messages of the range in ascending order of sequence, without leaving out one that is committed and pending: as
///   many as there are, up to `max_messages` and `max_bytes`. None at all means that there is none in the range.
/// * A message that was removed with [`Cursor::remove`](super::Cursor::remove) while it was not in memory does not come
///   again. One that was acknowledged may: acks may reach the store late, in batches.
///
/// An answer that is too long, too large or out of order is refused with a status, and the cursor stays as it was.
pub trait Store: Send {
    /// Writes the messages that `fetch` describes to the front of `out`, which has room for `max_messages`. Answers how
    /// many.
    ///
    /// # Errors
    /// The store's own; the cursor passes it on and can be asked again.
    fn fetch(&mut self, fetch: &Fetch, out: &mut [Stored]) -> Result<usize, StoreError>;

    /// Takes note that the body of a message can go: it was fetched and is of no use, or it was in memory and its memory
    /// is given back, by `drop_cache` or to make room. The sequence is 0 if the cursor does not know it yet; `user` is
    /// what the message had. It must not call the cursor.
    fn discard(&mut self, _message: &Stored) {}
}
