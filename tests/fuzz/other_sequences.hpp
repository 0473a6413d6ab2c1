// Any calls in any order on accumulators, on a window and on a classifier.
//   accumulators  the answers depend on the rows and their order alone: an accumulator that is given them at once
//                 answers the same to the last bit
//   a window      the answers are, but for rounding, those of a window that is given the rows that are there at once
//   a classifier  a fit that succeeds is stationary within the tolerance; a failure leaves fit and state as they were
#pragma once

#include <memory>

#include "fuzz/answers.hpp"
#include "fuzz/source.hpp"

namespace fuzz {

class AccumulatorSequence {
 public:
  AccumulatorSequence();
  void step(Source& in);
  void verify() const;

 private:
  // What an accumulator was given, in order: rows, or another accumulator as it was then.
  struct Given {
    std::vector<double> x, y, weights;  // row by row
    std::shared_ptr<const std::vector<Given>> other;
  };
  struct Told {
    std::int64_t d = 1, t = 1;
    std::int32_t intercept = 1;
    std::vector<Given> given;
  };

  static AccumulatorHandle fresh(const Told& told);
  void make(Source& in, int which);
  void add(Source& in, int which, bool sparse);
  static freeridge_status add_sparse(freeridge_accumulator* handle, const Told& told, const Given& rows,
                                     const double* weights, Caller& call);
  void misuse_sparse(Source& in, int which);
  void merge(Source& in, int which);
  void save_and_load(int which);
  void misuse(Source& in, int which);

  Told told_[2];
  AccumulatorHandle handle_[2];
};

class WindowSequence {
 public:
  WindowSequence() : handle_(nullptr, freeridge_window_destroy) {
    Source none(nullptr, 0);
    make(none);
  }
  void step(Source& in);
  void verify() const;

 private:
  using Handle = std::unique_ptr<freeridge_window, void (*)(freeridge_window*)>;
  struct Row {
    std::vector<double> x, y;
    double weight;
  };

  Handle fresh(Caller& call) const;
  void make(Source& in);
  void add(Source& in);
  void remove(Source& in);
  void set_lambda(Source& in);

  bool kernel_ = false;
  std::int64_t d_ = 1, t_ = 1, capacity_ = 1;
  std::int32_t intercept_ = 1;
  double lambda_ = 1;
  std::vector<Row> rows_;  // that are there, the oldest first
  Handle handle_;
};

class ClassifierSequence {
 public:
  ClassifierSequence();
  void step(Source& in);
  void verify();

 private:
  void make(Source& in);
  void set_data(Source& in);
  void set_weights(Source& in);
  void set_control(Source& in);
  void fit(Source& in);
  void save_and_load();
  void misuse(Source& in);

  std::int64_t n_ = 0, d_ = 1;  // n_ = 0: no data
  std::int32_t loss_ = FREERIDGE_LOSS_LOGISTIC;
  double tolerance_ = 1e-8;
  bool fitted_ = false;
  Fingerprint before_;  // what it answered when it was asked last, since anything succeeded
  ClassifierHandle handle_;
};

}  // namespace fuzz
