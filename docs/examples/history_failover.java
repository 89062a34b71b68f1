import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.queuecore.ExportInfo;
import org.queuecore.ExportResult;
import org.queuecore.History;
import org.queuecore.HistoryOptions;
import org.queuecore.ImportResult;
import org.queuecore.InsertOutcome;

class Failover {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    public static void main(String[] args) {
        HistoryOptions options = new HistoryOptions().windowNanos(300 * SECOND).valueSize(8);
        ByteBuffer buffer = ByteBuffer.allocateDirect(4096); // or a mapped file: a buffer a call
        try (History primary = new History(options); History replica = new History(options)) {
            for (int n = 0; n < 3; n++) {
                primary.insertLong(0, n, n, n * SECOND, n * SECOND);
            }
            primary.eraseKey(0, 0, 3 * SECOND);

            // The replica's clock shows 1000 s where the primary's shows 3 s.
            primary.exportBegin();
            ByteBuffer sent;
            ExportResult written;
            do {
                written = primary.exportNext(buffer);
                sent = buffer.duplicate().limit(written.bytes());
                long shift = 1000 * SECOND - ExportInfo.of(sent).presentNanos();
                ImportResult taken = replica.importBuffer(sent, 1000 * SECOND, shift);
                System.out.printf("%d live and %d historical arrived%n", taken.live(), taken.historical());
            } while (written.more());

            InsertOutcome put = replica.insert(0, 0, 1001 * SECOND, 1001 * SECOND);
            System.out.println(put == InsertOutcome.DUPLICATE_HISTORY ? "the replica knows the duplicate" : "new");
            buffer.put(80, (byte) (buffer.get(80) ^ 1));
            try {
                replica.importBuffer(sent, 1001 * SECOND, 0);
            } catch (IllegalArgumentException broken) {
                System.out.println(broken.getMessage().replaceFirst("^QC_ERR_BAD_BUFFER: ", ""));
            }
        }
    }
}
