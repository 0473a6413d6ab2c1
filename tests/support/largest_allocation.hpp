// operator new that remembers its largest request, for tests of what is asked for before it is known to be there.
#pragma once

#include <cstddef>

namespace support {

// In bytes, since the last call.
std::size_t largest_allocation();

}  // namespace support
