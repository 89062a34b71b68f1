package org.queuecore.activemq;

import java.lang.invoke.MethodHandle;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.utility.JavaConstant.MethodHandle.HandleType;
import org.apache.activemq.usage.Usage;

/**
 * What the agent puts before {@code Usage.isFull(int)}, which every persistent message asks of the store's meter: that method
 * takes the meter's write lock only to compute the percent anew and to keep it. If the percent is the one that is kept
 * already there is nothing to write, and the answer needs no lock. Otherwise the method runs as it is. It is a pattern: its
 * code is copied into that class.
 */
final class IsFullWithoutLock {
    private static final int RUN_THE_METHOD = 0;
    private static final int NOT_FULL = 1;
    private static final int FULL = 2;

    private IsFullWithoutLock() {
    }

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static int enter(
            @Advice.This Usage<?> usage,
            @Advice.Argument(0) int percent,
            @Advice.FieldValue("parent") Usage<?> parent,
            @Advice.Handle(
                            type = HandleType.INVOKE_VIRTUAL,
                            owner = Usage.class,
                            name = "caclPercentUsage",
                            returnType = int.class,
                            parameterTypes = {})
                    MethodHandle computed,
            @Advice.FieldValue("percentUsage") int kept) throws Throwable {
        if (parent != null && parent.isFull(percent)) {
            return FULL;
        }
        int now;
        try {
            now = (int) computed.invokeExact((Usage) usage);
        } catch (ArithmeticException noLimitAnyMore) {
            // It reads the limit twice, and another thread has just taken it away.
            return RUN_THE_METHOD;
        }
        if (now != kept) {
            return RUN_THE_METHOD;
        }
        return now >= percent ? FULL : NOT_FULL;
    }

    @Advice.OnMethodExit
    static void exit(@Advice.Enter int answer, @Advice.Return(readOnly = false) boolean full) {
        if (answer != RUN_THE_METHOD) {
            full = answer == FULL;
        }
    }
}
