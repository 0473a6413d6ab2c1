// The largest single request for memory, in bytes, since it was last asked.
#pragma once

#include <cstddef>

std::size_t largest_allocation();
