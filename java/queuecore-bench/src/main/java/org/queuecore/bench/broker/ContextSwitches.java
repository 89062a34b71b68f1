package org.queuecore.bench.broker;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * How often threads of this process have gone to sleep so far, as the kernel counts it: whatever they waited for, in Java or
 * in native code, which Flight Recorder does not see.
 */
final class ContextSwitches {
    private static final String FIELD = "voluntary_ctxt_switches:";

    private ContextSwitches() {
    }

    static long now() throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                sum += of(thread.resolve("status"));
            }
        }
        return sum;
    }

    private static long of(Path status) throws IOException {
        try {
            List<String> lines = Files.readAllLines(status);
            return lines.stream().filter(line -> line.startsWith(FIELD))
                    .mapToLong(line -> Long.parseLong(line.substring(FIELD.length()).strip())).sum();
        } catch (NoSuchFileException ended) {
            return 0;
        }
    }
}
