//! browse: a look at the queue from the store, without taking anything.

use super::page::fetch_checked;
use super::store::{Fetch, Stored};
use super::types::Browsed;
use super::{Cursor, Error};

impl Cursor {
    /// Writes what is pending behind the sequence `after` into `out`, in order of sequence: at most a page, committed
    /// messages only, in flight ones included. Asks the store alone and charges nothing. Go on with the answer's
    /// `after` while `more` is set, even if `count` is 0.
    ///
    /// The `user` of what is written is the store's, and its body the caller's to let go.
    ///
    /// # Errors
    /// [`Error::Store`], [`Error::BadFetch`].
    pub fn browse(&mut self, after: u64, out: &mut [Stored]) -> Result<Browsed, Error> {
        let room = out.len().min(self.policy.page_messages as usize);
        let resolved = self.writes.resolved;
        let Some(out) = out.get_mut(..room).filter(|out| !out.is_empty() && after < resolved) else {
            return Ok(Browsed { count: 0, after, more: after < resolved });
        };
        let fetch = Fetch {
            after,
            up_to: resolved,
            max_messages: room as u32,
            max_bytes: self.account.page_bytes(&self.policy),
        };
        let fetched = fetch_checked(self.store.as_mut(), &fetch, out)?;
        let mut browsed = Browsed { count: 0, after: resolved, more: fetched > 0 };
        for at in 0..fetched {
            let Some(message) = out.get(at).copied() else { break };
            browsed.after = message.sequence;
            if message.sequence <= self.position && self.window.find(message.sequence).is_none() {
                // It is gone; the store does not know yet.
                self.store.discard(&message);
            } else if let Some(place) = out.get_mut(browsed.count) {
                *place = message;
                browsed.count += 1;
            }
        }
        browsed.more = browsed.more && browsed.after < resolved;
        Ok(browsed)
    }
}
