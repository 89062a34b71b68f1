package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker as its users start it: an installation, an activemq.xml, a process of its own, clients over TCP, and JMX. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class InstalledBrokerIT {
    private static final String NATIVE = "counts the memory of this broker";
    private static final int PERSISTENT = 2;
    private static final int BODY_BYTES = 100 * 1024;
    private static final long MIB = 1024 * 1024;

    @TempDir
    private Path folder;
    private Installation installation;

    @BeforeEach
    void install() throws Exception {
        installation = new Installation(folder.resolve("activemq"));
    }

    private static List<String> agent() {
        return List.of("-Xcheck:jni", "-javaagent:" + System.getProperty("queuecore.agent"));
    }

    private static ActiveMQConnection connected(BrokerProcess broker) throws Exception {
        ActiveMQConnection connection =
                (ActiveMQConnection) new ActiveMQConnectionFactory(broker.url()).createConnection();
        connection.start();
        return connection;
    }

    private static boolean send(BrokerProcess broker, String queue, int messages) throws Exception {
        ActiveMQConnection connection = connected(broker);
        var session = connection.createSession(false, ActiveMQSession.AUTO_ACKNOWLEDGE);
        var producer = session.createProducer(session.createQueue(queue));
        producer.setDeliveryMode(PERSISTENT);
        for (int i = 0; i < messages; i++) {
            var message = session.createBytesMessage();
            message.writeBytes(new byte[BODY_BYTES]);
            producer.send(message);
        }
        connection.close();
        return true;
    }

    private static void receive(BrokerProcess broker, String queue, int messages) throws Exception {
        ActiveMQConnection connection = connected(broker);
        var session = connection.createSession(false, ActiveMQSession.AUTO_ACKNOWLEDGE);
        var consumer = session.createConsumer(session.createQueue(queue));
        for (int i = 0; i < messages; i++) {
            assertNotNull(consumer.receive(60_000), "message " + i + " does not come");
        }
        connection.close();
    }

    private static void untilEmpty(BrokerProcess broker, String queue) throws Exception {
        while ((long) broker.queue(queue, "MemoryUsageByteCount") != 0 || (int) broker.broker("MemoryPercentUsage") != 0) {
            Thread.sleep(10);
        }
        assertEquals(0, broker.queue(queue, "MemoryPercentUsage"));
    }

    /** A producer is blocked where the queue's limit is, the figures are right, and it goes on when there is space. */
    private static void checkFlowControl(BrokerProcess broker) throws Exception {
        int messages = 30;
        FutureTask<Boolean> sending = new FutureTask<>(() -> send(broker, "ORDERS", messages));
        new Thread(sending).start();
        receive(broker, "ORDERS", 1); // The queue is there.
        while ((int) broker.queue("ORDERS", "MemoryPercentUsage") < 100) {
            Thread.sleep(10);
        }
        Thread.sleep(300);
        assertFalse(sending.isDone(), "the producer is not blocked");
        long level = (long) broker.queue("ORDERS", "MemoryUsageByteCount");
        assertTrue(level >= MIB && level < MIB + 2 * BODY_BYTES, level + " bytes are in the queue");
        assertEquals(MIB, broker.queue("ORDERS", "MemoryLimit"));
        assertEquals((int) (level * 100 / MIB), broker.queue("ORDERS", "MemoryPercentUsage"));
        assertEquals(4 * MIB, broker.broker("MemoryLimit"));
        assertEquals((int) (level * 100 / (4 * MIB)), broker.broker("MemoryPercentUsage"));
        receive(broker, "ORDERS", messages - 1);
        assertTrue(sending.get());
        untilEmpty(broker, "ORDERS");
    }

    @Test
    void theAgentOnItsCommandLine() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(installation, agent(), Map.of())) {
            assertTrue(broker.said().contains(NATIVE), broker.said());
            checkFlowControl(broker);
            send(broker, "STORED", 20);
            assertEquals(20L, broker.queue("STORED", "QueueSize"));
        }
        try (BrokerProcess again = new BrokerProcess(installation, List.of(), Map.of("JDK_JAVA_OPTIONS", agent().get(1)))) {
            assertTrue(again.said().contains(NATIVE), again.said());
            assertEquals(20L, again.queue("STORED", "QueueSize"), "they are still there after the restart");
            receive(again, "STORED", 20);
            untilEmpty(again, "STORED");
        }
    }

    private void configureTheSubclass() throws Exception {
        installation.addToLib(Path.of(System.getProperty("queuecore.agent")));
        String usage = "<memoryUsage limit=\"4 mb\" />";
        String original = Installation.resource("/activemq.xml");
        assertTrue(original.contains(usage));
        installation.configure(original.replace(usage, """
                <bean xmlns="http://www.springframework.org/schema/beans" class="org.queuecore.activemq.QueuecoreMemoryUsage">
                  <property name="limit" value="4194304" />
                </bean>"""));
    }

    @Test
    void theSubclassInItsConfiguration() throws Exception {
        configureTheSubclass();
        try (BrokerProcess broker = new BrokerProcess(installation, List.of("-Xcheck:jni"), Map.of())) {
            assertTrue(broker.said().contains(NATIVE), broker.said());
            checkFlowControl(broker);
        }
    }

    @Test
    void bothIsOneTooManyAndItIsSaidWhy() throws Exception {
        configureTheSubclass();
        IllegalStateException refused = assertThrows(
                IllegalStateException.class, () -> new BrokerProcess(installation, agent(), Map.of()).close());
        assertTrue(refused.getMessage().contains("Both together cannot be"), refused.getMessage());
    }

    @Test
    void withoutEitherNothingIsDifferentForItsClients() throws Exception {
        try (BrokerProcess broker = new BrokerProcess(installation, List.of(), Map.of())) {
            assertFalse(broker.said().contains(NATIVE), broker.said());
            checkFlowControl(broker);
        }
    }
}
