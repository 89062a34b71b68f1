//! browse: a look at the queue from the store, without taking anything.

use super::page::fetch_checked;
use super::store::{Fetch, Stored};
use super::types::Browsed;
use super::{Cursor, Error};
use crate::memory::Table;

impl Cursor {
    /// Writes what is pending behind the sequence `after` into `out`, in order of sequence: at most a page, committed
    /// messages only, in flight ones included. Asks the store alone and charges nothing. Go on with the answer's
    /// `after` while `more` is set, even if `count` is 0.
    ///
    /// The `user` of what is written is the store's, and its body the caller's to let go.
    ///
    /// # Errors
    /// [`Error::Store`], [`Error::BadFetch`], [`Error::NoMemory`]; nothing is written.
    pub fn browse(&mut self, after: u64, out: &mut [Stored]) -> Result<Browsed, Error> {
        let room = out.len().min(self.policy.page_messages as usize);
        let resolved = self.writes.resolved;
        if room == 0 || after >= resolved {
            return Ok(Browsed { count: 0, after, more: after < resolved });
        }
        let fetch = Fetch {
            after,
            up_to: resolved,
            max_messages: room as u32,
            max_bytes: self.account.page_bytes(&self.policy),
        };
        let Cursor { window, store, .. } = self;
        let mut table =
            Table::filled(&window.memory, room as u32, Stored::default()).ok_or(Error::NoMemory)?;
        let browsed = fetch_checked(store.as_mut(), &fetch, &mut table)
            .map(|count| self.show_pending(table.get(..count).unwrap_or_default(), resolved, out));
        table.release(&self.window.memory);
        browsed
    }

    /// Copies what is pending of a page to the caller.
    fn show_pending(&mut self, page: &[Stored], resolved: u64, out: &mut [Stored]) -> Browsed {
        let mut browsed = Browsed { count: 0, after: resolved, more: !page.is_empty() };
        for message in page {
            browsed.after = message.sequence;
            if message.sequence <= self.position && self.window.find(message.sequence).is_none() {
                // It is gone; the store does not know yet.
                self.store.discard(message);
            } else if let Some(place) = out.get_mut(browsed.count) {
                *place = *message;
                browsed.count += 1;
            }
        }
        browsed.more = browsed.more && browsed.after < resolved;
        browsed
    }
}
