package org.queuecore.activemq;

/** A broker whose configuration names the subclass. */
class SubclassTest extends BrokerScenarios {
    @Override
    Way way() {
        return Way.SUBCLASS;
    }
}
