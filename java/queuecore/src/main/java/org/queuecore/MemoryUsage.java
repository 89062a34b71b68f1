package org.queuecore;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * An exact memory meter that many threads share without sharing a cache line: a limit, a parent, percent steps that are
 * listened to, and waiting for space.
 *
 * <pre>{@code
 * try (MemoryUsage broker = new MemoryUsage("broker"); MemoryUsage orders = new MemoryUsage(broker, "orders", 0.7f)) {
 *     broker.setLimit(1_000_000);
 *     orders.increaseUsage(1024);          // counted here and on the broker
 *     if (orders.isFull() && !orders.waitForSpace(5_000, 100)) {
 *         // refuse
 *     }
 *     orders.decreaseUsage(1024);
 * }
 * }</pre>
 *
 * <p>Meters hang together in trees, for good: what a meter counts, every one above it counts too. Usually {@link
 * #increaseUsage}, {@link #decreaseUsage} and {@link #tryReserve} are one exchange on a word that no other thread uses, and
 * {@link #isFull()} and {@link #getPercentUsage()} one read for a level, all without a native call. At an edge (the limit, a
 * percent step while somebody listens, the percent that somebody waits for) they come to native code and are exact there, to
 * the byte. Threads in C++ and Rust of the same process may work on the same meter: {@link #nativeHandle()}.
 *
 * <p>All methods may be called by any thread at any time. After {@link #close()} they throw {@link IllegalStateException},
 * except those that say otherwise. Amounts are bytes.
 */
public final class MemoryUsage implements AutoCloseable {
    /** The largest amount of one operation: 2<sup>56</sup> bytes. */
    public static final long MAX_AMOUNT = 1L << 56;
    private static final int UNKNOWN = Integer.MIN_VALUE;
    private static final int NO_PARENT = -1;
    /** Odd, so that of two threads in turns it is not always the same one that tells. */
    private static final int CHANGES_TO_TELL = 15;
    private static final float WHOLE_PPM = 1_000_000f;

    private static final VarHandle STRIPES;
    private static final VarHandle LANE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STRIPES = lookup.findVarHandle(MemoryUsage.class, "stripes", int.class);
            LANE = lookup.findVarHandle(MemoryUsage.class, "lane", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final String name;
    private final MemoryUsage parent;
    private final Tree tree;
    private final Ownership ownership;
    private final long handle;
    private final long mailbox;
    /** Where its memory is, for as long as this object lives. */
    private final int memory;
    /** Where the parent's is: one step less to find it. */
    private final int parentMemory;
    /** The same as {@code memory} until it is closed, then the dead node: threads that come late find nothing to be had. */
    private int node;
    /** Its stripes, as they were when a thread came back from native code last: see {@link Region#stripes}. */
    private int stripes;
    /** While it has one stripe only: who used it last (upper half, 0 for nobody), and where it is. */
    private long lane;
    /** How often another thread came since the library was told. A hint. */
    private int changes;

    private final Listeners listeners = new Listeners();
    private final Waiting waiting;
    /** Guards what native code is told together with what is kept of it here. */
    private final Object settings = new Object();
    private volatile int percentMinDelta = 1;
    private volatile float portion;

    /**
     * Makes a meter without a parent and without a limit. If there is no room for it, this waits until the collector has given
     * back what meters had that are closed or lost, for half a second at most after the last one.
     *
     * @param name its name, for people
     * @throws OutOfMemoryError if the region is used up: see the property {@code org.queuecore.region.bytes}
     * @throws UnsatisfiedLinkError if the native libraries are not found: see {@link NativeLibrary}
     */
    public MemoryUsage(String name) {
        this(null, name, 0);
    }

    /**
     * Makes a meter below another one, with that one's limit as its own.
     *
     * @param parent the meter above, or null
     * @param name its name, for people
     * @throws OutOfMemoryError as for {@link #MemoryUsage(String)}
     * @throws IllegalStateException if the parent is closed
     */
    public MemoryUsage(MemoryUsage parent, String name) {
        this(parent, name, parent == null ? 0 : 1);
    }

    /**
     * Makes a meter below another one.
     *
     * @param parent the meter above, or null
     * @param name its name, for people
     * @param portion which part of the parent's limit is its own, above 0 to 1, now and whenever that changes; 0 for none: it
     *     is unlimited until {@link #setLimit}. Without a parent it must be 0
     * @throws IllegalArgumentException if the portion is out of its range
     * @throws QueuecoreException if the tree has 2<sup>20</sup> meters or 16 levels
     * @throws OutOfMemoryError as for {@link #MemoryUsage(String)}
     * @throws IllegalStateException if the parent is closed
     */
    public MemoryUsage(MemoryUsage parent, String name, float portion) {
        this.name = Objects.requireNonNull(name, "name");
        this.parent = parent;
        this.portion = portion;
        NativeLibrary.load();
        Region.open();
        tree = parent == null ? new Tree() : parent.tree;
        long tag = Tree.nextNumber();
        long[] settings = {0, partsPerMillion(portion), 1, 64, 0, tag, tree.number};
        long[] made = new long[5];
        // Before there is anything to own, so that nothing can come in between.
        ownership = new Ownership(tree, tag);
        Tree.CLEANER.register(this, ownership);
        Room.create(parent == null ? 0 : parent.handle, tree.mailbox(), settings, made);
        handle = made[0];
        memory = (int) made[2];
        parentMemory = parent == null ? NO_PARENT : parent.memory;
        ownership.open(handle, made[1]);
        if (parent == null) {
            tree.open(made[3], (int) made[4]);
        }
        mailbox = tree.mailbox();
        waiting = new Waiting(this, tree, handle, mailbox);
        node = memory;
        stripes = Region.stripes(memory);
        // Last: whoever finds it there finds it whole.
        tree.meters.put(tag, new WeakReference<>(this));
        tree.deliver();
        Reference.reachabilityFence(parent);
    }

    /** What it shares with the other meters of its tree. */
    Tree tree() {
        return tree;
    }

    private static int partsPerMillion(float portion) {
        if (!(portion >= 0 && portion <= 1)) {
            throw new IllegalArgumentException("portion = " + portion + ": it has to be from 0 to 1");
        }
        return portion == 0 ? 0 : Math.max(1, Math.round(portion * WHOLE_PPM));
    }

    /**
     * Counts more, here and on every level above. Never blocks for want of space and never refuses for it.
     *
     * @param bytes 0, which does nothing, to {@link #MAX_AMOUNT}
     * @throws IllegalArgumentException if it is out of that range
     * @throws ArithmeticException if a level would be above 2<sup>61</sup>
     */
    public void increaseUsage(long bytes) {
        if (!Region.take(word(), bytes)) {
            increaseSlowly(bytes);
        }
        Reference.reachabilityFence(this);
    }

    private void increaseSlowly(long bytes) {
        try {
            Processors.ranOn(Native.increase(handle, mailbox, bytes));
        } finally {
            back();
        }
    }

    /**
     * Counts less, here and on every level above. A level below zero is counted and shown like any other.
     *
     * @param bytes 0, which does nothing, to {@link #MAX_AMOUNT}
     * @throws IllegalArgumentException if it is out of that range
     * @throws ArithmeticException if a level would be below -2<sup>61</sup>
     */
    public void decreaseUsage(long bytes) {
        if (!Region.putBack(word(), bytes)) {
            decreaseSlowly(bytes);
        }
        Reference.reachabilityFence(this);
    }

    private void decreaseSlowly(long bytes) {
        try {
            Processors.ranOn(Native.decrease(handle, mailbox, bytes));
        } finally {
            back();
        }
    }

    /**
     * Counts more if it fits under the limit of every level; otherwise changes nothing, and nobody sees a trace of it.
     *
     * @param bytes 0, which always fits, to {@link #MAX_AMOUNT}
     * @return whether it was counted
     * @throws IllegalArgumentException if it is out of that range
     */
    public boolean tryReserve(long bytes) {
        boolean reserved = Region.take(word(), bytes) || tryReserveSlowly(bytes);
        Reference.reachabilityFence(this);
        return reserved;
    }

    private boolean tryReserveSlowly(long bytes) {
        try {
            int processor = Native.tryReserve(handle, mailbox, bytes);
            Processors.ranOn(processor < 0 ? ~processor : processor);
            return processor >= 0;
        } finally {
            back();
        }
    }

    /**
     * Counts more as soon as it fits under the limit of every level, in its turn: first come, first served, whichever language
     * the others who wait are in. What becomes free is held for the first in line, so a large amount comes to its turn too.
     *
     * <p>If it fits at once that is an exchange, as a rule, and no native call. Who waits can be interrupted, and a virtual
     * thread gives up its carrier. An interrupt, or the end of the time, that comes together with the turn finds it counted:
     * then it is true, and the interrupt stays set.
     *
     * @param bytes 0, which always fits, to {@link #MAX_AMOUNT}
     * @param timeoutMillis the most time to wait; 0 only tries, negative waits without end
     * @return whether it was counted; false if the time was up, or the meter, or one above it, is stopped
     * @throws InterruptedException if the thread was interrupted; nothing is counted then
     * @throws IllegalArgumentException if the amount is out of its range, or larger than the limit of some level, which it
     *     would wait for in vain
     * @throws IllegalStateException if the meter is closed, or was while it waited
     * @throws ArithmeticException if what waits together would leave the range of a level
     */
    public boolean reserve(long bytes, long timeoutMillis) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        boolean reserved = !isStoppedHere() && Region.take(word(), bytes) || reserveSlowly(bytes, timeoutMillis);
        Reference.reachabilityFence(this);
        return reserved;
    }

    /** Whether waits are ended at some level. */
    private boolean isStoppedHere() {
        for (MemoryUsage level = this; level != null; level = level.parent) {
            if (Region.isStopped(level.memory)) {
                return true;
            }
        }
        return false;
    }

    private boolean reserveSlowly(long bytes, long timeoutMillis) throws InterruptedException {
        try {
            return waiting.reserve(bytes, timeoutMillis);
        } finally {
            // And no look at what has happened, which is not for a thread that has waited: `Waiting` has looked.
            takeStripes();
        }
    }

    /** The word that this thread uses. */
    private int word() {
        // Opaque: if it is this thread's, this thread wrote it.
        long lane = (long) LANE.getOpaque(this);
        int thread = Region.threadNumber();
        return (int) (lane >>> 32) == thread ? (int) lane : wordInTurn(thread);
    }

    /**
     * Another thread than last time uses the meter. If that has only one stripe, its line may go back and forth. A lost
     * exchange would be a sure sign, but is rare: a processor that has the line keeps it for a while. So the library is told
     * now and then, by being called, and finds out whether it is another processor too; then it makes more stripes.
     */
    private int wordInTurn(int thread) {
        // Acquire: pairs with the release in `back` and `close`: the words are there before their offset is.
        int stripes = (int) STRIPES.getAcquire(this);
        if (!Region.isOne(stripes)) {
            return Region.word(stripes, Processors.of(thread));
        }
        LANE.setOpaque(this, (long) thread << 32 | stripes);
        if (++changes < CHANGES_TO_TELL) {
            return stripes;
        }
        changes = 0;
        return Region.NO_WORD;
    }

    /** After a native call that counts: the library may have given the meter other stripes. */
    private void back() {
        takeStripes();
        after();
    }

    private void takeStripes() {
        int now = Region.stripes(node);
        if (now != stripes) {
            STRIPES.setRelease(this, now);
        }
        // Even if they are not new: `wordInTurn` of a thread that still saw one stripe may have come in between.
        if (!Region.isOne(now) && (long) LANE.getOpaque(this) != 0) {
            LANE.setOpaque(this, 0L);
        }
    }

    /** After every native call: delivers what has happened. Until here the collector must not end the meter. */
    private void after() {
        tree.deliver();
        Reference.reachabilityFence(this);
    }

    /**
     * Waits until no level is full, as {@link #waitForSpace()} does, then counts more. Several who wait together may all go
     * on, so a level may come above its limit; {@link #reserve} never lets it.
     *
     * @param bytes as for {@link #increaseUsage}
     * @throws InterruptedException if the thread was interrupted; nothing is counted then
     */
    public void enqueueUsage(long bytes) throws InterruptedException {
        if (bytes < 0 || bytes > MAX_AMOUNT) {
            throw new IllegalArgumentException("bytes = " + bytes + ": it has to be from 0 to " + MAX_AMOUNT);
        }
        waitForSpace();
        increaseUsage(bytes);
    }

    /**
     * Waits until no level is full, or the meter, or one above it, is stopped.
     *
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalStateException if the meter is closed, or was while it waited
     */
    public void waitForSpace() throws InterruptedException {
        waitForSpace(-1, 100);
    }

    /**
     * Waits until no level is full.
     *
     * @param timeoutMillis the most time to wait; 0 only looks, negative waits without end
     * @return false if the time was up, or the meter, or one above it, is stopped
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalStateException if the meter is closed, or was while it waited
     */
    public boolean waitForSpace(long timeoutMillis) throws InterruptedException {
        return waitForSpace(timeoutMillis, 100);
    }

    /**
     * Waits until every limited level, from this one up, is below a percent of its own limit: it ends at that very edge. All
     * who wait wake together, and nothing is held for them.
     *
     * @param timeoutMillis the most time to wait for all levels together; 0 only looks, negative waits without end
     * @param percent 1 or more
     * @return false if the time was up, or the meter, or one above it, is stopped
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalArgumentException if the percent is below 1
     * @throws IllegalStateException if the meter is closed, or was while it waited
     */
    public boolean waitForSpace(long timeoutMillis, int percent) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (percent >= 1 && timeoutMillis == 0) {
            return !isFull(percent);
        }
        boolean isThere = knownFull(percent) == 0 || waiting.forSpace(timeoutMillis, percent);
        Reference.reachabilityFence(this);
        return isThere;
    }

    /**
     * Has a callback run once when no level is full any more, or the meter is stopped or closed before: by the executor, if
     * there is one, else by the thread that brings it about or by another that comes back from a call on the tree just then,
     * outside all locks; by a thread of this library's own if that one waits, or is none of Java's.
     *
     * @param callback what to run
     * @return false if no level is full: it will not be run
     */
    public boolean notifyCallbackWhenNotFull(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        boolean asked = waiting.whenNotFull(() -> listeners.hand(callback));
        Reference.reachabilityFence(this);
        return asked;
    }

    /**
     * Whether this meter or one above it is at 100 percent or more.
     *
     * @return whether it is, as of the last crossing
     */
    public boolean isFull() {
        int own = node;
        boolean full = Region.isFull(own) || parentMemory != NO_PARENT && (Region.isFull(parentMemory) || isFullAbove());
        if (full && own == Region.DEAD_NODE) {
            return Native.isFull(handle, mailbox);
        }
        Reference.reachabilityFence(this);
        return full;
    }

    /** Whether a level above the parent is full. */
    private boolean isFullAbove() {
        for (MemoryUsage above = parent.parent; above != null; above = above.parent) {
            if (Region.isFull(above.memory)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether this meter or one above it is at a percent or more of its own limit. Unlimited ones never are.
     *
     * @param percent any number
     * @return whether it is
     */
    public boolean isFull(int percent) {
        int known = knownFull(percent);
        if (known != UNKNOWN) {
            Reference.reachabilityFence(this);
            return known != 0;
        }
        try {
            return Native.isFullAt(handle, mailbox, percent);
        } finally {
            after();
        }
    }

    /** What the kept percents say of {@link #isFull(int)}: 1, 0, or UNKNOWN if that takes native code. */
    private int knownFull(int percent) {
        // An unlimited level is at 0, so from 1 on the percent alone tells.
        if (percent < 1) {
            return UNKNOWN;
        }
        int kept = Region.keptPercent(node);
        for (MemoryUsage above = parent; kept < percent && kept != UNKNOWN && above != null; above = above.parent) {
            kept = Region.keptPercent(above.memory);
        }
        return kept == UNKNOWN ? UNKNOWN : kept >= percent ? 1 : 0;
    }

    /**
     * The percent of this meter's own limit that is used, truncated to a multiple of {@link #getPercentUsageMinDelta}.
     *
     * @return the percent; 0 if it is unlimited, negative for a level below zero
     */
    public int getPercentUsage() {
        int kept = Region.keptPercent(node);
        int percent = kept != UNKNOWN ? kept : percentSlowly();
        Reference.reachabilityFence(this);
        return percent;
    }

    private int percentSlowly() {
        try {
            return Native.percent(handle, mailbox);
        } finally {
            after();
        }
    }

    /**
     * What is counted. Exact while nobody writes; otherwise operations that run at the same time count or not.
     *
     * @return the bytes, negative if more was taken off than put on
     */
    public long getUsage() {
        try {
            return Native.usage(handle, mailbox);
        } finally {
            after();
        }
    }

    /**
     * What is counted at one moment during the call, whoever writes. It recalls all that is lent to threads: not for every
     * message.
     *
     * @return the bytes
     */
    public long getUsageExact() {
        try {
            return Native.usageExact(handle, mailbox);
        } finally {
            after();
        }
    }

    /**
     * Sets what this meter itself counts, its children's part aside; percent, listeners and the levels above follow.
     *
     * @param bytes from -{@link #MAX_AMOUNT} to {@link #MAX_AMOUNT}
     * @throws IllegalArgumentException if it is out of that range
     * @throws ArithmeticException if a level above would leave plus and minus 2<sup>61</sup>
     */
    public void setUsage(long bytes) {
        try {
            Native.setUsage(handle, mailbox, bytes);
        } finally {
            after();
        }
    }

    /**
     * The limit.
     *
     * @return the bytes; 0 means unlimited
     */
    public long getLimit() {
        try {
            return Native.limit(handle, mailbox);
        } finally {
            after();
        }
    }

    /**
     * Sets the limit. A portion of the parent's is given up. Percent, listeners and those who wait follow, and the limits of
     * those below that have a portion of this one.
     *
     * @param bytes the limit, up to 2<sup>62</sup>; 0 means unlimited
     * @throws IllegalArgumentException if it is out of that range
     */
    public void setLimit(long bytes) {
        try {
            synchronized (settings) {
                Native.setLimit(handle, mailbox, bytes);
                portion = 0;
            }
        } finally {
            // Outside: listeners are told under no lock.
            after();
        }
    }

    /**
     * Which part of the parent's limit is this one's.
     *
     * @return above 0 to 1, or 0 if it has a limit of its own
     */
    public float getUsagePortion() {
        return portion;
    }

    /**
     * Takes a part of the parent's limit for its own, now and whenever that changes.
     *
     * @param portion above 0 to 1; 0 keeps the limit that there is, which does not follow the parent's any more
     * @throws IllegalArgumentException if it is out of that range, or there is no parent
     */
    public void setUsagePortion(float portion) {
        int partsPerMillion = partsPerMillion(portion);
        try {
            synchronized (settings) {
                if (partsPerMillion == 0) {
                    Native.setLimit(handle, mailbox, Native.limit(handle, mailbox));
                } else {
                    Native.setShare(handle, mailbox, partsPerMillion);
                }
                this.portion = portion;
            }
        } finally {
            after();
        }
    }

    /**
     * The step in which percents count.
     *
     * @return 1 or more
     */
    public int getPercentUsageMinDelta() {
        return percentMinDelta;
    }

    /**
     * Sets the step in which percents count. It truncates first: with a step of 30, 100 percent is reached at 120.
     *
     * @param percent 1 or more
     * @throws IllegalArgumentException if it is below 1
     */
    public void setPercentUsageMinDelta(int percent) {
        if (percent < 1) {
            throw new IllegalArgumentException("percentUsageMinDelta = " + percent + ": it has to be 1 or more");
        }
        try {
            synchronized (settings) {
                Native.setMinDelta(handle, mailbox, percent);
                percentMinDelta = percent;
            }
        } finally {
            after();
        }
    }

    /**
     * Sets a pair of percents with hysteresis: from the moment when the percent reaches the higher one until it is below the
     * lower one, {@link #isOverMark} answers true.
     *
     * @param lowPercent 1 or more
     * @param highPercent not below it
     * @throws IllegalArgumentException if it is otherwise
     */
    public void setMarks(int lowPercent, int highPercent) {
        try {
            Native.setMarks(handle, mailbox, lowPercent, highPercent);
        } finally {
            after();
        }
    }

    /** Removes the marks: the meter is over none from now on. */
    public void clearMarks() {
        try {
            Native.clearMarks(handle, mailbox);
        } finally {
            after();
        }
    }

    /**
     * Whether the percent reached the upper mark and has not been below the lower one since.
     *
     * @return whether it is
     */
    public boolean isOverMark() {
        try {
            return Native.isOverMark(handle, mailbox);
        } finally {
            after();
        }
    }

    /**
     * Has a listener told of every percent step from now on. Listeners are told in the order in which they were added, by
     * the executor if there is one, else by the thread that crosses or by one that is at it already, outside all locks. A
     * listener that throws is logged and harms nobody. Nothing is told now.
     *
     * @param listener the listener
     */
    public void addUsageListener(UsageListener listener) {
        Objects.requireNonNull(listener, "listener");
        try {
            synchronized (settings) {
                if (listeners.isEmpty()) {
                    Delivery.ensure();
                    Native.listen(handle, mailbox);
                }
                listeners.add(listener);
            }
        } finally {
            after();
        }
    }

    /**
     * Ends telling a listener. It may be running still. Of a closed meter it does nothing.
     *
     * @param listener the listener
     */
    public void removeUsageListener(UsageListener listener) {
        try {
            synchronized (settings) {
                if (listeners.removeLast(listener) && !ownership.isDestroyed()) {
                    Native.clearEvents(handle, mailbox);
                }
            }
        } catch (IllegalStateException closed) {
            // By another thread, after this one looked.
            if (!ownership.isDestroyed()) {
                throw closed;
            }
        } finally {
            after();
        }
    }

    /** Tells a step to those who listen now, unless they have gone by the time the executor comes to it. */
    void fire(int oldPercent, int newPercent) {
        listeners.tell(this, oldPercent, newPercent);
    }

    /**
     * Who runs listeners and callbacks.
     *
     * @return the executor, or null for the thread that brings them about
     */
    public Executor getExecutor() {
        return listeners.executor();
    }

    /**
     * Sets who runs listeners and callbacks. One that runs several tasks at once may mix up the order of the steps.
     *
     * @param executor the executor, or null for the thread that brings them about
     */
    public void setExecutor(Executor executor) {
        listeners.setExecutor(executor);
    }

    /** Lets waits begin again. A meter is made started. */
    public void start() {
        try {
            Native.start(handle, mailbox);
        } finally {
            after();
        }
    }

    /** Ends all waits here and below, and answers new ones with false. Everything else goes on. */
    public void stop() {
        try {
            Native.stop(handle, mailbox);
        } finally {
            after();
        }
    }

    /**
     * Whether waits can begin: neither stopped nor closed.
     *
     * @return whether it is so for this meter, whatever those above are
     */
    public boolean isStarted() {
        try {
            return !ownership.isDestroyed() && !getStats().isStopped();
        } catch (IllegalStateException closed) {
            // By another thread, after this one looked.
            if (!ownership.isDestroyed()) {
                throw closed;
            }
            return false;
        }
    }

    /**
     * The figures of this meter and its tree at one moment. Linear in the active stripes and the waiters below.
     *
     * @return the figures
     */
    public UsageStats getStats() {
        long[] figures = new long[UsageStats.FIGURES];
        try {
            Native.stats(handle, mailbox, figures);
        } finally {
            after();
        }
        return UsageStats.of(figures);
    }

    /**
     * Its name.
     *
     * @return the name it was made with
     */
    public String getName() {
        return name;
    }

    /**
     * The meter above.
     *
     * @return it, or null if this is the root
     */
    public MemoryUsage getParent() {
        return parent;
    }

    /**
     * The meters below that are not closed, in no particular order. Linear in the meters of the tree.
     *
     * @return a list of their own
     */
    public List<MemoryUsage> getChildren() {
        List<MemoryUsage> children = new ArrayList<>();
        for (WeakReference<MemoryUsage> reference : tree.meters.values()) {
            MemoryUsage meter = reference.get();
            if (meter != null && meter.parent == this && !meter.ownership.isDestroyed()) {
                children.add(meter);
            }
        }
        return children;
    }

    /**
     * The {@code qc_usage *} behind this meter, for code in C, C++ or Rust of the same process that uses the same
     * {@code libqueuecore.so}. It is this object's to end: such code must not destroy it. Once this is closed, calls with it
     * answer {@code QC_ERR_DESTROYED}.
     *
     * @return the handle, as a number
     */
    public long nativeHandle() {
        return handle;
    }

    /**
     * Ends the meter. What it still counted itself is taken off every level above. Waits on it throw
     * {@link IllegalStateException}, callbacks are run, its listeners hear no more. Other threads may be inside calls on it:
     * those end as if they had come before, later ones throw. It stays as a level for the children it has, which may be
     * closed before or after. A second time it does nothing.
     *
     * <p>A meter that is not closed is ended when the garbage collector finds it.
     */
    @Override
    public void close() {
        node = Region.DEAD_NODE;
        STRIPES.setRelease(this, Region.stripes(Region.DEAD_NODE));
        LANE.setOpaque(this, 0L);
        try {
            ownership.destroy(mailbox);
        } finally {
            after();
        }
        Reference.reachabilityFence(this);
    }

    @Override
    public String toString() {
        // ActiveMQ's names begin with their parents'.
        String above = parent == null ? "" : parent.name + ":";
        return "MemoryUsage[" + (name.startsWith(above) ? name : above + name) + "]";
    }
}
