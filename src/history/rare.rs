//! What few histories have: marks of a window that was raised, walks, imports, a group. One block, made when the first
//! of them is needed, so that small histories stay small.

use super::group::Member;
use super::import::LastImport;
use super::walk::Walk;
use super::window::Raised;
use crate::memory::Table;

/// How many walks over one history there may be at a time: the iteration and the export.
pub(super) const WALKS: usize = 2;

pub(super) struct Rare {
    pub(super) walks: [Walk; WALKS],
    pub(super) raised: Table<Raised>,
    pub(super) last_import: LastImport,
    pub(super) member: Option<Member>,
}

impl Rare {
    pub(super) fn new() -> Rare {
        Rare { walks: [Walk::OVER; WALKS], raised: Table::new(), last_import: LastImport::NONE, member: None }
    }
}
