package org.queuecore.activemq;

import org.apache.activemq.usage.UsageCapacity;

/** A meter's limit, as the broker hands it out. */
final class Limiter implements UsageCapacity {
    private final BrokerMeter meter;

    Limiter(BrokerMeter meter) {
        this.meter = meter;
    }

    boolean isOf(BrokerMeter meter) {
        return this.meter == meter;
    }

    @Override
    public boolean isLimit(long size) {
        return size >= getLimit();
    }

    @Override
    public long getLimit() {
        return meter.getLimit();
    }

    @Override
    public void setLimit(long limit) {
        meter.setLimit(limit);
    }
}
