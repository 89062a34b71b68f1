package org.queuecore;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The accesses that {@link Region} makes, by offset, in whichever way this Java does them without looking more than
 * needed. A direct buffer compares each index with a limit that it has to read; at four reads and two exchanges for a message
 * that doubles what a message costs. So, first that works:
 *
 * <table>
 * <caption>ways</caption>
 * <tr><td>{@code ffm}</td><td>Java 22 and later: a memory segment over the buffer, whose bounds are constants</td></tr>
 * <tr><td>{@code unsafe}</td><td>before that: {@code sun.misc.Unsafe}, if the module {@code jdk.unsupported} is there</td></tr>
 * <tr><td>{@code buffer}</td><td>always: the buffer itself</td></tr>
 * </table>
 *
 * <p>The property {@code org.queuecore.memory} names one of them. The sources are compiled for Java 17, so what is younger or
 * not standard is looked up by name; as constants the handles compile to the bare instructions all the same.
 */
record MemoryAccess(
        String way, MethodHandle getLong, MethodHandle getLongAcquire, MethodHandle getIntAcquire, MethodHandle compareAndSet) {
    /** The property that chooses a way. */
    static final String WAY_PROPERTY = "org.queuecore.memory";
    static final MethodType GET_LONG = MethodType.methodType(long.class, long.class);
    static final MethodType GET_INT = MethodType.methodType(int.class, long.class);
    static final MethodType COMPARE_AND_SET =
            MethodType.methodType(boolean.class, long.class, long.class, long.class);

    /** The best way that there is, or the one that the property names. */
    static MemoryAccess of(ByteBuffer memory, long base) {
        String wanted = System.getProperty(WAY_PROPERTY);
        for (String way : wanted == null ? List.of("ffm", "unsafe", "buffer") : List.of(wanted)) {
            try {
                switch (way) {
                    case "ffm":
                        return segment(memory);
                    case "unsafe":
                        return unsafe(base);
                    case "buffer":
                        return buffer(memory);
                    default:
                        throw new IllegalArgumentException(
                                "-D" + WAY_PROPERTY + "=" + way + ": it has to be ffm, unsafe or buffer");
                }
            } catch (ReflectiveOperationException | RuntimeException notThere) {
                if (wanted != null) {
                    throw new QueuecoreException("-D" + WAY_PROPERTY + "=" + way + " does not work here", notThere);
                }
            }
        }
        throw new QueuecoreException("no way to the memory works here");
    }

    /** {@code MemorySegment.ofBuffer(memory)}, and handles over {@code ValueLayout.JAVA_LONG} and {@code JAVA_INT}. */
    private static MemoryAccess segment(ByteBuffer memory) throws ReflectiveOperationException {
        Class<?> segments = Class.forName("java.lang.foreign.MemorySegment");
        Object segment = segments.getMethod("ofBuffer", Buffer.class).invoke(null, memory);
        return of("ffm", segmentHandle("JAVA_LONG"), segmentHandle("JAVA_INT"), segment);
    }

    private static VarHandle segmentHandle(String layout) throws ReflectiveOperationException {
        Class<?> elements = Class.forName("java.lang.foreign.MemoryLayout$PathElement");
        Object none = Array.newInstance(elements, 0);
        Object value = Class.forName("java.lang.foreign.ValueLayout").getField(layout).get(null);
        return (VarHandle) Class.forName("java.lang.foreign.MemoryLayout")
                .getMethod("varHandle", none.getClass())
                .invoke(value, none);
    }

    private static MemoryAccess buffer(ByteBuffer memory) {
        ByteOrder order = ByteOrder.nativeOrder();
        return of("buffer", MethodHandles.byteBufferViewVarHandle(long[].class, order),
                MethodHandles.byteBufferViewVarHandle(int[].class, order), memory);
    }

    /** The handles' first coordinate is where the memory is, their second one the offset. */
    private static MemoryAccess of(String way, VarHandle longs, VarHandle ints, Object memory) {
        return new MemoryAccess(way, bound(longs, AccessMode.GET, memory, GET_LONG),
                bound(longs, AccessMode.GET_ACQUIRE, memory, GET_LONG),
                bound(ints, AccessMode.GET_ACQUIRE, memory, GET_INT),
                bound(longs, AccessMode.COMPARE_AND_SET, memory, COMPARE_AND_SET));
    }

    private static MethodHandle bound(VarHandle handle, AccessMode mode, Object memory, MethodType type) {
        MethodHandle access = MethodHandles.insertArguments(handle.toMethodHandle(mode), 0, memory);
        return MethodHandles.explicitCastArguments(access, type);
    }

    /** {@code sun.misc.Unsafe}: volatile loads, which acquire, and an exchange, both by address. */
    private static MemoryAccess unsafe(long base) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        return new MemoryAccess("unsafe", method(unsafe, base, "getLong", GET_LONG),
                method(unsafe, base, "getLongVolatile", GET_LONG),
                method(unsafe, base, "getIntVolatile", GET_INT),
                method(unsafe, base, "compareAndSwapLong", COMPARE_AND_SET));
    }

    private static MethodHandle method(Object unsafe, long base, String name, MethodType type)
            throws ReflectiveOperationException {
        MethodHandle access = MethodHandles.publicLookup()
                .findVirtual(unsafe.getClass(), name, type.insertParameterTypes(0, Object.class))
                .bindTo(unsafe);
        MethodHandle address = MethodHandles.insertArguments(
                MethodHandles.lookup().findStatic(Long.class, "sum",
                        MethodType.methodType(long.class, long.class, long.class)), 0, base);
        return MethodHandles.filterArguments(MethodHandles.insertArguments(access, 0, (Object) null), 0, address);
    }
}
