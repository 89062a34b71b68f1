package org.queuecore.bench.broker;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.PolicyMap;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;
import org.apache.activemq.store.kahadb.disk.journal.Journal.JournalDiskSyncStrategy;
import org.apache.activemq.usage.MemoryUsage;

/**
 * A virtual machine with a broker and its clients in it, which measures one workload once and prints one line. {@link
 * BrokerRun} starts it, with the agent on its command line or without: nothing here knows which.
 */
public final class BrokerProcess {
    /** What begins the line with the figures. */
    static final String RESULT = "result ";
    private static final long MEMORY_LIMIT_BYTES = 512L << 20;
    /** What lies in the broker while messages pass, in percent of its limit. */
    private static final int RESTING_PERCENT = 48;
    private static final int RESTING_BODY_BYTES = 1 << 20;

    private BrokerProcess() {
    }

    /**
     * Measures.
     *
     * @param args workload, producers, milliseconds of warm-up, milliseconds of measuring, folder for files, "true" to record
     *     lock contention
     * @throws Exception if the broker or a client fails
     */
    public static void main(String[] args) throws Exception {
        Workload workload = Workload.valueOf(args[0]);
        int producers = Integer.parseInt(args[1]);
        Path folder = Path.of(args[4]);
        boolean records = Boolean.parseBoolean(args[5]);
        // From the start: a recording that begins later has classes rewritten and compiled anew while it is measured.
        Contention contention = records ? Contention.started() : null;
        BrokerService broker = started(workload, folder);
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://bench?create=false");
        fill(broker, factory);
        List<Traffic> all = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            all.add(new Traffic(factory, workload, i));
        }
        warmUp(all, Long.parseLong(args[2]));
        Instant since = Instant.now();
        long switches = ContextSwitches.now();
        long before = received(all);
        long began = System.nanoTime();
        Thread.sleep(Long.parseLong(args[3]));
        long messages = received(all) - before;
        double seconds = (System.nanoTime() - began) / 1e9;
        switches = ContextSwitches.now() - switches;
        String recorded = contention == null ? "" : contention.ended(folder, since);
        int percent = broker.getSystemUsage().getMemoryUsage().getPercentUsage();
        for (Traffic one : all) {
            one.stop();
        }
        for (Traffic one : all) {
            one.close();
        }
        System.out.println(RESULT + "messages=" + messages + " seconds=" + seconds + " switches=" + switches + " percent="
                + percent + " meter=" + broker.getSystemUsage().getMemoryUsage().toString().contains("queuecore") + recorded);
        broker.stop();
        // Clients' threads may linger.
        System.exit(0);
    }

    /**
     * First one producer alone, then all: where many threads have work at every moment the compiler's get little of the
     * processors, and the broker would be measured half interpreted for a long time.
     */
    private static void warmUp(List<Traffic> all, long millis) throws InterruptedException {
        all.get(0).start();
        Thread.sleep(millis * 2 / 3);
        all.subList(1, all.size()).forEach(Traffic::start);
        Thread.sleep(millis / 3);
    }

    private static long received(List<Traffic> all) throws Exception {
        long sum = 0;
        for (Traffic one : all) {
            sum += one.received();
        }
        return sum;
    }

    private static BrokerService started(Workload workload, Path folder) throws Exception {
        BrokerService broker = new BrokerService();
        broker.setBrokerName("bench");
        broker.setDataDirectoryFile(Files.createDirectories(folder.resolve("data")).toFile());
        broker.getManagementContext().setCreateConnector(false);
        broker.setPersistent(workload == Workload.queue);
        if (workload == Workload.queue) {
            KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
            store.setDirectory(folder.resolve("kahadb").toFile());
            // Else the figure is the disk's.
            store.setJournalDiskSyncStrategy(JournalDiskSyncStrategy.PERIODIC.name());
            broker.setPersistenceAdapter(store);
        }
        broker.getSystemUsage().getMemoryUsage().setLimit(MEMORY_LIMIT_BYTES);
        PolicyEntry each = new PolicyEntry();
        each.setProducerFlowControl(true);
        PolicyMap policies = new PolicyMap();
        policies.setDefaultEntry(each);
        broker.setDestinationPolicy(policies);
        broker.start();
        broker.waitUntilStarted();
        return broker;
    }

    /** Messages that nobody takes, until the meter stands where it is to stand. */
    private static void fill(BrokerService broker, ActiveMQConnectionFactory factory) throws Exception {
        MemoryUsage usage = broker.getSystemUsage().getMemoryUsage();
        try (Connection connection = factory.createConnection()) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue("RESTING"));
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            while (usage.getPercentUsage() < RESTING_PERCENT) {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(new byte[RESTING_BODY_BYTES]);
                producer.send(message);
                // Non-persistent messages are sent without waiting for the broker: half a message further than needed.
                Thread.sleep(1);
            }
        }
    }
}
