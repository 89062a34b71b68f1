package org.queuecore.activemq;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.FieldPersistence;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.implementation.SuperMethodCall;
import net.bytebuddy.pool.TypePool;
import net.bytebuddy.utility.JavaModule;

/**
 * The Java agent: {@code java -javaagent:queuecore-activemq-agent.jar ...}. It rewrites {@code
 * org.apache.activemq.usage.MemoryUsage} when the broker loads it, so that every meter of an unchanged broker is native: the
 * destinations' as well, and the producer windows of clients in the same virtual machine.
 *
 * <pre>
 * class MemoryUsage extends Usage {          each instance gets a {@link BrokerMeter}, and
 *     BrokerMeter queuecore$meter;           - what BrokerMeter has a method for is that method;
 *     ...                                    - start, stop, setParent, setExecutor and onLimitChange do what they did,
                                                 and tell it.
 * }
 * </pre>
 *
 * <p>And {@code isFull(int)} of the meters for disks, which stay the broker's own, does without its write lock: see {@link
 * IsFullWithoutLock}.
 *
 * <p>{@code BrokerMeter} speaks of the broker's classes, so it has to be where they are: a broker that is started by its own
 * script has them in a class loader below the agent's, and there {@link Companions} puts it. Hence nothing here may load it,
 * nor any class of the broker: they are read as files.
 */
public final class Agent {
    private static final String PACKAGE = "org.queuecore.activemq.";
    private static final String METER = "org.apache.activemq.usage.MemoryUsage";
    private static final String SUBCLASS = "org/queuecore/activemq/QueuecoreMemoryUsage";
    private static final String ANY_METER = "org.apache.activemq.usage.Usage";
    /** Methods of {@code BrokerMeter} that replace none of the broker's. */
    private static final Set<String> OWN = Set.of(
            "setExecutor", "setParent", "setLimit", "setUsagePortion", "limitChanged", "started", "stopped", "moved", "meter",
            "toString");

    private static final AtomicBoolean GIVEN = new AtomicBoolean();

    private final Instrumentation instrumentation;

    private Agent(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /**
     * Called by the virtual machine before the program's main method.
     *
     * @param arguments none
     * @param instrumentation the virtual machine's
     */
    public static void premain(String arguments, Instrumentation instrumentation) {
        if (GIVEN.getAndSet(true)) {
            System.err.println("queuecore: the agent is on the command line twice; once is enough");
            return;
        }
        // Made and closed, so that whatever could keep a meter from being made is known before the broker relies on it.
        try (org.queuecore.MemoryUsage first = new org.queuecore.MemoryUsage("first")) {
            first.increaseUsage(1);
            new Agent(instrumentation).install();
        } catch (Throwable cannot) {
            System.err.println("queuecore: the broker keeps its own meters: " + reason(cannot));
        }
    }

    private void install() {
        instrumentation.addTransformer(new SubclassToo());
        new AgentBuilder.Default()
                .with(AgentBuilder.TypeStrategy.Default.REDEFINE)
                .with(AgentBuilder.InitializationStrategy.NoOp.INSTANCE)
                .with(new Complaints())
                .type(named(METER))
                .transform((builder, type, loader, module, domain) -> rewritten(builder, loader, domain))
                .type(named(ANY_METER))
                .transform((builder, type, loader, module, domain) -> withoutLock(builder, loader))
                .installOn(instrumentation);
    }

    /** What is wrong, and not what could not be done because of it. */
    private static String reason(Throwable thrown) {
        Throwable reason = thrown;
        while ((reason instanceof ExceptionInInitializerError || reason instanceof IllegalStateException)
                && reason.getCause() != null) {
            reason = reason.getCause();
        }
        return reason instanceof UnsatisfiedLinkError || reason instanceof IllegalArgumentException
                ? reason.getMessage() : reason.toString();
    }

    private DynamicType.Builder<?> rewritten(DynamicType.Builder<?> builder, ClassLoader loader, ProtectionDomain domain) {
        ClassFileLocator files = files(loader);
        TypePool types = TypePool.Default.of(files);
        TypeDescription meter = types.describe(PACKAGE + "BrokerMeter").resolve();
        Companions.put(instrumentation, loader, domain);
        DynamicType.Builder<?> made = builder
                .defineField(BrokerMeter.FIELD, meter, Visibility.PUBLIC, FieldPersistence.TRANSIENT)
                .visit(Advice.to(types.describe(PACKAGE + "Constructed").resolve(), files)
                        .on(isConstructor().and(takesArguments(3))));
        for (MethodDescription method : meter.getDeclaredMethods()) {
            if (method.isMethod() && method.isPublic() && !method.isStatic() && !OWN.contains(method.getName())) {
                made = made.method(named(method.getName()).and(takesArguments(method.getParameters().asTypeList().asErasures())))
                        .intercept(MethodCall.invoke(method).onField(BrokerMeter.FIELD).withAllArguments());
            }
        }
        return made
                .method(named("toString").and(takesArguments(0))).intercept(instead(meter, "toString"))
                .method(named("retrieveUsage")).intercept(instead(meter, "getUsage"))
                .method(named("caclPercentUsage")).intercept(instead(meter, "getPercentUsage"))
                .method(named("setPercentUsage")).intercept(StubMethod.INSTANCE)
                .method(named("onLimitChange")).intercept(instead(meter, "limitChanged").andThen(SuperMethodCall.INSTANCE))
                .method(named("setLimit")).intercept(instead(meter, "setLimit").andThen(tellOfLimit()))
                .method(named("setUsagePortion")).intercept(instead(meter, "setUsagePortion").andThen(tellOfLimit()))
                .method(named("start")).intercept(SuperMethodCall.INSTANCE.andThen(instead(meter, "started")))
                .method(named("stop")).intercept(SuperMethodCall.INSTANCE.andThen(instead(meter, "stopped")))
                .method(named("setExecutor")).intercept(SuperMethodCall.INSTANCE.andThen(instead(meter, "setExecutor")))
                .method(named("setParent")).intercept(instead(meter, "moved").andThen(SuperMethodCall.INSTANCE));
    }

    /** As the broker's own does, so that derived classes hear of it, and the started meters below. */
    private static MethodCall tellOfLimit() {
        return MethodCall.invoke(named("onLimitChange"));
    }

    private static DynamicType.Builder<?> withoutLock(DynamicType.Builder<?> builder, ClassLoader loader) {
        ClassFileLocator files = files(loader);
        TypeDescription pattern = TypePool.Default.of(files).describe(PACKAGE + "IsFullWithoutLock").resolve();
        return builder.visit(Advice.to(pattern, files).on(named("isFull").and(takesArguments(int.class))));
    }

    private static ClassFileLocator files(ClassLoader loader) {
        return new ClassFileLocator.Compound(
                ClassFileLocator.ForClassLoader.of(Agent.class.getClassLoader()), ClassFileLocator.ForClassLoader.of(loader));
    }

    private static MethodCall instead(TypeDescription meter, String name) {
        MethodDescription method = meter.getDeclaredMethods().filter(named(name)).getOnly();
        return MethodCall.invoke(method).onField(BrokerMeter.FIELD).withAllArguments();
    }

    /**
     * Looks out for a configuration that names the subclass besides. Where the broker's classes are in a class loader below, it
     * is found in the agent's jar first, which does not see what it is derived from, and the broker does not start.
     */
    private static final class SubclassToo implements ClassFileTransformer {
        @Override
        public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] file) {
            if (SUBCLASS.equals(name) && loader == Agent.class.getClassLoader()
                    && loader.getResource(METER.replace('.', '/') + ".class") == null) {
                System.err.println("queuecore: the configuration names " + SUBCLASS.replace('/', '.')
                        + ", and the agent is on the command line. Both together cannot be: with the agent the broker's meters are"
                        + " native already, so put its own <memoryUsage> back");
            }
            return null;
        }
    }

    /** A class that could not be rewritten stays as it is; that has to be seen. */
    private static final class Complaints extends AgentBuilder.Listener.Adapter {
        @Override
        public void onError(String type, ClassLoader loader, JavaModule module, boolean loaded, Throwable thrown) {
            System.err.println("queuecore: " + type + " could not be rewritten and stays the broker's own: " + reason(thrown));
        }
    }
}
