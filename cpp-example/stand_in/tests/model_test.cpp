// The stand-in against a naive model: random calls from a fixed seed, every answer compared.
#include "testing.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace standin_tests {
namespace {

/// Keys in order of (re-)insertion. As slow and as plain as it can be.
class Model {
  public:
    struct Entry {
        std::uint64_t key;
        std::int64_t insertedAtNs;
        bool live = true;
        bool passed = false;
    };

    Entry* find(std::uint64_t key) {
        for (Entry& entry : entries_) {
            if (entry.key == key) {
                return &entry;
            }
        }
        return nullptr;
    }

    bool insert(std::uint64_t key, std::int64_t nowNs) {
        if (Entry* known = find(key)) {
            if (known->live) {
                return false;
            }
            remove(key);
        }
        entries_.push_back({key, nowNs});
        return true;
    }

    void erase(std::uint64_t key, std::int64_t nowNs) {
        Entry* entry = find(key);
        entry->live = false;
        if (entry->passed || nowNs >= entry->insertedAtNs + windowNs) {
            remove(key);
        }
    }

    std::int64_t gc(std::int64_t nowNs, std::int64_t batch) {
        std::int64_t visited = 0;
        for (std::size_t at = 0; at < entries_.size();) {
            Entry& entry = entries_[at];
            if (entry.passed) {
                ++at;
                continue;
            }
            if (nowNs < entry.insertedAtNs + windowNs) {
                break;
            }
            if (visited == batch) {
                return -visited;
            }
            ++visited;
            if (entry.live) {
                entry.passed = true;
                ++at;
            } else {
                remove(entry.key);
            }
        }
        return visited;
    }

    std::size_t count(bool live) const {
        std::size_t found = 0;
        for (const Entry& entry : entries_) {
            found += entry.live == live ? 1 : 0;
        }
        return found;
    }

  private:
    void remove(std::uint64_t key) {
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
            if (entry->key == key) {
                entries_.erase(entry);
                return;
            }
        }
    }

    std::vector<Entry> entries_;
};

TEST(Model, RandomCallsGetTheSameAnswers) {
    std::mt19937_64 random(20240607);
    standin::History<std::uint64_t> history(options());
    Model model;
    std::int64_t nowNs = 0;
    for (int step = 0; step < 60'000; ++step) {
        nowNs += static_cast<std::int64_t>(random() % 4);
        const std::uint64_t key = random() % 600;
        const auto live = history.find(guid(key));
        Model::Entry* expected = model.find(key);
        ASSERT_EQ(live != nullptr, expected != nullptr && expected->live) << "step " << step;
        ASSERT_EQ(history.isInHistory(guid(key)), expected != nullptr && !expected->live) << "step " << step;
        switch (random() % 8) {
            case 0: {
                const std::int64_t batch = static_cast<std::int64_t>(random() % 20);
                ASSERT_EQ(history.gc(nowNs, static_cast<std::size_t>(batch)), model.gc(nowNs, batch))
                    << "step " << step;
                break;
            }
            case 1:
            case 2:
            case 3:
                if (live != nullptr) {
                    ASSERT_EQ(live->value, key);
                    history.erase(live, nowNs);
                    model.erase(key, nowNs);
                }
                break;
            default:
                ASSERT_EQ(history.insert(guid(key), key, nowNs).added, model.insert(key, nowNs))
                    << "step " << step;
        }
        ASSERT_EQ(history.size(), model.count(true)) << "step " << step;
        ASSERT_EQ(history.historySize(), model.count(false)) << "step " << step;
    }
    EXPECT_GT(history.historySize(), 0U);
}

}  // namespace
}  // namespace standin_tests
