package org.queuecore;

/**
 * A store of messages, as far as a {@link Cursor} needs it: it reads a stretch of them. The cursor never writes to it.
 *
 * <p>A store numbers the messages of a queue: the <em>sequence</em>, from 1, rising in the order in which they were pushed, with any
 * gaps.
 */
public interface CursorStore {
    /**
     * Reads messages: those whose sequence is above {@code after} and up to {@code upTo}, itself included, in ascending order, without
     * leaving out one that is committed and pending; as many as there are, while {@link CursorPage#hasRoom} says so. None at all
     * means that there is none in the range.
     *
     * <pre>{@code
     * public void fetch(long after, long upTo, CursorPage page) throws SQLException {
     *     query.setLong(1, after);
     *     query.setLong(2, upTo);
     *     query.setInt(3, page.maxMessages());
     *     try (ResultSet rows = query.executeQuery()) {
     *         while (rows.next() && page.hasRoom(rows.getInt(2))) {
     *             page.add(rows.getLong(1), 0, rows.getInt(2), rows.getInt(3));
     *         }
     *     }
     * }
     * }</pre>
     *
     * <p>A message that was removed ({@link Cursor#remove}) while it was not in memory, or while its write was open, must not come
     * again. One that was acknowledged may: acks may reach the store late, in batches. A page that breaks these rules is refused
     * as a whole with {@link QueuecoreException}, {@code QC_ERR_BAD_FETCH}.
     *
     * <p>Called by the thread that is inside {@link Cursor#pull} or {@link Cursor#browse}; calls on the same cursor are refused
     * with {@link java.util.ConcurrentModificationException}. It runs below a native frame, so a virtual thread is pinned meanwhile.
     *
     * @param after only sequences above this
     * @param upTo only sequences up to this
     * @param page where to put them; good during this call only
     * @throws Exception what went wrong: the pull or browse throws {@link CursorStoreException} with it as its cause, unless
     *     there are messages to give out, and can be repeated
     */
    void fetch(long after, long upTo, CursorPage page) throws Exception;

    /**
     * Takes note that the body of a message can go: it was fetched and is of no use, or it was in memory and its memory is given
     * back. Called by the thread that made the call, when that is over; what it throws is logged.
     *
     * @param sequence the message's; 0 if the cursor does not know it yet
     * @param user what the message had
     * @param sizeBytes its size
     */
    default void discard(long sequence, long user, int sizeBytes) {
    }
}
