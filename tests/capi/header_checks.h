/* header_checks.h - what the compiler can say about freeridge.h; C99 and C++20 compile it alike. */
#ifndef FREERIDGE_TESTS_CAPI_HEADER_CHECKS_H
#define FREERIDGE_TESTS_CAPI_HEADER_CHECKS_H

/* An array of -1 elements where the condition does not hold. */
#define FREERIDGE_CHECK(name, condition) typedef char freeridge_check_##name[(condition) ? 1 : -1]

FREERIDGE_CHECK(status_is_32_bits, sizeof(freeridge_status) == 4);
FREERIDGE_CHECK(layout_is_32_bits, sizeof(freeridge_layout) == 4);
FREERIDGE_CHECK(route_is_32_bits, sizeof(freeridge_route) == 4);
FREERIDGE_CHECK(criterion_is_32_bits, sizeof(freeridge_criterion) == 4);
FREERIDGE_CHECK(landmark_method_is_32_bits, sizeof(freeridge_landmark_method) == 4);
FREERIDGE_CHECK(reduction_is_32_bits, sizeof(freeridge_reduction) == 4);
FREERIDGE_CHECK(convention_is_32_bits, sizeof(freeridge_convention) == 4);
FREERIDGE_CHECK(loss_is_32_bits, sizeof(freeridge_loss) == 4);
FREERIDGE_CHECK(handles_are_pointers, sizeof(freeridge_model*) == sizeof(void*));
FREERIDGE_CHECK(status_is_signed, (freeridge_status)-1 < 0);
FREERIDGE_CHECK(version_is_a_constant, FREERIDGE_VERSION_MAJOR >= 0 && FREERIDGE_VERSION_MINOR >= 0);

#endif
