package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.usage.MemoryUsage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a broker does with its memory, whichever way the native meter came into it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
abstract class BrokerScenarios extends EmbeddedBroker {
    private BrokerService broker;
    private ActiveMQConnection connection;

    @BeforeEach
    void open() throws Exception {
        broker = started("one", false, policy());
        connection = connected("one");
    }

    /** A producer that is sending, and that the broker has blocked. */
    private FutureTask<Boolean> blocked(ActiveMQConnection connection, int messages) throws Exception {
        FutureTask<Boolean> sending = new FutureTask<>(() -> send(connection, messages, NON_PERSISTENT));
        new Thread(sending).start();
        while (broker.getDestination(new ActiveMQQueue(QUEUE)) == null || !queueUsage(broker).isFull()) {
            Thread.sleep(5);
        }
        Thread.sleep(200);
        long level = queueUsage(broker).getUsage();
        assertTrue(level >= QUEUE_LIMIT && level < QUEUE_LIMIT + 2 * BODY_BYTES, level + " bytes are in the queue");
        return sending;
    }

    /** One that does not wait for answers: the broker cannot put the answer off, so the thread that brings messages waits. */
    private ActiveMQConnection hurried() throws Exception {
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://one?create=false");
        factory.setUseAsyncSend(true);
        return connected(factory);
    }

    @Test
    void aProducerThatDoesNotWaitForAnswersIsBlockedTooAndNothingIsLost() throws Exception {
        int messages = 50;
        FutureTask<Boolean> sending = blocked(hurried(), messages);
        receive(connection, messages);
        assertTrue(sending.get());
        untilZero(queueUsage(broker));
        untilZero(brokerUsage(broker));
    }

    @Test
    void aBrokerStopsThoughProducersAreBlocked() throws Exception {
        FutureTask<Boolean> sending = blocked(connected("one"), 50);
        ActiveMQConnection hurried = hurried();
        FutureTask<Boolean> also = new FutureTask<>(() -> send(hurried, 50, NON_PERSISTENT));
        new Thread(also).start();
        MemoryUsage usage = queueUsage(broker);
        assertFalse(sending.isDone());
        stop(broker);
        assertFalse(usage.isStarted());
        ExecutionException lost = assertThrows(ExecutionException.class, sending::get);
        assertEquals("JMSException", lost.getCause().getClass().getSimpleName(), lost.toString());
    }

    @Test
    void aQueueThatIsRemovedWhileItBlocksAProducerLetsTheBrokerStop() throws Exception {
        // More than the queue holds that is made for the rest of them once this one has gone.
        FutureTask<Boolean> sending = blocked(connected("one"), 50);
        assertFalse(sending.isDone());
        MemoryUsage usage = queueUsage(broker);
        broker.removeDestination(new ActiveMQQueue(QUEUE));
        assertFalse(usage.isStarted());
        stop(broker);
        assertThrows(ExecutionException.class, sending::get);
    }

    @Test
    void listenersHearTheBrokersMeterRiseAndFall() throws Exception {
        MemoryUsage usage = brokerUsage(broker);
        broker.getAdminView().setMemoryLimit(4 * QUEUE_LIMIT);
        List<Integer> percents = new CopyOnWriteArrayList<>(List.of(0));
        List<String> broken = new CopyOnWriteArrayList<>();
        usage.addUsageListener((of, from, to) -> {
            if (of != usage || percents.get(percents.size() - 1) != from) {
                broken.add(percents + ", then " + from + ">" + to + " of " + of);
            }
            percents.add(to);
        });
        send(connection, 9, NON_PERSISTENT);
        receive(connection, 9);
        untilZero(usage);
        while (percents.get(percents.size() - 1) != 0) {
            Thread.sleep(5);
        }
        assertEquals(List.of(), broken);
        assertTrue(percents.stream().anyMatch(percent -> percent > 20), percents.toString());
    }

    @Test
    void flowControlBlocksProducersAndLetsThemGoOn() throws Exception {
        int messages = 50;
        FutureTask<Boolean> sending = blocked(connection, messages);
        assertFalse(sending.isDone(), "the producer is not blocked");
        ActiveMQConnection other = connected("one");
        receive(other, messages);
        other.close();
        assertTrue(sending.get());
        untilZero(queueUsage(broker));
        untilZero(brokerUsage(broker));
    }

    @Test
    void figuresAreRightWhereOperatorsLook() throws Exception {
        send(connection, 5, NON_PERSISTENT);
        long usage = queueUsage(broker).getUsage();
        assertTrue(usage > 5 * BODY_BYTES && usage < 6 * BODY_BYTES, usage + " bytes");
        untilUsage(brokerUsage(broker), usage);
        assertEquals(BROKER_LIMIT, broker.getAdminView().getMemoryLimit());
        broker.getAdminView().setMemoryLimit(2 * QUEUE_LIMIT);
        assertEquals(usage * 100 / (2 * QUEUE_LIMIT), broker.getAdminView().getMemoryPercentUsage());
        assertTrue(broker.getAdminView().getMemoryPercentUsage() > 20);
        assertEquals(QUEUE_LIMIT, queueUsage(broker).getLimit());
        assertEquals(usage * 100 / QUEUE_LIMIT, queueUsage(broker).getPercentUsage());
        broker.getAdminView().setMemoryLimit(2 * BROKER_LIMIT);
        assertEquals(2 * BROKER_LIMIT, brokerUsage(broker).getLimit());
    }

    @Test
    void theMeterIsEmptyAfterPurgeRollbackAndTheEndOfAClient() throws Exception {
        send(connection, 5, NON_PERSISTENT);
        ((org.apache.activemq.broker.region.Queue) broker.getDestination(new ActiveMQQueue(QUEUE))).purge();
        untilZero(brokerUsage(broker));
        var session = connection.createSession(true, ActiveMQSession.SESSION_TRANSACTED);
        var producer = session.createProducer(session.createQueue(QUEUE));
        producer.send(session.createTextMessage("never"));
        session.rollback();
        session.close();
        untilZero(brokerUsage(broker));
        send(connection, 3, NON_PERSISTENT);
        ActiveMQConnection dying = connected("one");
        var hoarding = dying.createSession(false, ActiveMQSession.CLIENT_ACKNOWLEDGE);
        assertNotNull(hoarding.createConsumer(hoarding.createQueue(QUEUE)).receive(60_000));
        dying.close();
        assertTrue(brokerUsage(broker).getUsage() > 0, "what was not acknowledged is there again");
        receive(connection, 3);
        untilZero(queueUsage(broker));
        untilZero(brokerUsage(broker));
    }

    @Test
    void aSecondBrokerAndARestartHaveMetersOfTheirOwn() throws Exception {
        BrokerService other = started("two", true, policy());
        ActiveMQConnection there = connected("two");
        send(there, 3, PERSISTENT);
        assertTrue(brokerUsage(other).getUsage() > 0);
        assertEquals(0, brokerUsage(broker).getUsage());
        there.close();
        stop(other);
        other = started("two", true, policy());
        there = connected("two");
        receive(there, 3);
        untilZero(brokerUsage(other));
        there.close();
        stop(other);
    }
}
