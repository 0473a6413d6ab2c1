// freeridge_search and freeridge_kernel_search as arguments whose fields are outputs: numbers that the library sets, and
// arrays, which are NULL until `with` gives them room.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "capi/support/arrays.hpp"
#include "support/search.hpp"

// Argument: one of the two below, of Struct. Numbers and arrays are visited as (name, output, field of the struct).
template <class Argument, class Struct>
struct StructOfOutputs {
  bool null = false;

  // Room for so many numbers in each of the arrays of these names, which stand between spaces.
  Argument& with(const std::string& names, std::size_t room) {
    self().each_array([&](const char* name, auto& output, auto&) {
      if ((" " + names + " ").find(" " + std::string(name) + " ") == std::string::npos) return;
      using Numbers = std::remove_reference_t<decltype(output)>;
      output = Numbers(room);
    });
    return self();
  }

  // The struct as a call takes it; afterwards the numbers go to their outputs.
  struct Passed {
    Argument& argument;
    Passed(const Passed&) = delete;
    Passed& operator=(const Passed&) = delete;
    explicit Passed(Argument& given) : argument(given) {
      argument.each_number([](const char*, auto& output, auto& field) { field = output.values[0]; });
      argument.each_array([](const char*, auto& output, auto& field) { field = output.get(); });
    }
    ~Passed() {
      argument.each_number([](const char*, auto& output, auto& field) { output.values[0] = field; });
    }
    operator Struct*() const { return argument.null ? nullptr : &argument.fields; }
  };

 private:
  Argument& self() { return static_cast<Argument&>(*this); }
};

template <class T>
Output<T> not_wanted() {
  Output<T> out(0);
  out.null = true;
  return out;
}

struct SearchArgument : StructOfOutputs<SearchArgument, freeridge_search> {
  freeridge_search fields = support::no_search();
  Output<std::int64_t> count{1};
  Output<double> lambda = not_wanted<double>(), score = lambda, standard_error = lambda, decades = lambda;
  Output<double> one_se_lambda = lambda, one_se_score = lambda, next = lambda, lambdas = lambda, scores = lambda;
  Output<std::int32_t> edge = not_wanted<std::int32_t>(), dips = edge, below = edge;

  template <class Visit>
  void each_number(const Visit& visit) {
    visit("count", count, fields.count);
  }
  template <class Visit>
  void each_array(const Visit& visit) {
    visit("lambda", lambda, fields.lambda);
    visit("score", score, fields.score);
    visit("standard_error", standard_error, fields.standard_error);
    visit("edge", edge, fields.edge);
    visit("decades", decades, fields.decades);
    visit("dips", dips, fields.dips);
    visit("below", below, fields.below);
    visit("one_se_lambda", one_se_lambda, fields.one_se_lambda);
    visit("one_se_score", one_se_score, fields.one_se_score);
    visit("next", next, fields.next);
    visit("lambdas", lambdas, fields.lambdas);
    visit("scores", scores, fields.scores);
  }
};

struct KernelSearchArgument : StructOfOutputs<KernelSearchArgument, freeridge_kernel_search> {
  freeridge_kernel_search fields = support::no_kernel_search();
  Output<std::int64_t> evaluations{1}, hyperparameters{1}, learnt{1}, rows{1}, sample{1};
  Output<std::int32_t> kept{1}, lambda_at{1};
  Output<std::int32_t> ended = not_wanted<std::int32_t>(), stage = ended, at = ended;
  Output<double> score = not_wanted<double>(), lambda = score, gradient = score, low = score, high = score;
  Output<std::int64_t> row = not_wanted<std::int64_t>(), variable = row;

  template <class Visit>
  void each_number(const Visit& visit) {
    visit("evaluations", evaluations, fields.evaluations);
    visit("hyperparameters", hyperparameters, fields.hyperparameters);
    visit("learnt", learnt, fields.learnt);
    visit("rows", rows, fields.rows);
    visit("sample", sample, fields.sample);
    visit("kept", kept, fields.kept);
    visit("lambda_at", lambda_at, fields.lambda_at);
  }
  template <class Visit>
  void each_array(const Visit& visit) {
    visit("ended", ended, fields.ended);
    visit("stage", stage, fields.stage);
    visit("score", score, fields.score);
    visit("lambda", lambda, fields.lambda);
    visit("gradient", gradient, fields.gradient);
    visit("row", row, fields.row);
    visit("variable", variable, fields.variable);
    visit("low", low, fields.low);
    visit("high", high, fields.high);
    visit("at", at, fields.at);
  }
};
