package org.queuecore;

import java.util.Objects;

/**
 * The settings of a {@link Cursor}. Each method changes one and answers this object; ranges are checked when a cursor is made
 * of them, which takes a copy. One thread at a time.
 */
public final class CursorOptions {
    /** Who charges a cursor's meter. */
    public enum Accounting {
        /** The cursor, and nobody else. */
        OWN,
        /**
         * The host, as its own reference counts say. The cursor reads the meter's percent and charges nothing; keep the meter's
         * {@code percentUsageMinDelta} at 1.
         */
        HOST
    }

    private CursorPolicy policy = new CursorPolicy();
    private CursorGroup group;
    private Accounting accounting = Accounting.OWN;
    private int maxEntries;
    private int maxOpenWrites;

    /** The default settings. */
    public CursorOptions() {
    }

    /**
     * The policy.
     *
     * @param policy the policy, which is copied when a cursor is made
     * @return this
     */
    public CursorOptions policy(CursorPolicy policy) {
        this.policy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * What the cursor shares with others below the same parent. Without a group the parent is not looked at.
     *
     * @param group the group, or null, the default, for none
     * @return this
     */
    public CursorOptions group(CursorGroup group) {
        this.group = group;
        return this;
    }

    /**
     * Who charges the meter.
     *
     * @param accounting {@link Accounting#OWN} by default
     * @return this
     */
    public CursorOptions accounting(Accounting accounting) {
        this.accounting = Objects.requireNonNull(accounting, "accounting");
        return this;
    }

    /**
     * The most messages in the window, in flight ones included.
     *
     * @param messages up to 2<sup>26</sup>; 0, the default, for that many
     * @return this
     */
    public CursorOptions maxEntries(int messages) {
        maxEntries = messages;
        return this;
    }

    /**
     * The most writes open at a time, answered ones behind an open one included.
     *
     * @param writes up to 2<sup>20</sup>; 0, the default, for 65536
     * @return this
     */
    public CursorOptions maxOpenWrites(int writes) {
        maxOpenWrites = writes;
        return this;
    }

    CursorPolicy policy() {
        return policy;
    }

    CursorGroup group() {
        return group;
    }

    /** In the order of native code, with the number by which the cursor is known. */
    long[] settings(long number) {
        return new long[] {accounting.ordinal(), maxEntries, maxOpenWrites, number};
    }
}
