//! pull: messages go into the consumers' hands, from memory first; a page comes in if that was not enough.

use super::page::Paged;
use super::stats::elapsed_ns;
use super::types::{Blocked, Delivered, PullEnd, Pulled, Round};
use super::{Cursor, Error};
use std::time::Instant;

impl Cursor {
    /// Gives out up to `demand` messages, as many as `out` has room for, in order: priority descending, then sequence,
    /// among those in the window. Takes at most one page. They are in flight until `ack`, `requeue`, `park` or `remove`.
    ///
    /// A demand of 0 (or no room) changes nothing but that the cursor wants no loan of the guaranteed share any more, so
    /// that its turn is passed on, and with [`Round::Begin`] a new round begins; `on_ready` still comes for the pull that
    /// was blocked. O(messages), and O(log n) for each that was put back, amortised.
    ///
    /// # Errors
    /// [`Error::Store`], [`Error::BadFetch`], [`Error::NoMemory`], [`Error::Usage`] of the page, only if nothing else
    /// was given out: what is pending and its order are as before, and the pull can be repeated. After the last
    /// two, messages that nobody had in hand may have left memory to make room for the page, as by
    /// [`drop_cache`](Self::drop_cache).
    #[inline]
    pub fn pull(&mut self, demand: u32, round: Round, out: &mut [Delivered]) -> Result<Pulled, Error> {
        let wanted = out.len().min(demand as usize);
        if self.blocked.is_some() && wanted > 0 {
            self.end_block();
        }
        if round == Round::Begin {
            self.window.unpark();
        }
        let Some(out) = out.get_mut(..wanted) else { return Ok(Pulled { count: 0, end: PullEnd::More }) };
        let count = self.take(out);
        if count < wanted {
            return self.pull_short(count, out);
        }
        if wanted == 0 {
            self.pull_nothing();
        } else {
            self.leave_line();
        }
        Ok(Pulled { count, end: PullEnd::More })
    }

    /// A pull without demand: it may have begun a round.
    #[cold]
    fn pull_nothing(&mut self) {
        if self.stands_in_line
            && let Some(member) = &self.account.member
        {
            member.decline_loan();
        }
        self.look_again();
    }

    /// It waits for the parent no more: whoever is behind it in the line gets its turn.
    #[inline(always)]
    pub(super) fn leave_line(&mut self) {
        if self.stands_in_line {
            self.stands_in_line = false;
            if let Some(member) = &self.account.member {
                member.leave_line();
            }
        }
    }

    /// Hands out what is next in memory. Answers how many.
    #[inline(always)]
    fn take(&mut self, out: &mut [Delivered]) -> usize {
        let mut count = 0;
        for place in out {
            let Some(slot) = self.window.first() else { break };
            if !self.window.at(slot).is_in_memory() {
                break;
            }
            let entry = self.window.hand_out(slot);
            *place = Delivered {
                sequence: entry.sequence,
                token: entry.token,
                user: entry.user,
                size_bytes: entry.size_bytes,
                redeliveries: entry.redeliveries,
                priority: entry.priority,
            };
            count += 1;
        }
        count
    }

    /// The window gave `count` and is short.
    fn pull_short(&mut self, mut count: usize, out: &mut [Delivered]) -> Result<Pulled, Error> {
        let missing = (out.len() - count) as u32;
        let paged = self.page_in(missing, count > 0);
        if paged != Ok(Paged::Wait(Blocked::Parent)) {
            self.leave_line();
        }
        let end = match paged {
            Ok(Paged::In) => {
                count += out.get_mut(count..).map_or(0, |rest| self.take(rest));
                if count == out.len() || self.start_of_page().is_some() { PullEnd::More } else { self.end() }
            }
            Ok(Paged::Enough) => PullEnd::More,
            Ok(Paged::Nothing) => self.end(),
            Ok(Paged::Wait(reason)) => self.block(reason),
            Err(error) if count == 0 => return Err(error),
            Err(_) => PullEnd::More,
        };
        Ok(Pulled { count, end })
    }

    /// There is nothing to give and nothing to fetch.
    fn end(&mut self) -> PullEnd {
        if self.writes.is_empty() { PullEnd::Empty } else { self.block(Blocked::Commit) }
    }

    /// Notes that the pull is blocked, and sees to it that somebody tells when it is not.
    fn block(&mut self, reason: Blocked) -> PullEnd {
        self.blocked = Some((reason, Instant::now()));
        self.awaits_ready = true;
        self.stands_in_line = reason == Blocked::Parent;
        self.had_in_flight = self.window.in_flight > 0;
        self.signal.block(reason);
        self.ask_for_notice(reason);
        PullEnd::Blocked(reason)
    }

    /// Has the tracker or the parent tell when their level falls below what the policy says. Where they cannot, for want
    /// of memory, `on_ready` is called at once: the host pulls again, and so asks again.
    pub(super) fn ask_for_notice(&mut self, reason: Blocked) {
        let asked = match (reason, &self.account.member) {
            (Blocked::OwnMark, _) => self.account.wait_for_host(&self.signal),
            (Blocked::Parent, Some(member)) => {
                member.wait_for_parent(self.policy.parent_page_percent + 1, &self.signal)
            }
            _ => Ok(()),
        };
        if asked.is_err() || (reason == Blocked::OwnMark && self.has_begun_to_fill()) {
            self.signal.fire(reason);
        }
    }

    /// Whether the usage is below the low mark now, which it was not when the pull looked: another member has left the
    /// group, and the limit has grown before the note said that somebody waits for it.
    fn has_begun_to_fill(&mut self) -> bool {
        let zone = self.account.zone();
        self.mark.see(zone);
        self.mark.is_filling
    }

    /// A pull ends the one that was blocked.
    #[cold]
    fn end_block(&mut self) {
        if let Some((reason, since)) = self.blocked.take()
            && let Some(total) = self.counters.blocked_ns.get_mut(reason.index())
        {
            *total = total.saturating_add(elapsed_ns(since));
        }
        self.awaits_ready = false;
        self.signal.clear();
    }
}
