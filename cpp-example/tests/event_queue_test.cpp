// The FIFO: order, the limit, and that only PUTs meet it.
#include "event_queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace replay {
namespace {

Event put(std::uint64_t message) { return {EventKind::Put, 0, message}; }
Event ack(std::uint64_t message) { return {EventKind::Ack, 0, message}; }

template <class Queue>
class EventQueueTest : public testing::Test {};

using Queues = testing::Types<LocalQueue, SharedQueue>;
TYPED_TEST_SUITE(EventQueueTest, Queues);

TYPED_TEST(EventQueueTest, GivesEventsBackInOrder) {
    TypeParam queue(10);
    for (std::uint64_t i = 0; i < 5; ++i) {
        EXPECT_TRUE(queue.offerPut(put(i)));
        queue.push(ack(i));
    }
    EXPECT_EQ(queue.size(), 10U);
    for (std::uint64_t i = 0; i < 5; ++i) {
        const auto first = queue.pop();
        const auto second = queue.pop();
        ASSERT_TRUE(first && second);
        EXPECT_EQ(first->kind, EventKind::Put);
        EXPECT_EQ(first->subject, i);
        EXPECT_EQ(second->kind, EventKind::Ack);
        EXPECT_EQ(second->subject, i);
    }
    EXPECT_FALSE(queue.pop());
}

TYPED_TEST(EventQueueTest, RefusesPutsAtTheLimitAndCountsThem) {
    TypeParam queue(2);
    EXPECT_TRUE(queue.offerPut(put(0)));
    EXPECT_TRUE(queue.offerPut(put(1)));
    EXPECT_FALSE(queue.offerPut(put(2)));
    EXPECT_FALSE(queue.offerPut(put(3)));
    EXPECT_EQ(queue.nacks(), 2U);
    EXPECT_EQ(queue.size(), 2U);
}

TYPED_TEST(EventQueueTest, OtherEventsPassTheLimitAndCountTowardsIt) {
    TypeParam queue(2);
    queue.push(ack(0));
    queue.push(ack(1));
    queue.push(ack(2));
    EXPECT_EQ(queue.size(), 3U);
    EXPECT_FALSE(queue.offerPut(put(0)));
    queue.pop();
    queue.pop();
    EXPECT_TRUE(queue.offerPut(put(0)));
    EXPECT_EQ(queue.nacks(), 1U);
}

TEST(SharedQueueTest, LosesNothingBetweenThreads) {
    constexpr std::uint64_t perThread = 20'000;
    SharedQueue queue(2 * perThread);
    std::thread first([&] {
        for (std::uint64_t i = 0; i < perThread; ++i) {
            queue.offerPut(put(2 * i));
        }
    });
    std::thread second([&] {
        for (std::uint64_t i = 0; i < perThread; ++i) {
            queue.offerPut(put(2 * i + 1));
        }
    });
    std::uint64_t next[2] = {0, 1};
    for (std::uint64_t taken = 0; taken < 2 * perThread;) {
        if (const auto event = queue.pop()) {
            std::uint64_t& expected = next[event->subject % 2];
            ASSERT_EQ(event->subject, expected);
            expected += 2;
            ++taken;
        }
    }
    first.join();
    second.join();
    EXPECT_EQ(queue.nacks(), 0U);
}

}  // namespace
}  // namespace replay
