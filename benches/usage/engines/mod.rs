//! The engines, one a file. All have the same shape in memory: a handle, a line of what is read, a line of what is
//! counted; so what differs is how they count.

mod atomic;
mod ceilings;
mod exact;
mod lock;
mod own;

pub use atomic::Atomic;
pub use ceilings::{Pair, Sums};
pub use exact::Exact;
pub use lock::Lock;
pub use own::Own;
