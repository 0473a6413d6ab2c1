// What a model has been told, written down beside it, and its twin: a fresh model that is told the same, once and in one
// fixed order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/answers.hpp"
#include "support/sparse.hpp"

namespace fuzz {

// What a model was told, and when it heard it.
struct Settings {
  struct Data {
    std::int64_t n = 0, d = 0, t = 0;
    freeridge_layout layout = FREERIDGE_COL_MAJOR;
    std::int64_t ldx = 0, ldy = 0;
    std::vector<double> x, y;
    bool borrowed = false;
    std::optional<support::Sparse> sparse;  // x; `layout` is then that of y
    bool read = false;                      // rows are handed out by a reader, from x and y without gaps, row by row
    std::vector<double> weights;            // of these; empty: it writes none
    bool missing = false;                   // NaN in y are values that were not observed
    std::int64_t fails_at = -1;             // from this row on the reader fails; -1: never
  };
  std::string kernel;
  std::shared_ptr<const Data> data;  // also what the model borrows
  std::vector<double> weights;       // empty: none
  std::vector<double> fixed;         // unpenalised columns, column by column; empty: none
  std::vector<std::int32_t> groups;  // empty: none
  std::vector<std::int32_t> gaps;    // one layer; empty: none
  std::int32_t intercept = 1, route = FREERIDGE_ROUTE_AUTO, method = FREERIDGE_LANDMARKS_AUTO;
  std::int64_t seed = 0;
  std::int32_t reduction = FREERIDGE_REDUCTION_AUTO, refinement = 0;
  std::int64_t landmarks = 0, unpenalised = 0;  // the latter of a reader
  std::vector<std::int64_t> landmark_rows;      // empty: chosen
  std::int64_t expected_lambdas = 100;
  std::int32_t expected_criterion = FREERIDGE_LOO;
  std::int32_t missing = 0;  // for the next data
  bool read() const { return data && data->read; }

  struct Factorized {
    std::int64_t expected_lambdas;
    std::int32_t expected_criterion;
  };
  struct Searched {
    std::int32_t criterion;
    double low, high;
    std::vector<std::int32_t> groups, gaps;
    std::int32_t refinement;
  };
  struct Fitted {
    std::vector<double> lambdas;
    std::int32_t refinement;
  };
  std::optional<Factorized> factorized;
  std::optional<Searched> searched;
  std::optional<Fitted> fitted;
  bool bandwidth_searched = false;  // the twin is told what was chosen, and has no search over the bandwidth
  bool kernel_searched = false;     // likewise

  void unset() {
    factorized.reset(), searched.reset(), fitted.reset();
    bandwidth_searched = kernel_searched = false;
  }
};

// Hands the data over, as the fuzzer chose: copied or borrowed, sparse or not.
freeridge_status give(freeridge_model* model, const Settings::Data& data);
// Unpenalised columns beside the rows that the model has.
freeridge_status give_unpenalised(freeridge_model* model, const Settings::Data& data, const std::vector<double>& fixed);

template <class T>
const T* or_null(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

ModelHandle fresh(const Settings& told);

}  // namespace fuzz
