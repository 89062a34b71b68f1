package org.queuecore.bench;

/**
 * How to measure.
 *
 * @param quick whether a rough look will do
 * @param rounds how often
 * @param only the one case that is wanted, or null
 */
public record Settings(boolean quick, int rounds, String only) {
    /** Where the native libraries are; what is measured in a process of its own is told. */
    private static final String LIBRARY = "org.queuecore.library.path";

    /**
     * Whether a case is wanted.
     *
     * @param name its name
     * @return whether it is
     */
    public boolean wants(String name) {
        return only == null || only.equals(name);
    }

    /**
     * What a virtual machine of its own has to be told so that it finds the native libraries.
     *
     * @return arguments for its command line
     */
    public String[] libraryArguments() {
        String library = System.getProperty(LIBRARY);
        return library == null ? new String[0] : new String[] {"-D" + LIBRARY + "=" + library};
    }

    /**
     * Says where it is, in one line that the next one covers.
     *
     * @param round the round, from 1
     * @param what what is measured next
     */
    public void progress(int round, String what) {
        System.err.printf("\rround %d of %d: %-60s", round, rounds, what);
    }
}
