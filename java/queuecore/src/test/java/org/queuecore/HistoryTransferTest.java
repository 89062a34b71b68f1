package org.queuecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** Export and import, over direct buffers. */
class HistoryTransferTest {
    private static final HistoryOptions OPTIONS = HistoryTest.options().valueSize(8).windowNanos(10_000);

    /** By reflection: the language level has no arenas. */
    @Test
    @EnabledForJreRange(minVersion = 22)
    void aBufferOfAClosedArenaOrOfAnotherThreadsIsRefused() throws Exception {
        Class<?> type = Class.forName("java.lang.foreign.Arena");
        AutoCloseable arena = (AutoCloseable) type.getMethod("ofConfined").invoke(null);
        Object segment = type.getMethod("allocate", long.class, long.class).invoke(arena, 1000L, 8L);
        Method asByteBuffer = Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer");
        ByteBuffer buffer = (ByteBuffer) asByteBuffer.invoke(segment);
        try (History history = new History(HistoryTest.options())) {
            history.insert(0, 1, 0, 0);
            history.exportBegin();
            history.exportNext(buffer);
            history.exportBegin();
            ThreadsTest.onThreads(1, thread -> assertThrows(RuntimeException.class, () -> history.exportNext(buffer)));
            arena.close();
            assertThrows(IllegalStateException.class, () -> history.exportNext(buffer));
            assertThrows(IllegalStateException.class, () -> history.importBuffer(buffer, 0, 0));
            assertThrows(IllegalStateException.class, () -> ExportInfo.of(buffer));
        }
    }

    private static History filled(int messages) {
        History history = new History(OPTIONS);
        for (int i = 0; i < messages; i++) {
            history.insertLong(0, i, i * 10, i, i);
            if (i % 2 == 0) {
                history.erase(history.lastEntry(), i);
            }
        }
        return history;
    }

    @Test
    void aCopyAnswersAsTheOriginal() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(500).position(7).limit(407);
        try (History primary = filled(100); History replica = new History(OPTIONS)) {
            primary.exportBegin();
            int number = 0;
            long live = 0;
            ExportResult written;
            do {
                written = primary.exportNext(buffer);
                assertEquals(7, buffer.position());
                assertEquals(407, buffer.limit());
                ByteBuffer sent = buffer.duplicate().limit(7 + written.bytes());
                ExportInfo info = ExportInfo.of(sent);
                assertEquals(number++, info.number());
                assertEquals(8, info.valueSize());
                assertEquals(10_000, info.windowNanos());
                assertEquals(99, info.presentNanos());
                assertEquals(written.entries(), info.entries());
                assertEquals(!written.more(), info.isLast());
                ImportResult taken = replica.importBuffer(sent.asReadOnlyBuffer(), 1099, 1000);
                live += taken.live();
                assertEquals(written.entries(), taken.live() + taken.historical());
                assertEquals(!written.more(), taken.isLast());
            } while (written.more());
            assertEquals(50, live);
            assertEquals(50, replica.liveLen());
            assertEquals(50, replica.historyLen());
            assertEquals(1003, replica.insertedAtNanos(replica.find(0, 3)));
            assertEquals(30, replica.getLongValue(replica.find(0, 3)));
            assertEquals(Presence.HISTORICAL, replica.contains(0, 2, 1099));
            assertThrows(IllegalStateException.class, () -> primary.exportNext(buffer), "that was the last");
        }
    }

    @Test
    void buffersThatDoNotFitAreRefusedAndChangeNothing() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(5000);
        try (History primary = filled(10); History replica = new History(OPTIONS)) {
            assertThrows(IllegalStateException.class, () -> primary.exportNext(buffer), "it was not begun");
            primary.exportBegin();
            assertThrows(ReadOnlyBufferException.class, () -> primary.exportNext(buffer.asReadOnlyBuffer()));
            IllegalArgumentException heap =
                    assertThrows(IllegalArgumentException.class, () -> primary.exportNext(ByteBuffer.allocate(5000)));
            assertTrue(heap.getMessage().contains("allocateDirect"), heap.getMessage());
            ByteBuffer tooSmall = ByteBuffer.allocateDirect(96);
            assertThrows(IllegalArgumentException.class, () -> primary.exportNext(tooSmall));
            assertThrows(IllegalArgumentException.class, () -> primary.exportNext(buffer.duplicate().position(4950)));
            assertThrows(NullPointerException.class, () -> primary.exportNext(null));
            ExportResult written = primary.exportNext(buffer);
            assertFalse(written.more(), "the refused calls have taken nothing");
            assertEquals(10, written.entries());

            ByteBuffer sent = buffer.duplicate().limit(written.bytes());
            assertThrows(IllegalArgumentException.class, () -> replica.importBuffer(buffer, 99, 0), "longer than it says");
            assertThrows(IllegalArgumentException.class,
                    () -> replica.importBuffer(sent.duplicate().limit(sent.limit() - 1), 99, 0));
            assertThrows(IllegalArgumentException.class,
                    () -> replica.importBuffer(ByteBuffer.allocate(written.bytes()), 99, 0));
            assertThrows(IllegalArgumentException.class, () -> ExportInfo.of(ByteBuffer.allocateDirect(3)));
            buffer.put(70, (byte) (buffer.get(70) ^ 1));
            IllegalArgumentException changed =
                    assertThrows(IllegalArgumentException.class, () -> replica.importBuffer(sent, 99, 0));
            assertTrue(changed.getMessage().startsWith("QC_ERR_BAD_BUFFER: "), changed.getMessage());
            buffer.put(70, (byte) (buffer.get(70) ^ 1));
            assertThrows(IllegalArgumentException.class, () -> replica.importBuffer(sent, 0, 0), "later than the present");
            assertEquals(0, replica.liveLen());
            try (History other = new History(HistoryTest.options())) {
                assertThrows(IllegalArgumentException.class, () -> other.importBuffer(sent, 99, 0), "values differ");
            }
            assertEquals(5, replica.importBuffer(sent, 99, 0).live());
            assertEquals(10, replica.importBuffer(sent, 99, 0).duplicates());
        }
    }

    @Test
    void nativeCodeTakesNoRangeThatIsNotInsideTheBuffer() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(200);
        long[] told = new long[7];
        for (long[] range : new long[][] {{0, 201}, {200, 1}, {-1, 10}, {0, -1}, {Long.MAX_VALUE, 2}, {1, Long.MAX_VALUE}}) {
            assertThrows(IllegalArgumentException.class, () -> NativeHistory.bufferInfo(told, buffer, range[0], range[1]));
        }
        assertThrows(NullPointerException.class, () -> NativeHistory.bufferInfo(told, null, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> Native.addressOf(ByteBuffer.allocate(8), 8));
        assertThrows(IllegalArgumentException.class, () -> Native.addressOf(ByteBuffer.allocateDirect(8), 9));
        assertThrows(IllegalArgumentException.class, () -> Native.addressOf(buffer.position(1).slice(), 8), "not aligned");
    }
}
