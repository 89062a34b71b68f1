// The words of --help. They are meant to teach the incident as well as the flags.
#pragma once

#include <string>

namespace replay::help {

/// `text` with line breaks between words, so that no line is longer than the help's second column.
std::string folded(const std::string& text);

extern const char* const description;
extern const char* const footer;

// The load
extern const char* const preset;
extern const char* const rate;
extern const char* const capacity;
extern const char* const window;
extern const char* const duration;
extern const char* const ackDelay;
extern const char* const ttl;
extern const char* const stall;
extern const char* const noStall;
extern const char* const ackOutage;
extern const char* const queueLimit;

// The history
std::string run();
std::string policy();
extern const char* const engine;
extern const char* const gcInterval;
extern const char* const idleGc;
extern const char* const cold;
extern const char* const start;

// Clock and cost
extern const char* const clock;
extern const char* const cost;
extern const char* const passes;
extern const char* const seed;
extern const char* const otherWork;
extern const char* const producers;

// What to do
extern const char* const findCapacity;
extern const char* const predictCapacity;
extern const char* const capacityOnly;
extern const char* const trace;
extern const char* const record;
extern const char* const out;
extern const char* const sample;
extern const char* const quiet;

extern const char* const scenario;

// The scenario usage
extern const char* const consumers;
extern const char* const limit;
extern const char* const messageSize;
extern const char* const work;
extern const char* const resumeBelow;
std::string meter();

// The scenario cursor
std::string cursorPart();
std::string refill();
std::string fault();
extern const char* const backlog;
extern const char* const prefetch;
extern const char* const fetchDelay;
extern const char* const faultEvery;
extern const char* const turns;
extern const char* const store;

}  // namespace replay::help
