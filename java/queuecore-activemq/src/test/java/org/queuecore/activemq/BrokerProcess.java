package org.queuecore.activemq;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** A broker in a process of its own, started from an {@link Installation}, and what its operators see of it. */
final class BrokerProcess implements AutoCloseable {
    private static final String BROKER = "org.apache.activemq:type=Broker,brokerName=shop";

    private final Path log;
    private final Process process;
    private JMXConnector connector;
    private MBeanServerConnection beans;

    BrokerProcess(Installation installation, List<String> activemqOpts, Map<String, String> environment) throws Exception {
        log = installation.home().resolve("data/console.log");
        ProcessBuilder builder = new ProcessBuilder(installation.command(activemqOpts)).redirectErrorStream(true);
        builder.environment().putAll(environment);
        process = builder.redirectOutput(log.toFile()).start();
        try {
            while (!said().contains("(shop, ") || !said().contains(") started")) {
                if (!process.isAlive()) {
                    throw new IllegalStateException("the broker did not start: " + said());
                }
                Thread.sleep(20);
            }
            VirtualMachine machine = VirtualMachine.attach(String.valueOf(process.pid()));
            String address = machine.startLocalManagementAgent();
            machine.detach();
            connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
            beans = connector.getMBeanServerConnection();
        } catch (Exception failed) {
            process.destroyForcibly();
            throw failed;
        }
    }

    /** All that it wrote so far. */
    String said() throws IOException {
        return Files.readString(log);
    }

    /** Where clients connect. */
    String url() throws JMException, IOException {
        return (String) ((Map<?, ?>) broker("TransportConnectors")).get("openwire");
    }

    Object broker(String attribute) throws JMException, IOException {
        return beans.getAttribute(new ObjectName(BROKER), attribute);
    }

    Object queue(String name, String attribute) throws JMException, IOException {
        return beans.getAttribute(
                new ObjectName(BROKER + ",destinationType=Queue,destinationName=" + name), attribute);
    }

    /** Ends it as a service manager does. */
    @Override
    public void close() throws IOException {
        try {
            connector.close();
        } finally {
            process.destroy();
            process.onExit().join();
        }
        if (JniComplaints.in(said())) {
            throw new AssertionError(said());
        }
    }
}
