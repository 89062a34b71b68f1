#include "engine.hpp"

#include "queuecore_engine.hpp"
#include "stl_engine.hpp"

namespace replay {

FixedCosts typicalCosts(EngineKind kind) {
    return kind == EngineKind::Queuecore ? FixedCosts{180, 60, 16.0} : FixedCosts{400, 60, 47.0};
}

std::unique_ptr<Engine> makeEngine(EngineKind kind, const Policy& policy, Ns windowNs, std::uint64_t seed) {
    if (kind == EngineKind::Queuecore) {
        return std::make_unique<QueuecoreEngine>(policy, windowNs, seed);
    }
    return std::make_unique<StlEngine>(policy, windowNs);
}

}  // namespace replay
