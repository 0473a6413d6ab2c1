// The C layer, the geometry of a classifier: each call checks its arguments and hands over to the core, behind the
// exception wall (libcore/losses/margins.cpp).
#include <string>
#include <utility>

#include "capi/handles.hpp"
#include "capi/points.hpp"

using namespace freeridge;
using namespace freeridge::capi;

static_assert(FREERIDGE_SUPPORT_NONE == int(SupportKind::none) && FREERIDGE_SUPPORT_FREE == int(SupportKind::free) &&
              FREERIDGE_SUPPORT_BOUNDED == int(SupportKind::bounded));

freeridge_status freeridge_classifier_distances(const freeridge_classifier* classifier, const freeridge_points* points,
                                                double* distance) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    const GivenPoints given("points", points);
    given.refuse_unpenalised(no_effects_of_classifiers);
    required("distance", distance);
    c.require_fitted();
    given.require_columns(c.d());
    std::string reason;
    given.each(c.listener(), [&](Index first, const Points& at) { reason = c.distances(at.x, distance + first); });
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_classifier_get_margins(const freeridge_classifier* classifier, double* margin, double* slack,
                                                  double* alpha, freeridge_support* support) {
  return guarded(__func__, [&] { classifier_of(classifier).margins(margin, slack, alpha, support); });
}
