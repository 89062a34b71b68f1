// queuecore.hpp: C++17 over queuecore.h, header-only. This file only gathers the parts:
//
//   queuecore/error.hpp      Status, Error, Result<T>: how a call fails, with and without exceptions
//   queuecore/types.hpp      Key, Entry, Nanos, Span and the answers of the calls
//   queuecore/options.hpp    HistoryOptions: what a history is created with, callbacks included
//   queuecore/history.hpp    History<V>: live messages in order, and the memory of those gone
//   queuecore/transfer.hpp   its export, import and iteration over all entries
//   queuecore/history_group.hpp   HistoryGroup: thousands of histories of one thread, collected in one call
//   queuecore/usage.hpp      Tracker: an exact memory meter with limits, percent steps and waiting, for many threads
//   queuecore/cursor.hpp     Cursor: the window of a store-backed queue that is held in memory
//
// What is in namespace queuecore::detail may change at any time and is not for callers.
//
//   queuecore::History<std::string> history(queuecore::HistoryOptions{}.window_ns(std::chrono::minutes(5)));
//   auto put = history.insert(key, "payload", now, now);
//   if (put.added()) { history.erase(put.entry, now); }     // the key stays known for five minutes
//
//   queuecore::Tracker memory(queuecore::UsageOptions{}.limit_bytes(1'000'000'000));
//   queuecore::Tracker orders = memory.child(queuecore::UsageOptions{}.share_ppm(700'000));
//   if (orders.reserve(1024)) { orders.decrease(1024); }     // it fitted, here and in memory
//
//   queuecore::Cursor cursor(queuecore::CursorOptions{}, orders, store);   // store: a CursorStore of yours
//   cursor.push(queuecore::committed_message(token, sequence, user, 1024));
//   auto pulled = cursor.pull(32, delivered);                // at most 32 messages, from memory or by a page

#ifndef QUEUECORE_HPP
#define QUEUECORE_HPP

#include "queuecore/cursor.hpp"
#include "queuecore/error.hpp"
#include "queuecore/history.hpp"
#include "queuecore/history_group.hpp"
#include "queuecore/options.hpp"
#include "queuecore/transfer.hpp"
#include "queuecore/types.hpp"
#include "queuecore/usage.hpp"

#endif
