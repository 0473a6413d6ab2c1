#include "libcore/select/objective.hpp"

#include <cmath>
#include <utility>

namespace freeridge {

void ObjectiveTables::set(Index l, Index output, const Objective& objective) {
  const auto put = [&](double value, Matrix& to) {
    to(l, output) = std::isfinite(value) ? value : nan;
    if (!std::isfinite(value)) undefined(l, text("the objective of output ", output, " has no value"));
  };
  put(objective.training, training_);
  put(objective.norm2, norm2_);
  put(objective.value, value_);
}

void ObjectiveTables::undefined(Index l, const std::string& cause) {
  keep_first(reason_, text(cause, " (lambda = ", lambdas_[l], ")"));
}

std::string ObjectiveTables::give(const ObjectiveViews& out) {
  bool asked = false;
  for (const auto& [from, to] : {std::pair(&training_, out.training), {&norm2_, out.norm2}, {&value_, out.value}}) {
    if (to.data != nullptr) copy_out(from->view(), Layout::col_major, to.data, to.ld);
    asked = asked || to.data != nullptr;
  }
  return asked ? std::move(reason_) : "";
}

}  // namespace freeridge
