import org.queuecore.MemoryUsage;

class Usage {
    public static void main(String[] args) throws InterruptedException {
        try (MemoryUsage broker = new MemoryUsage("broker")) {
            broker.setLimit(1_000_000);
            MemoryUsage orders = new MemoryUsage(broker, "orders", 0.7f); // 70 % of the broker's limit

            orders.increaseUsage(650_000); // counted here and above, whatever the limit says
            System.out.printf("orders: %d %%, %s%n", orders.getPercentUsage(), orders.isFull() ? "full" : "not full");

            System.out.println(orders.tryReserve(100_000) ? "admitted" : "no room"); // only if it fits on every level
            Thread consumer = new Thread(() -> orders.decreaseUsage(400_000));
            consumer.start();
            boolean below = orders.waitForSpace(10_000, 80); // until every level is below 80 %
            System.out.println(below && orders.tryReserve(100_000) ? "waited, then admitted" : "gave up");
            consumer.join();

            System.out.printf("orders still held %d bytes%n", orders.getUsage());
            orders.close(); // takes it off the broker
            System.out.printf("broker: %d bytes%n", broker.getUsage());
        }
    }
}
