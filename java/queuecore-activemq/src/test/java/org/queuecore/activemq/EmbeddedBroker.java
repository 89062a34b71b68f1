package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.PolicyMap;
import org.apache.activemq.broker.region.policy.VMPendingQueueMessageStoragePolicy;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.usage.MemoryUsage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Brokers in the test's own virtual machine, and clients of them. */
abstract class EmbeddedBroker {
    /** How the native meter comes into a broker. */
    enum Way {
        AGENT,
        SUBCLASS
    }

    static final String QUEUE = "ORDERS";
    static final long BROKER_LIMIT = 64 * 1024 * 1024;
    static final long QUEUE_LIMIT = 1024 * 1024;
    /** As of JMS, whose package has one name for ActiveMQ 5 and another one for 6: no name of it stands here. */
    static final int NON_PERSISTENT = 1;
    static final int PERSISTENT = 2;
    static final int BODY_BYTES = 100 * 1024;

    @TempDir
    private Path folder;
    private final List<BrokerService> started = new ArrayList<>();
    private final List<ActiveMQConnection> connections = new ArrayList<>();

    abstract Way way();

    /** What holds for every queue unless a test says otherwise: everything in memory, up to a limit. */
    static PolicyEntry policy() {
        PolicyEntry policy = new PolicyEntry();
        policy.setQueue(">");
        policy.setMemoryLimit(QUEUE_LIMIT);
        policy.setPendingQueuePolicy(new VMPendingQueueMessageStoragePolicy());
        return policy;
    }

    BrokerService started(String name, boolean persistent, PolicyEntry... policies) throws Exception {
        BrokerService made = new BrokerService();
        made.setBrokerName(name);
        made.setUseJmx(true);
        made.getManagementContext().setCreateConnector(false);
        made.setPersistent(persistent);
        made.setDataDirectoryFile(folder.resolve(name).toFile());
        made.addConnector("tcp://127.0.0.1:0");
        if (way() == Way.SUBCLASS) {
            made.getSystemUsage().setMemoryUsage(new QueuecoreMemoryUsage());
        }
        made.getSystemUsage().getMemoryUsage().setLimit(BROKER_LIMIT);
        PolicyMap map = new PolicyMap();
        map.setPolicyEntries(List.of(policies));
        made.setDestinationPolicy(map);
        started.add(made);
        made.start();
        made.waitUntilStarted();
        checkNative(brokerUsage(made));
        return made;
    }

    private void checkNative(MemoryUsage usage) {
        if (way() == Way.SUBCLASS) {
            assertInstanceOf(QueuecoreMemoryUsage.class, usage);
        } else {
            assertEquals(MemoryUsage.class, usage.getClass());
            assertNotNull(BrokerMeter.behind(usage));
        }
    }

    @AfterEach
    void close() throws Exception {
        for (ActiveMQConnection connection : connections) {
            try {
                connection.close();
            } catch (Exception failed) {
                if (started.stream().noneMatch(BrokerService::isStopped)) {
                    throw failed;
                }
                // The test has stopped its broker before.
            }
        }
        for (BrokerService broker : started) {
            stop(broker);
        }
    }

    static void stop(BrokerService broker) throws Exception {
        broker.stop();
        broker.waitUntilStopped();
    }

    ActiveMQConnection connected(String name) throws Exception {
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://" + name + "?create=false");
        factory.setAlwaysSyncSend(true);
        return connected(factory);
    }

    ActiveMQConnection connected(ActiveMQConnectionFactory factory) throws Exception {
        ActiveMQConnection connection = (ActiveMQConnection) factory.createConnection();
        connections.add(connection);
        connection.start();
        return connection;
    }

    static ActiveMQConnectionFactory overTcp(BrokerService broker) throws Exception {
        return new ActiveMQConnectionFactory(broker.getTransportConnectorByScheme("tcp").getPublishableConnectURI().toString());
    }

    static boolean send(ActiveMQConnection connection, ActiveMQDestination to, int messages, int deliveryMode, long liveMs)
            throws Exception {
        var session = connection.createSession(false, ActiveMQSession.AUTO_ACKNOWLEDGE);
        var producer = session.createProducer(to);
        producer.setDeliveryMode(deliveryMode);
        producer.setTimeToLive(liveMs);
        for (int i = 0; i < messages; i++) {
            var message = session.createBytesMessage();
            message.writeBytes(new byte[BODY_BYTES]);
            producer.send(message);
        }
        session.close();
        return true;
    }

    static boolean send(ActiveMQConnection connection, int messages, int deliveryMode) throws Exception {
        return send(connection, new ActiveMQQueue(QUEUE), messages, deliveryMode, 0);
    }

    static void receive(ActiveMQConnection connection, ActiveMQDestination from, int messages) throws Exception {
        var session = connection.createSession(false, ActiveMQSession.AUTO_ACKNOWLEDGE);
        var consumer = session.createConsumer(from);
        for (int i = 0; i < messages; i++) {
            assertNotNull(consumer.receive(60_000), "message " + i + " does not come");
        }
        session.close();
    }

    static void receive(ActiveMQConnection connection, int messages) throws Exception {
        receive(connection, new ActiveMQQueue(QUEUE), messages);
    }

    static MemoryUsage usage(BrokerService broker, ActiveMQDestination of) throws Exception {
        return broker.getDestination(of).getMemoryUsage();
    }

    static MemoryUsage queueUsage(BrokerService broker) throws Exception {
        return usage(broker, new ActiveMQQueue(QUEUE));
    }

    static MemoryUsage brokerUsage(BrokerService broker) {
        return broker.getSystemUsage().getMemoryUsage();
    }

    /** Acknowledgements and the like reach the broker a little later than the client goes on. */
    static void untilZero(MemoryUsage usage) throws InterruptedException {
        untilUsage(usage, 0);
        assertEquals(0, usage.getPercentUsage());
    }

    /** What the broker says of its clients, in messages of its own, comes and goes meanwhile. */
    static void untilUsage(MemoryUsage usage, long bytes) throws InterruptedException {
        while (usage.getUsage() != bytes) {
            Thread.sleep(5);
        }
    }
}
