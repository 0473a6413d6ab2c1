// Saved bytes that are gathered in memory, for tests that ask the core directly.
#pragma once

#include <vector>

#include "libcore/base/bytes.hpp"

namespace support {

class MemoryGatherer final : public freeridge::ByteSink {
 public:
  void put(freeridge::Span<const unsigned char> bytes) override { all.insert(all.end(), bytes.begin(), bytes.end()); }
  std::vector<unsigned char> all;
};

}  // namespace support
