package org.queuecore.bench.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * Which locks threads waited for, as Flight Recorder saw it: every park and every blocked monitor, however short. One belongs
 * to a meter if a class of the broker's meters, or of this library, took it: the innermost one on the stack that is not Java's
 * own. A lock of the broker's that a listener takes, which a meter calls, does not.
 */
final class Contention {
    private static final String PARK = "jdk.ThreadPark";
    private static final String MONITOR = "jdk.JavaMonitorEnter";
    private static final String LOST = "jdk.DataLoss";
    private static final String[] METERS = {"org.apache.activemq.usage.", "org.queuecore."};
    private static final String[] JAVAS = {"java.", "jdk.", "sun."};
    /** No meter's, though its name begins so. */
    private static final String BENCH = "org.queuecore.bench.";

    private final Recording recording;

    private Contention(Recording recording) {
        this.recording = recording;
    }

    static Contention started() {
        Recording recording = new Recording();
        recording.enable(PARK).withThreshold(Duration.ZERO).withStackTrace();
        recording.enable(MONITOR).withThreshold(Duration.ZERO).withStackTrace();
        recording.enable(LOST);
        recording.start();
        return new Contention(recording);
    }

    /** Ends it, and answers what it saw since a moment, as fields of the line of figures. */
    String ended(Path folder, Instant since) throws IOException {
        Path file = folder.resolve("contention.jfr");
        recording.stop();
        recording.dump(file);
        recording.close();
        long parks = 0;
        long monitors = 0;
        long all = 0;
        long lost = 0;
        String where = "nowhere";
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getStartTime().isBefore(since)) {
                    continue;
                }
                String name = event.getEventType().getName();
                RecordedFrame meters = frameOfMeters(event.getStackTrace());
                boolean isMeters = meters != null;
                if (isMeters) {
                    where = meters.getMethod().getType().getName() + "." + meters.getMethod().getName() + ":" + meters.getLineNumber();
                }
                switch (name) {
                    case PARK -> parks += isMeters ? 1 : 0;
                    case MONITOR -> monitors += isMeters ? 1 : 0;
                    default -> lost++;
                }
                all++;
            }
        }
        Files.delete(file);
        return " meter_parks=" + parks + " meter_monitors=" + monitors + " waits=" + all + " lost=" + lost
                + " where=" + where;
    }

    /** The frame that took the lock, if it is a meter's, or null. */
    private static RecordedFrame frameOfMeters(RecordedStackTrace stack) {
        if (stack == null) {
            return null;
        }
        for (RecordedFrame frame : stack.getFrames()) {
            String type = frame.getMethod().getType().getName();
            if (!startsWithOne(type, JAVAS)) {
                return startsWithOne(type, METERS) && !type.startsWith(BENCH) ? frame : null;
            }
        }
        return null;
    }

    private static boolean startsWithOne(String type, String[] packages) {
        return Stream.of(packages).anyMatch(type::startsWith);
    }
}
