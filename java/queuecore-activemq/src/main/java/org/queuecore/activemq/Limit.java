package org.queuecore.activemq;

import java.util.Objects;
import org.apache.activemq.usage.MemoryUsage;
import org.apache.activemq.usage.UsageCapacity;

/**
 * The limit of one of the broker's meters, by the broker's rules, and through that the native one's. A portion of the parent's
 * limit is computed when the meter is made, and again when the parent's limit changes while this one is started. The native
 * meter has portions too, but follows always, and in whole parts per million; so it gets numbers.
 */
final class Limit {
    /** The highest limit of a native meter. */
    private static final long HIGHEST = 1L << 62;

    private final BrokerMeter meter;
    private volatile float portion;
    /** The limit that was asked for; the native one may be nearer. */
    private volatile long asked;
    /** What holds the limit instead, or null. */
    private volatile UsageCapacity capacity;

    Limit(BrokerMeter meter, float portion) {
        this.meter = meter;
        this.portion = portion;
    }

    /** The bytes; 0 or less means unlimited. */
    long get() {
        follow();
        long limit = meter.meter().getLimit();
        long asked = this.asked;
        return limit == nearest(asked) ? asked : limit;
    }

    private static long nearest(long limit) {
        return Math.min(Math.max(0, limit), HIGHEST);
    }

    /** Sets it, and gives up the portion. */
    void set(long bytes) {
        Later.change(() -> {
            take(bytes);
            portion = 0;
        });
    }

    private void take(long bytes) {
        UsageCapacity given = capacity;
        if (given != null) {
            given.setLimit(bytes);
        }
        tell(given == null ? bytes : given.getLimit());
    }

    private void tell(long limit) {
        asked = limit;
        meter.meter().setLimit(nearest(limit));
    }

    float portion() {
        return portion;
    }

    /** Sets the portion, for {@link #takePortion} to follow. */
    void setPortion(float portion) {
        this.portion = portion;
    }

    /** Takes the portion of a parent's limit, as it is now, if there is one. */
    void takePortion(MemoryUsage parent) {
        if (parent != null && portion > 0) {
            Later.change(() -> take(partOf(parent)));
        }
    }

    /** The same when the meter is made: then any portion counts. */
    void begin(MemoryUsage parent) {
        if (parent != null) {
            tell(partOf(parent));
        }
    }

    private long partOf(MemoryUsage parent) {
        return (long) (parent.getLimit() * (double) portion);
    }

    UsageCapacity capacity() {
        UsageCapacity given = capacity;
        return given == null ? new Limiter(meter) : given;
    }

    /** Lets an object hold the limit. */
    void setCapacity(UsageCapacity given) {
        Objects.requireNonNull(given, "limiter");
        boolean own = given instanceof Limiter view && view.isOf(meter);
        Later.change(() -> capacity = own ? null : given);
        follow();
    }

    /** If an object holds the limit, sees to it that what it says counts. */
    void follow() {
        UsageCapacity given = capacity;
        if (given != null && given.getLimit() != asked) {
            Later.change(() -> tell(given.getLimit()));
        }
    }
}
