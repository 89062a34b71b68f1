// Nothing before the wrapper, and every member of it made once for each way to hold values: compiled, not
// run, with warnings as errors.

#include <queuecore.hpp>

#include <memory>
#include <string>

template class queuecore::History<int>;
template class queuecore::History<std::string>;
template class queuecore::History<std::unique_ptr<int>>;
template class queuecore::LiveIterator<int>;
template class queuecore::LiveIterator<const std::string>;
template class queuecore::Result<std::string>;
template class queuecore::Result<queuecore::Tracker>;
