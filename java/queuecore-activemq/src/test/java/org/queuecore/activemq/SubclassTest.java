package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import org.apache.activemq.usage.MemoryUsage;

/** A broker whose configuration names the subclass. */
class SubclassTest extends BrokerScenarios {
    @Override
    MemoryUsage memoryUsage() {
        return new QueuecoreMemoryUsage();
    }

    @Override
    void checkNative(MemoryUsage usage) {
        assertInstanceOf(QueuecoreMemoryUsage.class, usage);
    }
}
