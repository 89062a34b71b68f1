package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.activemq.usage.MemoryUsage;
import org.junit.jupiter.api.Test;

/** Those rules for the broker's own class, with the agent. */
class AgentMeterIT extends MeterScenarios {
    /** A class that somebody has derived, which reads what it inherits. */
    private static final class Derived extends MemoryUsage {
        private int changes;

        Derived(MemoryUsage parent) {
            super(parent, "derived", 1);
        }

        int inheritedPercent() {
            return percentUsage;
        }

        @Override
        protected void onLimitChange() {
            changes++;
            super.onLimitChange();
        }
    }

    @Override
    MemoryUsage meter(MemoryUsage parent, String name, float portion) {
        return new MemoryUsage(parent, name, portion);
    }

    @Test
    void aDerivedClassFindsThePercentWhereItWas() {
        MemoryUsage parent = new MemoryUsage("parent");
        parent.setLimit(200);
        Derived derived = new Derived(parent);
        derived.increaseUsage(50);
        assertEquals(25, derived.inheritedPercent());
        derived.setLimit(100);
        assertEquals(50, derived.inheritedPercent());
        assertEquals(1, derived.changes);
        derived.setParent(new MemoryUsage("other"));
        derived.decreaseUsage(50);
        assertEquals(0, derived.inheritedPercent());
        assertEquals(0, parent.getUsage());
    }
}
