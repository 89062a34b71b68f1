package org.queuecore.activemq;

/** A broker whose configuration names the subclass. */
class SubclassMessagesTest extends MessageScenarios {
    @Override
    Way way() {
        return Way.SUBCLASS;
    }
}
