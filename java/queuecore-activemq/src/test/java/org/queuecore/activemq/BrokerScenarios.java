package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.command.ActiveMQQueue;
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

    @Test
    void flowControlBlocksProducersAndLetsThemGoOn() throws Exception {
        int messages = 50;
        FutureTask<Boolean> sending = new FutureTask<>(() -> send(connection, messages, NON_PERSISTENT));
        new Thread(sending).start();
        while (!queueUsage(broker).isFull()) {
            Thread.sleep(5);
        }
        Thread.sleep(200);
        assertFalse(sending.isDone(), "the producer is not blocked");
        long level = queueUsage(broker).getUsage();
        assertTrue(level >= QUEUE_LIMIT && level < QUEUE_LIMIT + 2 * BODY_BYTES, level + " bytes are in the queue");
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
        long usage = brokerUsage(broker).getUsage();
        assertTrue(usage > 5 * BODY_BYTES && usage < 6 * BODY_BYTES, usage + " bytes");
        assertEquals(usage, queueUsage(broker).getUsage());
        assertEquals(BROKER_LIMIT, broker.getAdminView().getMemoryLimit());
        assertEquals(usage * 100 / BROKER_LIMIT, broker.getAdminView().getMemoryPercentUsage());
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
