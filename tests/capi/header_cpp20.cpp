// The header alone, first and twice, in C++20 with every warning an error; then linked.
// clang-format off
#include <freeridge_classical.h>
#include <freeridge_classical.h>
#include "header_checks.h"
// clang-format on

#include <type_traits>

// The two handles are types of their own: one cannot be handed over as the other.
static_assert(!std::is_convertible_v<freeridge_model*, freeridge_kernel*>);
static_assert(std::is_same_v<decltype(freeridge_loo(nullptr, nullptr, 0)), freeridge_status>);

int main() {
  int32_t major = -1;
  if (freeridge_version(&major, nullptr, nullptr) != FREERIDGE_OK) return 1;
  return major == FREERIDGE_VERSION_MAJOR ? 0 : 2;
}
