package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.policy.ConstantPendingMessageLimitStrategy;
import org.apache.activemq.broker.region.policy.FilePendingQueueMessageStoragePolicy;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.StorePendingQueueMessageStoragePolicy;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTopic;
import org.apache.activemq.usage.MemoryUsage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every way on which messages leave a broker's memory: it is empty in the end. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
abstract class MessageScenarios extends EmbeddedBroker {
    private static PolicyEntry policy(String queue, long limit) {
        PolicyEntry policy = policy();
        policy.setQueue(queue);
        policy.setMemoryLimit(limit);
        return policy;
    }

    @Test
    void messagesThatExpireLeave() throws Exception {
        PolicyEntry policy = policy();
        policy.setExpireMessagesPeriod(50);
        BrokerService broker = started("one", false, policy);
        send(connected("one"), new ActiveMQQueue(QUEUE), 5, NON_PERSISTENT, 200);
        untilZero(queueUsage(broker));
        untilZero(brokerUsage(broker));
    }

    @Test
    void whatAKilledClientHeldComesBackAndIsCountedOnce() throws Exception {
        BrokerService broker = started("one", false, policy());
        send(connected("one"), 5, NON_PERSISTENT);
        long level = queueUsage(broker).getUsage();
        ActiveMQConnection killed = connected(overTcp(broker));
        var session = killed.createSession(false, ActiveMQSession.CLIENT_ACKNOWLEDGE);
        var consumer = session.createConsumer(session.createQueue(QUEUE));
        assertNotNull(consumer.receive(60_000));
        killed.getTransport().narrow(Socket.class).close();
        receive(connected("one"), 4);
        untilAtMost(queueUsage(broker), level / 5);
        receive(connected("one"), 1);
        untilZero(queueUsage(broker));
        untilZero(brokerUsage(broker));
    }

    private static void untilAtMost(MemoryUsage usage, long bytes) throws InterruptedException {
        while (usage.getUsage() > bytes) {
            Thread.sleep(5);
        }
        assertEquals(bytes, usage.getUsage());
    }

    @Test
    void aFileCursorMovesWhatIsTooMuchToDisk() throws Exception {
        PolicyEntry policy = policy();
        policy.setPendingQueuePolicy(new FilePendingQueueMessageStoragePolicy());
        BrokerService broker = started("one", true, policy);
        ActiveMQConnection connection = connected("one");
        send(connection, 50, NON_PERSISTENT);
        assertTrue(queueUsage(broker).getPercentUsage() <= 100, queueUsage(broker).toString());
        assertTrue(broker.getSystemUsage().getTempUsage().getUsage() > 0);
        receive(connection, 50);
        untilZero(queueUsage(broker));
        untilZero(brokerUsage(broker));
    }

    @Test
    void aStoreCursorLeavesWhatIsTooMuchInTheStore() throws Exception {
        PolicyEntry policy = policy();
        policy.setPendingQueuePolicy(new StorePendingQueueMessageStoragePolicy());
        BrokerService broker = started("one", true, policy);
        ActiveMQConnection connection = connected("one");
        send(connection, 50, PERSISTENT);
        assertTrue(queueUsage(broker).getPercentUsage() <= 100, queueUsage(broker).toString());
        assertFalse(broker.getSystemUsage().getStoreUsage().isFull(1));
        assertTrue(broker.getSystemUsage().getStoreUsage().getUsage() > 50 * BODY_BYTES);
        receive(connection, 50);
        untilZero(queueUsage(broker));
        untilZero(brokerUsage(broker));
    }

    @Test
    void eachDestinationHasItsOwnLimit() throws Exception {
        BrokerService broker = started("one", false, policy("SMALL", 2 * BODY_BYTES), policy("LARGE", 20 * BODY_BYTES));
        ActiveMQQueue small = new ActiveMQQueue("SMALL");
        ActiveMQQueue large = new ActiveMQQueue("LARGE");
        ActiveMQConnection blocked = connected("one");
        FutureTask<Boolean> sending = new FutureTask<>(() -> send(blocked, small, 10, NON_PERSISTENT, 0));
        new Thread(sending).start();
        ActiveMQConnection connection = connected("one");
        assertTrue(send(connection, large, 15, NON_PERSISTENT, 0));
        while (!usage(broker, small).isFull()) {
            Thread.sleep(5);
        }
        assertFalse(usage(broker, large).isFull());
        assertEquals(2 * BODY_BYTES, usage(broker, small).getLimit());
        assertEquals(20 * BODY_BYTES, usage(broker, large).getLimit());
        assertEquals(BROKER_LIMIT, usage(broker, new ActiveMQQueue("OTHER")).getLimit());
        assertFalse(sending.isDone());
        receive(connection, small, 10);
        assertTrue(sending.get());
        receive(connection, large, 15);
        untilZero(brokerUsage(broker));
    }

    @Test
    void aCompositeDestinationCountsForEachOfItsParts() throws Exception {
        BrokerService broker = started("one", false, policy());
        ActiveMQConnection connection = connected("one");
        ActiveMQQueue both = new ActiveMQQueue("FIRST,SECOND");
        send(connection, both, 3, NON_PERSISTENT, 0);
        ActiveMQQueue first = new ActiveMQQueue("FIRST");
        ActiveMQQueue second = new ActiveMQQueue("SECOND");
        long each = usage(broker, first).getUsage();
        assertTrue(each > 3 * BODY_BYTES);
        assertEquals(each, usage(broker, second).getUsage());
        untilUsage(brokerUsage(broker), 2 * each);
        receive(connection, first, 3);
        untilZero(usage(broker, first));
        receive(connection, second, 3);
        untilZero(brokerUsage(broker));
    }

    @Test
    void aSlowConsumerKeepsNoMoreThanItMay() throws Exception {
        PolicyEntry policy = new PolicyEntry();
        policy.setTopic(">");
        ConstantPendingMessageLimitStrategy pending = new ConstantPendingMessageLimitStrategy();
        pending.setLimit(5);
        policy.setPendingMessageLimitStrategy(pending);
        BrokerService broker = started("one", false, policy);
        ActiveMQConnection slow = connected("one");
        slow.getPrefetchPolicy().setTopicPrefetch(1);
        var session = slow.createSession(false, ActiveMQSession.CLIENT_ACKNOWLEDGE);
        ActiveMQTopic topic = new ActiveMQTopic("NEWS");
        var consumer = session.createConsumer(topic);
        send(connected("one"), topic, 40, NON_PERSISTENT, 0);
        long level = usage(broker, topic).getUsage();
        assertTrue(level > 0 && level < 10 * BODY_BYTES, level + " bytes");
        consumer.close();
        untilZero(usage(broker, topic));
        untilZero(brokerUsage(broker));
    }

    @Test
    void aProducersWindowFillsAndOpensAgain() throws Exception {
        BrokerService broker = started("one", false, policy());
        ActiveMQConnectionFactory factory = overTcp(broker);
        factory.setUseAsyncSend(true);
        factory.setProducerWindowSize(3 * BODY_BYTES);
        ActiveMQConnection producing = connected(factory);
        FutureTask<Boolean> sending = new FutureTask<>(() -> send(producing, 60, NON_PERSISTENT));
        new Thread(sending).start();
        ActiveMQConnection connection = connected("one");
        while (!queueUsage(broker).isFull()) {
            Thread.sleep(5);
        }
        // What the broker has not taken in yet is in the window: the connection itself is not blocked.
        assertTrue(queueUsage(broker).getUsage() < QUEUE_LIMIT + 2 * BODY_BYTES);
        assertTrue(send(producing, new ActiveMQQueue("OTHER"), 1, NON_PERSISTENT, 0));
        assertFalse(sending.isDone());
        receive(connection, 60);
        assertTrue(sending.get());
        receive(connection, new ActiveMQQueue("OTHER"), 1);
        untilZero(brokerUsage(broker));
    }
}
