package org.queuecore.activemq;

import java.lang.reflect.Field;
import org.apache.activemq.usage.MemoryUsage;
import org.apache.activemq.usage.Usage;

/**
 * The protected field {@code percentUsage} of the broker's meters. The native meter has no use for it, but a class that somebody
 * else has derived from {@code MemoryUsage} may read it. So for such classes, and only for them, it is written at every step.
 */
final class InheritedPercent {
    private static final Field FIELD = field();

    private final MemoryUsage owner;

    private InheritedPercent(MemoryUsage owner) {
        this.owner = owner;
    }

    /** For an object of somebody else's class; null for any other. */
    static InheritedPercent of(MemoryUsage owner) {
        Class<?> type = owner.getClass();
        boolean known = type == MemoryUsage.class || type.getName().equals("org.queuecore.activemq.QueuecoreMemoryUsage");
        return known || FIELD == null ? null : new InheritedPercent(owner);
    }

    private static Field field() {
        try {
            Field field = Usage.class.getDeclaredField("percentUsage");
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException notToBeHad) {
            return null;
        }
    }

    void set(int percent) {
        try {
            FIELD.setInt(owner, percent);
        } catch (IllegalAccessException impossible) {
            throw new AssertionError("the field was made accessible", impossible);
        }
    }
}
