package org.queuecore.activemq;

import net.bytebuddy.asm.Advice;
import org.apache.activemq.usage.MemoryUsage;

/**
 * What the agent puts at the end of the one constructor of {@code MemoryUsage} that all others lead to. It is a pattern: its
 * code is copied into that class.
 */
final class Constructed {
    private Constructed() {
    }

    @Advice.OnMethodExit
    static void exit(
            @Advice.This MemoryUsage made,
            @Advice.Argument(2) float portion,
            @Advice.FieldValue(value = "queuecore$meter", readOnly = false) BrokerMeter meter) {
        meter = BrokerMeter.of(made, BrokerMeter.behind(made.getParent()), made.getName(), portion);
    }
}
