package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.activemq.usage.MemoryUsage;
import org.junit.jupiter.api.Test;

/** An unchanged broker, with the agent on its command line. */
class AgentIT extends BrokerScenarios {
    @Override
    Way way() {
        return Way.AGENT;
    }

    @Test
    void theSubclassAndTheAgentGoTogether() {
        QueuecoreMemoryUsage parent = new QueuecoreMemoryUsage("parent");
        parent.setLimit(1000);
        MemoryUsage child = new MemoryUsage(parent, "child", 0.5f);
        child.increaseUsage(500);
        assertEquals(500, parent.getUsage());
        assertEquals(500, child.getLimit());
        assertTrue(child.isFull() && !parent.isFull());
    }
}
