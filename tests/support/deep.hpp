// Whether a test shall do all that it can: larger problems, every combination. Those that ask have a second test of ctest
// with the label deep, for ./dev test-deep.
#pragma once

#include <cstdlib>

namespace support {

inline bool deep() {
  return std::getenv("FREERIDGE_TEST_DEEP") != nullptr;
}

}  // namespace support
