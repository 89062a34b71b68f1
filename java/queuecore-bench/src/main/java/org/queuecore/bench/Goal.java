package org.queuecore.bench;

/**
 * One goal.
 *
 * @param name its name, which stays
 * @param isAtMost whether the value must not be above the limit; else it must not be below
 * @param limit the limit
 * @param value what was measured, or NaN
 */
public record Goal(String name, boolean isAtMost, double limit, double value) {
    /**
     * A goal that is met by much.
     *
     * @param name its name
     * @param limit the least
     * @param value the value, or NaN
     * @return the goal
     */
    public static Goal atLeast(String name, double limit, double value) {
        return new Goal(name, false, limit, value);
    }

    /**
     * A goal that is met by little.
     *
     * @param name its name
     * @param limit the most
     * @param value the value, or NaN
     * @return the goal
     */
    public static Goal atMost(String name, double limit, double value) {
        return new Goal(name, true, limit, value);
    }

    String sign() {
        return isAtMost ? "<=" : ">=";
    }

    boolean isShort() {
        return isAtMost ? value > limit : value < limit;
    }
}
