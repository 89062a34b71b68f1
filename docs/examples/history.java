import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.queuecore.History;
import org.queuecore.HistoryBatch;
import org.queuecore.HistoryOptions;
import org.queuecore.InsertOutcome;

class Dispatcher {
    public static void main(String[] args) {
        HistoryOptions options = new HistoryOptions().windowNanos(TimeUnit.SECONDS.toNanos(300));
        try (History history = new History(options)) {
            UUID guid = UUID.randomUUID();
            long high = guid.getMostSignificantBits();
            long low = guid.getLeastSignificantBits();

            // A turn of the dispatcher: what has come, 64 messages a crossing at the most.
            HistoryBatch turn = new HistoryBatch(64);
            turn.addKey(high, low, 1000); // a PUT at 1000 ns
            history.insertBatch(turn, 1000);
            for (int i = 0; i < turn.keys(); i++) {
                if (turn.outcome(i) == InsertOutcome.ADDED) {
                    turn.addEntry(turn.entry(i)); // its ACK; a broker keeps the entry with the message until then
                }
            }
            history.eraseBatch(turn, 2000);

            // A call for a message: the producer tries again.
            InsertOutcome put = history.insert(high, low, 3000, 3000);
            System.out.println(put == InsertOutcome.DUPLICATE_HISTORY ? "duplicate" : "new");
        }
    }
}
