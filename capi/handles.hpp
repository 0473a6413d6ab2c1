// What the opaque handles of freeridge.h are, and what the calls on models share.
#pragma once

#include <string>
#include <utility>

#include "capi/wall.hpp"
#include "libcore/model/model.hpp"
#include "libcore/stream/accumulator.hpp"

struct freeridge_kernel {
  freeridge::KernelPtr kernel;
};

struct freeridge_model {
  freeridge::Model model;
};

struct freeridge_accumulator {
  freeridge::Accumulator accumulator;
};

namespace freeridge::capi {

inline Model& model_of(freeridge_model* model) {
  return required("model", model).model;
}
inline const Model& model_of(const freeridge_model* model) {
  return required("model", model).model;
}

inline Criterion checked_criterion(freeridge_criterion criterion) {
  require_one_of("criterion", criterion,
                 {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS, FREERIDGE_ERROR_RATE});
  return static_cast<Criterion>(criterion);
}

// Entries without a value are in the output by now; the status and the sentence say so. The sentence is handed over and
// not copied: nothing may fail once an output is written.
inline void report_undefined(std::string&& reason) {
  if (!reason.empty()) throw Error(Status::undefined, std::move(reason));
}

}  // namespace freeridge::capi
