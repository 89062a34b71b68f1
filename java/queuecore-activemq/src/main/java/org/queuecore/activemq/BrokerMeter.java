package org.queuecore.activemq;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.activemq.usage.MemoryUsage;
import org.apache.activemq.usage.Usage;
import org.apache.activemq.usage.UsageCapacity;
import org.apache.activemq.usage.UsageListener;

/**
 * What stands behind one of the broker's meters: the native one, with the broker's meaning of each call. The subclass
 * ({@link QueuecoreMemoryUsage}) and the agent's rewritten class call nothing else, so this is the one place where the two
 * meters' meanings meet.
 *
 * <p>The broker's rules that differ from {@link org.queuecore.MemoryUsage}: a negative amount goes the other way; a timeout of
 * 0 or less waits without end; nobody is told of anything before {@code start} and after {@code stop}; waiting on a full meter
 * that is stopped is an interrupt; a parent may be set later, as long as nothing is counted.
 *
 * <p>Public, as the rewritten class lives in another package and perhaps in another class loader; it is no API.
 */
public final class BrokerMeter {
    /** The field that the agent gives the broker's class. */
    static final String FIELD = "queuecore$meter";
    private static final AtomicLong MADE = new AtomicLong();

    private final MemoryUsage owner;
    private final List<UsageListener> listeners = new CopyOnWriteArrayList<>();
    private final org.queuecore.UsageListener forward = this::told;
    private volatile org.queuecore.MemoryUsage meter;
    private volatile BrokerMeter parent;
    private volatile float portion;
    private volatile boolean started;
    private volatile int pollingTime = 100;

    private BrokerMeter(MemoryUsage owner, BrokerMeter parent, String name, float portion) {
        this.owner = owner;
        this.parent = parent;
        this.portion = portion;
        meter = made(parent, name, portion);
        MADE.incrementAndGet();
    }

    /**
     * Makes the meter of a broker's meter.
     *
     * @param owner the broker's
     * @param parent the meter of its parent, or null
     * @param name its name
     * @param portion its part of the parent's limit
     * @return the meter
     */
    public static BrokerMeter of(MemoryUsage owner, BrokerMeter parent, String name, float portion) {
        return new BrokerMeter(owner, parent, String.valueOf(name), portion);
    }

    /**
     * How many have been made in this process: more than 0 says that the native meter is in use.
     *
     * @return the number
     */
    public static long made() {
        return MADE.get();
    }

    /**
     * The meter behind a broker's meter whose class the agent has rewritten.
     *
     * @param usage the broker's, or null
     * @return its meter, or null if there is no agent
     */
    public static BrokerMeter behind(Usage<?> usage) {
        try {
            return usage == null ? null : (BrokerMeter) MemoryUsage.class.getField(FIELD).get(usage);
        } catch (NoSuchFieldException noAgent) {
            return null;
        } catch (IllegalAccessException impossible) {
            throw new AssertionError("the agent made the field public", impossible);
        }
    }

    /**
     * The broker's meter has got another parent.
     *
     * @param parent the new one, or null
     */
    public void moved(Usage<?> parent) {
        setParent(behind(parent));
    }

    private static org.queuecore.MemoryUsage made(BrokerMeter parent, String name, float portion) {
        org.queuecore.MemoryUsage above = parent == null ? null : parent.meter;
        boolean follows = above != null && portion > 0 && portion <= 1;
        org.queuecore.MemoryUsage made = new org.queuecore.MemoryUsage(above, name, follows ? portion : 0);
        if (above != null && portion > 1) {
            made.setLimit((long) (above.getLimit() * (double) portion));
        }
        return made;
    }

    /**
     * Counts more.
     *
     * @param bytes the amount; a negative one counts less
     */
    public void increaseUsage(long bytes) {
        if (bytes >= 0) {
            meter.increaseUsage(bytes);
        } else {
            meter.decreaseUsage(-bytes);
        }
    }

    /**
     * Counts less.
     *
     * @param bytes the amount; a negative one counts more
     */
    public void decreaseUsage(long bytes) {
        if (bytes >= 0) {
            meter.decreaseUsage(bytes);
        } else {
            meter.increaseUsage(-bytes);
        }
    }

    /**
     * Waits until nothing is full, then counts more.
     *
     * @param bytes the amount
     * @throws InterruptedException if the thread was interrupted, or the meter is stopped while it is full
     */
    public void enqueueUsage(long bytes) throws InterruptedException {
        waitForSpace();
        increaseUsage(bytes);
    }

    /**
     * Waits until nothing is full.
     *
     * @throws InterruptedException if the thread was interrupted, or the meter is stopped while it is full
     */
    public void waitForSpace() throws InterruptedException {
        boolean mayWait = started || meter.getPercentUsage() < 100;
        if (!mayWait || !meter.waitForSpace(-1, 100)) {
            throw new InterruptedException("waitForSpace stopped during wait.");
        }
    }

    /**
     * Waits until nothing is full.
     *
     * @param timeout milliseconds; 0 or less waits without end
     * @return false if the time was up, or the meter was stopped
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean waitForSpace(long timeout) throws InterruptedException {
        return waitForSpace(timeout, 100);
    }

    /**
     * Waits until every level is below a percent.
     *
     * @param timeout milliseconds; 0 or less waits without end
     * @param percent the percent; nothing is ever below 0
     * @return false if the time was up, or the meter was stopped
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean waitForSpace(long timeout, int percent) throws InterruptedException {
        return percent < 1 ? !meter.isFull(percent) : meter.waitForSpace(timeout > 0 ? timeout : -1, percent);
    }

    /**
     * Whether any level is full.
     *
     * @return whether one is
     */
    public boolean isFull() {
        return meter.isFull();
    }

    /**
     * Whether any level is at a percent.
     *
     * @param percent the percent
     * @return whether one is
     */
    public boolean isFull(int percent) {
        return meter.isFull(percent);
    }

    /**
     * The percent.
     *
     * @return the percent of the meter's own limit
     */
    public int getPercentUsage() {
        return meter.getPercentUsage();
    }

    /**
     * The usage.
     *
     * @return the bytes
     */
    public long getUsage() {
        return meter.getUsage();
    }

    /**
     * Sets what the meter itself counts.
     *
     * @param bytes the bytes
     */
    public void setUsage(long bytes) {
        meter.setUsage(bytes);
    }

    /**
     * The limit.
     *
     * @return the bytes; 0 means unlimited
     */
    public long getLimit() {
        return meter.getLimit();
    }

    /**
     * Sets the limit, and gives up the portion.
     *
     * @param bytes the bytes; 0 or less means unlimited
     */
    public void setLimit(long bytes) {
        portion = 0;
        meter.setLimit(Math.max(0, bytes));
    }

    /**
     * The portion.
     *
     * @return the part of the parent's limit, or 0
     */
    public float getUsagePortion() {
        return portion;
    }

    /**
     * Sets the portion.
     *
     * @param portion the part of the parent's limit; 0 keeps the limit as it is
     */
    public void setUsagePortion(float portion) {
        this.portion = portion;
        if (parent == null) {
            return;
        }
        if (portion > 1) {
            meter.setLimit((long) (parent.getLimit() * (double) portion));
        } else {
            meter.setUsagePortion(Math.max(0, portion));
        }
    }

    /**
     * The step of percents.
     *
     * @return 1 or more
     */
    public int getPercentUsageMinDelta() {
        return meter.getPercentUsageMinDelta();
    }

    /**
     * Sets the step of percents.
     *
     * @param percent 1 or more
     */
    public void setPercentUsageMinDelta(int percent) {
        meter.setPercentUsageMinDelta(percent);
    }

    /**
     * The limit as an object.
     *
     * @return a view of this meter's limit
     */
    public UsageCapacity getLimiter() {
        return new UsageCapacity() {
            @Override
            public boolean isLimit(long size) {
                return size >= BrokerMeter.this.getLimit();
            }

            @Override
            public long getLimit() {
                return BrokerMeter.this.getLimit();
            }

            @Override
            public void setLimit(long limit) {
                BrokerMeter.this.setLimit(limit);
            }
        };
    }

    /**
     * Takes the limit of an object; later changes of that object are not seen.
     *
     * @param limiter the object
     */
    public void setLimiter(UsageCapacity limiter) {
        setLimit(limiter.getLimit());
    }

    /**
     * Adds a listener.
     *
     * @param listener the listener
     */
    public synchronized void addUsageListener(UsageListener listener) {
        if (listeners.isEmpty()) {
            meter.addUsageListener(forward);
        }
        listeners.add(listener);
    }

    /**
     * Removes a listener.
     *
     * @param listener the listener
     */
    public synchronized void removeUsageListener(UsageListener listener) {
        if (listeners.remove(listener) && listeners.isEmpty()) {
            meter.removeUsageListener(forward);
        }
    }

    /**
     * How many listeners there are.
     *
     * @return the number
     */
    public int getNumUsageListeners() {
        return listeners.size();
    }

    private void told(org.queuecore.MemoryUsage meter, int oldPercent, int newPercent) {
        if (started) {
            listeners.forEach(listener -> listener.onUsageChanged(owner, oldPercent, newPercent));
        }
    }

    /**
     * Has a callback run when nothing is full any more, or the meter is stopped.
     *
     * @param callback the callback
     * @return false if nothing is full: it will not be run
     */
    public boolean notifyCallbackWhenNotFull(Runnable callback) {
        return meter.notifyCallbackWhenNotFull(callback);
    }

    /**
     * Sets who runs listeners and callbacks.
     *
     * @param executor the broker's executor, or null
     */
    public void setExecutor(ThreadPoolExecutor executor) {
        meter.setExecutor(executor);
    }

    /** The broker's meter is started. */
    public void started() {
        meter.start();
        started = true;
    }

    /** The broker's meter is stopped: waits end. It counts on, as messages may hold it. */
    public void stopped() {
        started = false;
        meter.stop();
    }

    /**
     * Puts the meter below another one. It must not count anything yet, and have no children: a native tree is made once.
     *
     * @param parent the meter of the new parent, or null
     * @throws IllegalStateException if it counts something or has children
     */
    public synchronized void setParent(BrokerMeter parent) {
        if (parent == this.parent) {
            return;
        }
        org.queuecore.MemoryUsage old = meter;
        if (old.getUsage() != 0 || !old.getChildren().isEmpty()) {
            throw new IllegalStateException(old + " cannot get another parent: it counts " + old.getUsage()
                    + " bytes, or has children. Set the parent before the first message");
        }
        org.queuecore.MemoryUsage made = made(parent, old.getName(), portion);
        if (portion == 0 || parent == null) {
            made.setLimit(old.getLimit());
        }
        made.setPercentUsageMinDelta(old.getPercentUsageMinDelta());
        made.setExecutor(old.getExecutor());
        if (!listeners.isEmpty()) {
            made.addUsageListener(forward);
        }
        this.parent = parent;
        meter = made;
        old.close();
    }

    /**
     * The native meter.
     *
     * @return the meter
     */
    public org.queuecore.MemoryUsage meter() {
        return meter;
    }

    /**
     * Not used by the native meter, which does not poll; kept for who asks.
     *
     * @return milliseconds
     */
    public int getPollingTime() {
        return pollingTime;
    }

    /**
     * Kept for who asks.
     *
     * @param pollingTime milliseconds
     */
    public void setPollingTime(int pollingTime) {
        this.pollingTime = pollingTime;
    }

    @Override
    public String toString() {
        return "Usage(" + meter.getName() + ") percentUsage=" + getPercentUsage() + "%, usage=" + getUsage() + ", limit="
                + getLimit() + ", percentUsageMinDelta=" + getPercentUsageMinDelta() + "%, by queuecore"
                + (parent == null ? "" : ";Parent:" + parent);
    }
}
