package org.queuecore.activemq;

/** An unchanged broker, with the agent on its command line. */
class AgentMessagesIT extends MessageScenarios {
    @Override
    Way way() {
        return Way.AGENT;
    }
}
