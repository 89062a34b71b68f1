//! The model: a tree of own shares, everything else summed up when it is asked for.

use queuecore::usage::{Event, MAX_AMOUNT, MAX_LEVEL, MAX_LIMIT, Marks, WHOLE_PPM, Waited};

/// A tracker's number: they are counted from 0 as they are made, and a number is never used twice. It is also the tag.
pub type Id = usize;

/// Why a call is refused: the kind of the error, without its figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    Amount,
    Level,
    OutOfRange,
    Contradiction,
    NeverFits,
}

/// Who takes a tracker's events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taker {
    Nobody,
    Listener,
    Poll,
}

/// A tracker, or what is left of one that has children still.
#[derive(Clone, Debug)]
pub struct Node {
    pub parent: Option<Id>,
    pub limit: i64,
    pub share_ppm: u32,
    pub delta: u32,
    pub own: i64,
    pub has_handle: bool,
    pub is_gone: bool,
    pub is_stopped: bool,
    pub marks: Option<Marks>,
    pub is_over: bool,
    pub taker: Taker,
    pub last: i32,
}

/// A notice that was asked for and not yet given.
#[derive(Clone, Copy, Debug)]
struct Notice {
    number: usize,
    at: Id,
}

/// The model.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    pub nodes: Vec<Node>,
    notices: Vec<Notice>,
    /// Events since they were last taken, in the order in which they are due.
    pub events: Vec<Event>,
    /// Notices given since they were last taken.
    pub given: Vec<(usize, Waited)>,
    /// How often a percent changed, and how often a level became full or stopped being so.
    pub steps: u64,
    pub turns: u64,
    /// Of each node, as of the last change: summed up anew at each.
    usages: Vec<i64>,
    percents: Vec<i32>,
}

/// The formula of the design page.
pub fn percent_of(usage: i64, limit: i64, delta: u32) -> i32 {
    if limit == 0 {
        return 0;
    }
    let whole = i128::from(usage) * 100 / i128::from(limit);
    let stepped = whole / i128::from(delta) * i128::from(delta);
    i32::try_from(stepped).unwrap_or(if stepped < 0 { i32::MIN } else { i32::MAX })
}

/// The least level at which the percent is `percent` or more; both it and the limit are 1 or more.
pub fn threshold(percent: i64, limit: i64, delta: u32) -> i128 {
    let stepped = divided(percent.into(), delta.into()) * i128::from(delta);
    divided(stepped * i128::from(limit), 100)
}

fn share_of(limit: i64, share_ppm: u32) -> i64 {
    if limit == 0 {
        return 0;
    }
    let share = i128::from(limit) * i128::from(share_ppm) / i128::from(WHOLE_PPM);
    i64::try_from(share).unwrap_or(MAX_LIMIT).clamp(1, MAX_LIMIT)
}

/// Rounded up; `by` is positive.
fn divided(value: i128, by: i128) -> i128 {
    (value + by - 1).div_euclid(by)
}

impl Meter {
    // Questions

    pub fn with_handles(&self) -> impl Iterator<Item = Id> + '_ {
        (0..self.nodes.len()).filter(|&id| self.nodes[id].has_handle)
    }

    pub fn first(&self) -> Option<Id> {
        self.with_handles().next()
    }

    /// The node and those above it, from the bottom up.
    pub fn path(&self, id: Id) -> Vec<Id> {
        let mut path = vec![id];
        while let Some(above) = self.nodes[path[path.len() - 1]].parent {
            path.push(above);
        }
        path
    }

    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        (0..self.nodes.len()).filter(move |&at| self.nodes[at].parent == Some(id) && !self.nodes[at].is_gone)
    }

    pub fn depth(&self, id: Id) -> usize {
        self.path(id).len()
    }

    pub fn usage(&self, id: Id) -> i64 {
        self.usages[id]
    }

    pub fn percent(&self, id: Id) -> i32 {
        self.percents[id]
    }

    pub fn is_full_at(&self, id: Id, percent: i32) -> bool {
        let is_at = |at: Id| self.nodes[at].limit > 0 && self.percent(at) >= percent;
        let mut level = Some(id);
        while let Some(at) = level {
            if is_at(at) {
                return true;
            }
            level = self.nodes[at].parent;
        }
        false
    }

    pub fn is_full(&self, id: Id) -> bool {
        self.is_full_at(id, 100)
    }

    pub fn is_stopped(&self, id: Id) -> bool {
        self.path(id).iter().any(|&at| self.nodes[at].is_stopped)
    }

    /// Notices that wait here and below.
    pub fn waiters(&self, id: Id) -> usize {
        self.notices.iter().filter(|notice| self.path(notice.at).contains(&id)).count()
    }

    fn fits(&self, id: Id, amount: i64) -> bool {
        let room = |&at: &Id| {
            let limit = self.nodes[at].limit;
            limit == 0 || self.usage(at).max(0) + amount <= limit
        };
        amount == 0 || self.path(id).iter().all(room)
    }

    /// Whether every level of the path may be changed so.
    pub fn is_in_range(&self, id: Id, change: i64) -> bool {
        let range = i128::from(-MAX_LEVEL)..=i128::from(MAX_LEVEL);
        let after = |level: i64| i128::from(level) + i128::from(change);
        range.contains(&after(self.nodes[id].own))
            && self.path(id).iter().all(|&at| range.contains(&after(self.usage(at))))
    }

    // Calls

    /// Follows every change: shares, events, marks and notices.
    fn settle(&mut self) {
        for id in 0..self.nodes.len() {
            if self.nodes[id].share_ppm > 0 {
                let above = self.nodes[id].parent.expect("a share has a parent");
                self.nodes[id].limit = share_of(self.nodes[above].limit, self.nodes[id].share_ppm);
            }
        }
        self.usages = vec![0; self.nodes.len()];
        for id in 0..self.nodes.len() {
            let own = self.nodes[id].own;
            let mut level = Some(id).filter(|_| own != 0);
            while let Some(at) = level {
                self.usages[at] += own;
                level = self.nodes[at].parent;
            }
        }
        for id in 0..self.nodes.len() {
            let node = &self.nodes[id];
            let percent = percent_of(self.usages[id], node.limit, node.delta);
            if self.percents.len() == id {
                self.percents.push(percent);
            }
            self.steps += u64::from(percent != self.percents[id]);
            self.turns += u64::from((percent >= 100) != (self.percents[id] >= 100));
            self.percents[id] = percent;
            let node = &mut self.nodes[id];
            node.is_over =
                node.marks.is_some_and(|marks| percent >= marks.high || node.is_over && percent >= marks.low);
            if percent != node.last && node.taker != Taker::Nobody {
                self.events.push(Event { tag: id as u64, old: node.last, new: percent });
            }
            node.last = percent;
        }
        self.give(Waited::Done, |meter, at| !meter.is_full(at));
    }

    fn give(&mut self, reason: Waited, to: impl Fn(&Meter, Id) -> bool) {
        if self.notices.is_empty() {
            return;
        }
        let (due, left) = self.notices.iter().partition(|notice| to(self, notice.at));
        let due: Vec<Notice> = due;
        self.notices = left;
        self.given.extend(due.iter().map(|notice| (notice.number, reason)));
    }

    pub fn add_node(&mut self, parent: Option<Id>, limit: i64, share_ppm: u32, delta: u32) -> Id {
        self.nodes.push(Node {
            parent,
            limit,
            share_ppm,
            delta,
            own: 0,
            has_handle: true,
            is_gone: false,
            is_stopped: false,
            marks: None,
            is_over: false,
            taker: Taker::Nobody,
            last: 0,
        });
        self.settle();
        self.nodes.len() - 1
    }

    pub fn change(&mut self, id: Id, change: i128) -> Result<(), Refusal> {
        let max = i128::from(MAX_AMOUNT);
        if !(-max..=max).contains(&change) {
            return Err(Refusal::Amount);
        }
        self.add(id, change as i64)
    }

    fn add(&mut self, id: Id, change: i64) -> Result<(), Refusal> {
        if change != 0 && !self.is_in_range(id, change) {
            return Err(Refusal::Level);
        }
        self.nodes[id].own += change;
        self.settle();
        Ok(())
    }

    pub fn try_reserve(&mut self, id: Id, amount: u64) -> Result<bool, Refusal> {
        if amount > MAX_AMOUNT as u64 {
            return Err(Refusal::Amount);
        }
        let amount = amount as i64;
        // The documented errors do not speak of levels: one that would leave its range has no room.
        Ok(self.fits(id, amount) && self.add(id, amount).is_ok())
    }

    /// The answers that are right: the order in which two reasons to refuse are looked at is nobody's business.
    pub fn reserve_at_once(&mut self, id: Id, amount: u64) -> Vec<Result<Waited, Refusal>> {
        if amount > MAX_AMOUNT as u64 {
            return vec![Err(Refusal::Amount)];
        }
        let path = self.path(id);
        let is_beyond = |&at: &Id| (1..amount as i64).contains(&self.nodes[at].limit);
        let never = path.iter().any(is_beyond).then_some(Err(Refusal::NeverFits));
        let stopped = self.is_stopped(id).then_some(Ok(Waited::Stopped));
        if stopped.is_some() && amount == 0 {
            // Nothing always fits, and a stopped tracker answers waits.
            return vec![Ok(Waited::Done), Ok(Waited::Stopped)];
        }
        if never.is_some() || stopped.is_some() {
            return never.into_iter().chain(stopped).collect();
        }
        match self.try_reserve(id, amount) {
            Ok(true) => vec![Ok(Waited::Done)],
            _ => vec![Ok(Waited::TimedOut)],
        }
    }

    pub fn wait_at_once(&self, id: Id, percent: i32) -> Result<Waited, Refusal> {
        if percent < 1 {
            return Err(Refusal::OutOfRange);
        }
        if self.is_stopped(id) {
            return Ok(Waited::Stopped);
        }
        Ok(if self.is_full_at(id, percent) { Waited::TimedOut } else { Waited::Done })
    }

    /// Asks for the notice of this number; whether it is to come later.
    pub fn notify(&mut self, id: Id, number: usize) -> bool {
        if !self.is_full(id) {
            return false;
        }
        if self.is_stopped(id) {
            self.given.push((number, Waited::Stopped));
        } else {
            self.notices.push(Notice { number, at: id });
        }
        true
    }

    pub fn set_usage(&mut self, id: Id, usage: i64) -> Result<(), Refusal> {
        if !(-MAX_AMOUNT..=MAX_AMOUNT).contains(&usage) {
            return Err(Refusal::OutOfRange);
        }
        self.add(id, usage - self.nodes[id].own)
    }

    pub fn set_limit(&mut self, id: Id, limit: u64) -> Result<(), Refusal> {
        if limit > MAX_LIMIT as u64 {
            return Err(Refusal::OutOfRange);
        }
        (self.nodes[id].limit, self.nodes[id].share_ppm) = (limit as i64, 0);
        self.settle();
        Ok(())
    }

    pub fn set_share(&mut self, id: Id, share_ppm: u32) -> Result<(), Refusal> {
        if !(1..=WHOLE_PPM).contains(&share_ppm) {
            return Err(Refusal::OutOfRange);
        }
        if self.nodes[id].parent.is_none() {
            return Err(Refusal::Contradiction);
        }
        self.nodes[id].share_ppm = share_ppm;
        self.settle();
        Ok(())
    }

    pub fn set_min_delta(&mut self, id: Id, delta: u32) -> Result<(), Refusal> {
        if delta == 0 {
            return Err(Refusal::OutOfRange);
        }
        self.nodes[id].delta = delta;
        self.settle();
        Ok(())
    }

    pub fn set_marks(&mut self, id: Id, marks: Option<Marks>) -> Result<(), Refusal> {
        if marks.is_some_and(|marks| marks.low < 1 || marks.high < 1) {
            return Err(Refusal::OutOfRange);
        }
        if marks.is_some_and(|marks| marks.low > marks.high) {
            return Err(Refusal::Contradiction);
        }
        // A new pair begins afresh.
        (self.nodes[id].marks, self.nodes[id].is_over) = (marks, false);
        self.settle();
        Ok(())
    }

    pub fn set_taker(&mut self, id: Id, taker: Taker) {
        self.nodes[id].taker = taker;
    }

    pub fn set_stopped(&mut self, id: Id, is_stopped: bool) {
        self.nodes[id].is_stopped = is_stopped;
        if is_stopped {
            self.give(Waited::Stopped, |meter, at| meter.path(at).contains(&id));
        }
    }

    /// Whether the levels above can do without what the tracker counts itself.
    pub fn can_destroy(&self, id: Id) -> bool {
        self.is_in_range(id, self.nodes[id].own.saturating_neg())
    }

    pub fn destroy(&mut self, id: Id) -> i64 {
        self.give(Waited::Destroyed, |_, at| at == id);
        let residual = self.nodes[id].own;
        let node = &mut self.nodes[id];
        (node.own, node.has_handle, node.taker) = (0, false, Taker::Nobody);
        let mut at = Some(id);
        while let Some(node) = at
            && !self.nodes[node].has_handle
            && self.children(node).next().is_none()
        {
            self.nodes[node].is_gone = true;
            at = self.nodes[node].parent;
        }
        self.settle();
        residual
    }
}
