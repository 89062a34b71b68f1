//! `queuecore`: the library itself, through its public interface.

use crate::meter::{Figures, Meter, Steps};
use queuecore::usage::{Event, Options, Tracker, WHOLE_PPM};
use std::sync::Arc;

pub struct Own(pub Tracker);

impl Meter for Own {
    const ENGINE: &'static str = "queuecore";

    fn root(limit_bytes: u64) -> Own {
        Own(Tracker::new(Options { limit_bytes, ..Options::default() }).expect("valid options"))
    }

    fn child(&self) -> Own {
        let options = Options { share_ppm: WHOLE_PPM, ..Options::default() };
        Own(self.0.child(options).expect("valid options"))
    }

    #[inline(always)]
    fn increase(&self, bytes: u64) {
        let _ = self.0.increase(bytes);
    }

    #[inline(always)]
    fn decrease(&self, bytes: u64) {
        let _ = self.0.decrease(bytes);
    }

    #[inline(always)]
    fn percent(&self) -> i32 {
        self.0.percent()
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.0.is_full()
    }

    fn usage_bytes(&self) -> i64 {
        self.0.usage_bytes()
    }

    fn listen(&self, steps: Arc<Steps>) {
        let listener = move |event: Event| steps.step(event.old, event.new);
        self.0.set_listener(Arc::new(listener)).expect("there is memory");
    }

    fn figures(&self) -> Option<Figures> {
        let stats = self.0.stats();
        Some(Figures {
            committed_bytes: stats.committed_bytes,
            refills: stats.tree_refills,
            recalls: stats.tree_recalls,
            crossings: stats.tree_crossings,
            active_stripes: u64::from(stats.tree_active_stripes),
            bytes_in_use: stats.bytes_in_use,
        })
    }
}
