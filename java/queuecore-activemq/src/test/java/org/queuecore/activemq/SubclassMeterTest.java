package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.apache.activemq.usage.MemoryUsage;
import org.junit.jupiter.api.Test;

/** Those rules for the subclass. */
class SubclassMeterTest extends MeterScenarios {
    @Override
    MemoryUsage meter(MemoryUsage parent, String name, float portion) {
        return new QueuecoreMemoryUsage((QueuecoreMemoryUsage) parent, name, portion);
    }

    @Test
    void theBrokersOwnMetersBelowItFollowItsLimit() {
        QueuecoreMemoryUsage parent = new QueuecoreMemoryUsage("parent");
        parent.setLimit(1000);
        MemoryUsage child = new MemoryUsage(parent, "child", 0.5f);
        child.setExecutor(new InlineExecutor());
        child.start();
        parent.start();
        child.increaseUsage(500);
        assertEquals(100, child.getPercentUsage());
        parent.setLimit(2000);
        assertEquals(1000, child.getLimit());
        assertFalse(child.isFull());
        assertEquals(25, parent.getPercentUsage());
    }
}
