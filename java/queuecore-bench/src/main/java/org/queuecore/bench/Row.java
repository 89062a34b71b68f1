package org.queuecore.bench;

/**
 * One figure of one engine, as {@code queuecore-report} reads it.
 *
 * @param at the case, one word
 * @param group the heading that it stands under
 * @param what what it is, among the group's
 * @param threads with how many threads
 * @param engine the engine
 * @param isCeiling whether the engine is none that does the whole work
 * @param unit the unit, or empty for a ratio or a count
 * @param rounds the figures
 */
public record Row(
        String at, String group, String what, int threads, String engine, boolean isCeiling, String unit, Rounds rounds) {
}
