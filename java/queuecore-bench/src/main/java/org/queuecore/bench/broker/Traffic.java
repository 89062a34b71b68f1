package org.queuecore.bench.broker;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.activemq.ActiveMQConnectionFactory;

/**
 * One producer and its consumer, each with a connection of its own, as clients in processes of their own would have. The
 * producer keeps at most {@link #WINDOW} messages under way, so that the broker's memory stays where it is and flow control
 * is looked at, but never blocks.
 */
final class Traffic implements AutoCloseable {
    private static final int WINDOW = 1_000;
    /** The window moves by so many messages, so that it costs little. */
    private static final int STEP = 100;
    private static final int BODY_BYTES = 1024;

    private final Connection sending;
    private final Connection receiving;
    private final Session session;
    private final MessageProducer producer;
    private final Semaphore window = new Semaphore(WINDOW);
    private final AtomicLong received = new AtomicLong();
    private final Thread thread;
    private volatile boolean stopping;
    private volatile Exception failed;

    Traffic(ActiveMQConnectionFactory factory, Workload workload, int number) throws JMSException {
        sending = factory.createConnection();
        receiving = factory.createConnection();
        Session consuming = receiving.createSession(false, Session.AUTO_ACKNOWLEDGE);
        consuming.createConsumer(destination(consuming, workload, number)).setMessageListener(message -> {
            // Only this session's thread writes it.
            long count = received.get() + 1;
            received.lazySet(count);
            if (count % STEP == 0) {
                window.release(STEP);
            }
        });
        session = sending.createSession(false, Session.AUTO_ACKNOWLEDGE);
        producer = session.createProducer(destination(session, workload, number));
        producer.setDeliveryMode(workload == Workload.queue ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
        receiving.start();
        sending.start();
        thread = new Thread(this::send, "producer-" + number);
    }

    private static Destination destination(Session session, Workload workload, int number) throws JMSException {
        return workload == Workload.queue ? session.createQueue("ORDERS." + number) : session.createTopic("PRICES." + number);
    }

    void start() {
        thread.start();
    }

    private void send() {
        byte[] body = new byte[BODY_BYTES];
        try {
            while (!stopping) {
                window.acquire(STEP);
                for (int i = 0; i < STEP; i++) {
                    BytesMessage message = session.createBytesMessage();
                    message.writeBytes(body);
                    producer.send(message);
                }
            }
        } catch (JMSException | InterruptedException | RuntimeException thrown) {
            failed = stopping ? null : thrown;
        }
    }

    /** How many messages have come through. */
    long received() throws Exception {
        if (failed != null) {
            throw failed;
        }
        return received.get();
    }

    /** Ends sending; what is under way comes through. */
    void stop() throws InterruptedException {
        stopping = true;
        window.release(STEP);
        thread.join();
    }

    @Override
    public void close() throws JMSException {
        sending.close();
        receiving.close();
    }
}
