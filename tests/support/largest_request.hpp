// operator new that remembers the largest request. A file of its own: where it is inlined, compilers see new meet free.
#pragma once

#include <atomic>
#include <cstddef>

namespace support {

// In bytes, since the test has set it to 0.
extern std::atomic<std::size_t> largest_request;

}  // namespace support
