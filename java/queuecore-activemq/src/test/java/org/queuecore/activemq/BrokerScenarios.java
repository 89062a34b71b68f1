package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.PolicyMap;
import org.apache.activemq.broker.region.policy.VMPendingQueueMessageStoragePolicy;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.usage.MemoryUsage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a broker does with its memory, whichever way the native meter came into it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
abstract class BrokerScenarios {
    private static final String QUEUE = "ORDERS";
    private static final long BROKER_LIMIT = 64 * 1024 * 1024;
    private static final long QUEUE_LIMIT = 1024 * 1024;
    /** As of JMS, whose package has one name for ActiveMQ 5 and another one for 6: no name of it stands here. */
    private static final int NON_PERSISTENT = 1;
    private static final int PERSISTENT = 2;
    private static final int BODY_BYTES = 100 * 1024;

    @TempDir
    private Path folder;
    private BrokerService broker;
    private ActiveMQConnection connection;

    /** The broker's meter, or null to leave the broker's own. */
    abstract MemoryUsage memoryUsage();

    /** Whether a meter is native. */
    abstract void checkNative(MemoryUsage usage);

    private BrokerService started(String name, boolean persistent) throws Exception {
        BrokerService made = new BrokerService();
        made.setBrokerName(name);
        made.setUseJmx(true);
        made.getManagementContext().setCreateConnector(false);
        made.setPersistent(persistent);
        made.setDataDirectoryFile(folder.resolve(name).toFile());
        MemoryUsage usage = memoryUsage();
        if (usage != null) {
            made.getSystemUsage().setMemoryUsage(usage);
        }
        made.getSystemUsage().getMemoryUsage().setLimit(BROKER_LIMIT);
        PolicyEntry policy = new PolicyEntry();
        policy.setQueue(">");
        policy.setMemoryLimit(QUEUE_LIMIT);
        policy.setPendingQueuePolicy(new VMPendingQueueMessageStoragePolicy());
        PolicyMap policies = new PolicyMap();
        policies.setDefaultEntry(policy);
        made.setDestinationPolicy(policies);
        made.start();
        made.waitUntilStarted();
        checkNative(made.getSystemUsage().getMemoryUsage());
        return made;
    }

    @BeforeEach
    void open() throws Exception {
        broker = started("one", false);
        connection = connected("one");
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        broker.stop();
        broker.waitUntilStopped();
    }

    private static ActiveMQConnection connected(String name) throws Exception {
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://" + name + "?create=false");
        factory.setAlwaysSyncSend(true);
        ActiveMQConnection connection = (ActiveMQConnection) factory.createConnection();
        connection.start();
        return connection;
    }

    private static boolean send(ActiveMQConnection connection, int messages, int deliveryMode) throws Exception {
        var session = connection.createSession(false, ActiveMQSession.AUTO_ACKNOWLEDGE);
        var producer = session.createProducer(session.createQueue(QUEUE));
        producer.setDeliveryMode(deliveryMode);
        for (int i = 0; i < messages; i++) {
            var message = session.createBytesMessage();
            message.writeBytes(new byte[BODY_BYTES]);
            producer.send(message);
        }
        session.close();
        return true;
    }

    private static void receive(ActiveMQConnection connection, int messages) throws Exception {
        var session = connection.createSession(false, ActiveMQSession.AUTO_ACKNOWLEDGE);
        var consumer = session.createConsumer(session.createQueue(QUEUE));
        for (int i = 0; i < messages; i++) {
            assertNotNull(consumer.receive(60_000), "message " + i + " does not come");
        }
        session.close();
    }

    private static MemoryUsage queueUsage(BrokerService broker) throws Exception {
        return broker.getDestination(new ActiveMQQueue(QUEUE)).getMemoryUsage();
    }

    private static MemoryUsage brokerUsage(BrokerService broker) {
        return broker.getSystemUsage().getMemoryUsage();
    }

    /** Acknowledgements and the like reach the broker a little later than the client goes on. */
    private static void untilZero(MemoryUsage usage) throws InterruptedException {
        while (usage.getUsage() != 0) {
            Thread.sleep(5);
        }
        assertEquals(0, usage.getPercentUsage());
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
        BrokerService other = started("two", true);
        ActiveMQConnection there = connected("two");
        send(there, 3, PERSISTENT);
        assertTrue(brokerUsage(other).getUsage() > 0);
        assertEquals(0, brokerUsage(broker).getUsage());
        there.close();
        other.stop();
        other.waitUntilStopped();
        other = started("two", true);
        there = connected("two");
        receive(there, 3);
        untilZero(brokerUsage(other));
        there.close();
        other.stop();
        other.waitUntilStopped();
    }
}
