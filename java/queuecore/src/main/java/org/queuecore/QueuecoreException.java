package org.queuecore;

/**
 * A failure of the native library that no exception of the platform stands for: a limit of the library is reached, or a
 * defect of the library was hit. The message begins with the name of the status, which {@code queuecore.h} describes.
 */
public class QueuecoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one with its message.
     *
     * @param message the status and what happened
     */
    public QueuecoreException(String message) {
        super(message);
    }

    /**
     * Makes one with its message and its cause.
     *
     * @param message what happened
     * @param cause why
     */
    public QueuecoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
