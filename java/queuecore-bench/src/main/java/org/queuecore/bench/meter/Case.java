package org.queuecore.bench.meter;

/** Where the parent stands while messages pass. Every thread uses a child of its own. */
public enum Case {
    /** Nothing is near. */
    mid("Mid: the parent at 48.5 %, each thread on its child", Case.LIMIT_BYTES / 1000 * 485),
    /** One message on its way crosses a percent step of the parent. */
    edge("Edge: the parent swings across 48 %, the child's percent is read", Case.LIMIT_BYTES / 100 * 48 - 512),
    /** One message on its way crosses the limit. */
    limit("Limit: the parent swings across 100 %", Case.LIMIT_BYTES - 512);

    /** What the parent may count, and each child with it. */
    static final long LIMIT_BYTES = 123_000_000_000L;

    final String title;
    final long levelBytes;

    Case(String title, long levelBytes) {
        this.title = title;
        this.levelBytes = levelBytes;
    }

    /** The ceiling knows no edges. */
    boolean has(Engine engine) {
        return this == mid || !engine.isCeiling();
    }
}
