// A model that any calls are made on, in any order, and its twin: what has been set, written down beside it. At any
// moment a fresh model that is told the same, once and in one fixed order, has to answer the same to the last bit:
// nothing is stale, and a call that failed has left nothing behind.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/answers.hpp"
#include "fuzz/source.hpp"

namespace fuzz {

// What a model was told, and when it heard it.
struct Settings {
  struct Data {
    std::int64_t n = 0, d = 0, t = 0;
    freeridge_layout layout = FREERIDGE_COL_MAJOR;
    std::int64_t ldx = 0, ldy = 0;
    std::vector<double> x, y;
    bool borrowed = false;
  };
  std::string kernel;
  std::shared_ptr<const Data> data;  // also what the model borrows
  std::vector<double> weights;       // empty: none
  std::vector<std::int32_t> groups;  // empty: none
  std::int32_t intercept = 1, route = FREERIDGE_ROUTE_AUTO, method = FREERIDGE_LANDMARKS_AUTO;
  std::int64_t seed = 0;
  std::int32_t reduction = FREERIDGE_REDUCTION_AUTO, refinement = 0;
  std::int64_t landmarks = 0;
  std::vector<std::int64_t> landmark_rows;  // empty: chosen
  std::int64_t expected_lambdas = 100;
  std::int32_t expected_criterion = FREERIDGE_LOO;

  struct Factorized {
    std::int64_t expected_lambdas;
    std::int32_t expected_criterion;
  };
  struct Searched {
    std::int32_t criterion;
    double low, high;
    std::vector<std::int32_t> groups;
    std::int32_t refinement;
  };
  struct Fitted {
    std::vector<double> lambdas;
    std::int32_t refinement;
  };
  std::optional<Factorized> factorized;
  std::optional<Searched> searched;
  std::optional<Fitted> fitted;

  void unset() { factorized.reset(), searched.reset(), fitted.reset(); }
};

class ModelSequence {
 public:
  ModelSequence();

  // One call of the fuzzer's choice.
  void step(Source& in);
  // Compares with a fresh model.
  void verify() const;

 private:
  void make(Source& in);
  void set_kernel(Source& in);
  void set_data(Source& in, bool borrow);
  void set_weights(Source& in);
  void set_groups(Source& in);
  void set_choice(Source& in);
  void set_landmarks(Source& in);
  void set_hints(Source& in);
  void factorize(Source& in);
  void set_lambda(Source& in);
  void select_lambda(Source& in);
  void select_bandwidth(Source& in);
  void save_and_load(Source& in);
  void clone();
  void predictor() const;
  void ask_one(Source& in) const;
  void misuse(Source& in);

  // The call, which may be cancelled at the beat that the fuzzer chose; true when it did its work.
  template <class Call, class... Output>
  bool worked(Source& in, const char* name, const Call& call, Output&... output);

  Settings told_;
  ModelHandle model_;
};

// One of a few kernels as text; any but the last has a bandwidth.
std::string chosen_kernel(Source& in);

}  // namespace fuzz
