// A history as slow and plain as can be: lists and maps, written from the design page. The random test
// holds the library against it.
//
// Where the design page leaves a choice, and the choice can be seen in what bounded collection does, the
// model makes the library's own:
//  - the record of an entry that leaves for good may be taken back at once when it is the newest one;
//  - eviction goes from the oldest record on to the first historical one, and live entries that it meets
//    leave the log as those do that collection meets; erased in time, they come in again as the newest;
//  - an erase that needs room looks at a bounded number of records; when that is not enough, it is refused,
//    or the entry itself is the one that is evicted;
//  - what can never be remembered has no record: without a window, or when it comes in past its window;
//  - the one step more of a readmit is taken after it, when it has left a tombstone.

#ifndef QUEUECORE_TEST_NAIVE_HISTORY_HPP
#define QUEUECORE_TEST_NAIVE_HISTORY_HPP

#include <queuecore.h>

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

namespace model {

using Bytes = std::vector<unsigned char>;

class NaiveHistory {
 public:
  /// What the library's options say; 0 means the default there as here.
  explicit NaiveHistory(const qc_history_options& options);

  struct Live {
    std::uint64_t id;   // the model's own handle of this entry; never used twice
    std::uint64_t key;
    std::int64_t tick;  // of its insert
    Bytes value;
  };
  struct Put {
    qc_status status;
    qc_outcome outcome;
    std::uint64_t id;  // of the live entry, new or old
  };
  struct Counters {
    std::uint64_t collected = 0;
    std::uint64_t evicted_early = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t readmitted = 0;
    std::uint64_t clock_regressions = 0;
  };

  /// Refuses a present that is outside of time or too far ahead; otherwise what counts as the present.
  [[nodiscard]] qc_status check_now(std::int64_t now) const;
  [[nodiscard]] std::int64_t present(std::int64_t now) const;

  /// The present moves on to `now`, which was checked. Once for each call of the library.
  void tell_time(std::int64_t now);

  /// What is known of the time, to put back after a call that was refused.
  struct Time {
    std::optional<std::int64_t> seen;
    std::uint64_t regressions;
  };
  [[nodiscard]] Time time() const { return {seen_, counters_.clock_regressions}; }
  void untell_time(const Time& before) {
    seen_ = before.seen;
    counters_.clock_regressions = before.regressions;
  }
  void count_regression() { counters_.clock_regressions++; }

  /// Records that were taken back since; and one of them left as a tombstone after all, if there is one.
  void start_step() { taken_back_ = 0; }
  bool put_back();

  /// One element of an insert or readmit whose call has told the time.
  Put put(std::uint64_t key, Bytes value, std::int64_t at, bool readmits);
  /// One element of an erase. `id` is live.
  qc_status erase(std::uint64_t id, qc_erased& erased);
  /// Whether a purge is sure to fit, sure not to fit, or depends on how much is collected on the way.
  enum class Fit { yes, no, depends };
  [[nodiscard]] Fit purge_fits() const;
  std::uint64_t erase_all_live();
  void forget(std::uint64_t id);
  bool forget_key(std::uint64_t key);
  [[nodiscard]] qc_presence contains(std::uint64_t key) const;
  std::uint64_t gc(std::uint64_t max, bool& more);
  void clear();
  void clock_reset(std::int64_t now);

  [[nodiscard]] const Live* find(std::uint64_t key) const;
  [[nodiscard]] const Live* get(std::uint64_t id) const;
  [[nodiscard]] std::vector<const Live*> live_order() const;
  [[nodiscard]] std::uint64_t live_len() const { return order_.size(); }
  [[nodiscard]] std::uint64_t history_len() const { return historical_.size(); }
  [[nodiscard]] std::uint64_t tombstones() const;
  [[nodiscard]] bool history_is_full() const { return max_history_ != 0 && history_len() >= max_history_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::optional<std::int64_t> seen() const { return seen_; }
  [[nodiscard]] std::int64_t tick_of(std::int64_t ns) const;

 private:
  enum class Kind { live, historical, tombstone };
  struct Record {
    Kind kind;
    std::uint64_t key;
    std::int64_t tick;
  };
  using Log = std::list<Record>;
  struct Entry {
    Live live;
    std::optional<Log::iterator> record;  // none once collection or eviction met it
  };
  using Order = std::list<Entry>;

  [[nodiscard]] bool expired(std::int64_t tick) const;
  [[nodiscard]] bool head_is_due() const;
  bool visible(std::uint64_t key) const;
  bool step();  // one step of collection; false when the head is not due
  void collect(std::uint64_t steps);
  void collect_for_put();
  void bury(Log::iterator record);  // leaves a tombstone
  void drop(Log::iterator record);  // the same, unless it is the newest record, which can be taken back
  bool make_room();
  bool evict_oldest();
  Order::iterator by_id(std::uint64_t id);

  std::int64_t resolution_;
  std::uint64_t window_ticks_;
  std::int64_t max_clock_step_;
  std::uint64_t max_entries_;
  std::uint64_t max_history_;
  std::uint64_t gc_step_;
  bool evicts_;
  bool until_collected_;
  qc_gc_policy policy_;

  Log log_;
  Order order_;
  std::map<std::uint64_t, Order::iterator> live_;
  std::map<std::uint64_t, Order::iterator> ids_;
  std::map<std::uint64_t, Log::iterator> historical_;
  std::optional<std::int64_t> seen_;
  bool wants_gc_ = false;  // on demand: a gc left work
  std::uint64_t next_id_ = 1;
  std::uint64_t taken_back_ = 0;
  Counters counters_;
};

}  // namespace model

#endif
