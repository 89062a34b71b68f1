package org.queuecore.activemq;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What the virtual machine says of native code that breaks its rules, if it was started with {@code -Xcheck:jni}. As an
 * extension, which JUnit finds by its service file, it looks after each class at what this virtual machine has said so far.
 */
public final class JniComplaints implements AfterAllCallback {
    private static final List<String> COMPLAINTS = List.of("in native method", "WARNING: JNI", "FATAL ERROR");

    /** Whether there is one in what a virtual machine said. */
    static boolean in(String said) {
        return COMPLAINTS.stream().anyMatch(said::contains);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        String log = System.getProperty("queuecore.vm.log");
        if (log != null) {
            String said = Files.readString(Path.of(log));
            assertFalse(in(said), said);
        }
    }
}
