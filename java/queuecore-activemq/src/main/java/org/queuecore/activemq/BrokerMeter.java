package org.queuecore.activemq;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.activemq.usage.MemoryUsage;
import org.apache.activemq.usage.Usage;
import org.apache.activemq.usage.UsageCapacity;
import org.apache.activemq.usage.UsageListener;
import org.queuecore.NativeLibrary;
import org.slf4j.LoggerFactory;

/**
 * What stands behind one of the broker's meters: the native one, with the broker's meaning of each call. The subclass
 * ({@link QueuecoreMemoryUsage}) and the agent's rewritten class call nothing else, so this is the one place where the two
 * meters' meanings meet.
 *
 * <p>The broker's rules that differ from {@link org.queuecore.MemoryUsage}: a negative amount goes the other way; a timeout of
 * 0 or less waits without end, and one that is given is waited for even if the meter is stopped; nobody is told of anything
 * before {@code start} and after {@code stop}; waiting on a full meter that is stopped is an interrupt; a parent may be set
 * later. A native tree is made once, from the top, so a meter that is moved gets a new native one, and all below it too.
 *
 * <p>Public, as the rewritten class lives in another package and perhaps in another class loader; it is no API.
 */
public final class BrokerMeter {
    /** The field that the agent gives the broker's class. */
    static final String FIELD = "queuecore$meter";
    /** The longest time until a wait without end looks whether the meter has been stopped just before it began. */
    private static final long LOOK_AGAIN_MILLIS = 1000;
    private static final AtomicLong MADE = new AtomicLong();

    private final MemoryUsage owner;
    private final Limit limit;
    private final Listeners listeners;
    private final Callbacks callbacks = new Callbacks(this);
    private final Set<BrokerMeter> children = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>(2)));
    private volatile org.queuecore.MemoryUsage meter;
    private volatile BrokerMeter parent;
    private volatile ThreadPoolExecutor executor;
    private volatile boolean started;
    private volatile int pollingTime = 100;

    private BrokerMeter(MemoryUsage owner, BrokerMeter parent, String name, float portion) {
        this.owner = owner;
        limit = new Limit(this, portion);
        listeners = new Listeners(owner, this);
        Later.change(() -> {
            this.parent = parent;
            meter = new org.queuecore.MemoryUsage(parent == null ? null : parent.meter, name, 0);
            if (parent != null) {
                parent.children.add(this);
                limit.begin(parent.owner);
            }
            listeners.follow(meter);
        });
        if (MADE.getAndIncrement() == 0) {
            LoggerFactory.getLogger(BrokerMeter.class).info("queuecore {} counts the memory of this broker; library: {}",
                    NativeLibrary.version(), NativeLibrary.origin());
        }
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

    /**
     * Counts more.
     *
     * @param bytes the amount; a negative one counts less
     */
    public void increaseUsage(long bytes) {
        limit.follow();
        count(meter, bytes);
    }

    private static void count(org.queuecore.MemoryUsage meter, long bytes) {
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
        increaseUsage(-bytes);
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
        while (isFull()) {
            for (BrokerMeter level = this; level != null; level = level.parent) {
                if (!level.started && level.getPercentUsage() >= 100) {
                    throw new InterruptedException("waitForSpace stopped during wait.");
                }
            }
            if (waitForSpace(LOOK_AGAIN_MILLIS, 100)) {
                return;
            }
        }
    }

    /**
     * Waits until nothing is full.
     *
     * @param timeout milliseconds; 0 or less waits without end
     * @return false if the time was up
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean waitForSpace(long timeout) throws InterruptedException {
        return waitForSpace(timeout, 100);
    }

    /**
     * Waits until every level is below a percent.
     *
     * @param timeout milliseconds; 0 or less waits without end
     * @param percent the percent
     * @return false if the time was up
     * @throws InterruptedException if the thread was interrupted while there was no space
     */
    public boolean waitForSpace(long timeout, int percent) throws InterruptedException {
        long start = System.nanoTime();
        long left = timeout > 0 ? timeout : -1;
        // Asked first: with space, an interrupt is left for who waits for something.
        while (isFull(percent)) {
            if (left == 0) {
                return false;
            }
            if (waited(left, percent)) {
                return true;
            }
            // Before the time is up it ends only if a level is stopped or moved. The broker's own meter waits on then.
            if (timeout > 0) {
                left = Math.max(0, timeout - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            }
        }
        return true;
    }

    private boolean waited(long left, int percent) throws InterruptedException {
        if (percent >= 1) {
            org.queuecore.MemoryUsage asked = meter;
            // One that it was moved from is empty.
            return asked.waitForSpace(left, percent) && asked == meter;
        }
        // That is below what an unlimited or empty level has, and the native meter tells nobody of it.
        Thread.sleep(Math.max(1, left < 0 ? pollingTime : Math.min(left, pollingTime)));
        return false;
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
     * Whether any level is at a percent. An unlimited one is at 0.
     *
     * @param percent the percent
     * @return whether one is
     */
    public boolean isFull(int percent) {
        if (percent >= 1) {
            return meter.isFull(percent);
        }
        BrokerMeter level = this;
        while (level != null && level.getPercentUsage() < percent) {
            level = level.parent;
        }
        return level != null;
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
     * @return the bytes; 0 or less means unlimited
     */
    public long getLimit() {
        return limit.get();
    }

    /**
     * Sets the limit, and gives up the portion.
     *
     * @param bytes the bytes; 0 or less means unlimited
     */
    public void setLimit(long bytes) {
        limit.set(bytes);
    }

    /** The limit of the parent has changed, or of this one: what depends on it follows. */
    public void limitChanged() {
        BrokerMeter above = parent;
        limit.takePortion(above == null ? null : above.owner);
    }

    /**
     * The portion.
     *
     * @return the part of the parent's limit, or 0
     */
    public float getUsagePortion() {
        return limit.portion();
    }

    /**
     * Sets the portion; the limit follows in {@link #limitChanged}.
     *
     * @param portion the part of the parent's limit; 0 keeps the limit as it is
     */
    public void setUsagePortion(float portion) {
        limit.setPortion(portion);
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
     * @return what {@link #setLimiter} gave, or else a view of this meter's limit
     */
    public UsageCapacity getLimiter() {
        return limit.capacity();
    }

    /**
     * Lets an object hold the limit. What changes there counts from the next change of the usage, or question for the limit.
     *
     * @param limiter the object
     */
    public void setLimiter(UsageCapacity limiter) {
        limit.setCapacity(limiter);
    }

    /**
     * Adds a listener.
     *
     * @param listener the listener
     */
    public void addUsageListener(UsageListener listener) {
        Later.change(() -> listeners.add(listener));
    }

    /**
     * Removes a listener.
     *
     * @param listener the listener
     */
    public void removeUsageListener(UsageListener listener) {
        Later.change(() -> listeners.remove(listener));
    }

    /**
     * How many listeners there are.
     *
     * @return the number
     */
    public int getNumUsageListeners() {
        return listeners.size();
    }

    /**
     * Has a callback run when nothing is full any more, by the executor; or when the meter is stopped, by who stops it.
     *
     * @param callback the callback
     * @return false if nothing is full: it will not be run
     */
    public boolean notifyCallbackWhenNotFull(Runnable callback) {
        return callbacks.add(callback);
    }

    Callbacks callbacks() {
        return callbacks;
    }

    /** Does something with this meter and all below it. */
    void forEachBelow(Consumer<BrokerMeter> action) {
        action.accept(this);
        for (BrokerMeter child : children.toArray(new BrokerMeter[0])) {
            child.forEachBelow(action);
        }
    }

    /** Has the executor run what is the user's; without one, this thread does. */
    void execute(Runnable theirs) {
        ThreadPoolExecutor executor = this.executor;
        if (executor == null) {
            theirs.run();
        } else {
            executor.execute(theirs);
        }
    }

    /**
     * Sets who runs listeners and callbacks.
     *
     * @param executor the broker's executor, or null
     */
    public void setExecutor(ThreadPoolExecutor executor) {
        this.executor = executor;
    }

    boolean isStarted() {
        return started;
    }

    /** The broker's meter is started. */
    public void started() {
        started = true;
    }

    /**
     * The broker's meter is stopped: who waits now comes to see it, and this thread runs the callbacks. The native one goes on,
     * as messages may hold it and producers wait on it until their connections end.
     */
    public void stopped() {
        if (!started) {
            return;
        }
        started = false;
        callbacks.end();
    }

    /**
     * Puts the meter below another one, with what it counts and all below it. Its limit stays until the new parent's changes.
     * While other threads count on it, an amount may stay with the old parent.
     *
     * @param parent the meter of the new parent, or null
     * @throws IllegalArgumentException if the new parent is this one, or below it
     */
    public void setParent(BrokerMeter parent) {
        Later.change(() -> {
            for (BrokerMeter level = parent; level != null; level = level.parent) {
                if (level == this) {
                    throw new IllegalArgumentException(parent + " cannot be the parent of " + this + ": it is below it");
                }
            }
            if (parent != this.parent) {
                move(parent);
            }
        });
    }

    private void move(BrokerMeter parent) {
        if (this.parent != null) {
            this.parent.children.remove(this);
        }
        if (parent != null) {
            parent.children.add(this);
        }
        this.parent = parent;
        remake();
    }

    /** Gives this meter and all below it new native ones, now that a level above has another one or is another one. */
    private void remake() {
        org.queuecore.MemoryUsage old = meter;
        org.queuecore.MemoryUsage made =
                new org.queuecore.MemoryUsage(parent == null ? null : parent.meter, old.getName(), 0);
        made.setLimit(old.getLimit());
        made.setPercentUsageMinDelta(old.getPercentUsageMinDelta());
        listeners.leave(old);
        // Twice for a moment, so that nobody who waits finds space that is none.
        long all = old.getUsageExact();
        count(made, all);
        meter = made;
        for (BrokerMeter child : children.toArray(new BrokerMeter[0])) {
            child.remake();
        }
        // What is left is its own.
        count(made, old.getUsageExact() - all);
        listeners.follow(made);
        // Who waits on it comes back, and waits on the new one. A thread that has it still finds it open.
        old.stop();
        old.setUsage(0);
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
        return "Usage(" + owner.getName() + ") percentUsage=" + getPercentUsage() + "%, usage=" + getUsage() + ", limit="
                + getLimit() + ", percentUsageMinDelta=" + getPercentUsageMinDelta() + "%, by queuecore"
                + (parent == null ? "" : ";Parent:" + parent);
    }
}
