#include "cached_cost.hpp"

#include "timer.hpp"

#include <algorithm>
#include <cstdint>
#include <queuecore.hpp>
#include <stdexcept>

namespace bench {

namespace {

constexpr std::uint32_t messageBytes = 1024;
constexpr std::uint64_t limitBytes = 64ULL << 20;

void check(queuecore::Status status, const char* call) {
    if (status != QC_OK) {
        throw std::runtime_error(std::string(call) + ": " + qc_last_error());
    }
}

/// Nothing is ever stored alone, so nobody may ask.
std::size_t refuse(const queuecore::Fetch&, queuecore::Span<queuecore::Stored>) {
    throw std::logic_error("a cursor that caches everything asked its store");
}

enum class Form { single32, single1, ackBatch, batches };
constexpr Form forms[] = {Form::single32, Form::single1, Form::ackBatch, Form::batches};

const char* nameOf(Form form) {
    switch (form) {
        case Form::single32: return "single calls, pulls of 32";
        case Form::single1: return "single calls, pulls of 1";
        case Form::ackBatch: return "pulls of 32, acks in batches";
        case Form::batches: return "batches of 32 throughout";
    }
    return "";
}

class CachedQueue {
  public:
    explicit CachedQueue(std::size_t depth)
        : parent_(queuecore::UsageOptions().limit_bytes(16 * limitBytes)),
          group_(parent_),
          usage_(parent_.child(queuecore::UsageOptions().limit_bytes(limitBytes))),
          cursor_(queuecore::CursorOptions(), usage_, std::make_unique<queuecore::FunctionStore>(refuse), &group_),
          messages_(depth) {}

    double slice(Form form, int messages) {
        const std::int64_t begin = threadNs();
        int done = 0;
        while (done < messages) {
            fill(form);
            drain(form);
            done += static_cast<int>(messages_.size());
        }
        return static_cast<double>(threadNs() - begin) / done;
    }

    /// After all slices: everything that came in has gone out.
    void checkEmpty() const {
        if (usage_.usage() != 0 || cursor_.stats().pending_count != 0) {
            throw std::runtime_error("messages were lost");
        }
    }

  private:
    static constexpr std::size_t batch = 32;

    void fill(Form form) {
        for (queuecore::Message& message : messages_) {
            ++last_;
            message = queuecore::committed_message(last_, last_, last_, messageBytes);
            if (form != Form::batches) {
                std::uint32_t pushed = QC_STORED;
                check(qc_cursor_push(cursor_.native_handle(), &message, &pushed), "push");
                expect(pushed == QC_CACHED);
            }
        }
        for (std::size_t from = 0; form == Form::batches && from < messages_.size(); from += batch) {
            std::uint32_t pushed[batch];
            std::size_t done = 0;
            const std::size_t count = std::min(batch, messages_.size() - from);
            check(qc_cursor_push_batch(cursor_.native_handle(), &messages_[from], count, pushed, &done), "push_batch");
            expect(done == count && pushed[count - 1] == QC_CACHED);
        }
    }

    void drain(Form form) {
        const std::uint32_t demand = form == Form::single1 ? 1 : batch;
        std::size_t left = messages_.size();
        while (left > 0) {
            qc_delivered out[batch];
            qc_pulled pulled;
            check(qc_cursor_pull(cursor_.native_handle(), demand, QC_ROUND_BEGIN, out, batch, &pulled), "pull");
            expect(pulled.count == std::min<std::size_t>(demand, left));
            ack(form, out, pulled.count);
            left -= pulled.count;
        }
    }

    void ack(Form form, const qc_delivered* out, std::size_t count) {
        if (form == Form::single32 || form == Form::single1) {
            for (std::size_t at = 0; at < count; ++at) {
                check(qc_cursor_ack(cursor_.native_handle(), out[at].sequence, nullptr), "ack");
            }
            return;
        }
        std::uint64_t sequences[batch];
        std::size_t done = 0;
        for (std::size_t at = 0; at < count; ++at) {
            sequences[at] = out[at].sequence;
        }
        check(qc_cursor_ack_batch(cursor_.native_handle(), sequences, count, nullptr, &done), "ack_batch");
    }

    static void expect(bool holds) {
        if (!holds) {
            throw std::runtime_error("the cursor did not do what it is measured for");
        }
    }

    queuecore::Tracker parent_;
    queuecore::CursorGroup group_;
    queuecore::Tracker usage_;
    queuecore::Cursor cursor_;
    std::vector<queuecore::Message> messages_;
    std::uint64_t last_ = 0;
};

}  // namespace

std::vector<CachedCost> measureCached(const CachedPlan& plan) {
    std::vector<CachedCost> costs;
    for (const std::size_t depth : {std::size_t{32}, std::size_t{1000}}) {
        CachedQueue queue(depth);
        std::vector<std::vector<double>> passes(std::size(forms));
        queue.slice(Form::single32, plan.messagesPerSlice);  // what is learned of the load is learned now
        for (int round = 0; round < plan.rounds; ++round) {
            for (std::size_t at = 0; at < std::size(forms); ++at) {
                passes[at].push_back(queue.slice(forms[at], plan.messagesPerSlice));
            }
        }
        queue.checkEmpty();
        for (std::size_t at = 0; at < std::size(forms); ++at) {
            costs.push_back({nameOf(forms[at]), depth, summarize(std::move(passes[at]))});
        }
    }
    return costs;
}

}  // namespace bench
