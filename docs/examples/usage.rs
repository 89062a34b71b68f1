use queuecore::usage::{Error, Options, Tracker, Waited};
use std::thread;
use std::time::Duration;

fn main() -> Result<(), Error> {
    let broker = Tracker::new(Options { limit_bytes: 1_000_000, ..Options::default() })?;
    // 70 % of the broker's limit, whatever that becomes.
    let orders = broker.child(Options { share_ppm: 700_000, ..Options::default() })?;

    orders.increase(650_000)?; // counted here and above, whatever the limit says
    println!("orders: {} %, {}", orders.percent(), if orders.is_full() { "full" } else { "not full" });

    // Counted only if it fits on every level.
    println!("{}", if orders.try_reserve(100_000)? { "admitted" } else { "no room" });
    let waited = thread::scope(|scope| {
        scope.spawn(|| orders.decrease(400_000));
        orders.reserve_wait(100_000, Some(Duration::from_secs(10)))
    })?;
    println!("{}", if waited == Waited::Done { "waited, then admitted" } else { "gave up" });

    println!("orders still held {} bytes", orders.destroy()); // takes it off the broker
    println!("broker: {} bytes", broker.usage_bytes());
    Ok(())
}
