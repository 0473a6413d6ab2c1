// Calls that cannot be right: NULL, sizes and leading dimensions that are too short or too long, numbers that are none,
// unknown enum values. Each has to be refused, and what it leaves behind is seen by the next comparison.
#include "fuzz/model_sequence.hpp"
#include "fuzz/spoilt_sparse.hpp"

namespace fuzz {
namespace {

constexpr std::int64_t bad_sizes[] = {0, -1, INT64_MIN, INT64_MAX, std::int64_t{1} << 31, std::int64_t{1} << 61};
constexpr double bad_numbers[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity()};
constexpr std::int32_t bad_enums[] = {-1, 77, INT32_MAX, INT32_MIN};

template <class Call, class... Output>
void refused(const char* name, const Call& call, Output&... output) {
  Caller caller;
  caller.memory_may_lack = true;  // for sizes that nothing can hold
  const auto status = caller(name, 0, call, output...);
  if (status == FREERIDGE_OK || status == FREERIDGE_UNDEFINED) wrong(std::string(name) + " took what cannot be right");
}

void misuse_data(freeridge_model* model, Source& in) {
  std::vector<double> x(12, 1.0), y(12, 2.0);
  std::int64_t n = 3, d = 2, t = 2, ldx = 3, ldy = 3;
  std::int32_t layout = FREERIDGE_COL_MAJOR;
  const double* px = x.data();
  const double* py = y.data();
  switch (in.byte() % 10) {
    case 0:
      n = in.among(bad_sizes);
      break;
    case 1:
      d = in.among(bad_sizes);
      break;
    case 2:
      t = in.among(bad_sizes);
      break;
    case 3:
      ldx = in.below(3);
      break;
    case 4:
      ldy = in.below(3);
      break;
    case 5:
      layout = in.among(bad_enums);
      break;
    case 6:
      px = nullptr;
      break;
    case 7:
      py = nullptr;
      break;
    case 8:
      x[size_of(in.below(6))] = in.among(bad_numbers);
      break;
    default:
      y[size_of(in.below(6))] = in.among(bad_numbers);
      break;
  }
  const bool borrow = in.one_in(2);
  if (!borrow)
    return refused("freeridge_set_data", [&] { return freeridge_set_data(model, layout, n, d, px, ldx, t, py, ldy); });
  const std::int64_t some_ldx = ldx == 0 ? -1 : ldx;  // 0 is fine there
  refused("freeridge_set_points",
          [&] { return freeridge_set_points(model, support::at(layout, n, d, px, some_ldx), 1, layout, t, py, ldy); });
}

std::int64_t told_d(const freeridge_model* model) {
  std::int64_t n = 0, d = 1, t = 0;
  (void)freeridge_get_dimensions(model, &n, &d, &t);
  return d;
}

void misuse_setters(freeridge_model* model, Source& in) {
  const std::vector<double> numbers(12, in.among(bad_numbers)), negative(12, -1.0);
  const std::vector<std::int32_t> never(40, -1);  // for as many rows as a reader has
  const std::vector<std::int64_t> rows = {3, 3}, far = {INT64_MAX, INT64_MIN};
  switch (in.byte() % 15) {
    case 13:
      return refused("freeridge_set_points", [&] {
        const support::Points points = support::at(FREERIDGE_COL_MAJOR, 12, 1, negative.data());
        return freeridge_set_points(model, support::with(points, 1, numbers.data(), INT64_MAX), 0, FREERIDGE_COL_MAJOR,
                                    1, negative.data(), 12);
      });
    case 0:
      return refused("freeridge_set_kernel", [&] { return freeridge_set_kernel(model, nullptr); });
    case 1:
      return refused("freeridge_set_weights", [&] { return freeridge_set_weights(model, numbers.data()); });
    case 2:
      return refused("freeridge_set_weights", [&] { return freeridge_set_weights(model, negative.data()); });
    case 3:
      return refused("freeridge_set_groups", [&] { return freeridge_set_groups(model, 1, never.data(), 0, nullptr); });
    case 4:
      return refused("freeridge_set_landmarks", [&] { return freeridge_set_landmarks(model, 2, rows.data()); });
    case 5:
      return refused("freeridge_set_landmarks", [&] { return freeridge_set_landmarks(model, 2, far.data()); });
    case 6:
      return refused("freeridge_set_landmarks", [&] { return freeridge_set_landmarks(model, INT64_MAX, nullptr); });
    case 7:
      return refused("freeridge_set_lambda", [&] { return freeridge_set_lambda(model, numbers[0]); });
    case 8:
      return refused("freeridge_set_lambda", [&] { return freeridge_set_lambda(model, -1.0); });
    case 9:
      return refused("freeridge_set_lambdas", [&] { return freeridge_set_lambdas(model, numbers.data()); });
    case 10:
      return refused("freeridge_set_lambdas", [&] { return freeridge_set_lambdas(model, nullptr); });
    case 11:
      return refused("freeridge_set_parameter",
                     [&] { return freeridge_set_parameter(model, FREERIDGE_REFINEMENT, 101); });
    case 12:
      return refused("freeridge_set_parameter",
                     [&] { return freeridge_set_parameter(model, FREERIDGE_MEMORY_LIMIT, -1); });
    default:
      return refused("freeridge_set_parameter",
                     [&] { return freeridge_set_parameter(model, FREERIDGE_ROUTE, in.among(bad_enums)); });
  }
}

void misuse_answers(freeridge_model* model, Source& in) {
  Output<double> out(64), other(64);
  Output<std::int64_t> length(1);
  const std::vector<double> x(64, in.among(bad_numbers)), fine(64, 1.0);
  const std::int64_t size = in.among(bad_sizes);
  switch (in.byte() % 15) {
    case 0:
      return refused("freeridge_loo", [&] { return freeridge_loo(model, nullptr, 12); });
    case 1:
      return refused(
          "freeridge_loo", [&] { return freeridge_loo(model, out.get(), size); }, out);
    case 2:
      return refused(
          "freeridge_get_fitted", [&] { return freeridge_get_fitted(model, out.get(), 0); }, out);
    case 3:
      return refused("freeridge_predict",
                     [&] { return freeridge_predict(model, FREERIDGE_ROW_MAJOR, 2, x.data(), 12, out.get(), 2); });
    case 4:
      return refused(
          "freeridge_predict",
          [&] { return freeridge_predict(model, FREERIDGE_COL_MAJOR, size, fine.data(), 12, out.get(), 2); }, out);
    case 5:
      return refused(
          "freeridge_predict",
          [&] { return freeridge_predict(model, FREERIDGE_ROW_MAJOR, 2, fine.data(), size, out.get(), 2); }, out);
    case 6:
      return refused(
          "freeridge_predict_jackknife",
          [&] {
            const support::Points points = support::at(FREERIDGE_ROW_MAJOR, 2, told_d(model), fine.data(), 12);
            return freeridge_predict_jackknife(model, points, in.one_in(2) ? in.among(bad_numbers) : 1.0,
                                               in.one_in(2) ? -1 : -2, 0, FREERIDGE_ROW_MAJOR, out.get(), other.get(),
                                               2);
          },
          out, other);
    case 7:
      return refused(
          "freeridge_score", [&] { return freeridge_score(model, FREERIDGE_LOO, 3, x.data(), out.get(), nullptr, 3); },
          out);
    case 8:
      return refused(
          "freeridge_score",
          [&] { return freeridge_score(model, FREERIDGE_LOO, size, fine.data(), out.get(), nullptr, 3); }, out);
    case 9:
      return refused(
          "freeridge_score",
          [&] { return freeridge_score(model, in.among(bad_enums), 3, fine.data(), out.get(), nullptr, 3); }, out);
    case 10:
      return refused(
          "freeridge_select_lambda",
          [&] { return freeridge_select_lambda(model, FREERIDGE_LOO, 2.0, 1.0, out.get(), other.get()); }, out, other);
    case 11:
      return refused(
          "freeridge_select_lambda",
          [&] { return freeridge_select_lambda(model, FREERIDGE_LOO, x[0], 1.0, out.get(), other.get()); }, out, other);
    case 12:
      return refused(
          "freeridge_select_bandwidth",
          [&] { return freeridge_select_bandwidth(model, FREERIDGE_LOO, 0, 0, size == 0 ? 2 : size, out.get()); }, out,
          other, length);
    case 13: {  // too small a size sets the length
      std::vector<unsigned char> bytes(8);
      return refused("freeridge_save_to_memory", [&] {
        return freeridge_save_to_memory(model, FREERIDGE_SAVE_MODEL, 8, bytes.data(), length.get());
      });
    }
    default:
      return refused(
          "freeridge_lambda_grid", [&] { return freeridge_lambda_grid(model, size, out.get()); }, out);
  }
}

}  // namespace

void ModelSequence::misuse_sparse(Source& in) {
  const std::int64_t n = 3, d = told_.data ? told_.data->d : 2;
  const SpoiltSparse x(in, n, d);
  const std::vector<double> y(size_of(n), 1.0);
  const bool borrow = in.one_in(2);
  freeridge_model* const model = model_.get();
  const support::Points points = support::at(x.format, x.n, d, x.start, x.index, x.value);
  refused("freeridge_set_points",
          [&] { return freeridge_set_points(model, points, borrow ? 1 : 0, FREERIDGE_COL_MAJOR, 1, y.data(), n); });
  Output<double> out(size_of(n, told_.data ? told_.data->t : 1));
  refused(
      "freeridge_predict_points",
      [&] { return freeridge_predict_points(model, points, 0, nullptr, FREERIDGE_COL_MAJOR, out.get(), n); }, out);
}

void ModelSequence::misuse(Source& in) {
  switch (in.byte() % 3) {
    case 0:
      return misuse_data(model_.get(), in);
    case 1:
      return misuse_setters(model_.get(), in);
    default:
      return misuse_answers(model_.get(), in);
  }
}

}  // namespace fuzz
