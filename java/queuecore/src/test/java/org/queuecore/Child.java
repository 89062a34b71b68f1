package org.queuecore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A virtual machine of its own, for what can be tried once in a process: it loads the library, and uses all there is. */
final class Child {
    private Child() {
    }

    /** The folder with the two libraries, as they stand in the classifier jar. For the parent. */
    static Path staged() {
        return Path.of(System.getProperty("queuecore.staged"));
    }

    /** What a child said, and its exit code. */
    record Outcome(int code, String said) {
    }

    /** Runs {@link #main} with these options, with the natives on the class path or not. */
    static Outcome run(boolean nativesOnClassPath, String... options) throws IOException, InterruptedException {
        return run(Child.class, nativesOnClassPath, options);
    }

    /** Runs the main method of another class so. */
    static Outcome run(Class<?> main, boolean nativesOnClassPath, String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(options));
        String classPath = System.getProperty("queuecore.classes") + ":" + System.getProperty("queuecore.test.classes");
        arguments.addAll(List.of("-cp", nativesOnClassPath ? classPath + ":" + natives() : classPath, main.getName()));
        return outcome(arguments);
    }

    /** The root that the staged folder is /native/OS-ARCH of. */
    static Path natives() {
        return staged().getParent().getParent();
    }

    /** Runs a virtual machine. */
    static Outcome outcome(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xcheck:jni");
        command.addAll(arguments);
        Path said = Files.createTempFile("queuecore-child", ".txt");
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
            if (!process.waitFor(100, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("the child does not end; it said: " + Files.readString(said));
            }
            return new Outcome(process.exitValue(), Files.readString(said));
        } finally {
            Files.delete(said);
        }
    }

    /**
     * Goes through every native once, with threads and failures, and prints where the library came from.
     *
     * @param args none
     * @throws Exception if anything is not as it should be
     */
    public static void main(String[] args) throws Exception {
        NativeLibrary.load();
        NativeLibrary.load();
        System.out.println("origin " + NativeLibrary.origin());
        System.out.println("version " + NativeLibrary.version());
        System.out.println("way " + Region.WAY);
        try (MemoryUsage broker = new MemoryUsage("broker"); MemoryUsage orders = new MemoryUsage(broker, "orders", 0.5f)) {
            broker.setLimit(1_000_000);
            List<Integer> steps = new ArrayList<>();
            broker.addUsageListener((usage, from, to) -> steps.add(to));
            broker.setMarks(50, 60);
            ThreadsTest.onThreads(4, thread -> {
                for (int i = 0; i < 20_000; i++) {
                    orders.increaseUsage(500);
                    orders.isFull();
                    orders.isFull(10);
                    orders.getPercentUsage();
                    orders.decreaseUsage(499);
                }
            });
            expect(orders.getUsage() == 80_000, "orders counts " + orders.getUsage());
            orders.setUsage(500_000);
            expect(orders.isFull() && !orders.tryReserve(1) && !orders.waitForSpace(1) && !orders.reserve(1, 1), "it is full");
            expect(orders.notifyCallbackWhenNotFull(() -> System.out.println("not full")), "it is full");
            orders.setUsagePortion(1);
            orders.setPercentUsageMinDelta(2);
            broker.stop();
            broker.start();
            broker.clearMarks();
            expect(!broker.isOverMark() && broker.getLimit() == 1_000_000 && broker.getUsageExact() == 500_000, "figures");
            expect(!steps.isEmpty() && !broker.getStats().isFull(), "steps");
            broker.removeUsageListener(null);
            for (int status = -1; status < 40; status++) {
                fails(status);
            }
            try {
                Native.panic();
                expect(false, "it panicked");
            } catch (QueuecoreException expected) {
                // That is what it is for.
            }
        }
        System.gc();
        System.out.println("done");
    }

    private static void fails(int status) {
        try {
            Native.fail(status);
            expect(status == 0, status + " is thrown");
        } catch (RuntimeException | OutOfMemoryError expected) {
            expect(expected.getMessage() != null, "it has its words");
        }
    }

    static void expect(boolean isSo, String what) {
        if (!isSo) {
            throw new AssertionError(what);
        }
    }
}
