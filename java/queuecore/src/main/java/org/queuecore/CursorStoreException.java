package org.queuecore;

/** The {@link CursorStore} of a cursor threw, which is the cause. Nothing is changed, and the call can be repeated. */
public class CursorStoreException extends QueuecoreException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with its message and its cause.
     *
     * @param message what happened
     * @param cause what the store threw
     */
    public CursorStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
