package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.apache.activemq.usage.MemoryUsage;

/** An unchanged broker, with the agent on its command line. */
class AgentIT extends BrokerScenarios {
    @Override
    MemoryUsage memoryUsage() {
        return null;
    }

    @Override
    void checkNative(MemoryUsage usage) {
        assertEquals(MemoryUsage.class, usage.getClass());
        assertNotNull(BrokerMeter.behind(usage));
    }
}
