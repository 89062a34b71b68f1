package org.queuecore.activemq;

import java.util.concurrent.ThreadPoolExecutor;
import org.apache.activemq.usage.MemoryUsage;
import org.apache.activemq.usage.UsageCapacity;
import org.apache.activemq.usage.UsageListener;

/**
 * ActiveMQ's {@code MemoryUsage} over the native meter, for a broker whose configuration names it:
 *
 * <pre>{@code
 * broker.getSystemUsage().setMemoryUsage(new QueuecoreMemoryUsage());
 * }</pre>
 *
 * <p>Meters that the broker itself makes below it stay the broker's own, with their locks; they count on this one, which all
 * threads share. To have every meter native, take the agent.
 *
 * <p>The protected fields {@code percentUsage}, {@code usageLock} and {@code waitForSpaceCondition} are not used.
 */
public class QueuecoreMemoryUsage extends MemoryUsage {
    private final BrokerMeter meter;

    /** Makes a meter without a parent. */
    public QueuecoreMemoryUsage() {
        this(null, null);
    }

    /**
     * Makes a meter without a parent.
     *
     * @param name its name
     */
    public QueuecoreMemoryUsage(String name) {
        this(null, name);
    }

    /**
     * Makes a meter below another one, with that one's limit.
     *
     * @param parent the meter above, or null
     * @param name its name
     */
    public QueuecoreMemoryUsage(QueuecoreMemoryUsage parent, String name) {
        this(parent, name, 1.0f);
    }

    /**
     * Makes a meter below another one.
     *
     * @param parent the meter above, or null
     * @param name its name
     * @param portion its part of the parent's limit
     */
    @SuppressWarnings("this-escape") // The meter keeps this object to name it to listeners, and calls nothing on it before.
    public QueuecoreMemoryUsage(QueuecoreMemoryUsage parent, String name, float portion) {
        super(parent, name, portion);
        // Under the agent it has one already, which the broker's own meters below this one know.
        BrokerMeter given = BrokerMeter.behind(this);
        meter = given != null ? given : BrokerMeter.of(this, parent == null ? null : parent.meter, getName(), portion);
    }

    /**
     * The native meter.
     *
     * @return what this delegates to
     */
    public org.queuecore.MemoryUsage nativeMeter() {
        return meter.meter();
    }

    @Override
    public void increaseUsage(long value) {
        meter.increaseUsage(value);
    }

    @Override
    public void decreaseUsage(long value) {
        meter.decreaseUsage(value);
    }

    @Override
    public void enqueueUsage(long value) throws InterruptedException {
        meter.enqueueUsage(value);
    }

    @Override
    public void waitForSpace() throws InterruptedException {
        meter.waitForSpace();
    }

    @Override
    public boolean waitForSpace(long timeout) throws InterruptedException {
        return meter.waitForSpace(timeout);
    }

    @Override
    public boolean waitForSpace(long timeout, int highWaterMark) throws InterruptedException {
        return meter.waitForSpace(timeout, highWaterMark);
    }

    @Override
    public boolean isFull() {
        return meter.isFull();
    }

    @Override
    public boolean isFull(int highWaterMark) {
        return meter.isFull(highWaterMark);
    }

    @Override
    public int getPercentUsage() {
        return meter.getPercentUsage();
    }

    @Override
    protected int caclPercentUsage() {
        return meter.getPercentUsage();
    }

    @Override
    protected void setPercentUsage(int value) {
        // It follows from the usage.
    }

    @Override
    public long getUsage() {
        return meter.getUsage();
    }

    @Override
    protected long retrieveUsage() {
        return meter.getUsage();
    }

    @Override
    public void setUsage(long usage) {
        meter.setUsage(usage);
    }

    @Override
    public long getLimit() {
        return meter.getLimit();
    }

    @Override
    public void setLimit(long limit) {
        meter.setLimit(limit);
        onLimitChange();
    }

    @Override
    protected void onLimitChange() {
        if (meter != null) { // Null while the broker's constructor runs.
            meter.limitChanged();
        }
        super.onLimitChange();
    }

    @Override
    public float getUsagePortion() {
        return meter.getUsagePortion();
    }

    @Override
    public void setUsagePortion(float usagePortion) {
        meter.setUsagePortion(usagePortion);
        onLimitChange();
    }

    @Override
    public int getPercentUsageMinDelta() {
        return meter.getPercentUsageMinDelta();
    }

    @Override
    public void setPercentUsageMinDelta(int percentUsageMinDelta) {
        meter.setPercentUsageMinDelta(percentUsageMinDelta);
    }

    @Override
    public UsageCapacity getLimiter() {
        return meter.getLimiter();
    }

    @Override
    public void setLimiter(UsageCapacity limiter) {
        meter.setLimiter(limiter);
    }

    @Override
    public void addUsageListener(UsageListener listener) {
        meter.addUsageListener(listener);
    }

    @Override
    public void removeUsageListener(UsageListener listener) {
        meter.removeUsageListener(listener);
    }

    @Override
    public int getNumUsageListeners() {
        return meter.getNumUsageListeners();
    }

    @Override
    public boolean notifyCallbackWhenNotFull(Runnable callback) {
        return meter.notifyCallbackWhenNotFull(callback);
    }

    @Override
    public void setExecutor(ThreadPoolExecutor executor) {
        super.setExecutor(executor);
        meter.setExecutor(executor);
    }

    /**
     * Puts this meter below another one, with what it counts.
     *
     * @param parent a {@code QueuecoreMemoryUsage}, or null
     * @throws IllegalArgumentException if it is another kind of meter, or stands below this one
     */
    @Override
    public void setParent(MemoryUsage parent) {
        if (parent != null && !(parent instanceof QueuecoreMemoryUsage)) {
            throw new IllegalArgumentException("the parent of a QueuecoreMemoryUsage has to be one, not " + parent.getClass());
        }
        meter.setParent(parent == null ? null : ((QueuecoreMemoryUsage) parent).meter);
        super.setParent(parent);
    }

    @Override
    public void start() {
        super.start();
        meter.started();
    }

    @Override
    public void stop() {
        super.stop();
        meter.stopped();
    }

    @Override
    public String toString() {
        return meter.toString();
    }
}
