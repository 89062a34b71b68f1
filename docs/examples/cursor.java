import java.util.TreeMap;
import org.queuecore.Blocked;
import org.queuecore.Cursor;
import org.queuecore.CursorBatch;
import org.queuecore.CursorOptions;
import org.queuecore.CursorPage;
import org.queuecore.CursorStore;
import org.queuecore.MemoryUsage;

class Orders {
    /** The broker's store: it has every message until that is acknowledged. */
    static class Store implements CursorStore {
        final TreeMap<Long, byte[]> bodies = new TreeMap<>();

        /** A page: what is pending behind {@code after} and up to {@code upTo}, in order. */
        @Override
        public void fetch(long after, long upTo, CursorPage page) {
            for (var one : bodies.subMap(after, false, upTo, true).entrySet()) {
                if (!page.hasRoom(one.getValue().length)) {
                    break;
                }
                page.add(one.getKey(), 0, one.getValue().length, 4);
            }
        }
    }

    public static void main(String[] args) {
        Store store = new Store();
        try (MemoryUsage memory = new MemoryUsage("orders")) {
            memory.setLimit(1000);
            try (Cursor orders = new Cursor(new CursorOptions(), memory, store)) {
                orders.onReady(() -> System.out.println("ready to pull again")); // a broker wakes its dispatcher here

                CursorBatch batch = new CursorBatch(10);
                for (long sequence = 1; sequence <= 10; sequence++) {
                    store.bodies.put(sequence, new byte[100]); // the store first, then the cursor
                    batch.addMessage(sequence, sequence, 0, 100, 4);
                }
                orders.pushBatch(batch);
                int cached = 0;
                for (int i = 0; i < batch.messages(); i++) {
                    cached += batch.isCached(i) ? 1 : 0;
                }
                System.out.printf("%d of 10 cached, %d bytes%n", cached, memory.getUsage());

                orders.pull(10, batch);
                System.out.println(batch.delivered() + " pulled"
                        + (batch.blocked() == Blocked.OWN_MARK ? ", then its own mark" : ""));
                for (int i = 0; i < batch.delivered(); i++) {
                    store.bodies.remove(batch.sequence(i));
                    batch.addAck(batch.sequence(i));
                }
                orders.ackBatch(batch);

                orders.pull(10, batch); // one page
                System.out.printf("%d pulled, %d bytes%n", batch.delivered(), memory.getUsage());
                orders.requeue(batch.sequence(1)); // its consumer is gone
                orders.ack(batch.sequence(0));
                orders.ack(batch.sequence(2));
                orders.pull(10, batch);
                System.out.printf("message %d again, redelivered %d time%n", batch.sequence(0), batch.redeliveries(0));
                orders.ack(batch.sequence(0));
                System.out.printf("%d bytes, %d page%n", memory.getUsage(), orders.getStats().pages());
            }
        }
    }
}
