package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ConcurrentModificationException;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each status of the library has one exception. */
class ExceptionsTest {
    static Stream<Arguments> statuses() {
        return Stream.of(
                Arguments.of(1, "QC_ERR_NULL_HANDLE", IllegalStateException.class),
                Arguments.of(2, "QC_ERR_FOREIGN_HANDLE", IllegalStateException.class),
                Arguments.of(3, "QC_ERR_WRONG_PART", IllegalStateException.class),
                Arguments.of(4, "QC_ERR_DESTROYED", IllegalStateException.class),
                Arguments.of(5, "QC_ERR_BUSY", ConcurrentModificationException.class),
                Arguments.of(6, "QC_ERR_REENTRANT", ConcurrentModificationException.class),
                Arguments.of(7, "QC_ERR_POISONED", QueuecoreException.class),
                Arguments.of(8, "QC_ERR_PANIC", QueuecoreException.class),
                Arguments.of(9, "QC_ERR_NULL_ARGUMENT", NullPointerException.class),
                Arguments.of(10, "QC_ERR_INVALID_ARGUMENT", IllegalArgumentException.class),
                Arguments.of(11, "QC_ERR_OUT_OF_RANGE", IllegalArgumentException.class),
                Arguments.of(12, "QC_ERR_OVERFLOW", IllegalArgumentException.class),
                Arguments.of(13, "QC_ERR_UNSUPPORTED", UnsupportedOperationException.class),
                Arguments.of(14, "QC_ERR_NO_MEMORY", OutOfMemoryError.class),
                Arguments.of(15, "QC_ERR_CAPACITY", QueuecoreException.class),
                Arguments.of(16, "QC_ERR_CLOCK", IllegalArgumentException.class),
                Arguments.of(17, "QC_ERR_STALE_HANDLE", IllegalStateException.class),
                Arguments.of(18, "QC_ERR_NOT_FOUND", NoSuchElementException.class),
                Arguments.of(19, "QC_ERR_CALLBACK", QueuecoreException.class),
                Arguments.of(20, "QC_ERR_TIMED_OUT", QueuecoreException.class),
                Arguments.of(21, "QC_ERR_STOPPED", IllegalStateException.class),
                Arguments.of(22, "QC_ERR_LEVEL", ArithmeticException.class),
                Arguments.of(23, "QC_ERR_NEVER_FITS", IllegalArgumentException.class),
                Arguments.of(24, "QC_ERR_NO_DESCRIPTOR", QueuecoreException.class),
                Arguments.of(25, "QC_ERR_ORDER", IllegalArgumentException.class),
                Arguments.of(26, "QC_ERR_NOT_IN_FLIGHT", IllegalStateException.class),
                Arguments.of(27, "QC_ERR_STORE", QueuecoreException.class),
                Arguments.of(28, "QC_ERR_BAD_FETCH", QueuecoreException.class),
                Arguments.of(29, "QC_ERR_BAD_BUFFER", IllegalArgumentException.class),
                Arguments.of(30, "QC_ERR_IN_USE", IllegalStateException.class),
                Arguments.of(31, "QC_ERR_NOT_BEGUN", IllegalStateException.class),
                Arguments.of(32, "an unknown status", QueuecoreException.class),
                Arguments.of(-7, "an unknown status", QueuecoreException.class));
    }

    @ParameterizedTest
    @MethodSource("statuses")
    void eachStatusHasItsException(int status, String name, Class<? extends Throwable> type) {
        NativeLibrary.load();
        Throwable thrown = assertThrows(Throwable.class, () -> Native.fail(status));
        assertEquals(type, thrown.getClass());
        assertTrue(thrown.getMessage().startsWith(name + ": "), thrown.getMessage());
    }

    @Test
    void okThrowsNothing() {
        NativeLibrary.load();
        Native.fail(0);
    }

    @Test
    void aPanicBecomesAnException() {
        NativeLibrary.load();
        QueuecoreException thrown = assertThrows(QueuecoreException.class, Native::panic);
        assertTrue(thrown.getMessage().contains("asked to"), thrown.getMessage());
    }

    @Test
    void numbersThatAreNoHandlesAreRefusedAndNothingElseHappens() {
        try (MemoryUsage usage = new MemoryUsage("test")) {
            for (long handle : new long[] {0, 1, -1, 0x7fff_ffff_f000L, usage.nativeHandle() + 2}) {
                assertThrows(IllegalStateException.class, () -> Native.increase(handle, 0, 1));
                assertThrows(IllegalStateException.class, () -> Native.percent(handle, 0));
                if (handle == 0) {
                    assertEquals(0, Native.destroy(handle, 0), "to destroy nothing is fine");
                } else {
                    assertThrows(IllegalStateException.class, () -> Native.destroy(handle, 0));
                }
            }
            assertThrows(IllegalArgumentException.class, () -> Native.listen(usage.nativeHandle(), 0));
            assertEquals(0, usage.getUsage());
        }
    }

    @Test
    void arraysThatAreTooShortOrMissingChangeNothing() {
        try (MemoryUsage usage = new MemoryUsage("test")) {
            long trackers = usage.getStats().treeTrackers();
            long[] settings = {0, 0, 1, 64, 0, 1, 1};
            long parent = usage.nativeHandle();
            assertThrows(RuntimeException.class, () -> Native.create(parent, 0, new long[3], new long[5]));
            assertThrows(RuntimeException.class, () -> Native.create(parent, 0, settings, new long[4]));
            assertThrows(RuntimeException.class, () -> Native.create(parent, 0, null, new long[5]));
            assertThrows(RuntimeException.class, () -> Native.create(parent, 0, settings, null));
            assertThrows(RuntimeException.class, () -> Native.stats(parent, 0, new long[3]));
            assertThrows(IllegalArgumentException.class, () -> Native.create(parent, 0, settings, new long[5]));
            assertEquals(trackers, usage.getStats().treeTrackers());
        }
    }
}
